"""`agent.planner` as a file says it, of a planner that plans."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from demospec.errors import InputError
from demospec.plan.base import Planner
from demospec.plan.diagrams.planner import DiagramPlanner
from demospec.plan.sampled import SampledPlanner
from demospec.plan.tabular import TabularPlanner


@singledispatch
def planner_document(planner: Planner) -> dict[str, Any]:
    """Return the table of a planner; refuse one that no file can name."""
    raise InputError(f"the planner {type(planner).__name__} cannot be written to a file")


@planner_document.register
def _(planner: TabularPlanner) -> dict[str, Any]:
    return {"kind": "tabular"}


@planner_document.register
def _(planner: DiagramPlanner) -> dict[str, Any]:
    return {"kind": "diagrams", "most_nodes": planner.most_nodes}


@planner_document.register
def _(planner: SampledPlanner) -> dict[str, Any]:
    return {"kind": "sampled", "steps": planner.steps, "draws": planner.draws, "seed": planner.seed}

"""`agent.planner`: who plans, by name or as a table with its settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Annotated, Any, Literal

import msgspec

from demospec.errors import InputError
from demospec.plan.base import Planner
from demospec.plan.diagrams.planner import MOST_NODES, DiagramPlanner
from demospec.plan.sampled import SampledPlanner
from demospec.plan.tabular import PLANNER, TabularPlanner
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.world import World

Nodes = Annotated[int, msgspec.Meta(ge=1, le=1 << 30)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class TabularTable(msgspec.Struct, forbid_unknown_fields=True, tag="tabular", tag_field="kind"):
    """The planner for worlds whose states are listed."""


class DiagramsTable(msgspec.Struct, forbid_unknown_fields=True, tag="diagrams", tag_field="kind"):
    """The planner on decision diagrams, for factored worlds."""

    most_nodes: Nodes = MOST_NODES


class SampledTable(msgspec.Struct, forbid_unknown_fields=True, tag="sampled", tag_field="kind"):
    """The planner that plays the world first."""

    steps: Count = SampledPlanner.steps
    draws: Count = SampledPlanner.draws
    seed: Count = SampledPlanner.seed


PlannerTable = Literal["tabular", "diagrams", "sampled"] | TabularTable | DiagramsTable | SampledTable
KINDS = {"tabular": TabularTable, "diagrams": DiagramsTable, "sampled": SampledTable}


def build_planner(table: PlannerTable | None, worlds: Sequence[World]) -> Planner:
    """Return the planner for some worlds.

    Left out, it is the one for listed worlds, or on decision diagrams where a world is factored.
    """
    if isinstance(table, str):
        table = KINDS[table]()
    if table is None:
        return DiagramPlanner() if any(isinstance(world, FactoredWorld) for world in worlds) else PLANNER
    if isinstance(table, DiagramsTable):
        if not all(isinstance(world, FactoredWorld) for world in worlds):
            raise InputError('"diagrams" plans worlds of the kind "factored" only')
        return DiagramPlanner(table.most_nodes)
    if isinstance(table, SampledTable):
        return SampledPlanner(steps=table.steps, draws=table.draws, seed=table.seed)
    return PLANNER


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

"""`agent.planner`: who plans, by name or as a table with its settings."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from demospec.errors import InputError
from demospec.plan.base import Planner
from demospec.plan.diagrams.planner import MOST_NODES, DiagramPlanner
from demospec.plan.sampled import SampledPlanner
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.mdp import MDP

MOST_LISTED = 1 << 15  # states of a factored world; it takes a minute for ten times as many
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


def build_planner(table: PlannerTable | None, world: MDP) -> tuple[MDP, Planner | None]:
    """Return the planner and the world that it plans; None is the one for listed worlds.

    Left out, it is the one on decision diagrams for a factored world. The others list its states first.
    """
    if isinstance(table, str):
        table = KINDS[table]()
    factored = isinstance(world, FactoredWorld)
    if isinstance(table, DiagramsTable) or (table is None and factored):
        if not factored:
            raise InputError('"diagrams" plans worlds of the kind "factored" only')
        return world, DiagramPlanner() if table is None else DiagramPlanner(table.most_nodes)
    listed = world.to_mdp(MOST_LISTED) if isinstance(world, FactoredWorld) else world
    if isinstance(table, SampledTable):
        return listed, SampledPlanner(steps=table.steps, draws=table.draws, seed=table.seed)
    return listed, None

"""`agent.planner`: who plans, by name or as a table with its settings; a planner is loaded where it plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from demospec.errors import InputError
from demospec.plan.base import Planner
from demospec.plan.tabular import PLANNER
from demospec.worlds.mdp import MDP
from demospec.worlds.world import World

Nodes = Annotated[int, msgspec.Meta(ge=1, le=1 << 30)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class TabularTable(msgspec.Struct, forbid_unknown_fields=True, tag="tabular", tag_field="kind"):
    """The planner for worlds whose states are listed."""


class DiagramsTable(msgspec.Struct, forbid_unknown_fields=True, tag="diagrams", tag_field="kind"):
    """The planner on decision diagrams, for factored worlds."""

    most_nodes: Nodes | UnsetType = UNSET


class SampledTable(msgspec.Struct, forbid_unknown_fields=True, tag="sampled", tag_field="kind"):
    """The planner that plays the world first."""

    steps: Count | UnsetType = UNSET
    draws: Count | UnsetType = UNSET
    seed: Count | UnsetType = UNSET


PlannerTable = Literal["tabular", "diagrams", "sampled"] | TabularTable | DiagramsTable | SampledTable
KINDS = {"tabular": TabularTable, "diagrams": DiagramsTable, "sampled": SampledTable}


def build_planner(table: PlannerTable | None, worlds: Sequence[World]) -> Planner:
    """Return the planner for some worlds.

    Left out, it is the one for listed worlds, or on decision diagrams where a world is factored.
    """
    if isinstance(table, str):
        table = KINDS[table]()
    if isinstance(table, SampledTable):
        from demospec.plan.sampled import SampledPlanner

        return SampledPlanner(**given(table))
    if isinstance(table, DiagramsTable) or (table is None and any(map(is_factored, worlds))):
        if not all(map(is_factored, worlds)) and table is not None:
            raise InputError('"diagrams" plans worlds of the kind "factored" only')
        from demospec.plan.diagrams.planner import DiagramPlanner

        return DiagramPlanner(**given(table))
    return PLANNER


def given(table: msgspec.Struct | None) -> dict[str, Any]:
    """Return the settings that a table has; the others are the planner's own."""
    return {} if table is None else {k: v for k, v in msgspec.structs.asdict(table).items() if v is not UNSET}


def is_factored(world: World) -> bool:
    """Say whether a world is factored."""
    if isinstance(world, MDP):
        return False  # so that nothing else needs to be loaded
    from demospec.worlds.factored import FactoredWorld

    return isinstance(world, FactoredWorld)

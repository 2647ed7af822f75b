"""`[world]` with kind "gymnasium": a registered environment by its name, and what is labelled."""

from __future__ import annotations

import warnings
from typing import Any

import msgspec

from demospec.errors import InputError
from demospec.sources.environment import make
from demospec.sources.gymnasium import MAX_STATES, SEED, from_gymnasium
from demospec.sources.gymnasium_world import GymnasiumWorld
from demospec.worlds.world import Episode


class GymnasiumTable(msgspec.Struct, forbid_unknown_fields=True, tag="gymnasium", tag_field="kind"):
    """`[world]` with kind "gymnasium". Nothing of it is executed: features are formulas, and `id` a name."""

    id: str
    kwargs: dict[str, Any] = {}
    labels: dict[str, str] = {}
    features: dict[str, str] = {}
    terminal: list[str] = []
    actions: list[str] = []
    seed: int | list[int] = SEED
    max_states: int = MAX_STATES
    samples: int | None = None
    merge_redundant: bool = False


def build_gymnasium(table: GymnasiumTable, episode: Episode) -> GymnasiumWorld:
    """Make the world that a table names; that it was estimated, its `source` says."""
    if table.samples is not None and table.samples < 1:
        raise InputError(f"samples must be at least 1; found {table.samples}")
    environment = make(table.id, table.kwargs)
    told = bool(table.labels or table.features)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return from_gymnasium(
                environment,
                labels=table.labels if told else None,
                features=table.features if told else None,
                horizon=episode.horizon,
                ends=episode.ends,
                end_probability=episode.end_probability,
                terminal=table.terminal,
                actions=table.actions or None,
                seed=table.seed,
                max_states=table.max_states,
                samples=table.samples,
            )
    finally:
        environment.close()

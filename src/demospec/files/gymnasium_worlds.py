"""From a table that names an environment to its world."""

from __future__ import annotations

import warnings

from demospec.errors import InputError
from demospec.files.gymnasium_table import GymnasiumTable
from demospec.sources.environment import make
from demospec.sources.gymnasium import MAX_STATES, from_gymnasium
from demospec.sources.gymnasium_world import GymnasiumWorld
from demospec.worlds.world import Episode


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
                max_states=table.max_states or MAX_STATES,
                samples=table.samples,
            )
    finally:
        environment.close()

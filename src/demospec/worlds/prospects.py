"""Where runs of a listed world can get, and how long one takes that has no aim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.worlds.mdp import MDP, Bools, Floats, spans
from demospec.worlds.world import is_stopped, stops

MOST_WORK = 1 << 28  # outcomes that are followed; beyond, how long an aimless run takes is not told


@dataclass(frozen=True)
class Prospects:
    """What can happen in a world, whoever acts."""

    reachable: Bools  # [S], whether an episode can get there
    letters: tuple[str, ...]  # of the states that can be reached, sorted
    aimless_steps: float | None  # expected of an agent to whom all actions are alike; None: too long to tell

    @classmethod
    def of(cls, mdp: MDP) -> Prospects:
        """Follow all runs of a world."""
        reached = reachable(mdp)
        labels = {mdp.labels[state] for state in np.flatnonzero(reached).tolist()}
        letters = tuple(sorted(label for label in labels if label is not None))
        return cls(reached, letters, aimless_steps(mdp))


def reachable(mdp: MDP) -> Bools:
    """Return [S]: the states that an episode can get to before its horizon; where one stops is none."""
    found = np.zeros(len(mdp.states), dtype=np.bool_)
    fringe = np.array([state for state, _ in mdp.starts], dtype=np.intp)
    found[fringe] = True
    for _ in range(mdp.horizon):
        outcomes = spans(mdp.outcome_offset[mdp.pair_offset], fringe)
        fringe = np.unique(mdp.successor[outcomes])
        fringe = fringe[~found[fringe]]
        if not len(fringe):
            break
        found[fringe] = True
    for state in np.flatnonzero(found & mdp.terminal).tolist():
        found[state] = not is_stopped(mdp, state)
    return found


def aimless_steps(mdp: MDP) -> float | None:
    """Return how many steps an episode is expected to take if every action is as likely as another.

    Σ over t of the probability that an episode takes a step after t steps; to stop is no step.
    """
    if len(mdp.successor) * mdp.horizon > MOST_WORK:
        return None
    choices = np.diff(mdp.pair_offset)
    owner = np.repeat(np.arange(len(mdp.states)), choices)  # [P]
    pair = np.repeat(np.arange(len(owner)), np.diff(mdp.outcome_offset))  # [O]
    source = owner[pair]
    chance = mdp.probability / choices[source]
    moves = np.array([not stops(mdp, one) for one in range(len(owner))], dtype=np.bool_)
    moving: Floats = np.bincount(owner[moves], minlength=len(mdp.states)) / np.maximum(choices, 1)
    mass: Floats = np.zeros(len(mdp.states))
    for state, share in mdp.starts:
        mass[state] = share
    total, goes_on = 0.0, 1 - mdp.episode.end_probability
    for time in range(mdp.horizon):
        if time:
            mass *= goes_on
        step = float(mass @ moving)
        if step <= 0:
            break
        total += step
        mass = np.bincount(mdp.successor, mass[source] * chance, len(mdp.states)).astype(np.float64)
    return total

"""What actions cost, in units of the agent's effort: what is told of them, and what is usual."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from demospec.errors import WorldError, listing, nearest
from demospec.worlds.world import STOP, Episode

if TYPE_CHECKING:
    from demospec.worlds.mdp import MDP

Floats = npt.NDArray[np.float64]


def check_costs(told: Mapping[str, float], actions: Iterable[str], *, by_choice: bool) -> None:
    """Refuse costs of actions that there are not, costs that are no price, and a price of stopping."""
    known = list(actions)
    for action, cost in told.items():
        if by_choice and action == STOP:
            raise WorldError(f'"{STOP}" is free where episodes end by choice; found a cost of {cost:g}')
        if action not in known:
            raise WorldError(
                f'"{action}" has a cost, but is not an action{nearest(action, known)}; '
                f"actions: {listing(known)}"
            )
        if not (math.isfinite(cost) and cost >= 0):
            raise WorldError(f'the cost of "{action}" must be at least 0, and finite; found {cost:g}')


def check_no_stop(episode: Episode, actions: Iterable[str]) -> None:
    """Refuse an action of the name `stop` where that is the choice to end the episode."""
    if episode.by_choice and STOP in actions:
        raise WorldError(
            f'the world has an action "{STOP}" of its own, but with ends = "by choice" the choice to end the '
            "episode has this name; give the action another one, or let episodes end by chance"
        )


def idle_actions(mdp: MDP) -> set[str]:
    """Return the actions that change nothing: wherever they are available, they surely stay."""
    owner = np.repeat(np.arange(len(mdp.states)), np.diff(mdp.pair_offset))
    stays = (np.diff(mdp.outcome_offset) == 1) & (mdp.successor[mdp.outcome_offset[:-1]] == owner)
    moving = set(mdp.pair_action[~stays].tolist())
    return {mdp.actions[k] for k in set(mdp.pair_action.tolist()) - moving}


def by_pair(mdp: MDP, prices: Mapping[str, float]) -> Floats | None:
    """Return [P]: the cost of each pair from the costs of actions; None where all cost 1."""
    return unless_ones(np.array([prices[action] for action in mdp.actions])[mdp.pair_action])


def unless_ones(costs: Floats) -> Floats | None:
    """Return costs; None where all are 1, so that worlds without costs are alike."""
    return None if np.all(costs == 1) else costs


def action_costs(mdp: MDP) -> dict[str, float]:
    """Return what each action that is available anywhere costs; refuse one whose costs differ by state."""
    costs: dict[str, float] = {}
    for number, action in enumerate(mdp.actions):
        pairs = np.flatnonzero(mdp.pair_action == number)
        found = [1.0] if mdp.costs is None else np.unique(mdp.costs[pairs]).tolist()
        if len(found) > 1:
            raise WorldError(
                f'the action "{action}" costs {found[0]:g} in one state and {found[-1]:g} in another; '
                "costs are told by action"
            )
        if len(pairs):
            costs[action] = found[0]
    return costs

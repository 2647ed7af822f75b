"""How agents begin: a quick lower bound on how far apart they are.

The divergence of whole paths is at least that of their beginnings,

    KL ≥ Σ over the first steps ξ of Pr₁(ξ)·KL(π₁(· | ξ) ‖ π₂(· | ξ)),

and beginnings of many agents are compared at once. Histories in the same state after the same word are one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demospec.belief.distance import TOGETHER, Agents, quick
from demospec.plan.base import Plan
from demospec.plan.occupancy import choices
from demospec.tasks import Word
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.paths import word_of

MOST_HISTORIES = 100  # of one length; longer beginnings are not looked at
DEEPEST = 2  # steps: more tell little more, and take longer than the comparisons that they save


@dataclass(frozen=True, eq=False)
class Layer:
    """The histories of one length, N of them, and the moves from them to the next, E of them."""

    state: Ints  # [N]
    word: tuple[Word, ...]  # by history, repeats merged if they are
    number: Ints  # [E], the history left
    choice: Ints  # [E], which of all choices in this layer
    chance: Floats  # [E], that the environment does so, and goes on
    reached: Ints  # [E], the history reached, in the next layer


def layers_of(mdp: MDP, *, merge_repeats: bool, deepest: int = DEEPEST) -> list[Layer]:
    """Return the beginnings of all episodes, while they are few."""
    here: dict[tuple[int, Word], int] = {}
    here[mdp.start, word_of([mdp.labels[mdp.start]], merge_repeats=merge_repeats)] = 0
    layers: list[Layer] = []
    for time in range(min(deepest, mdp.horizon)):
        following: dict[tuple[int, Word], int] = {}
        moves: list[tuple[int, int, float, int]] = []
        choice = 0
        for (state, word), number in here.items():
            for pair in mdp.pairs(state):
                for reached, chance in mdp.outcomes(pair):
                    on = 1.0 - mdp.end_chance(reached, time + 1)
                    if on > 0:
                        longer = word_of([*word, mdp.labels[reached]], merge_repeats=merge_repeats)
                        at = following.setdefault((reached, longer), len(following))
                        moves.append((number, choice, chance * on, at))
                choice += 1
        columns = [np.array(column) for column in zip(*moves, strict=True)] if moves else [np.zeros(0)] * 4
        number_, choice_, reached_ = (columns[k].astype(np.intp) for k in (0, 1, 3))
        state_ = np.array([state for state, _ in here], dtype=np.intp)
        words = tuple(word for _, word in here)
        layers.append(Layer(state_, words, number_, choice_, columns[2].astype(np.float64), reached_))
        if not following or len(following) > MOST_HISTORIES:
            break
        here = following
    return layers


def lower_bounds(agents: Agents, deepest: int = DEEPEST) -> Floats:
    """Return [T, T]: for each ordered pair of agents a number that their divergence is not below."""
    count = len(agents.tasks)
    if not agents.is_listed:
        return np.zeros((count, count))
    mdp = agents.problem.world
    layers = layers_of(agents.world, merge_repeats=agents.problem.merge_repeats, deepest=deepest)
    weight, log_chance = [], []
    for first in range(0, count, TOGETHER):
        some = range(first, min(first + TOGETHER, count))
        asked = [(agents.monitors[k], agents.rationalities[k]) for k in some]
        for plan in quick(agents.planner).plans(mdp, asked):
            reached, chosen = beginnings(plan, layers)
            weight.append(reached)
            log_chance.append(chosen)
    present, chosen = np.array(weight), np.array(log_chance)
    result: Floats = (present * chosen).sum(axis=1)[:, None] - present @ chosen.T
    return result


def beginnings(plan: Plan, layers: list[Layer]) -> tuple[Floats, Floats]:
    """Return, for every choice in the layers, how often it is made and ln π."""
    present: Floats = np.ones(1)
    made, logs = [], []
    read: dict[Word, int] = {}
    for time, layer in enumerate(layers):
        monitor = np.array([_state(plan, word, read) for word in layer.word], dtype=np.intp)
        number, _, log_chance = choices(plan, time, monitor, layer.state)
        chosen = present[number] * np.exp(log_chance)
        made.append(chosen)
        logs.append(log_chance)
        if len(layer.reached):
            present = np.bincount(layer.reached, chosen[layer.choice] * layer.chance).astype(np.float64)
    return np.concatenate(made), np.concatenate(logs)


def _state(plan: Plan, word: Word, read: dict[Word, int]) -> int:
    if word not in read:
        read[word] = 0 if not word else plan.monitor.step(_state(plan, word[:-1], read), word[-1])
    return read[word]

"""The smallest world that behaves like a given one: copies of actions, and of states, are merged.

Two states are copies when they have the same label, both end an episode or both do not, and for every action
of one there is an action of the other that leads to the same classes of states with the same probabilities
(bisimulation). Two actions of a state are copies when they lead to the same classes, equally likely.
Nothing that a task reads is lost: every policy in one world has a policy in the other under which all words
are as likely. What changes is what an agent of maximum entropy does: two names of an action had two shares.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.errors import InputError
from demospec.worlds.mdp import MDP, Floats, Ints, State

ROUNDING = 1e-12  # probabilities that differ by less are the same number, added up in another order


@dataclass(frozen=True, eq=False)
class Quotient:
    """A world, the same world without copies, and which of its states and pairs stands for which.

    Classes are numbered by their first members, and named after them.
    """

    original: MDP
    mdp: MDP
    state_class: Ints  # [S], number of a state in `mdp`
    pair_class: Ints  # [P], number of a state-action pair in `mdp`

    @property
    def merged_states(self) -> int:
        """Return how many states are gone."""
        return len(self.original.states) - len(self.mdp.states)

    @property
    def merged_pairs(self) -> int:
        """Return how many state-action pairs are gone."""
        return len(self.original.pair_action) - len(self.mdp.pair_action)

    @cached_property
    def copies(self) -> dict[State, tuple[State, ...]]:
        """Return, for each state that stands for others too, the names of all that it stands for."""
        found: dict[State, list[State]] = {}
        for name, k in zip(self.original.states, self.state_class.tolist(), strict=True):
            found.setdefault(self.mdp.states[k], []).append(name)
        return {first: tuple(names) for first, names in found.items() if len(names) > 1}

    def state(self, name: State) -> State:
        """Return the state that stands for one of the original world."""
        return self.mdp.states[self.state_class.item(self.original.number[name])]

    def steps(self, steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Return the steps of a path of the original world as steps of the world without copies."""
        return tuple([(self.pair_class.item(pair), self.state_class.item(state)) for pair, state in steps])

    def lifted(self, steps: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        """Return steps of the original world that stand for these: at each the first that fit."""
        found: list[tuple[int, int]] = []
        state = self.original.start
        for pair, reached in steps:
            own = next(p for p in self.original.pairs(state) if self.pair_class[p] == pair)
            state = next(s for s, _ in self.original.outcomes(own) if self.state_class[s] == reached)
            found.append((own, state))
        return tuple(found)


def quotient(mdp: MDP) -> Quotient:
    """Merge the copies of actions and states of a listed world."""
    if type(mdp) is not MDP:
        raise InputError("only a world whose states and probabilities are listed can be merged")
    state_class, rows = coarsest(mdp)
    first = np.unique(state_class, return_index=True)[1]
    pair_class = np.zeros(len(mdp.pair_action), dtype=np.intp)
    kept: list[int] = []  # the first pair of each class of pairs, in order of its state's class
    pair_offset = [0]
    number: dict[tuple[int, Hashable], int] = {}
    for k, state in enumerate(first.tolist()):
        for pair in mdp.pairs(state):
            if (k, rows[pair]) not in number:
                number[k, rows[pair]] = len(kept)
                kept.append(pair)
        pair_offset.append(len(kept))
    for state, k in enumerate(state_class.tolist()):
        for pair in mdp.pairs(state):
            pair_class[pair] = number[k, rows[pair]]

    outcome_offset, successor, probability = [0], [], []
    for pair in kept:
        for reached, chance in over_classes(mdp, pair, state_class).items():
            successor.append(reached)
            probability.append(chance)
        outcome_offset.append(len(successor))
    used = np.unique(mdp.pair_action[kept])
    action_number = {int(action): k for k, action in enumerate(used)}
    small = MDP(
        states=tuple(mdp.states[state] for state in first),
        actions=tuple(mdp.actions[action] for action in used),
        start=int(state_class[mdp.start]),
        labels=tuple(mdp.labels[state] for state in first),
        terminal=mdp.terminal[first],
        pair_offset=np.array(pair_offset, dtype=np.intp),
        pair_action=np.array([action_number[int(mdp.pair_action[pair])] for pair in kept], dtype=np.intp),
        outcome_offset=np.array(outcome_offset, dtype=np.intp),
        successor=np.array(successor, dtype=np.intp),
        probability=np.array(probability, dtype=np.float64),
        episode=mdp.episode,
    )
    return Quotient(mdp, small, state_class, pair_class)


def over_classes(mdp: MDP, pair: int, state_class: Ints) -> dict[int, float]:
    """Return the probabilities of the classes that a pair leads to, in the order of its outcomes."""
    parts: dict[int, list[float]] = {}
    for state, chance in mdp.outcomes(pair):
        parts.setdefault(state_class.item(state), []).append(chance)
    return {k: math.fsum(chances) for k, chances in parts.items()}


def coarsest(mdp: MDP) -> tuple[Ints, list[Hashable]]:
    """Return the classes of states that are copies of each other, and of each pair what it leads to.

    Begin with labels and ends, and split classes by what their members' actions lead to until nothing
    changes.
    """
    state_class = numbered([(mdp.labels[s], bool(mdp.terminal[s])) for s in range(len(mdp.states))])
    while True:
        rows = distributions(mdp, state_class)
        told = [
            (k, frozenset(rows[pair] for pair in mdp.pairs(state)))
            for state, k in enumerate(state_class.tolist())
        ]
        finer = numbered(told)
        if finer.max() == state_class.max():
            return finer, rows
        state_class = finer


def numbered(keys: Iterable[Hashable]) -> Ints:
    """Number keys in the order in which they first occur."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.intp)


def distributions(mdp: MDP, state_class: Ints) -> list[Hashable]:
    """Return, for each pair, the classes that it leads to with their probabilities, equal where they are."""
    rows = [sorted(over_classes(mdp, pair, state_class).items()) for pair in range(len(mdp.pair_action))]
    level = levels(np.array([chance for row in rows for _, chance in row]), ROUNDING)
    places = iter(level.tolist())
    return [tuple([(k, next(places)) for k, _ in row]) for row in rows]


def levels(numbers: Floats, gap: float) -> Ints:
    """Return the rank of each number, where numbers that lie closer together than `gap` share one.

    >>> levels(np.array([0.3, 0.5, 0.1 + 0.2]), 1e-12).tolist()
    [0, 1, 0]
    """
    order = np.argsort(numbers, kind="stable")
    rank = np.zeros(len(numbers), dtype=np.intp)
    rank[order[1:]] = np.cumsum(np.diff(numbers[order]) > gap)
    return rank

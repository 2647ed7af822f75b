"""The smallest world that behaves like a given one: copies of actions, and of states, are merged.

Two states are copies when they have the same label, both end an episode or both do not, and for every action
of one there is an action of the other that leads to the same classes of states with the same probabilities
(bisimulation). Two actions of a state are copies when they lead to the same classes, equally likely; where
steps cost, they must cost the same. A stopped episode is no copy of one that ended elsewhere: to stop is a
choice of its own.
Nothing that a task reads is lost: every policy in one world has a policy in the other under which all words
are as likely. What changes is what an agent of maximum entropy does: two names of an action had two shares.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np

from demospec.errors import InputError
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.paths import Path, start_of
from demospec.worlds.world import State, World, is_stopped, unless_ones

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

    def image(self, path: Path) -> Path:
        """Return the path of the world without copies that stands for a path of the original world."""
        steps = [(self.pair_class.item(pair), self.state_class.item(state)) for pair, state in path.steps]
        first = self.state_class.item(path.first(self.original))
        return Path(tuple(steps), path.complete, start_of(self.mdp, first))

    def lifted(self, path: Path, rng: np.random.Generator | None = None) -> Path:
        """Return a path of the original world that stands for this one: at each step the first that fits.

        With a generator it is drawn: copies of an action are equally likely, and among the states of a class
        the environment chooses, by the probabilities of the original world.
        """

        def pick(options: Sequence[tuple[int, float]]) -> int:
            if rng is None or len(options) == 1:
                return options[0][0]
            weight = np.cumsum([chance for _, chance in options])
            at = int(np.searchsorted(weight, rng.random() * weight[-1], side="right"))
            return options[min(at, len(options) - 1)][0]

        first = path.first(self.mdp)
        state = begin = pick([(s, p) for s, p in self.original.starts if self.state_class[s] == first])
        found: list[tuple[int, int]] = []
        for pair, reached in path.steps:
            own = pick([(p, 1.0) for p in self.original.pairs(state) if self.pair_class[p] == pair])
            outcomes = self.original.outcomes(own)
            state = pick([(s, p) for s, p in outcomes if self.state_class[s] == reached])
            found.append((own, state))
        return Path(tuple(found), path.complete, start_of(self.original, begin))


def quotient(world: World, *, costs: bool = False) -> Quotient:
    """Merge the copies of actions and states of a world whose probabilities are known.

    With `costs` actions that cost differently are no copies; to an agent without effort they are, and then
    the first of them tells what they cost.
    """
    mdp = world.listed()
    if isinstance(mdp, EstimatedMDP):
        raise InputError("a world that was sampled cannot be merged: estimates of two copies differ")
    state_class, rows = coarsest(mdp if costs else replace(mdp, costs=None))
    first = np.unique(state_class, return_index=True)[1]
    kept: list[int] = []  # the first pair of each class of pairs, in order of its state's class
    pair_offset = [0]
    number: dict[tuple[int, Hashable], int] = {}
    for k, state in enumerate(first.tolist()):
        for pair in mdp.pairs(state):
            if (k, rows[pair]) not in number:
                number[k, rows[pair]] = len(kept)
                kept.append(pair)
        pair_offset.append(len(kept))
    pair_class = np.array(
        [number[k, rows[pair]] for state, k in enumerate(state_class.tolist()) for pair in mdp.pairs(state)],
        dtype=np.intp,
    )
    outcomes = [over_classes(mdp, pair, state_class) for pair in kept]
    begin: dict[int, float] = {}
    for state, chance in mdp.starts:
        begin[int(state_class[state])] = begin.get(int(state_class[state]), 0.0) + chance
    used, pair_action = np.unique(mdp.pair_action[kept], return_inverse=True)
    small = MDP(
        states=tuple(mdp.states[state] for state in first),
        actions=tuple(mdp.actions[action] for action in used),
        starts=tuple(begin.items()),
        labels=tuple(mdp.labels[state] for state in first),
        terminal=mdp.terminal[first],
        pair_offset=np.array(pair_offset, dtype=np.intp),
        pair_action=pair_action.reshape(-1),
        outcome_offset=np.array([0, *accumulate(map(len, outcomes))], dtype=np.intp),
        successor=np.array([reached for found in outcomes for reached in found], dtype=np.intp),
        probability=np.array([p for found in outcomes for p in found.values()], dtype=np.float64),
        episode=mdp.episode,
        costs=None if mdp.costs is None else unless_ones(mdp.costs[kept]),
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
    state_class = numbered_keys(
        [(mdp.labels[s], bool(mdp.terminal[s]), is_stopped(mdp, s)) for s in range(len(mdp.states))]
    )
    while True:
        rows = distributions(mdp, state_class)
        told = [
            (k, frozenset(rows[pair] for pair in mdp.pairs(state)))
            for state, k in enumerate(state_class.tolist())
        ]
        finer = numbered_keys(told)
        if finer.max() == state_class.max():
            return finer, rows
        state_class = finer


def numbered_keys(keys: Iterable[Hashable]) -> Ints:
    """Number keys in the order in which they first occur."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.intp)


def distributions(mdp: MDP, state_class: Ints) -> list[Hashable]:
    """Return, for each pair, its cost and the classes that it leads to, with their probabilities.

    Probabilities that are the same but for rounding are told by the same number.
    """
    rows = [sorted(over_classes(mdp, pair, state_class).items()) for pair in range(len(mdp.pair_action))]
    level = levels(np.array([chance for row in rows for _, chance in row]), ROUNDING)
    places = iter(level.tolist())
    return [(mdp.cost(pair), tuple([(k, next(places)) for k, _ in row])) for pair, row in enumerate(rows)]


def levels(numbers: Floats, gap: float) -> Ints:
    """Return the rank of each number, where numbers that lie closer together than `gap` share one.

    >>> levels(np.array([0.3, 0.5, 0.1 + 0.2]), 1e-12).tolist()
    [0, 1, 0]
    """
    order = np.argsort(numbers, kind="stable")
    rank = np.zeros(len(numbers), dtype=np.intp)
    rank[order[1:]] = np.cumsum(np.diff(numbers[order]) > gap)
    return rank

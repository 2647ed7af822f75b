"""All paths of a listed world at once, layer by layer of time, read by an automaton on the way.

A path's past matters through the situation that it has led to: the state of the world and the node of the
reader. So paths that meet are followed as one. Whoever has a question folds numbers of its own over the
layers: how often, how many ways, how few letters (`Trails`).

    ways = np.ones(len(walk.begin))
    for layer in walk:
        …                                              # ways[i] lead to situation i of the layer
        ways = layer.gather(ways[layer.source])        # to each situation of the next

Where runs of a listed world can get, and how long one takes that has no aim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from demospec.errors import WorldError
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Bools, Floats, Ints, spans
from demospec.worlds.paths import Path, start_of
from demospec.worlds.world import is_stopped, stops

Counts = npt.NDArray[np.int32]

SPARSE = 8  # situations are sorted where more than so many numbers would have to be looked at for each move
LONGEST_PERIOD = 2  # steps after which layers repeat that are noticed: two in a grid without waiting


class TooManySituations(WorldError):
    """A walk has met more situations than it was allowed to."""


class LetterReader(Protocol):
    """What reads the letters along a path: its nodes are numbers. `tasks/side_by_side.py` has two."""

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Return the letters; the number after the last stands for white."""

    @property
    def start(self) -> int:
        """Return the node before anything is read."""

    def read(self, node: Ints, letter: Ints) -> Ints:
        """Return the nodes after reading letters."""


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves out of each state: those of state s are the numbers offset[s] to offset[s + 1]."""

    offset: Ints  # [S + 1]
    pair: Ints
    reached: Ints
    chance: Floats  # that the pair leads there


@lru_cache(maxsize=8)
def moves_of(mdp: MDP, *, distinct: bool) -> Moves:
    """Return every outcome of every pair in order.

    With `distinct` each state that can come next is there once, with the pair likeliest to lead there.
    """
    pair = np.repeat(np.arange(len(mdp.pair_action)), np.diff(mdp.outcome_offset))
    offset = mdp.outcome_offset[mdp.pair_offset]
    if not distinct:
        return Moves(offset, pair, mdp.successor, mdp.probability)
    states = len(mdp.states)
    source = np.repeat(np.arange(states), np.diff(offset))
    where = source * states + mdp.successor
    order = np.lexsort((-mdp.probability, where))  # stable: of equals the first
    likeliest = order[np.flatnonzero(np.diff(where[order], prepend=-1))]
    _, first = np.unique(where, return_index=True)
    chosen = likeliest[np.argsort(first)]  # in the order in which states are first led to
    count = np.bincount(source[chosen], minlength=states)
    offset = np.concatenate([[0], np.cumsum(count)])
    return Moves(offset, pair[chosen], mdp.successor[chosen], mdp.probability[chosen])


@dataclass(frozen=True, eq=False)
class SituationLayer:
    """The N situations in which an episode can be after `time` steps, and the E moves out of them.

    Situations are sorted by node, then by state. Moves are in the order of their sources, then of the pairs.
    """

    time: int
    state: Ints  # [N]
    node: Ints  # [N]
    ends: Floats  # [N], how often an episode ends that gets there
    source: Ints  # [E], which of the situations; only those in which an episode can go on
    pair: Ints  # [E]
    chance: Floats  # [E], that the environment answers the pair so
    target: Ints  # [E], which situation of the next layer
    reached: Ints  # [E], its state
    repeats: int = 0  # situations and moves are the same arrays as so many layers before; 0: they are new

    def __len__(self) -> int:
        return len(self.state)

    def gather(self, numbers: Floats) -> Floats:
        """Add up what moves bring [E] in each situation of the next layer."""
        found: Floats = np.bincount(self.target, numbers).astype(np.float64, copy=False)
        return found  # every situation has a move that leads there

    @cached_property
    def choice(self) -> Ints:
        """Return [E]: the number of the choice, a situation with a pair, that each move belongs to."""
        new = np.diff(self.source, prepend=-1) != 0
        new |= np.diff(self.pair, prepend=-1) != 0
        return np.cumsum(new) - 1

    @cached_property
    def first(self) -> Ints:
        """Return [C]: the first move of each choice."""
        return np.flatnonzero(np.diff(self.choice, prepend=-1))


class PathWalk:
    """The layers of a world's paths, from all its start states to its horizon; it can be walked again.

    A situation has the node with its state read, or with `unread` the one in which its state finds the
    reader. Without a reader the node is always 0. With `distinct` moves that lead from one state to another
    are one, which is enough for whoever asks only where paths can go. More than `most` different situations,
    over all layers, raise `TooManySituations`; a flag that is set raises `Stopped`.
    """

    def __init__(
        self,
        mdp: MDP,
        reader: LetterReader | None = None,
        *,
        unread: bool = False,
        distinct: bool = False,
        most: int | None = None,
        stop: Stop = NEVER,
    ) -> None:
        self.mdp, self.reader, self.unread = mdp, reader, unread
        self.most, self.stop = most, stop
        self.moves = moves_of(mdp, distinct=distinct)
        self.states = len(mdp.states)
        alphabet = mdp.letters if reader is None else reader.alphabet
        self.letter = mdp.letter_numbers(alphabet)  # [S]
        state = np.array([state for state, _ in mdp.starts], dtype=np.intp)
        node = np.full(len(state), 0 if reader is None else reader.start, dtype=np.intp)
        if reader is not None and not unread:
            node = reader.read(node, self.letter[state])
        order = np.lexsort((state, node))
        self.first = state[order], node[order]
        self.begin: Floats = np.array([chance for _, chance in mdp.starts])[order]
        """How often an episode begins in each situation of the first layer."""
        self.met = 0
        """Different situations so far, over all layers."""

    def __iter__(self) -> Iterator[SituationLayer]:
        """Yield layer after layer; the last one has no moves."""
        mdp, self.met = self.mdp, 0
        past: list[SituationLayer] = []
        state, node = self.first
        for time in range(mdp.horizon + 1):
            self.stop.check()
            near = range(1, 1 + min(len(past), LONGEST_PERIOD))
            known = next((k for k in near if self._same(past[-k], state, node)), 0)
            self.met += 0 if known else len(state)
            if self.most is not None and self.met > self.most:
                raise TooManySituations(f"paths are in more than {self.most} different situations")
            terminal = mdp.terminal[state]
            if time == mdp.horizon or terminal.all():
                none, ends = np.zeros(0, dtype=np.intp), np.ones(len(state))
                yield SituationLayer(time, state, node, ends, none, none, np.zeros(0), none, none)
                return
            ends = np.where(terminal, 1.0, mdp.episode.end_probability if time else 0.0)
            if known:
                again = past[-known]
                layer = replace(again, time=time, ends=ends, repeats=known)
                following = past[1 - known] if known > 1 else again
                after = following.state, following.node
            else:
                layer, after = self._leave(time, state, node, ends)
            yield layer
            past = [*past, layer][-LONGEST_PERIOD:]
            state, node = after

    @staticmethod
    def _same(layer: SituationLayer, state: Ints, node: Ints) -> bool:
        # What follows depends on the situations alone, and in a long episode nothing new is reached.
        return layer.state is state or (
            np.array_equal(layer.state, state) and np.array_equal(layer.node, node)
        )

    def _leave(
        self, time: int, state: Ints, node: Ints, ends: Floats
    ) -> tuple[SituationLayer, tuple[Ints, Ints]]:
        """Return a layer with its moves, and the situations that they lead to."""
        moves, going = self.moves, np.flatnonzero(ends < 1)
        here = state[going]
        move = spans(moves.offset, here)
        source = np.repeat(going, moves.offset[here + 1] - moves.offset[here])
        reached = moves.reached[move]
        after = node[source]
        if self.reader is not None:
            read = state[source] if self.unread else reached
            after = self.reader.read(after, self.letter[read])
        place, target = numbered_rising(after * self.states + reached)
        pair, chance = moves.pair[move], moves.chance[move]
        following = place % self.states, place // self.states
        return SituationLayer(time, state, node, ends, source, pair, chance, target, reached), following


def numbered_rising(codes: Ints) -> tuple[Ints, Ints]:
    """Return the different codes, rising, and for each code its number among them."""
    size = int(codes.max()) + 1
    if size > SPARSE * len(codes):
        found, number = np.unique(codes, return_inverse=True)
        return found, number.reshape(-1)
    present = np.zeros(size, dtype=np.bool_)
    present[codes] = True
    found = np.flatnonzero(present)
    place = np.empty(size, dtype=np.intp)
    place[found] = np.arange(len(found))
    return found, place[codes]


@dataclass(frozen=True, eq=False)
class Reached:
    """The N situations of one layer, and of the paths to each the first of those that cost least."""

    state: Counts  # [N]
    node: Counts  # [N]
    over: Bools  # [N], whether an episode can end there
    cost: Counts  # [N]
    before: Counts  # [N], the situation of the layer before; −1 at the start
    pair: Counts  # [N], what is chosen there; −1 at the start


class Trails:
    """To every situation of a walk a path that costs least; `cost` is that of reading letters in nodes.

    Layers are followed while somebody iterates over the trails; `follow` does so to the end.
    """

    def __init__(self, walk: PathWalk, cost: Callable[[Ints, Ints], Ints]) -> None:
        self.walk, self._cost = walk, cost
        self.layers: list[Reached] = []

    def follow(self) -> Trails:
        """Follow all layers."""
        for _ in self:
            pass
        return self

    def __iter__(self) -> Iterator[tuple[SituationLayer, Counts]]:
        """Yield each layer of the walk, and what it costs [N] to get to its situations."""
        walk, self.layers = self.walk, []
        state, _ = walk.first
        start = np.full(len(state), 0 if walk.reader is None else walk.reader.start, dtype=np.intp)
        nothing = np.full(len(state), -1, dtype=np.int32)
        cost, before, pair = small(self._cost(start, walk.letter[state])), nothing, nothing
        for layer in walk:
            where = small(layer.state), small(layer.node)
            self.layers.append(Reached(*where, layer.ends > 0, cost, before, pair))
            yield layer, cost
            if len(layer.source):
                cost, before, pair = self._again(layer) or self._least(layer, cost)

    def _again(self, layer: SituationLayer) -> tuple[Counts, Counts, Counts] | None:
        """Return what comes next where situations and costs are those of some layers before."""
        here = self.layers[-1 - layer.repeats]
        if not layer.repeats or not np.array_equal(here.cost, self.layers[-1].cost):
            return None
        again = self.layers[-layer.repeats]
        return again.cost, again.before, again.pair

    def _least(self, layer: SituationLayer, cost: Counts) -> tuple[Counts, Counts, Counts]:
        read = self._cost(layer.node[layer.source], self.walk.letter[layer.reached])
        arriving = cost[layer.source] + small(read)
        least = np.full(int(layer.target.max()) + 1, np.iinfo(np.int32).max, dtype=np.int32)
        np.minimum.at(least, layer.target, arriving)
        move = np.empty(len(least), dtype=np.intp)
        good = np.flatnonzero(arriving == least[layer.target])[::-1]  # of equals the first is written last
        move[layer.target[good]] = good
        return least, small(layer.source[move]), small(layer.pair[move])

    def path(self, time: int, place: int, *, complete: bool) -> Path:
        """Return the path to a situation of a layer."""
        steps: list[tuple[int, int]] = []
        for layer in reversed(self.layers[1 : time + 1]):
            steps.append((int(layer.pair[place]), int(layer.state[place])))
            place = int(layer.before[place])
        first = int(self.layers[0].state[place])
        return Path(tuple(reversed(steps)), complete, start_of(self.walk.mdp, first))


def small(numbers: Ints) -> Counts:
    """Return numbers in half the memory: trails keep those of all layers."""
    return numbers.astype(np.int32)


# -- Where runs of a listed world can get, and how long one takes that has no aim ------------------------

UNREACHED = 2**31 - 1  # of steps: a state that no episode gets to
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


def first_steps(mdp: MDP) -> Counts:
    """Return [S]: the fewest steps that lead to each state, up to the horizon; beyond, `UNREACHED`.

    Here each state is left once, when it is first reached. A walk leaves it in every layer of time, which
    would take so many times as long.
    """
    steps: Counts = np.full(len(mdp.states), UNREACHED, dtype=np.int32)
    fringe = np.array([state for state, _ in mdp.starts], dtype=np.intp)
    steps[fringe] = 0
    for time in range(1, mdp.horizon + 1):
        reached = np.unique(mdp.successor[spans(mdp.outcome_offset[mdp.pair_offset], fringe)])
        fringe = reached[steps[reached] == UNREACHED]
        if not len(fringe):
            break
        steps[fringe] = time
    return steps


def reachable(mdp: MDP) -> Bools:
    """Return [S]: the states that an episode can get to before its horizon; where one stops is none."""
    within: Bools = np.asarray(first_steps(mdp) < UNREACHED)
    for state in np.flatnonzero(within & mdp.terminal).tolist():
        within[state] = not is_stopped(mdp, state)
    return within


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

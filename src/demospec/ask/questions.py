"""The questions that can be asked about a belief, those that are expected to tell most first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from demospec.ask.episodes import possible
from demospec.ask.information import Estimate, of_demonstration, of_label
from demospec.belief import Belief, acceptance
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.plan.occupancy import Occupancy
from demospec.tasks import Word
from demospec.worlds.mdp import MDP, Bools, Floats
from demospec.worlds.paths import Path
from demospec.worlds.quotient import quotient
from demospec.worlds.world import State, show

CORE = 0.999  # of the belief: what is less likely than all this is not asked about
EFFORT = 0.02  # nats: what reading a letter costs the one who answers
LIKELIEST = 20  # tasks that a demonstration is expected to tell apart
MOST_STARTS = 16
CELLS = 12  # whose letter may be changed: those that likely agents visit most


@dataclass(frozen=True)
class Question:
    """Should the agent be content with this path? Yes with probability `chance`; the answer tells `nats`."""

    word: Word
    path: Path
    chance: float
    nats: float


@dataclass(frozen=True, eq=False)
class Labels:
    """What the tasks of a belief say of the words that are possible in its world: T tasks, W words."""

    belief: Belief
    words: tuple[Word, ...]
    paths: tuple[Path, ...]
    accepted: Bools  # [T, W]

    @classmethod
    def of(cls, belief: Belief) -> Labels:
        """Find the possible words and label them by every task, but for the least likely ones."""
        belief = core(belief)
        found = possible(belief.problem, belief.tasks)
        words = tuple(one.word for one in found)
        return cls(belief, words, tuple(one.path for one in found), acceptance(belief.tasks, words))

    def questions(self, without: Collection[Word] = ()) -> list[Question]:
        """Return the words that are worth a question, the most informative first.

        Long words are hard to judge, so every letter costs a little of what an answer tells. A word whose
        label is certain in the problem's class is never asked about.
        """
        problem = self.belief.problem
        chances = self.belief.weights @ self.accepted
        mixed = np.asarray(self.accepted.any(axis=0) & ~self.accepted.all(axis=0))
        found = [
            Question(self.words[k], self.paths[k], float(chances[k]), nats)
            for k, nats in enumerate(of_label(chances).tolist())
            if mixed[k]
            and self.words[k] not in without
            and self.words[k] not in problem.given.mapping
            and not any(certain.accepts(self.words[k]) for certain in problem.allowed.certain.values())
        ]
        return sorted(found, key=lambda one: (EFFORT * len(one.word) - one.nats, one.word))

    def answers(self) -> list[tuple[Score, float]]:
        """Return the answers with their probabilities, likeliest first.

        Tasks that give every possible word the same label are one answer: no path of this world tells them
        apart, so agents that pursue them do the same. The smallest of them gives it its name.
        """
        shares: dict[bytes, float] = {}
        names: dict[bytes, Score] = {}
        for score, weight, row in zip(
            self.belief.scores, self.belief.weights.tolist(), self.accepted, strict=True
        ):
            key = row.tobytes()
            shares[key] = shares.get(key, 0.0) + weight
            if key not in names or score.size < names[key].size:
                names[key] = score
        order = sorted(shares, key=lambda key: -shares[key])
        return [(names[key], shares[key]) for key in order]


def core(belief: Belief) -> Belief:
    """Return the likeliest tasks of a belief, up to nearly all of it: most tasks hardly count."""
    count = int(np.searchsorted(np.cumsum(belief.weights), CORE)) + 1
    weights = belief.weights[:count]
    return replace(belief, scores=belief.scores[:count], weights=weights / weights.sum())


# -- demonstrations ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """Another demonstration, from this state."""

    state: State
    expected: Estimate


@dataclass(frozen=True)
class Edit:
    """Another demonstration, in the world in which a cell has another letter; None is white."""

    cell: tuple[int, int]
    before: str | None
    letter: str | None
    expected: Estimate


def starts(belief: Belief, *, seed: int = 0, most: int = MOST_STARTS) -> list[Start]:
    """Return start states by what a demonstration from there is expected to tell, the best first.

    In a large world so many states, spread evenly; the problem's own start state is always among them.
    """
    mdp = belief.problem.mdp
    every = [state for state in range(len(mdp.states)) if not mdp.terminal[state] and state != mdp.start]
    chosen = [mdp.start, *spread(every, most - 1)]
    scores, weights = likeliest(belief)
    found = [
        Start(
            mdp.states[state],
            of_demonstration(
                belief.problem, replace(mdp, starts=((state, 1.0),)), scores, weights, seed=seed
            ),
        )
        for state in chosen
    ]
    return sorted(found, key=lambda one: -one.expected.nats)


def edits(belief: Belief, *, seed: int = 0, cells: int = CELLS) -> list[Edit]:
    """Return changes of one cell's letter by what a demonstration in the changed world is expected to tell.

    Tried are the cells that agents with the likeliest tasks visit most, each with every other letter.
    """
    problem, mdp, scene = belief.problem, belief.problem.mdp, belief.problem.scene()
    original = scene.original.listed()
    if scene.grid is None:
        raise InputError("only a gridworld's map can be edited; ask for a label or a start state")
    scores, weights = likeliest(belief)
    plans = problem.planner.plans(mdp, [(problem.monitor(score.task), score.rationality) for score in scores])
    visits = weights @ np.array([Occupancy.of(plan).visits for plan in plans])
    visits[mdp.start] = 0.0
    visited = [state for state in np.argsort(-visits, kind="stable").tolist() if visits[state] > 0][:cells]
    found = []
    for state in visited:
        cell = mdp.states[state]
        number = original.number[cell]
        own = original.labels[number]
        assert not isinstance(cell, str)
        for letter in (None, *problem.alphabet):
            if letter != own:
                changed = relabelled(original, number, letter)
                if scene.quotient is not None:
                    changed = quotient(changed).mdp
                expected = of_demonstration(problem, changed, scores, weights, seed=seed)
                found.append(Edit(cell, own, letter, expected))
    return sorted(found, key=lambda one: -one.expected.nats)


def starting(mdp: MDP, state: int) -> MDP:
    """Return the world in which episodes begin in one state."""
    return replace(mdp, starts=((state, 1.0),))


def relabelled(mdp: MDP, state: int, letter: str | None) -> MDP:
    """Return the world with another letter in one state."""
    return replace(mdp, labels=(*mdp.labels[:state], letter, *mdp.labels[state + 1 :]))


def likeliest(belief: Belief, most: int = LIKELIEST) -> tuple[Sequence[Score], Floats]:
    """Return the likeliest tasks with their weights among themselves."""
    weights = belief.weights[:most]
    return belief.scores[:most], weights / weights.sum()


def spread(items: Sequence[int], most: int) -> Iterable[int]:
    """Return at most so many items, evenly spread.

    >>> list(spread(range(10), 4)), list(spread([1, 2], 4))
    ([0, 3, 6, 9], [1, 2])
    """
    if len(items) <= most:
        return items
    return (
        [items[round(k * (len(items) - 1) / (most - 1))] for k in range(most)] if most > 1 else items[:most]
    )


def told(edit: Edit) -> str:
    """Write an edit.

    >>> told(Edit((3, 1), "r", None, Estimate(0.0)))
    'make (3, 1) white instead of r'
    """
    return f"make {show(edit.cell)} {edit.letter or 'white'} instead of {edit.before or 'white'}"

"""Why a result is what it is: what the best task explains, which paths not taken led to it, who proposed it.

Surprise is told for each demonstration and each of its steps, beside that of the prior guess, the task that
knows nothing: the problem's prior, or else the task that accepts everything. Whatever an agent with the
latter does is a success, so that it is aimless: it keeps as many ways open as it can, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

import numpy as np

from demospec.explain.score import Evaluation, Likely, Score, evaluate
from demospec.explain.setup import resolve
from demospec.plan.base import ACCEPTED
from demospec.problem import Problem, accepted_demonstrations
from demospec.runs.result import Result, Row
from demospec.search.diss import Tested, tried_in
from demospec.tasks import DFA, Task, Word
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.scene import Scene


@dataclass(frozen=True)
class ExplainedStep:
    """One choice of a demonstration, and how surprising it is (nats): −ln π under either task."""

    number: int  # from 1
    state: int
    pair: int
    surprise: float
    prior_surprise: float

    @property
    def gain(self) -> float:
        """Return how much less surprising the choice is under the best task."""
        return self.prior_surprise - self.surprise


@dataclass(frozen=True)
class ShownRun:
    """A demonstration, step by step. The surprises of all demonstrations add up to the task's."""

    number: int  # from 1
    scene: Scene
    word: Word
    complete: bool
    accepted: bool  # its word, as far as it goes, by the best task
    steps: tuple[ExplainedStep, ...]

    @property
    def surprise(self) -> float:
        """Return −Σ ln π along the demonstration under the best task."""
        return math.fsum(step.surprise for step in self.steps)

    @property
    def prior_surprise(self) -> float:
        """Return −Σ ln π along the demonstration under the prior guess."""
        return math.fsum(step.prior_surprise for step in self.steps)

    @property
    def gain(self) -> float:
        """Return how much less surprising it is under the best task."""
        return self.prior_surprise - self.surprise

    def largest_gains(self, count: int) -> list[ExplainedStep]:
        """Return the steps at which the best task explains most beyond the prior guess, largest first."""
        order = sorted(self.steps, key=lambda step: (-step.gain, step.number))
        return [step for step in order[:count] if step.gain > 0]


@dataclass(frozen=True)
class Branch:
    """An action and what came of it."""

    pair: int
    state: int  # that was reached
    ends: bool  # the episode ended there


@dataclass(frozen=True)
class NotTaken:
    """A conjecture that was tried: where its path leaves the demonstrations, and what trying it changed.

    `player` is who left: the agent by another action in `state`, or the environment by another outcome after
    the same action; nobody when the path is a complete demonstration itself. `instead` is what happens there
    on the path, and `taken` what happens in the demonstrations.
    """

    tested: Tested
    scene: Scene
    chain: int
    iteration: int  # at which it was tried first
    times: int  # how often it was tried with the same outcome
    player: Player
    step: int  # from 1; of a path that leaves nowhere, the last one
    state: int
    demonstrations: tuple[int, ...]  # from 1: those that pass there
    taken: tuple[Branch, ...]
    instead: Branch
    kept: bool  # the best task gives the word the label that was conjectured

    @property
    def gain(self) -> float:
        """Return by how much the task's energy fell; −inf when no task was found."""
        tested = self.tested
        return -math.inf if tested.after is None else tested.before.energy - tested.after.energy


@dataclass(frozen=True)
class Origin:
    """When the best task was scored first, and what proposed it."""

    ingredient: str
    chain: int
    iteration: int
    conjecture: Tested | None  # that led to it, if one did


@dataclass(frozen=True)
class Why:
    """What there is to say about a result."""

    best: Score
    prior_guess: Score
    demonstrations: tuple[ShownRun, ...]
    conjectures: tuple[NotTaken, ...]  # those that lowered the energy most first
    origin: Origin | None


def prior_guess(problem: Problem) -> DFA:
    """Return the task that knows nothing: the prior, or else the one that accepts everything."""
    return DFA.constant(problem.alphabet, True) if problem.prior is None else problem.prior


@lru_cache(maxsize=1)  # a result is told as text, as JSON and as a page, one after the other
def explain(result: Result) -> Why:
    """Say why a result is what it is.

    >>> import demospec
    >>> why = explain(demospec.learn(demospec.load_example("robot-paper").with_settings(iterations=10)))
    >>> [round(shown.prior_surprise, 2) for shown in why.demonstrations]
    [8.32, 19.41]
    """
    problem, best = result.problem, result.best
    planner = resolve(problem).planner.for_labels(ACCEPTED)
    found = evaluate(problem, best.task, nearest=True, planner=planner, likely=Likely.of(best))
    known = result.belief.find(prior_guess(problem))
    aimless = None if known is None else Likely.of(result.belief.scores[known])
    guess = evaluate(problem, prior_guess(problem), nearest=True, planner=planner, likely=aimless)
    return Why(
        best,
        guess.score,
        demonstrations(problem, found, guess),
        conjectures(problem, best.task, result.trace),
        origin(best.task, result.trace),
    )


def demonstrations(problem: Problem, found: Evaluation, guess: Evaluation) -> tuple[ShownRun, ...]:
    """Return the demonstrations with the surprise of each choice: −ln Pr of the agent's edges they pass."""
    marks = iter(accepted_demonstrations(problem, found.score.task))
    words, number = iter(problem.words), count(1)
    shown = []
    for scene, best, prior in zip(problem.scenes, found.readings, guess.readings, strict=True):
        tree = scene.tree
        for path in scene.demonstrations:
            chosen = [node for node in tree.nodes_of(path) if tree.chosen[node]]
            steps = tuple(
                ExplainedStep(
                    k,
                    int(tree.state[node]),
                    int(tree.pair[node]),
                    float(-best.along.log_edge[node] + 0.0),
                    float(-prior.along.log_edge[node] + 0.0),
                )
                for k, node in enumerate(chosen, start=1)
            )
            shown.append(ShownRun(next(number), scene, next(words), path.complete, next(marks), steps))
    return tuple(shown)


def conjectures(problem: Problem, best: Task, trace: Sequence[Row]) -> tuple[NotTaken, ...]:
    """Return the conjectures that were tried, by how much they lowered the energy; each change once."""
    tried: dict[tuple[object, ...], list[tuple[Row, Tested]]] = {}
    for row in trace:
        for tested in tried_in(row.info):
            made, after = tested.conjecture, tested.after
            key = (made.word, made.label, tested.before.language, after and after.language, tested.accepted)
            tried.setdefault(key, []).append((row, tested))
    passed = [(number, scene, {*scene.tree.nodes_of(path)}) for number, scene, path in problem.shown]
    told = []
    for (row, tested), *again in tried.values():
        made, scene = tested.conjecture, problem.scenes[tested.conjecture.scene]
        path = made.path_in(scene.world)
        node = scene.tree.left_by(path)
        player = Player(int(scene.tree.player[node]))
        step = int(scene.tree.time[node]) + (player != Player.NOBODY)
        told.append(
            NotTaken(
                tested=tested,
                scene=scene,
                chain=row.chain,
                iteration=row.info.iteration,
                times=1 + len(again),
                player=player,
                step=step,
                state=path.states(scene.world)[step - 1],
                demonstrations=tuple(n for n, own, nodes in passed if own is scene and node in nodes),
                taken=tuple(taken_at(scene.tree, node)),
                instead=Branch(*path.steps[step - 1], path.complete and step == len(path.steps)),
                kept=best.accepts(made.word) == made.label,
            )
        )
    return tuple(sorted(told, key=lambda one: -one.gain))  # as they came where gains are equal


def taken_at(tree: PrefixTree, node: int) -> Iterator[Branch]:
    """Yield what happens in the demonstrations at a node."""
    if tree.player[node] == Player.NOBODY:
        yield Branch(int(tree.pair[tree.parent[node]]), int(tree.state[node]), ends=True)
        return
    for below in np.flatnonzero(tree.parent == node).tolist():
        if tree.player[node] == Player.AGENT:
            yield from taken_at(tree, below)
        else:
            ends = bool(tree.player[below] == Player.NOBODY)
            yield Branch(int(tree.pair[node]), int(tree.state[below]), ends)


def origin(best: Task, trace: Sequence[Row]) -> Origin | None:
    """Return where a task comes from: the first row that scored it, and what proposed it there."""
    for row in trace:
        info = row.info
        for score, name in zip(info.scored, info.origins, strict=True):
            if score.language == best.automaton:
                led = (one for one in tried_in(info) if one.after and one.after.language == score.language)
                return Origin(name, row.chain, info.iteration, next(led, None))
    return None

"""Algorithm 2: a random walk through labelled examples, guided by surprise, annealed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from demospec.errors import Contradiction
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Reading, Score
from demospec.explain.surprise import gradient
from demospec.identify import Identifier
from demospec.plan.along_tree import AlongTree
from demospec.problem import Problem
from demospec.search.anneal import accepts, draw_softmin, linear_cooling
from demospec.search.pivot import Conjecture, conjecture
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop

if TYPE_CHECKING:
    from demospec.explain.refine import Refinement


@dataclass(frozen=True)
class Visit:
    """A task that was visited, and the examples that it was drawn for."""

    score: Score
    examples: Examples


@dataclass(frozen=True)
class State:
    """What must persist between iterations: the annealer's (X, φ), the pending example, all visits."""

    iteration: int = 0
    examples: Examples = field(default_factory=Examples)  # X
    current: Score | None = None  # φ with its energy; None is ⊥
    pending: Conjecture | None = None  # dX
    visited: Mapping[DFA, Visit] = field(default_factory=dict)  # Φ
    best: Score | None = None
    failed: frozenset[Examples] = frozenset()  # sets that no task met; no conjecture leads to them again


@dataclass(frozen=True)
class Tested:
    """A conjecture that was added to the examples: the task that it was made about, and what came of it."""

    conjecture: Conjecture
    before: Score  # φ
    after: Score | None  # φ′; None when no task met the examples within the budget
    accepted: bool


@dataclass(frozen=True)
class Info:
    """What one iteration did. `candidate` is None when no task met the examples within the budget."""

    iteration: int
    temperature: float
    reset: bool
    examples: Examples  # X′, for which the candidate was drawn
    candidate: Score | None  # φ′
    accepted: bool
    conjecture: Conjecture | None  # dX for the next iteration; None when rejected, or no pivot is left
    best: Score | None  # lowest energy so far
    scored: tuple[Score, ...] = ()  # all tasks that were scored, the candidate among them
    origins: tuple[str, ...] = ()  # of each of them, what proposed it
    tested: tuple[Tested, ...] = ()  # the conjectures that were tried

    @property
    def exhausted(self) -> bool:
        """Say whether the task was accepted but no conjecture could be made about it."""
        return self.accepted and self.conjecture is None


class Search:
    """Algorithm 2 for one problem; the black boxes can be replaced."""

    def __init__(
        self,
        problem: Problem,
        *,
        identifier: Identifier | None = None,
        evaluator: Evaluator | None = None,
        stop: Stop = NEVER,
        most_pivots: int | None = None,
    ) -> None:
        self.problem, self.settings = problem, problem.settings
        self.stop, self.most_pivots = stop, most_pivots
        self.evaluator = evaluator or Evaluator(problem, stop=stop)
        self.identifier = identifier or problem.allowed.identifier(problem.settings.identifier, stop)

    def start(self) -> State:
        """Return z₀ = (∅, ⊥)."""
        return State()

    def step(
        self, rng: np.random.Generator, state: State, *, temperature: float | None = None
    ) -> tuple[State, Info]:
        """Run one iteration of Algorithm 2, at a temperature of one's own or at the cooling's."""
        t = state.iteration + 1
        examples, pending = state.examples, state.pending
        reset = t % self.settings.reset_period == 0 and bool(state.visited)
        if reset:  # X ~ softmin U over visited tasks
            examples, pending = self.restart(rng, state), None
        kept = examples  # X, to which a rejected step returns
        if pending is not None:  # X′ ← update(X, dX): a newer label wins
            examples = self.update(examples, pending.word, pending.label)
        candidate = self.identify(rng, examples)  # φ′ ~ 𝓘(X′)
        if temperature is None:
            temperature = linear_cooling(
                t,
                self.settings.iterations,
                self.settings.initial_temperature,
                self.settings.final_temperature,
            )

        def told(info: Info) -> Info:
            scored = () if candidate is None else (candidate,)
            origins = ("examples" if pending is None else "conjecture",) * len(scored)
            if pending is None or state.current is None:
                return replace(info, scored=scored, origins=origins)
            tested = Tested(pending, state.current, candidate, info.accepted)
            return replace(info, scored=scored, origins=origins, tested=(tested,))

        if candidate is None:
            failed = state.failed | {examples}
            new = State(t, kept, state.current, None, state.visited, state.best, failed)
            return new, told(Info(t, temperature, reset, examples, None, False, None, state.best))
        visited = {**state.visited, candidate.language: Visit(candidate, examples)}  # Φ ← Φ ∪ {φ′}
        best = candidate if state.best is None or candidate.energy < state.best.energy else state.best
        # dU ← U(φ′) − U(φ)
        rise = -math.inf if state.current is None else candidate.energy - state.current.energy
        if accepts(rng, rise, temperature):
            dx = self.conjecture(rng, candidate, examples, state.failed, visited)
            new = State(t, examples, candidate, dx, visited, best, state.failed)
            return new, told(Info(t, temperature, reset, examples, candidate, True, dx, best))
        new = State(t, kept, state.current, None, visited, best, state.failed)
        return new, told(Info(t, temperature, reset, examples, candidate, False, None, best))

    def over(self, state: State) -> bool:
        """Say whether the chain has had its iterations."""
        return state.iteration >= self.settings.iterations

    def restart(self, rng: np.random.Generator, state: State) -> Examples:
        """Draw a visited task by softmin of energy and return its examples."""
        visits = list(state.visited.values())
        return visits[draw_softmin(rng, [visit.score.energy for visit in visits])].examples

    def identify(self, rng: np.random.Generator, examples: Examples) -> Score | None:
        """Draw a consistent task from the first candidates by softmin of size, and score it."""
        merged = Examples.from_mapping({**examples.mapping, **self.problem.given.mapping})
        try:
            tasks = self.identifier.candidates(merged, self.settings.candidates)
        except Contradiction:  # a class of the identifier's own: ours are heeded before
            return None
        if not tasks:
            return None
        sizes = [float(self.problem.size_of(task)) for task in tasks]
        return self.evaluator.score(tasks[draw_softmin(rng, sizes)])

    def conjecture(
        self,
        rng: np.random.Generator,
        score: Score,
        examples: Examples,
        failed: frozenset[Examples] = frozenset(),
        visited: Iterable[DFA] = (),
    ) -> Conjecture | None:
        """Run Algorithm 1 on a task; with `refine`, on the tree over what the visited tasks tell apart."""
        found = self.evaluator.evaluation(score.task)

        def possible(word: Word, label: bool) -> bool:
            return self.possible(word, label) and not (
                failed and self.update(examples, word, label) in failed
            )

        readings = found.readings
        if self.settings.refine:
            tasks = (*visited, score.language)
            readings = tuple(map(partial(self.refined, tasks=tasks), range(len(readings)), readings))
        scenes = self.problem.scenes
        made = conjecture(
            rng,
            readings,
            pivot_temperature=self.settings.pivot_temperature,
            word_of=lambda path, scene: self.problem.word(path, scenes[scene]),
            possible=possible,
            overrules=lambda word, label: bool(self.problem.allowed.overruled(examples, word, label)),
            overrule_after=self.settings.overrule_after,
            most_pivots=self.most_pivots,
            stop=self.stop,
        )
        if made is None:
            return None
        # Pivots are told by the nodes of the demonstrations, as they were shown.
        told = replace(made, pivot=readings[made.scene].tree.shown_node(made.pivot))
        return told.portable(scenes[made.scene].world)

    def refined(self, scene: int, reading: Reading, *, tasks: Iterable[DFA]) -> Reading:
        """Return a plan along the tree over what tasks tell apart in a scene."""
        from demospec.explain.refine import along_classes

        tree = self.refinements[scene].over(tasks)
        along = along_classes(tree, reading.along)
        return Reading(along, gradient(tree, along.log_edge, along.deviation))

    @cached_property
    def refinements(self) -> list[Refinement]:
        """Return the classes of actions and states that tasks do not tell apart, scene by scene."""
        from demospec.explain.refine import Refinement, first_tasks

        def along(task: DFA, scene: int) -> AlongTree:
            return self.evaluator.evaluation(task).readings[scene].along

        first = first_tasks(self.problem.alphabet)
        return [
            Refinement(scene.tree, first, partial(along, scene=number))
            for number, scene in enumerate(self.problem.scenes)
        ]

    def update(self, examples: Examples, word: Word, label: bool) -> Examples:
        """Return X with a conjecture, without those that it overrules."""
        gone = self.problem.allowed.overruled(examples, word, label)
        return Examples.from_mapping(
            {**{other: own for other, own in examples if other not in gone}, word: label}
        )

    def possible(self, word: Word, label: bool) -> bool:
        """Say whether a task of the class that agrees with the given examples gives `word` this label.

        That is condition iii of Algorithm 1, as far as the classes tell.
        """
        return not self.problem.allowed.certain[not label].accepts(word)

"""Algorithm 2: a random walk through labelled examples, guided by surprise, annealed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from demospec.anneal import accepts, draw_softmin, linear_cooling
from demospec.examples import Examples
from demospec.identify import ExactIdentifier, Identifier
from demospec.pivot import Conjecture, conjecture
from demospec.problem import Problem
from demospec.score import Evaluator, Score
from demospec.tasks import DFA, Word


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

    @property
    def exhausted(self) -> bool:
        """Say whether the task was accepted but no conjecture could be made about it."""
        return self.accepted and self.conjecture is None


class Search:
    """Algorithm 2 for one problem; the black boxes can be replaced."""

    def __init__(
        self, problem: Problem, *, identifier: Identifier | None = None, evaluator: Evaluator | None = None
    ) -> None:
        self.problem, self.settings = problem, problem.settings
        self.evaluator = evaluator or Evaluator(problem)
        self.identifier = identifier or ExactIdentifier(
            problem.alphabet, prior=problem.prior, max_states=self.settings.max_states
        )

    def start(self) -> State:
        """Return z₀ = (∅, ⊥)."""
        return State()

    def step(self, rng: np.random.Generator, state: State) -> tuple[State, Info]:
        """Run one iteration of Algorithm 2."""
        t = state.iteration + 1
        examples, pending = state.examples, state.pending
        reset = t % self.settings.reset_period == 0 and bool(state.visited)
        if reset:  # X ~ softmin U over visited tasks
            examples, pending = self.restart(rng, state), None
        kept = examples  # X, to which a rejected step returns
        if pending is not None:  # X′ ← update(X, dX): a newer label wins
            examples = examples.update(pending.word, pending.label)
        candidate = self.identify(rng, examples)  # φ′ ~ 𝓘(X′)
        temperature = linear_cooling(
            t, self.settings.iterations, self.settings.initial_temperature, self.settings.final_temperature
        )
        if candidate is None:
            new = State(t, kept, state.current, None, state.visited, state.best)
            return new, Info(t, temperature, reset, examples, None, False, None, state.best)
        visited = {**state.visited, candidate.task: Visit(candidate, examples)}  # Φ ← Φ ∪ {φ′}
        best = candidate if state.best is None or candidate.energy < state.best.energy else state.best
        # dU ← U(φ′) − U(φ)
        rise = -math.inf if state.current is None else candidate.energy - state.current.energy
        if accepts(rng, rise, temperature):
            dx = self.conjecture(rng, candidate, examples)
            new = State(t, examples, candidate, dx, visited, best)
            return new, Info(t, temperature, reset, examples, candidate, True, dx, best)
        new = State(t, kept, state.current, None, visited, best)
        return new, Info(t, temperature, reset, examples, candidate, False, None, best)

    def restart(self, rng: np.random.Generator, state: State) -> Examples:
        """Draw a visited task by softmin of energy and return its examples."""
        visits = list(state.visited.values())
        return visits[draw_softmin(rng, [visit.score.energy for visit in visits])].examples

    def identify(self, rng: np.random.Generator, examples: Examples) -> Score | None:
        """Draw a consistent task from the first candidates by softmin of size, and score it."""
        merged = Examples.from_mapping({**examples.mapping, **self.problem.given.mapping})
        tasks = self.identifier.candidates(merged, self.settings.candidates)
        if not tasks:
            return None
        return self.evaluator.score(tasks[draw_softmin(rng, [float(task.size) for task in tasks])])

    def conjecture(self, rng: np.random.Generator, score: Score, examples: Examples) -> Conjecture | None:
        """Run Algorithm 1 on a task."""
        found = self.evaluator.evaluation(score.task)
        return conjecture(
            rng,
            self.problem.tree,
            found.plan,
            found.along,
            found.gradient,
            pivot_temperature=self.settings.pivot_temperature,
            word_of=self.problem.word,
            possible=self.possible,
            examples=examples,
            overrule_after=self.settings.overrule_after,
        )

    def possible(self, word: Word, label: bool) -> bool:
        """Say whether some task in the class gives `word` this label (condition iii of Algorithm 1)."""
        prior = self.problem.prior
        return self.problem.given.mapping.get(word, label) == label and (
            not label or prior is None or prior.accepts(word)
        )


def search(problem: Problem, rng: np.random.Generator) -> Iterator[Info]:
    """Yield one `Info` for each iteration of the problem's settings."""
    engine = Search(problem)
    state = engine.start()
    for _ in range(problem.settings.iterations):
        state, info = engine.step(rng, state)
        yield info

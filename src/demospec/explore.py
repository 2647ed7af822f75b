"""Another search behind the same `step`: best first, over edits and products of tasks, scored in batches.

The first step scores guesses made from the demonstrations. Every further step takes the best task that was
not taken yet, or by chance another good one, and scores what is one edit away from it and what the best tasks
make in pairs. Beside it the paper's chain goes on, a few iterations in each step, and adds what it visits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from demospec.anneal import draw_softmin
from demospec.guesses import guesses
from demospec.problem import Problem
from demospec.score import Evaluator, Score
from demospec.search import Info, Search, State
from demospec.tasks import DFA
from demospec.tasks.edits import edits, products
from demospec.tasks.tables import Table

POOL = 14  # so many of the best are combined in pairs
PATIENCE = 10  # steps without anything better, after which a chain ends
ELSEWHERE = 0.2  # how often a step takes another than the best
PAPER = 5  # iterations of the paper's chain in each step
LARGEST = 8  # states of a task that edits and products may have


@dataclass(frozen=True)
class Explored:
    """What must persist between steps."""

    iteration: int = 0
    scores: Mapping[DFA, Score] = field(default_factory=dict)  # every task that was scored
    taken: frozenset[DFA] = frozenset()
    paired: frozenset[tuple[DFA, DFA]] = frozenset()
    best: Score | None = None
    quiet: int = 0  # steps since the best was found
    chain: State = field(default_factory=State)  # of the paper's search


class Explorer:
    """Best-first search for one problem; each ingredient can be left out."""

    def __init__(
        self,
        problem: Problem,
        *,
        evaluator: Evaluator | None = None,
        with_guesses: bool = True,
        with_products: bool = True,
        with_conjectures: bool = True,
    ) -> None:
        self.problem = problem
        self.evaluator = evaluator or Evaluator(problem)
        self.with_guesses, self.with_products = with_guesses, with_products
        self.largest = min(LARGEST, problem.settings.max_states)
        self.paper = Search(problem, evaluator=self.evaluator) if with_conjectures else None

    def start(self) -> Explored:
        """Return the state in which nothing is known."""
        return Explored()

    def step(self, rng: np.random.Generator, state: Explored) -> tuple[Explored, Info]:
        """Take one task further; the candidate of the step is the best task that it found."""
        paired = set(state.paired)
        if not state.scores:
            taken, proposed = None, self.first()
        else:
            taken = self.take(rng, state)
            proposed = [] if taken is None else edits(taken, self.largest)
            if self.with_products:
                best = sorted(state.scores.values(), key=order)[:POOL]
                proposed += products([score.task for score in best], paired, self.largest)
        new = [task for task in dict.fromkeys(map(self.within, proposed)) if self.admits(task)]
        new = [task for task in new if task not in state.scores]
        scored = self.evaluator.scores(new)
        chain, visited = self.paper_steps(rng, state.chain)
        scored += [score for score in visited if score.task not in state.scores and score.task not in new]
        candidate = min(scored, key=order, default=None)
        better = candidate is not None and (state.best is None or candidate.energy < state.best.energy)
        best_now = candidate if better else state.best
        t = state.iteration + 1
        following = Explored(
            iteration=t,
            scores={**state.scores, **{score.task: score for score in scored}},
            taken=state.taken if taken is None else state.taken | {taken},
            paired=frozenset(paired),
            best=best_now,
            quiet=0 if better else state.quiet + 1,
            chain=chain,
        )
        info = Info(t, 0.0, False, self.problem.given, candidate, better, None, best_now, tuple(scored))
        return following, info

    def over(self, state: Explored) -> bool:
        """Say whether the chain has had its steps, or nothing better was found for a while."""
        return state.iteration >= self.problem.settings.iterations or state.quiet > PATIENCE

    def go_on(self, state: Explored) -> None:
        """Get ready to continue from a state that another engine reached: its scores are known."""
        self.evaluator.remember(state.scores.values())

    def first(self) -> list[DFA]:
        """Return the tasks to begin with."""
        if self.with_guesses:
            return guesses(self.problem.words, self.problem.alphabet)
        return [DFA.constant(self.problem.alphabet, label) for label in (True, False)]

    def take(self, rng: np.random.Generator, state: Explored) -> DFA | None:
        """Return the best task that was not taken yet, or by chance another good one; None when all were."""
        left = sorted((score for task, score in state.scores.items() if task not in state.taken), key=order)
        if not left:
            return None
        if rng.random() < ELSEWHERE:
            left = left[:50]
            spread = max(1.0, (left[-1].energy - left[0].energy) / 4)
            return left[draw_softmin(rng, [score.energy / spread for score in left])].task
        return left[0].task

    def paper_steps(self, rng: np.random.Generator, chain: State) -> tuple[State, list[Score]]:
        """Let the paper's chain go on, and return the tasks that it visits, each once."""
        found: dict[DFA, Score] = {}
        if self.paper is not None:
            for _ in range(PAPER):
                chain, info = self.paper.step(rng, chain)
                if info.candidate is not None:
                    found[info.candidate.task] = info.candidate
        return chain, list(found.values())

    def within(self, task: DFA) -> DFA:
        """Return the task within the prior."""
        prior = self.problem.prior
        return task if prior is None else (task & prior).minimal

    def admits(self, task: DFA) -> bool:
        """Say whether a task is in the class and agrees with the given examples."""
        problem = self.problem
        return problem.given.consistent(task) and all(one.holds(task) for one in problem.classes)


def order(score: Score) -> tuple[float, int, Table, tuple[bool, ...]]:
    """Return what tasks are ranked by: energy, then size, then anything that is the same every time."""
    return score.energy, score.size, score.task.table, score.task.accepting

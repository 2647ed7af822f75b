"""The default search, behind the same `step`: best first, over edits and products of tasks, in batches.

The first step scores guesses made from the demonstrations. Every further step takes the best task that was
not taken yet, or by chance a good one that behaves otherwise, and scores what is one edit away from it and
what the best tasks make in pairs. Beside it the paper's search goes on at several temperatures, a few
iterations in each step, and adds what it visits. When nothing better turns up for a while, larger steps are
tried, and then the chain ends.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from demospec.explain.score import Evaluator, Score
from demospec.problem import INGREDIENTS, Problem
from demospec.search.anneal import draw_softmin
from demospec.search.diss import Info, Tested
from demospec.search.guesses import guesses
from demospec.search.tempering import Ladder, Tempering
from demospec.tasks import DFA, Composite
from demospec.tasks.detours import detours
from demospec.tasks.edits import edits, products, products_with
from demospec.tasks.tables import Table

POOL = 14  # so many of the best are combined in pairs
FRONT = 300  # so many of the best can be taken
PATIENCE = 10  # steps without anything better, after which a chain ends
COMBINE, DETOUR = 1, 3  # steps without anything better, after which larger steps are tried
DETOURS = 1000  # so many of one task are scored at most
ELSEWHERE, LATER = 0.2, 0.5  # how often a step takes another than the best; once nothing better was found
OTHERS = 50  # so many of the best may be taken then
ROUNDS = 2  # of the paper's search in each step
LARGEST = 8  # states of a task that edits and products may have
SLOW = 32  # tasks that a step scores where each takes its time

Proposal = tuple[DFA, str]  # a task, and what proposed it


@dataclass(frozen=True)
class Explored:
    """What must persist between steps."""

    iteration: int = 0
    scores: Mapping[DFA, Score] = field(default_factory=dict)  # every task that was scored
    front: tuple[Score, ...] = ()  # the best of them, in order
    taken: frozenset[DFA] = frozenset()
    paired: frozenset[tuple[DFA, DFA]] = frozenset()
    waiting: tuple[Proposal, ...] = ()  # proposed, not scored yet
    quiet: int = 0  # steps since the best was found
    chains: Ladder | None = None  # of the paper's search

    @property
    def best(self) -> Score | None:
        """Return the task with the lowest energy."""
        return self.front[0] if self.front else None


class Explorer:
    """Best-first search for one problem; each ingredient can be left out (`Settings.without`)."""

    def __init__(self, problem: Problem, *, evaluator: Evaluator | None = None) -> None:
        self.problem = problem
        self.evaluator = evaluator or Evaluator(problem)
        without = problem.settings.without
        self.uses = {name: name not in without for name in INGREDIENTS}
        self.largest = min(LARGEST, problem.settings.max_states)
        self.batch = None if self.evaluator.quick else SLOW
        self.paper = (
            Tempering(
                problem,
                evaluator=self.evaluator,
                exchange=self.uses["exchange"],
                adapt=self.uses["adaptation"],
            )
            if self.uses["conjectures"]
            else None
        )

    def start(self) -> Explored:
        """Return the state in which nothing is known."""
        return Explored(chains=None if self.paper is None else self.paper.start())

    def step(self, rng: np.random.Generator, state: Explored) -> tuple[Explored, Info]:
        """Take one task further; the candidate of the step is the best task that it found."""
        paired = set(state.paired)
        taken, proposed = None, list(state.waiting)
        if not state.scores:
            proposed += self.first()
        elif not proposed:
            taken = self.take(rng, state)
            proposed += self.proposals(state, taken, paired)
        new = self.unknown(proposed, state.scores)
        chosen, waiting = new[: self.batch], () if self.batch is None else tuple(new[self.batch :])
        scored = self.evaluator.scores([task for task, _ in chosen])
        origins = [origin for _, origin in chosen]
        chains, visited, tested = self.paper_steps(rng, state.chains)
        sizes = {score.task: score.size for score in scored}
        for score in visited:
            known = state.scores.get(score.task)
            size = sizes.get(score.task, math.inf if known is None else known.size)
            if score.size < size:
                scored.append(score)
                origins.append("conjecture")
        candidate = min(scored, key=order, default=None)
        better = candidate is not None and (state.best is None or candidate.energy < state.best.energy)
        following = Explored(
            iteration=state.iteration + 1,
            scores={**state.scores, **{score.task: score for score in scored}},
            front=best_of([*state.front, *scored]),
            taken=state.taken if taken is None else state.taken | {taken},
            paired=frozenset(paired),
            waiting=waiting,
            quiet=0 if better else state.quiet + (not waiting),
            chains=chains,
        )
        info = Info(
            *(following.iteration, 0.0, False, self.problem.given, candidate, better, None, following.best),
            scored=tuple(scored),
            origins=tuple(origins),
            tested=tuple(tested),
        )
        return following, info

    def over(self, state: Explored) -> bool:
        """Say whether the chain has had its steps, or nothing better was found for a while."""
        return state.iteration >= self.problem.settings.iterations or state.quiet > PATIENCE

    def go_on(self, state: Explored) -> None:
        """Get ready to continue from a state that another engine reached: its scores are known."""
        self.evaluator.remember(state.scores.values())

    def first(self) -> list[Proposal]:
        """Return the tasks to begin with."""
        if self.uses["guesses"]:
            return [(task, "guess") for task in guesses(self.problem.words, self.problem.alphabet)]
        return [(DFA.constant(self.problem.alphabet, label), "start") for label in (True, False)]

    def take(self, rng: np.random.Generator, state: Explored) -> DFA | None:
        """Return the best task that was not taken yet, or by chance a good one elsewhere; None without any.

        Once nothing better was found, that is the best of some number of states: small tasks, from which the
        way may lead on, are soon outnumbered by what is near the best. Before that it is a good one that
        behaves otherwise; tasks of equal surprise and equal satisfaction hardly do: one of them is enough.
        """
        left = [score for score in state.front if score.task not in state.taken]
        if not left:
            return None
        elsewhere = rng.random() < (LATER if state.quiet else ELSEWHERE)
        if not elsewhere or not self.uses["restarts"]:
            return left[0].task
        if state.quiet:
            untaken = (score for task, score in state.scores.items() if task not in state.taken)
            some = best_by_states(untaken, self.largest)
            return some[int(rng.integers(len(some)))]
        left = list({behaviour(score): score for score in reversed(left[:OTHERS])}.values())[::-1]
        spread = max(1.0, (left[-1].energy - left[0].energy) / 4)
        return left[draw_softmin(rng, [score.energy / spread for score in left])].task

    def proposals(
        self, state: Explored, taken: DFA | None, paired: set[tuple[DFA, DFA]]
    ) -> Iterator[Proposal]:
        """Yield what the step looks at; what the best tasks make in pairs is noted in `paired`."""
        best = state.front[0].task
        if taken is not None and self.uses["edits"]:
            yield from ((task, "edit") for task in edits(taken, self.largest))
        if self.uses["products"]:
            pool = [score.task for score in state.front[:POOL]]
            yield from ((task, "product") for task in self.joined(pool, paired))
            yield from ((task, "product") for task in products(pool, paired, self.largest))
            if state.quiet == COMBINE and self.uses["guesses"]:
                others = guesses(self.problem.words, self.problem.alphabet)
                yield from ((task, "product") for task in products_with(best, others, self.largest))
        if state.quiet == DETOUR and self.uses["detours"]:
            for start in best_by_states(state.scores.values(), best.states):
                yield from ((task, "detour") for task in detours(start, self.largest, DETOURS))

    def joined(self, pool: Sequence[DFA], paired: Collection[tuple[DFA, DFA]]) -> Iterator[DFA]:
        """Yield the tasks made of parts that new pairs make, where the problem allows for parts."""
        parts = self.problem.parts
        if parts is not None:
            for pair in combinations(pool, 2):
                if pair not in paired:
                    task = Composite.of(parts.operator, pair)
                    if isinstance(task, Composite) and len(task.parts) <= parts.most:
                        yield task

    def unknown(self, proposed: Iterable[Proposal], known: Mapping[DFA, Score]) -> list[Proposal]:
        """Return the proposals that are in the class and were not scored yet, each language once.

        A task that is made of parts may be smaller than one automaton of the same language: then it counts.
        """
        new: dict[DFA, Proposal] = {}
        for task, origin in proposed:
            task = self.within(task)
            score = known.get(task)
            if score is not None and score.size <= task.size:
                continue
            other = new.get(task)
            if (other is None or task.size < other[0].size) and self.admits(task):
                new[task] = (task, origin)
        return list(new.values())

    def paper_steps(
        self, rng: np.random.Generator, chains: Ladder | None
    ) -> tuple[Ladder | None, list[Score], list[Tested]]:
        """Let the paper's search go on, and return the tasks that it visits, each once."""
        found: dict[DFA, Score] = {}
        tested: list[Tested] = []
        if self.paper is not None and chains is not None:
            for _ in range(ROUNDS):
                chains, infos = self.paper.step(rng, chains)
                for info in infos:
                    tested += info.tested
                    if info.candidate is not None:
                        found[info.candidate.task] = info.candidate
        return chains, list(found.values()), tested

    def within(self, task: DFA) -> DFA:
        """Return the task within the prior."""
        prior = self.problem.prior
        return task if prior is None or task.implies(prior) else (task & prior).minimal

    def admits(self, task: DFA) -> bool:
        """Say whether a task is small enough, in the class, and agrees with the given examples."""
        problem, most = self.problem, self.problem.settings.max_states
        for part in task.parts if isinstance(task, Composite) else (task,):
            if part.states > most or not all(one.holds(part) for one in problem.classes):
                return False
        return not problem.given or problem.given.consistent(task)


def best_of(scores: Iterable[Score]) -> tuple[Score, ...]:
    """Return the best scores in order, each language once."""
    first: dict[DFA, Score] = {}
    for score in sorted(scores, key=order):
        first.setdefault(score.task, score)
    return tuple(first.values())[:FRONT]


def best_by_states(scores: Iterable[Score], most: int) -> list[DFA]:
    """Return the best task of each number of states up to `most`, largest first.

    A larger task may be better than all smaller ones, and yet not lie on the way to the best.
    """
    best: dict[int, Score] = {}
    for score in scores:
        states = score.task.states
        if states <= most and (states not in best or order(score) < order(best[states])):
            best[states] = score
    return [best[states].task for states in sorted(best, reverse=True)]


def order(score: Score) -> tuple[float, int, Table, tuple[bool, ...]]:
    """Return what tasks are ranked by: energy, then size, then anything that is the same every time."""
    return score.energy, score.size, score.task.table, score.task.accepting


def behaviour(score: Score) -> tuple[float, float]:
    """Return what tasks that behave alike share, but for rounding."""
    return round(score.surprise, 9), round(score.satisfaction_probability, 9)

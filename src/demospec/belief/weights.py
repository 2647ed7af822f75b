"""The belief: tasks that were scored, each language once, with their probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from demospec.errors import InputError, listing, nearest
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.search.anneal import softmin
from demospec.tasks import DFA, Word
from demospec.tasks.showing import html_of, short
from demospec.worlds.mdp import Bools, Floats, Ints
from demospec.worlds.paths import word_of

FAR = 20.0  # nats: a task that costs so much more than the likeliest is not kept
SHOWN = 5  # tasks, where a belief shows itself
LEEWAY = 3.0  # nats, twenty to one: a task is excluded when one that is no larger explains so much better


def cost(problem: Problem, score: Score) -> float:
    """Return −ln of a task's weight, but for a constant: its bits at the belief's price, and its surprise.

    belief_size_weight · (size(φ) − size(prior)) + surprise_weight · h(φ)
    """
    weights = problem.weights
    bits = score.size - problem.prior_size
    return weights.belief_size_weight * bits + weights.surprise_weight * score.surprise


def not_excluded(scores: Iterable[Score], surprise_weight: float) -> list[Score]:
    """Return the tasks beside which no task of at most their size explains `LEEWAY` nats better."""
    found, least = [], math.inf
    for _, same in groupby(sorted(scores, key=lambda score: score.size), key=lambda score: score.size):
        of_size = list(same)
        least = min(least, *(surprise_weight * score.surprise for score in of_size))
        found += [score for score in of_size if surprise_weight * score.surprise <= least + LEEWAY]
    return found


@dataclass(frozen=True, eq=False)
class Belief:
    """Tasks and their probabilities, likeliest first; `scores` holds each language once.

    `rivals` are the tasks that the demonstrations do not exclude, whatever they cost: no task that is as
    small explains them much better.
    """

    problem: Problem
    scores: tuple[Score, ...]
    weights: Floats  # [T], sums to 1
    rivals: tuple[Score, ...] = ()

    @classmethod
    def of(cls, problem: Problem, scores: Iterable[Score]) -> Belief:
        """Weigh tasks by what they cost; of two that accept the same words the cheaper one counts."""
        cheapest: dict[DFA, Score] = {}
        for score in scores:
            known = cheapest.get(score.task)
            if known is None or cost(problem, score) < cost(problem, known):
                cheapest[score.task] = score
        if not cheapest:
            raise InputError("there is no task to believe in: none was scored")
        costs = {task: cost(problem, score) for task, score in cheapest.items()}
        least = min(costs.values())
        near = [score for score in cheapest.values() if costs[score.task] <= least + FAR]
        near.sort(key=lambda score: (costs[score.task], score.size, score.task.table, score.task.accepting))
        rivals = not_excluded(cheapest.values(), problem.weights.surprise_weight)
        return cls(problem, tuple(near), softmin([costs[score.task] for score in near]), tuple(rivals))

    def __repr__(self) -> str:
        likeliest = zip(self.scores[:SHOWN], self.weights.tolist(), strict=False)
        return short(
            [
                f"Belief over {len(self.scores)} tasks; the demonstrations do not exclude {len(self.rivals)}",
                *(f"{weight:.4f}  {score.task}" for score, weight in likeliest),
            ]
        )

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @property
    def tasks(self) -> list[DFA]:
        """Return the tasks, likeliest first."""
        return [score.task for score in self.scores]

    def acceptances(self, words: Sequence[Word]) -> Floats:
        """Return the probability [W] that each word satisfies the task."""
        merged = [word_of(word, merge_repeats=self.problem.merge_repeats) for word in words]
        result: Floats = (self.weights[:, None] * self.together.accepts(merged)).sum(axis=0)
        return result

    @cached_property
    def together(self) -> Together:
        """Return the tasks in one table."""
        return Together.of(self.tasks)

    def accepts(self, word: Iterable[str]) -> float:
        """Return the probability that a word satisfies the task."""
        return float(self.acceptances([tuple(word)])[0])


def acceptance(tasks: Sequence[DFA], words: Sequence[Word]) -> Bools:
    """Return [T, W]: which tasks accept which words; all tasks read the same letters."""
    return Together.of(tasks).accepts(words)


@dataclass(frozen=True, eq=False)
class Together:
    """Automata over one alphabet, side by side in one table: N states of T automata, K letters."""

    alphabet: tuple[str, ...]
    table: Ints  # [N, K + 1]; the last letter stays, because words end at different places
    accepting: Bools  # [N]
    start: Ints  # [T]
    owner: Ints  # [N], whose state it is

    @classmethod
    def of(cls, tasks: Sequence[DFA]) -> Together:
        """Lay out automata."""
        alphabet = tasks[0].alphabet
        base = np.cumsum([0, *(task.states for task in tasks)])
        table = np.empty((base[-1], len(alphabet) + 1), dtype=np.intp)
        for task, first in zip(tasks, base[:-1].tolist(), strict=True):
            table[first : first + task.states, :-1] = np.array(task.table) + first
        table[:, -1] = np.arange(base[-1])
        starts = base[:-1] + np.array([task.start for task in tasks], dtype=np.intp)
        marks = np.array([mark for task in tasks for mark in task.accepting], dtype=np.bool_)
        owner = np.repeat(np.arange(len(tasks)), np.diff(base))
        return cls(alphabet, table, marks, starts, owner)

    def accepts(self, words: Sequence[Word]) -> Bools:
        """Return [T, W]: which automata accept which words."""
        found: Bools = self.accepting[self.after(words)]
        return found

    def after(self, words: Sequence[Word]) -> Ints:
        """Return [T, W]: the state of each automaton after each word."""
        column = {letter: k for k, letter in enumerate(self.alphabet)}
        for letter in dict.fromkeys(letter for word in words for letter in word):
            if letter not in column:
                raise InputError(
                    f'letter "{letter}" is not in the alphabet '
                    f"{listing(self.alphabet)}{nearest(letter, self.alphabet)}"
                )
        longest = max(map(len, words), default=0)
        read = np.full((len(words), longest), len(self.alphabet), dtype=np.intp)
        for number, word in enumerate(words):
            read[number, : len(word)] = [column[letter] for letter in word]
        state = np.repeat(self.start[:, None], len(words), axis=1)
        for position in range(longest):
            state = self.table[state, read[:, position]]
        return state

"""The belief: tasks that were scored, each once, with their probabilities, and what it says of words.

A belief also says what it thinks of tasks beforehand: that small ones are likelier. For that reason alone a
label of a word may have next to no probability, while a task gives it that nothing of its size explains
much better. So a label is *possible* when it is believed, or when one of these tasks, a rival, gives it.

Where sizes are bits of a prior (`code = "words"`) nothing need be added to the belief: there the *credible*
labels of a word are its own 95 % credible set, those that have more than 5 % of the belief each, whichever
answers give them. They are not the labels that answers of a credible set give: among a hundred small answers
some one gives nearly every label, also where the belief is sure of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from demospec.belief.tuned import CREDIBLE, FAR, LEEWAY, POSSIBLE
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.native import library
from demospec.plan.monitor import make_monitor, make_monitors
from demospec.problem import Problem
from demospec.search.frontier import softmin
from demospec.tasks import DFA, Word
from demospec.tasks.showing import Displayed, short
from demospec.tasks.side_by_side import Stack
from demospec.worlds.mdp import Bools, Floats
from demospec.worlds.paths import word_of

SHOWN = 5  # tasks, where a belief shows itself


def task_cost(problem: Problem, score: Score) -> float:
    """Return −ln of a task's weight, but for a constant: its bits at the belief's price, and its surprise.

    belief_size_weight · (size(φ) − size(prior)) + surprise_weight · h(φ)
    """
    weights = resolve(problem).weights
    bits = score.size - resolve(problem).prior_size
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
class Belief(Displayed):
    """Tasks and their probabilities, likeliest first.

    Tasks that say the same of every word, as words are read here, are one: `scores` holds the cheapest.
    `rivals` are the tasks that the demonstrations do not exclude, whatever they cost: no task that is as
    small explains them much better.
    """

    problem: Problem
    scores: tuple[Score, ...]
    weights: Floats  # [T], sums to 1
    rivals: tuple[Score, ...] = ()

    @classmethod
    def of(cls, problem: Problem, scores: Iterable[Score]) -> Belief:
        """Weigh tasks by what they cost; of several that say the same the cheapest counts."""
        first: dict[tuple[DFA, int | str], Score] = {}
        in_words = resolve(problem).code == "words"
        for score in scores:
            known_one = first.setdefault(score.task.key, score)
            if in_words and score.energy < known_one.energy:  # it was looked at again, beside another agent
                first[score.task.key] = score
        if not first:
            raise InputError("there is no task to believe in: none was scored")
        cheapest: dict[DFA, tuple[float, Score]] = {}
        known_scores = list(first.values())
        if in_words:  # no rivals are told beside a prior: what is far away plays no part
            bound = min(task_cost(problem, score) for score in known_scores) + FAR
            known_scores = [score for score in known_scores if task_cost(problem, score) <= bound]
        forms = forms_of(problem, [score.language for score in known_scores])
        for form, score in zip(forms, known_scores, strict=True):
            own = task_cost(problem, score)
            known = cheapest.get(form)
            if known is None or own < known[0]:
                cheapest[form] = own, score
        least = min(own for own, _ in cheapest.values())
        near = [(own, score, form) for form, (own, score) in cheapest.items() if own <= least + FAR]
        near.sort(key=lambda one: (one[0], one[1].size, one[1].language.table, one[1].language.accepting))
        rivals = not_excluded(
            [score for _, score in cheapest.values()], resolve(problem).weights.surprise_weight
        )
        weights = softmin([own for own, _, _ in near])
        made = cls(problem, tuple(score for _, score, _ in near), weights, tuple(rivals))
        made.__dict__["forms"] = [form for _, _, form in near]  # known already
        return made

    def __repr__(self) -> str:
        likeliest = zip(self.scores[:SHOWN], self.weights.tolist(), strict=False)
        return short(
            [
                f"Belief over {len(self.scores)} tasks; the demonstrations do not exclude {len(self.rivals)}",
                *(f"{weight:.4f}  {score.task}" for score, weight in likeliest),
            ]
        )

    def likeliest(self, most: int) -> Belief:
        """Return the belief in so many tasks alone."""
        weights = self.weights[:most]
        return replace(self, scores=self.scores[:most], weights=weights / weights.sum())

    @property
    def tasks(self) -> list[DFA]:
        """Return the tasks, likeliest first."""
        return [score.language for score in self.scores]

    @cached_property
    def forms(self) -> list[DFA]:
        """Return the form of each task; no two are equal."""
        return forms_of(self.problem, self.tasks)

    def find(self, task: DFA) -> int | None:
        """Return the place of a task that says the same as the given one; None where none is believed in."""
        (form,) = forms_of(self.problem, [task])
        return next((place for place, other in enumerate(self.forms) if other == form), None)

    def acceptances(self, words: Sequence[Word]) -> Floats:
        """Return the probability [W] that each word satisfies the task."""
        merged = [word_of(word, merge_repeats=self.problem.merge_repeats) for word in words]
        result: Floats = (self.weights[:, None] * self.stack.accepts(merged)).sum(axis=0)
        return result

    @cached_property
    def stack(self) -> Stack:
        """Return the forms of the tasks in one table."""
        return Stack.of(self.forms)

    def accepts(self, word: Iterable[str]) -> float:
        """Return the probability that a word satisfies the task."""
        return float(self.acceptances([tuple(word)])[0])


def acceptance(tasks: Sequence[DFA], words: Sequence[Word]) -> Bools:
    """Return [T, W]: which tasks accept which words; all tasks read the same letters."""
    return Stack.of(tasks).accepts(words)


def forms_of(problem: Problem, tasks: Sequence[DFA]) -> list[DFA]:
    """Return the form of each task: equal forms say the same of every word, as words are read here.

    Without merged repeats that is the minimal automaton. With them it is the task's monitor: what a task
    says of words with repeats is never asked.
    """
    if not problem.merge_repeats:
        return [task.minimal for task in tasks]
    if not tasks or library() is None:
        monitors = [make_monitor(task, merge_repeats=True) for task in tasks]
        return [
            DFA.from_canonical(one.alphabet, one.table, tuple(one.accepting.tolist())) for one in monitors
        ]
    letters = problem.alphabet
    found, which = make_monitors(tasks, len(letters), merge_repeats=True)
    forms = DFA.unpacked(found, letters)
    return [forms[number] for number in which]


def possible(belief: Belief, words: Sequence[Word], labels: Sequence[bool], least: float = POSSIBLE) -> Bools:
    """Return [W]: whether each word's label has at least this probability, or a rival that gives it."""
    wanted = np.asarray(labels, dtype=np.bool_)
    accepted = belief.acceptances(words)
    chance = np.where(wanted, accepted, 1.0 - accepted)
    found: Bools = chance >= least
    if belief.rivals:
        merged = [word_of(word, merge_repeats=belief.problem.merge_repeats) for word in words]
        given = acceptance([score.language for score in belief.rivals], merged)
        found |= (given == wanted).any(axis=0)
    return found


def possible_labels(belief: Belief, word: Word) -> tuple[bool, ...]:
    """Return the labels of a word that are reported as possible: True, False or both."""
    both = (True, False)
    return tuple(
        label for label, mark in zip(both, possible(belief, [word] * 2, both).tolist(), strict=True) if mark
    )


def credible_labels(belief: Belief, words: Sequence[Word]) -> Bools:
    """Return [W, 2]: whether "rejected" and whether "accepted" is a credible label of each word."""
    accepted = belief.acceptances(words)
    found: Bools = np.stack([accepted < CREDIBLE, accepted > 1 - CREDIBLE], axis=1)
    return found

"""What a task's picture should not claim: transitions that the worlds leave open.

Two things are drawn light. First, transitions that no world exercises (`exercise.py`). Second, where tasks
of the same answer differ: the transition of the task itself, and the one that the likeliest of the other
tasks has instead, which is drawn beside it. Loops are not drawn, but light ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.distance import Agents
from demospec.belief.exercise import Transition, Use, use_of
from demospec.belief.shares import Access, access_of, leads_to
from demospec.belief.weights import forms_of
from demospec.belief.words import Words
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.side_by_side import Product
from demospec.work.stop import NEVER, Stop


@dataclass(frozen=True, eq=False)
class Undetermined:
    """What is open in a task: transitions of its own, and what others might have in their place."""

    task: DFA
    unexercised: tuple[Transition, ...]  # wherever they led, no episode would show it
    differing: tuple[Transition, ...]  # tasks of the same answer lead them elsewhere
    also: tuple[Transition, ...]  # where to, if the task has a state for it
    use: Use | None  # None where a world is not listed, or has too many paths to follow

    @property
    def light(self) -> tuple[Transition, ...]:
        """Return the task's own transitions that are drawn light."""
        return tuple(sorted({*self.unexercised, *self.differing}))


def words_of(problem: Problem, score: Score, stop: Stop = NEVER) -> Words | None:
    """Follow all paths of the problem's worlds with a task; None where they are too many."""
    agents = Agents.of(problem, [score], stop)
    return Words.of(agents, Product.of(agents.tasks, merge_repeats=problem.merge_repeats))


def undetermined_in(
    problem: Problem, score: Score, members: Sequence[Score], words: Words | None, stop: Stop = NEVER
) -> Undetermined:
    """Return what is open in a task, one of the members of an answer."""
    task = score.task.automaton
    access = access_of(task, words, merge_repeats=problem.merge_repeats)
    use = None if words is None else use_of(problem, score, words, stop)
    form, *forms = forms_of(problem, [task, *(member.language for member in members)])
    differing, also = alternatives(access, [other for other in forms if other != form])
    own = [] if use is None else use.light_transitions()
    return Undetermined(task, tuple(own), tuple(differing), tuple(also), use)


def alternatives(access: Access, others: Sequence[DFA]) -> tuple[list[Transition], list[Transition]]:
    """Return the transitions of a task that others lead elsewhere, and where the first of them does.

    What leads to a situation that the task does not know has no place in its picture.
    """
    if not others:
        return [], []
    task = access.task
    agree, like = leads_to(access, others)
    differing, also = [], []
    for q, row in enumerate(task.table):
        for k, (letter, target) in enumerate(zip(task.alphabet, row, strict=True)):
            if agree[:, q, k].all():
                continue
            differing.append((q, letter, target))
            known = np.flatnonzero((like[:, q, k].sum(axis=1) == 1) & ~like[:, q, k, target])
            if len(known):
                instead = int(np.flatnonzero(like[known[0], q, k])[0])
                if instead != q:
                    also.append((q, letter, instead))
    return differing, also

"""Who knows the list: a learner that is told which tasks may be planted, and whom nothing else is told.

It weighs every planted task, with every choice of its letters, by its evidence: each name is as likely as any
other, and so is each choice of letters. What it misses, the demonstrations do not tell.
"""

from __future__ import annotations

import math
from itertools import permutations

from demospec.bench.wide.tasks import TASKS
from demospec.explain.evidence import Evidence
from demospec.plan.rationality import Learned
from demospec.problem import Problem
from demospec.search.frontier import softmin
from demospec.tasks import DFA

MOST = 60  # tasks that are acted on, the likeliest


def planted_tasks(alphabet: tuple[str, ...]) -> dict[DFA, float]:
    """Return every task that may be planted over some letters, with its prior.

    >>> round(sum(planted_tasks(("a", "b", "c")).values()), 9)
    1.0
    """
    within = [one for one in TASKS if len(one.letters) <= len(alphabet)]
    prior: dict[DFA, float] = {}
    for wanted in within:
        task = wanted.task("".join(alphabet))
        languages = dict.fromkeys(renamed(task, order) for order in permutations(range(len(alphabet))))
        for language in languages:
            prior[language] = prior.get(language, 0.0) + 1 / (len(within) * len(languages))
    return prior


def renamed(task: DFA, order: tuple[int, ...]) -> DFA:
    """Return the task that reads each letter as it read another."""
    table = tuple(tuple(row[letter] for letter in order) for row in task.table)
    return DFA(alphabet=task.alphabet, table=table, accepting=task.accepting).minimal


def learn_among(problem: Problem) -> list[tuple[DFA, float]]:
    """Return the planted tasks with their probabilities, likeliest first."""
    assert isinstance(problem.agent, Learned)
    prior = planted_tasks(problem.alphabet)
    tasks = list(prior)
    found = Evidence(problem, problem.planner, problem.agent).everywhere(tasks)
    costs = [one.surprise - math.log(prior[task]) for one, task in zip(found, tasks, strict=True)]
    weighted = zip(tasks, softmin(costs).tolist(), strict=True)
    return sorted(weighted, key=lambda one: -one[1])[:MOST]

"""What the search is compared with, through the same interface: one `Info` for each task looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from demospec.examples import Examples
from demospec.problem import Problem
from demospec.score import Evaluator, Score
from demospec.search import Info, search


def enumeration(problem: Problem) -> Iterator[Info]:
    """Prior-ordered enumeration: the smallest tasks that accept the complete demonstrations, in order.

    Prior, classes and given examples are kept to; a demonstration whose word they exclude is no
    constraint, since no task in the class accepts it.
    """
    accept = {
        word: True
        for word, path in zip(problem.words, problem.demonstrations, strict=True)
        if path.complete and not problem.certain[False].accepts(word)
    }
    examples = Examples.from_mapping({**accept, **problem.given.mapping})
    tasks = problem.smallest(examples)
    evaluator = Evaluator(problem, memory=0)
    best: Score | None = None
    for iteration, task in enumerate(islice(tasks, problem.settings.iterations), start=1):
        score = evaluator.score(task)
        better = best is None or score.energy < best.energy
        best = score if better else best
        yield Info(iteration, math.nan, False, examples, score, better, None, best)


def random_pivots(problem: Problem, rng: np.random.Generator) -> Iterator[Info]:
    """Run the search with β = ∞: pivots uniform, labels still informed by the gradient's sign."""
    return search(problem.with_settings(pivot_temperature=math.inf), rng)

"""What labels do: they are given examples, which no task may contradict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from demospec.errors import Contradiction
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.runs.session import learn
from demospec.tasks import Word
from demospec.tasks.examples import Examples
from demospec.wording import word_text


def with_example(problem: Problem, word: Word, label: bool) -> Problem:
    """Return the problem with one more given example; another label than before is a contradiction."""
    if problem.given.mapping.get(word, label) != label:
        raise Contradiction(f'accepted and rejected at once: "{word_text(word)}"', words=[word])
    return replace(problem, given=problem.given.update(word, label))


def with_examples(problem: Problem, examples: Examples) -> Problem:
    """Return the problem with more given examples."""
    for word, label in examples:
        problem = with_example(problem, word, label)
    return problem


def consistent(problem: Problem, scores: Iterable[Score]) -> list[Score]:
    """Return the scored tasks that agree with the given examples.

    A score is about the demonstrations alone, so it stays as it is when examples are added.
    """
    return [score for score in scores if problem.given.consistent(score.task)]


def scored(result: Result) -> list[Score]:
    """Return every task that a search scored."""
    found: dict[tuple[object, int | str], Score] = {}
    for row in result.trace:
        for score in row.info.scored:
            found.setdefault(score.task.key, score)
    return list(found.values())


def learned_scores(problem: Problem, seed: int = 0) -> list[Score]:
    """Learn with the given examples fixed, and return every task that was scored."""
    return scored(learn(problem, seed=seed))


def quicker(problem: Problem) -> Problem:
    """Return the problem for a search that leaves out what takes long with many examples, if it has that.

    Conjectures ask for the smallest automata that agree with all examples, which are many in a dialogue.
    """
    settings = problem.settings
    if settings.method != "explore":
        return problem
    return problem.with_settings(without=(*settings.without, "conjectures"))

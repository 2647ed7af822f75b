"""The belief counts what tasks say of words as they are read, each thing once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from belief_cases import LETTERS, belief_in, some_problem

from demospec.belief import belief as module
from demospec.belief import findings_of
from demospec.belief.belief import Belief, forms_of, task_cost
from demospec.belief.tuned import FAR
from demospec.explain.evaluator import Evaluator
from demospec.tasks import DFA, Composite
from demospec.worlds.paths import word_of
from strategies import all_words

WITHOUT_REPEATS = [word for word in all_words(LETTERS, 9) if word_of(word, merge_repeats=True) == word]


def labels(task: DFA) -> tuple[bool, ...]:
    return tuple(task.accepts(word) for word in WITHOUT_REPEATS)


def test_with_merged_repeats_tasks_that_differ_on_repeats_alone_count_once(
    small_languages: list[DFA],
) -> None:
    problem = some_problem(0)
    assert problem.merge_repeats
    scores = Evaluator(problem).scores(small_languages)
    belief = Belief.of(problem, scores)
    classes: dict[tuple[bool, ...], list[float]] = {}
    for score in scores:
        classes.setdefault(labels(score.language), []).append(task_cost(problem, score))
    least = min(min(costs) for costs in classes.values())
    near = {key: min(costs) for key, costs in classes.items() if min(costs) <= least + FAR}
    assert len(near) < 0.5 * len(scores)  # many tasks do count repeats
    assert len(belief.scores) == len(near)
    total = sum(np.exp(least - own) for own in near.values())
    for score, weight in zip(belief.scores, belief.weights.tolist(), strict=True):
        own = near[labels(score.language)]
        assert task_cost(problem, score) == pytest.approx(own)
        assert weight == pytest.approx(np.exp(least - own) / total)
    apart = Belief.of(replace(problem, merge_repeats=False), scores)
    assert len(apart.scores) > 2 * len(belief.scores)


@pytest.mark.parametrize("merge_repeats", [False, True])
def test_forms_are_equal_exactly_where_tasks_say_the_same(
    merge_repeats: bool, small_languages: list[DFA], monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = replace(some_problem(0), merge_repeats=merge_repeats)
    tasks = [*small_languages[:300], Composite.of("and", [small_languages[30], small_languages[40]])]
    quick = forms_of(problem, tasks)
    keys = [labels(task) if merge_repeats else task.minimal for task in tasks]
    assert len({*zip(quick, keys, strict=True)}) == len(set(quick)) == len(set(keys))
    for form, task in zip(quick, tasks, strict=True):
        assert labels(form) == labels(task)
        assert form.size == DFA(alphabet=form.alphabet, table=form.table, accepting=form.accepting).size
    monkeypatch.setattr(module, "library", lambda: None)
    assert [form.table for form in forms_of(problem, tasks)] == [form.table for form in quick]


def test_a_best_task_is_found_by_what_it_says() -> None:
    """The best task may be another than the one that stands for it in the belief."""
    problem = some_problem(0)
    once = DFA.parse(">0: a→1 | *1:", LETTERS)
    twice = DFA.parse(
        ">0: a→1 | *1: a→2, b→3 | 2: | *3:", LETTERS
    )  # what it says of a second a is never asked
    other = DFA.parse(">0: b→1 | *1:", LETTERS)
    belief = belief_in(problem, [once, twice, other])
    assert {score.task for score in belief.scores} == {once, other}
    assert belief.find(twice) == belief.find(once)
    assert belief.find(DFA.constant(LETTERS, True)) is None
    (score,) = Evaluator(problem).scores([twice])
    found = findings_of(belief, score)
    place = belief.find(once)
    assert place is not None
    assert found.answer.share >= belief.weights[place]
    assert sum(len(answer.members) for answer in found.answers.all) == 2

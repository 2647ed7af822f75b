"""One run: what is found, what counts, and why a run misses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from demospec.belief import Belief
from demospec.errors import InputError
from demospec.explain.score import evaluate
from demospec.problem import METHODS
from demospec.runs.session import learn
from demospec.search.best_first import INGREDIENTS
from demospec.tasks import DFA
from recover import run_cases
from recovery.measures import Least, read_along
from recovery.planted import BY_NAME, TASKS, Case, Sweep, check_method, planted, settings_of
from recovery.planted_report import kind_table, markdown, miss_table, part, table, verdict
from recovery.planted_run import Row, run, search

LONG = 600.0  # seconds: nothing is cut off


@pytest.fixture(scope="module")
def row() -> Row:
    return run(LONG, Case(5, "b, then g", 1, 2, "enumeration", "paper"))


def test_a_run_measures_what_the_library_finds(row: Row) -> None:
    one = TASKS[BY_NAME["b, then g"]]
    problem = planted(one.task, 21, 5, 3, "paper").with_settings(method="enumeration")
    result = learn(problem, seed=3)
    assert (row.world, row.kind, row.weights) == (21, "sequence", "paper")
    assert row.energy == result.best.energy
    assert DFA.parse(row.learned, "bgry") == result.best.task
    assert row.truth_energy == evaluate(problem, one.task).score.energy
    assert row.excess == row.energy - row.truth_energy
    assert row.tasks == len(result.ranked) == 100
    assert sum(one.count for one in row.bins) == 100
    assert 0 <= row.seconds_to_best <= row.seconds
    assert row.least is not None
    belief = Belief.of(problem, [entry.score for entry in result.ranked])
    believed = belief.accepts(row.least.word)
    truly = one.task.accepts(row.least.word)
    assert row.least.probability == pytest.approx(believed if truly else 1 - believed)


def test_the_truths_own_probability_is_the_measure(row: Row) -> None:
    truth = TASKS[BY_NAME["b, then g"]].task
    problem = planted(truth, 21, 5, 3, "paper")
    learned = DFA.parse(row.learned, "bgry")
    reached, most = read_along(problem, learned, truth).other, read_along(problem, truth, truth).own
    assert row.share == pytest.approx(reached / most)
    assert row.same_on_truth == read_along(problem, truth, learned).same
    assert row.same_on_learned == read_along(problem, learned, truth).same


def test_what_ends_after_the_limit_does_not_count() -> None:
    problem = planted(TASKS[0].task, 0, 2, 0).with_settings(method="enumeration")
    whole, cut = search(problem, 0, LONG), search(problem, 0, 1e-9)
    assert len(whole.scores) == 100
    assert len(cut.scores) == 1
    assert cut.best == cut.scores[0] == whole.scores[0]
    assert whole.best.energy == min(score.energy for score in whole.scores)


def test_reasons_for_a_miss(row: Row) -> None:
    good = replace(row, energy=10.0, truth_energy=10.0, share=1.0)
    assert (good.found, good.reached, good.reason) == (True, True, None)
    worse = replace(good, energy=10.001)
    assert (worse.found, worse.reason) == (False, "searched badly")
    other = replace(good, energy=9.0, share=0.94)
    assert (other.found, other.reached, other.reason) == (True, False, "not determined")
    assert replace(good, energy=10.0 + 1e-10).found
    assert replace(good, least=None, least_on_learned=None).possible
    assert replace(good, least=least(0.05)).believed
    assert not replace(good, least=least(0.049)).believed
    assert replace(good, least=least(0.049), least_on_learned=None).possible
    assert not replace(good, least=least(0.049, possible=False)).possible
    assert not replace(good, least_on_learned=least(0.049, possible=False)).possible
    assert replace(good, least_on_learned=least(0.05)).doubted
    assert not replace(good, least_on_learned=least(0.049)).doubted


def least(probability: float, *, possible: bool = True) -> Least:
    return Least(("b",), 0.1, probability, 0.9, possible)


def test_tables_count_rows(row: Row) -> None:
    good = replace(row, energy=1.0, truth_energy=1.0, share=1.0, least=least(0.5))
    good = replace(good, least_on_learned=None)
    doubtful = replace(good, energy=0.5, share=0.5)
    wrong = replace(doubtful, least=Least(("b", "g"), 0.25, 0.001, 0.9, possible=False))
    bad = replace(good, energy=2.0, brier=0.5, seconds=9.0)
    rows = [replace(one, method="explore") for one in (good, doubtful, wrong, bad)]
    rows.append(replace(good, demonstrations=20, kind="until"))
    body = table(rows)
    assert [line[:4] for line in body] == [
        ["5", "explore", "3/4", "2/4"],
        ["20", "enumeration", "1/1", "1/1"],
    ]
    assert body[0][6] == f"{(3 * row.brier + 0.5) / 4:.3f}"
    assert body[0][7] == "3/4"
    assert body[0][11].endswith(", 9.00")
    assert kind_table(rows, "explore") == [["5", "sequence", "3/4", "2/4", "3/4", "4/4", "3/4"]]
    misses = miss_table(rows, "explore")
    assert [line[6] for line in misses] == ["not determined", "not determined", "searched badly"]
    assert misses[1][7:] == ["0.1 %, excluded: b g (25.0 % of the paths)", "no word is common"]
    assert verdict(rows, "explore") == (
        "explore missed 3: 1 searched badly, 2 not determined by the demonstrations. In 1 of the latter the "
        "truth's behaviour lies within what is reported as possible, on the common paths of both agents: on "
        "the truth's with at least 5 % in 1, on the learned task's in 2."
    )
    assert verdict(rows, "enumeration") == "enumeration missed none."
    assert part([]) == "0/0"
    assert markdown(["a", "b"], [["1", "x | y"]]) == "| a | b |\n| --- | --- |\n| 1 | x \\| y |"


def test_methods_and_ingredients() -> None:
    for method in METHODS:
        assert settings_of(check_method(method)) == {"method": method}
    problem = planted(TASKS[0].task, 0, 1, 0)
    for name in INGREDIENTS:
        settings = problem.with_settings(**settings_of(check_method(f"explore-without-{name}"))).settings
        assert (settings.method, settings.without) == ("explore", (name,))
    with pytest.raises(InputError, match=r'method "explor" is none of .*did you mean "explore"'):
        check_method("explor")


def test_rows_come_in_order_and_stop_when_asked() -> None:
    sweep = Sweep((1,), ("reach y", "avoid r"), 1, (0, 1), ("enumeration",), "default", LONG)
    rows: list[Row] = []
    run_cases(run, sweep, progress=rows.append, stop=lambda: len(rows) == 3)
    assert [(row.task, row.seed) for row in rows] == [("reach y", 0), ("reach y", 1), ("avoid r", 0)]
    again: list[Row] = []
    run_cases(run, sweep, progress=again.append)
    assert [timeless(row) for row in again[:3]] == [timeless(row) for row in rows]
    assert np.isfinite([row.seconds for row in again]).all()


def timeless(row: Row) -> Row:
    return replace(row, seconds=0.0, seconds_to_best=0.0, processor_seconds=0.0)

"""Many scores at once: against scores one by one, and the same bytes whatever is scored beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import demospec
from demospec.errors import TaskError
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Score, evaluate
from demospec.identify.classes import CoSafety
from demospec.plan import compiled, tabular
from demospec.plan.monitor import make_monitor, make_monitors
from demospec.plan.rationality import Agent, Competency, Empirical, Fixed
from demospec.plan.tabular import ManyScores, TabularPlanner
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.edits import edits
from demospec.tasks.tables import Machines
from demospec.testing.small_worlds import random_demonstrations, random_dfa, random_mdp
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.world import Episode
from strategies import AB, dfas

LETTERS = ("a", "b")

needs_compiled = pytest.mark.skipif(not compiled.compiled_available(), reason="the library is not built")


def random_problem(seed: int, *, states: int = 5, letters: Sequence[str] = LETTERS, **more: Any) -> Problem:
    rng = np.random.default_rng([seed, 11])
    mdp = random_mdp(
        *(rng,),
        states=states,
        letters=letters,
        horizon=1 + seed % 5,
        end_probability=0.1 * (seed % 2),
        terminal=seed % 3 == 0,
    )
    return Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 4),
        alphabet=tuple(letters),
        agent=Fixed(5.0),
        merge_repeats=bool(seed % 2),
        **more,
    )


def random_tasks(seed: int, count: int, letters: Sequence[str] = LETTERS) -> list[DFA]:
    rng = np.random.default_rng(seed)
    constants = [DFA.constant(letters, label) for label in (True, False)]
    return constants + [random_dfa(rng, tuple(letters), int(rng.integers(1, 6))) for _ in range(count)]


def assert_agree(problem: Problem, scores: Sequence[Score]) -> None:
    """Compare with scores one by one, from plans that know the bounds of the class."""
    for score in scores:
        alone = evaluate(problem, score.task).score
        assert score.surprise == pytest.approx(alone.surprise, rel=1e-11, abs=1e-11)
        assert score.energy == pytest.approx(alone.energy, rel=1e-11, abs=1e-11)
        assert score.satisfaction_probability == pytest.approx(alone.satisfaction_probability, abs=1e-12)
        assert (score.size, score.rationality) == (alone.size, alone.rationality)


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_many_scores_at_once_are_the_scores_one_by_one(seed: int, by_numpy: bool) -> None:
    problem = random_problem(seed)
    found = Evaluator(problem, planner=TabularPlanner(by_numpy=by_numpy)).scores(random_tasks(seed, 70))
    assert len(found) == 72
    assert_agree(problem, found)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_the_class_do_not_matter_to_scores(seed: int) -> None:
    prior = DFA.parse(">*0: b→1 | *1: a→2 | 2:", LETTERS)
    problem = random_problem(seed, prior=prior)
    tasks = [(task & prior).minimal for task in random_tasks(seed, 20)]
    assert_agree(problem, Evaluator(problem).scores(tasks))
    problem = random_problem(seed, classes=(CoSafety(),))
    tasks = [task for task in random_tasks(seed, 200) if CoSafety().holds(task)]
    assert_agree(problem, Evaluator(problem).scores(tasks))


def test_many_letters() -> None:
    letters = tuple(f"{k:03}" for k in range(200))
    problem = random_problem(9, states=12, letters=letters)
    assert_agree(problem, Evaluator(problem).scores(random_tasks(1, 6, letters)))


def test_a_start_that_is_read_already_decides_a_task() -> None:
    world = MDP.build(
        [("s", "go", {"s": 0.5, "t": 0.5}), ("s", "stay", {"s": 1.0}), ("t", "stay", {"t": 1.0})],
        *(),
        start="s",
        labels={"s": "a"},
        episode=Episode(horizon=3),
    )
    rng = np.random.default_rng(0)
    problem = Problem.of(
        world,
        demonstrations=random_demonstrations(rng, world, 3),
        alphabet=LETTERS,
        agent=Fixed(5.0),
        merge_repeats=False,
    )
    tasks = [DFA.parse(line, LETTERS) for line in (">0: a→1 | *1:", ">*0: a→1 | 1:", ">0: b→1 | *1:")]
    found = Evaluator(problem).scores(tasks)
    assert_agree(problem, found)
    assert [score.satisfaction_probability for score in found] == pytest.approx([1.0, 0.0, 0.0])


def test_no_tasks_and_the_same_task_twice() -> None:
    problem = random_problem(1)
    assert Evaluator(problem).scores([]) == []
    task = DFA.parse(">0: a→1 | *1:", LETTERS)
    once, again = Evaluator(problem).scores([task, task])
    assert once is again


def test_a_task_over_other_letters_is_refused() -> None:
    with pytest.raises(TaskError, match="letters"):
        Evaluator(random_problem(1)).scores([DFA.constant("abc", True)])


@pytest.mark.parametrize("agent", [Competency(0.4), Competency(0.999), Empirical()])
def test_many_scores_for_a_competency_are_the_scores_one_by_one(agent: Agent) -> None:
    problem = replace(demospec.load_example("delivery"), agent=agent)
    rng = np.random.default_rng(3)
    tasks = [random_dfa(rng, problem.alphabet, int(rng.integers(1, 5))) for _ in range(40)]
    together = Evaluator(problem).scores(tasks)
    for score, task in zip(together, tasks, strict=True):
        alone = evaluate(problem, task, nearest=True).score
        assert score.rationality == pytest.approx(alone.rationality, rel=1e-6, abs=1e-9)
        assert score.surprise == pytest.approx(alone.surprise, rel=1e-9, abs=1e-9)
        assert score.satisfaction_probability == pytest.approx(alone.satisfaction_probability, abs=1e-9)
    assert len({score.rationality for score in together}) > 5
    assert [Evaluator(problem).scores([task])[0] for task in tasks] == together


# -- the same bytes ---------------------------------------------------------------------------------------


def numbers(problem: Problem, tasks: Sequence[DFA]) -> list[tuple[str, str]]:
    """Return surprise and satisfaction probability of each task to the last bit."""
    found = Evaluator(problem).scores(tasks)
    return [(score.surprise.hex(), score.satisfaction_probability.hex()) for score in found]


@needs_compiled
@pytest.mark.parametrize("seed", range(6))
def test_scores_do_not_depend_on_what_is_scored_beside_them(seed: int) -> None:
    problem = random_problem(seed, states=9)
    tasks = list(dict.fromkeys(random_tasks(seed, 30) + edits(random_tasks(seed, 1)[-1], 6)))
    expected = numbers(problem, tasks)
    assert [numbers(problem, [task])[0] for task in tasks] == expected
    assert numbers(problem, tasks[::-1]) == expected[::-1]
    evaluator = Evaluator(problem)  # with a memory of the monitors before
    for first in range(0, len(tasks), 7):
        some = evaluator.scores(tasks[first : first + 7])
        found = [(score.surprise.hex(), score.satisfaction_probability.hex()) for score in some]
        assert found == expected[first : first + 7]


@needs_compiled
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(("columns", "a_while"), [(0, 1), (9, 3000), (1 << 20, 1 << 26)])
def test_scores_do_not_depend_on_threads_and_passes(
    monkeypatch: pytest.MonkeyPatch, threads: int, columns: int, a_while: int
) -> None:
    problem, tasks = random_problem(4, states=9), random_tasks(4, 80)
    expected = numbers(problem, tasks)
    monkeypatch.setattr(compiled, "cores", lambda: threads)
    monkeypatch.setattr(tabular, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(tabular, "CACHE", columns * 16 * 9)
    monkeypatch.setattr(tabular, "A_WHILE", a_while)
    assert numbers(problem, tasks) == expected


# -- monitors of many tasks -------------------------------------------------------------------------------


@needs_compiled
@given(st.lists(dfas(max_states=5), min_size=1, max_size=6), st.booleans())
def test_monitors_of_many_tasks_are_the_monitors_one_by_one(tasks: list[DFA], merge_repeats: bool) -> None:
    found, which = make_monitors(tasks, len(AB), merge_repeats=merge_repeats)
    first = np.concatenate([[0], np.cumsum(found.states)])
    cells, marks = np.array(found.cells).reshape(-1, len(AB)), np.array(found.marks, dtype=np.bool_)
    machines = [
        (tuple(map(tuple, cells[at:end].tolist())), tuple(marks[at:end].tolist()))
        for at, end in pairwise(first)
    ]
    assert len(set(machines)) == len(machines) == len(set(which))
    for task, number in zip(tasks, which, strict=True):
        alone = make_monitor(task, merge_repeats=merge_repeats)
        assert machines[number] == (alone.table, tuple(alone.accepting.tolist()))


@needs_compiled
def test_tasks_with_one_monitor_are_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = random_problem(1)
    once, twice = (DFA.parse(line, LETTERS) for line in (">0: a→1 | *1:", ">0: a→1 | *1: a→2 | *2:"))
    odd = DFA.parse(">0: a→1 | *1: a→0", LETTERS)
    asked = ManyScores(problem.tree, LETTERS, merge_repeats=True)
    planned: list[int] = []
    compute = asked._compute

    def counted(monitors: Machines, rationality: float) -> tuple[Floats, Floats]:
        planned.append(len(monitors))
        return compute(monitors, rationality)

    monkeypatch.setattr(asked, "_compute", counted)
    first = asked.at_one([once, twice, once], 5.0)
    assert first[0] == first[1] == first[2]
    assert asked.at_one([odd, once], 5.0)[1] == first[0]
    assert planned == [1, 1]
    asked.at_one([once], 4.0)  # what is known belongs to one rationality
    assert planned == [1, 1, 1]

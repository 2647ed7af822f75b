"""Words of a world, and what its paths read where, against all paths one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from belief_cases import (
    KINDS,
    LETTERS,
    Kind,
    beginning_in,
    divergence,
    histories,
    some_problem,
    some_tasks,
    whole_words,
)

from demospec.belief.episodes import Episodes, ShortestWords
from demospec.belief.tuned import IDLE, SAME
from demospec.belief.undetermined import redirected, use_of
from demospec.explain.score import evaluate
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Product
from demospec.testing.small_worlds import ByEnumeration
from demospec.worlds.mdp import MDP, Bools
from demospec.worlds.paths import Path
from demospec.worlds.walk import PathWalk
from demospec.worlds.world import Episode
from strategies import all_words


def words_of(problem: Problem, reader: Product) -> ShortestWords:
    return ShortestWords(Episodes(problem), reader)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_shortest_words_of_episodes_and_of_their_beginnings(seed: int, kind: Kind) -> None:
    problem, (one, two) = some_problem(seed, kind=kind), some_tasks(seed, 2)
    reader = Product.of([one, two], merge_repeats=problem.merge_repeats)
    words = words_of(problem, reader)
    begun: dict[Word, set[str]] = {}
    for scene, path in histories(problem):
        begun.setdefault(problem.word(path, scene), set()).add(scene.name)
    whole = whole_words(problem)

    def check(nodes: Bools, *, complete: bool, fits: Callable[[Word], bool]) -> None:
        every = whole if complete else begun
        fitting = [word for word in every if fits(word)]
        found = words.shortest(nodes, complete=complete)
        assert (found is None) == (not fitting)
        if found is not None:
            assert found.word in fitting
            assert len(found.word) == min(map(len, fitting))
            assert problem.scenes[found.world].name in every[found.word]

    for complete in (True, False):
        for state in range(one.states):
            check(reader.states(0) == state, complete=complete, fits=lambda word, q=state: one.run(word) == q)  # type: ignore[misc]
    marks = [np.array(task.accepting)[reader.states(k)] for k, task in enumerate((one, two))]
    check(marks[0] != marks[1], complete=True, fits=lambda word: one.accepts(word) != two.accepts(word))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_shortest_words_after_which_a_letter_can_be_read(seed: int, kind: Kind) -> None:
    problem, (task, *_) = some_problem(seed, kind=kind), some_tasks(seed, 1)
    reader = Product.of([task], merge_repeats=problem.merge_repeats)
    words = words_of(problem, reader)
    read: dict[tuple[int, int], set[Word]] = {}
    for scene, path in histories(problem):
        word = problem.word(path, scene)
        for length, letter in enumerate(word):
            read.setdefault((task.run(word[:length]), task.column[letter]), set()).add(word[:length])
    for q in range(task.states):
        for k in range(len(LETTERS)):
            found = words.before(reader.states(0) == q, k)
            assert (found is None) == ((q, k) not in read)
            if found is not None:
                assert found in read[q, k]
                assert len(found) == min(map(len, read[q, k]))
    counted = words.per_transition(task.states, words.taken.astype(np.float64)) > 0
    assert set(map(tuple, np.argwhere(counted).tolist())) == set(read)


def test_words_are_not_looked_for_where_there_are_too_many_situations() -> None:
    problem, tasks = some_problem(1, kind="worlds"), some_tasks(1, 1)
    reader = Product.of(tasks, merge_repeats=False)
    walks = [PathWalk(scene.mdp, reader, distinct=True) for scene in problem.scenes]
    met = sum(len(list(walk)) and walk.met for walk in walks)
    assert Episodes(problem, most=met).read_by(reader) is not None
    assert Episodes(problem, most=met - 1).read_by(reader) is None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_how_often_transitions_are_taken_and_which_are_light(seed: int, kind: Kind) -> None:
    problem, (task, *_) = some_problem(seed, kind=kind), some_tasks(seed, 1)
    score = evaluate(problem, task).score
    reader = Product.of([task], merge_repeats=problem.merge_repeats)
    use = use_of(problem, score, words_of(problem, reader))
    taken = np.zeros((task.states, len(LETTERS)))
    possible = np.zeros_like(taken)
    for scene, share in zip(problem.scenes, problem.shares, strict=True):
        for start, often in scene.mdp.starts:
            mdp = beginning_in(scene.mdp, start)
            agent = ByEnumeration(mdp, task, score.rationality, merge_repeats=problem.merge_repeats)
            for path, chance in agent.continuations():
                state = task.start
                for letter in path.word(mdp, merge_repeats=problem.merge_repeats):
                    at = state, task.column[letter]
                    taken[at] += share * often * chance
                    possible[at] = 1
                    state = task.run([letter], state)
    assert use.taken == pytest.approx(taken, abs=1e-12)
    assert (use.possible == possible.astype(bool)).all()
    assert (use.idle == ((taken < IDLE) & use.possible)).all()
    for q in range(task.states):
        for k in range(len(LETTERS)):
            changed = [task, *(redirected(task, q, k, mark) for mark in (True, False))]
            ways = [(0, 1), (1, 0), (0, 2), (2, 0)]
            told = [divergence(problem, changed, [score.rationality] * 3, *way) for way in ways]
            assert use.light[q, k] == (max(told) < SAME)


def test_a_redirected_transition_leads_to_success_or_failure_for_good() -> None:
    task = DFA.parse(">0: a→1 | *1: b→0", LETTERS)
    for mark in (True, False):
        changed = redirected(task, 1, 1, mark)
        for word in all_words(LETTERS, 6):
            cut = next((k for k in range(len(word)) if task.run(word[:k]) == 1 and word[k] == "b"), None)
            assert changed.accepts(word) == (task.accepts(word) if cut is None else mark)


def test_what_is_avoided_is_idle_but_not_light() -> None:
    """Two doors: behind one the task fails. The agent never takes it, and would if it led to success."""
    mdp = MDP.build(
        [("hall", "left", {"good": 1}), ("hall", "right", {"bad": 1}), ("hall", "wait", {"hall": 1})],
        start="hall",
        episode=Episode(horizon=2),
        labels={"good": "a", "bad": "b"},
        terminal=["good", "bad"],
    )
    problem = Problem.of(mdp, demonstrations=(Path((), complete=False),), agent=Fixed(40.0))
    task = DFA.parse(">0: a→1, b→2 | *1: | 2:", LETTERS)
    use = use_of(
        problem, evaluate(problem, task).score, words_of(problem, Product.of([task], merge_repeats=False))
    )
    assert use.idle[0].tolist() == [False, True]
    assert use.light[0].tolist() == [False, False]
    assert not use.possible[1:].any()
    assert use.light[1:].all()

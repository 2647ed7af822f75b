"""Words of a world, and what its paths read where, against all paths one by one."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import LETTERS, divergence, some_problem, some_tasks

from demospec.belief.answers import SAME
from demospec.belief.differences import differ
from demospec.belief.exercise import IDLE, redirected, use_of
from demospec.belief.words import Reader, Words
from demospec.explain.score import evaluate
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.testing.by_enumeration import ByEnumeration
from demospec.testing.worlds import enumerate_paths
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, word_of
from demospec.worlds.world import Episode
from strategies import all_words


def whole_words(problem: Problem) -> set[Word]:
    return {problem.word(path) for path in enumerate_paths(problem.mdp)}


def beginnings(problem: Problem) -> set[Word]:
    paths = enumerate_paths(problem.mdp)
    starts = {path.steps[:number] for path in paths for number in range(len(path.steps) + 1)}
    return {problem.word(Path(steps, complete=False)) for steps in starts}


@pytest.mark.parametrize("seed", range(12))
def test_shortest_words_of_episodes_and_of_their_beginnings(seed: int) -> None:
    problem, (one, two) = some_problem(seed), some_tasks(seed, 2)
    reader = Reader.of([one, two], merge_repeats=problem.merge_repeats)
    words = Words(problem.mdp, reader)
    for complete, every in ((True, whole_words(problem)), (False, beginnings(problem))):
        for state in range(one.states):
            fitting = [word for word in every if one.run(word) == state]
            found = words.shortest(reader.states(0) == state, complete=complete)
            assert (found is None) == (not fitting)
            if found is not None:
                assert found in fitting
                assert len(found) == min(map(len, fitting))
    apart = [word for word in whole_words(problem) if one.accepts(word) != two.accepts(word)]
    found = words.shortest(differ([one, two], reader), complete=True)
    assert (found is None) == (not apart)
    if found is not None:
        assert found in apart
        assert len(found) == min(map(len, apart))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("merge_repeats", [False, True])
def test_a_reader_reads_words_as_the_automata_do(seed: int, merge_repeats: bool) -> None:
    tasks = some_tasks(seed, 3)
    reader = Reader.of(tasks, merge_repeats=merge_repeats)
    for labels in all_words(LETTERS, 5):
        node, length = 0, 0
        for label in labels:
            length += int(reader.reads[node, LETTERS.index(label)])
            node = int(reader.table[node, LETTERS.index(label)])
        word = word_of(labels, merge_repeats=merge_repeats)
        assert length == len(word)
        assert [int(reader.states(k)[node]) for k in range(3)] == [task.run(word) for task in tasks]


@pytest.mark.parametrize("seed", range(8))
def test_how_often_transitions_are_taken_and_which_are_light(seed: int) -> None:
    problem, (task, *_) = some_problem(seed), some_tasks(seed, 1)
    score = evaluate(problem, task).score
    use = use_of(problem, score)
    agent = ByEnumeration(problem.mdp, task, score.rationality, merge_repeats=problem.merge_repeats)
    taken = np.zeros((task.states, len(LETTERS)))
    possible = np.zeros_like(taken)
    for path, chance in agent.continuations():
        state = task.start
        for letter in problem.word(path):
            at = state, task.column[letter]
            taken[at] += chance
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
    use = use_of(problem, evaluate(problem, task).score)
    assert use.idle[0].tolist() == [False, True]
    assert use.light[0].tolist() == [False, False]
    assert not use.possible[1:].any()
    assert use.light[1:].all()

"""Possible words against the enumeration of all paths."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small import corner_world, random_problem, random_tasks

from demospec.ask.episodes import Possible, possible
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.worlds import enumerate_paths
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import Episode

Place = tuple[str | None, tuple[int, ...]]  # last letter, states of the tasks


def labels(problem: Problem, tasks: list[DFA], path: Path) -> tuple[bool, ...]:
    return tuple(task.accepts(problem.word(path)) for task in tasks)


def labelled_states(problem: Problem, path: Path) -> int:
    return sum(problem.mdp.labels[state] is not None for state in path.states(problem.mdp))


@pytest.mark.parametrize("seed", range(24))
def test_each_way_to_label_a_path_is_found_once_by_its_plainest_path(seed: int) -> None:
    problem, tasks = random_problem(seed), random_tasks(seed, 1 + seed % 5)
    plainest: dict[tuple[bool, ...], int] = {}
    for path in enumerate_paths(problem.mdp):
        key = labels(problem, tasks, path)
        plainest[key] = min(plainest.get(key, 99), labelled_states(problem, path))
    found = possible(problem, tasks)
    assert {labels(problem, tasks, one.path): labelled_states(problem, one.path) for one in found} == plainest
    assert len(found) == len(plainest)


@pytest.mark.parametrize("seed", range(12))
def test_every_path_is_a_complete_path_of_the_world_with_its_word(seed: int) -> None:
    problem, tasks = random_problem(seed), random_tasks(seed, 6)
    for one in possible(problem, tasks):
        check_path(problem, one)


def check_path(problem: Problem, one: Possible) -> None:
    steps = one.path.to_file(problem.mdp)
    assert read_path(problem.mdp, steps, complete=True) == one.path  # type: ignore[arg-type]
    assert problem.word(one.path) == one.word


def test_words_come_shortest_first_and_the_same_every_time() -> None:
    problem, tasks = random_problem(1, horizon=4), random_tasks(1, 8)
    found = possible(problem, tasks)
    words = [one.word for one in found]
    assert len(words) > 2
    assert words == sorted(words, key=lambda word: (len(word), word))
    assert possible(problem, tasks) == found


def test_with_too_many_places_the_first_tasks_are_still_told_apart() -> None:
    problem, tasks = random_problem(1, horizon=4), random_tasks(1, 8)
    full, few = possible(problem, tasks), possible(problem, tasks, most_places=12)
    assert 0 < len(few) < len(full)
    for task in tasks[:1]:
        assert {task.accepts(one.word) for one in few} == {task.accepts(one.word) for one in full}


def test_more_tasks_are_followed_while_words_are_few() -> None:
    problem, tasks = random_problem(1, horizon=4), random_tasks(1, 8)
    assert possible(problem, tasks, first=1) == possible(problem, tasks)


@pytest.mark.parametrize("seed", range(10))
def test_long_episodes_in_which_nothing_new_is_reached(seed: int) -> None:
    problem, tasks = random_problem(seed, horizon=40), random_tasks(seed, 3)
    found = possible(problem, tasks)
    assert {labels(problem, tasks, one.path) for one in found} == label_rows(problem, tasks)
    for one in found:
        check_path(problem, one)


def test_long_episodes_take_few_places() -> None:
    problem = corner_world(DFA.constant("ab", True))
    longer = replace(problem.mdp, episode=Episode(horizon=1000))
    long = replace(problem, mdp=longer, demonstrations=())
    tasks = random_tasks(2, 4)
    found = possible(long, tasks, most_places=2000)
    assert {labels(long, tasks, one.path) for one in found} == label_rows(long, tasks)
    assert {len(one.path.steps) for one in found} == {1000}


def label_rows(problem: Problem, tasks: list[DFA]) -> set[tuple[bool, ...]]:
    """What tasks say of complete paths: all (state, last letter, states of the tasks), step by step."""
    mdp, alphabet = problem.mdp, problem.alphabet

    def read(
        place: tuple[str | None, tuple[int, ...]], label: str | None
    ) -> tuple[str | None, tuple[int, ...]]:
        last, states = place
        if label is None or (problem.merge_repeats and label == last):
            return place
        column = alphabet.index(label)
        return label, tuple(task.table[q][column] for task, q in zip(tasks, states, strict=True))

    start = read((None, tuple(task.start for task in tasks)), mdp.labels[mdp.start])
    here, ended = {(mdp.start, start)}, set()
    for time in range(1, mdp.horizon + 1):
        there = set()
        for state, place in here:
            for pair in mdp.pairs(state):
                for reached, _ in mdp.outcomes(pair):
                    arrived = (reached, read(place, mdp.labels[reached]))
                    stop = mdp.end_chance(reached, time)
                    if stop > 0:
                        ended.add(arrived)
                    if stop < 1:
                        there.add(arrived)
        here = there
    return {
        tuple(task.accepting[q] for task, q in zip(tasks, states, strict=True)) for _, (_, states) in ended
    }

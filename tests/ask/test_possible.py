"""Possible words against the enumeration of all paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small import belief_in, corner_world, every_path, random_problem, random_tasks, two_worlds

from demospec.ask.labels import followed_paths, possible_paths
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.work.stop import Stop, Stopped
from demospec.worlds.paths import Path, read_path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

Place = tuple[str | None, tuple[int, ...]]  # last letter, states of the tasks


def labels(problem: Problem, tasks: list[DFA], path: Path) -> tuple[bool, ...]:
    return tuple(task.accepts(problem.word(path)) for task in tasks)


def labelled_states(problem: Problem, path: Path) -> int:
    return sum(problem.mdp.labels[state] is not None for state in path.states(problem.mdp))


def follow(problem: Problem, tasks: list[DFA], **more: Any) -> list[Path]:
    return followed_paths(problem, tasks, problem.scene(), **more)


@pytest.mark.parametrize("starts", [1, 3])
@pytest.mark.parametrize("seed", range(24))
def test_each_way_to_label_a_path_is_found_once_by_its_plainest_path(seed: int, starts: int) -> None:
    problem, tasks = random_problem(seed, starts=starts), random_tasks(seed, 1 + seed % 5)
    plainest: dict[tuple[bool, ...], int] = {}
    for path in every_path(problem.mdp):
        key = labels(problem, tasks, path)
        plainest[key] = min(plainest.get(key, 99), labelled_states(problem, path))
    found = follow(problem, tasks)
    assert {labels(problem, tasks, path): labelled_states(problem, path) for path in found} == plainest
    assert len(found) == len(plainest)


@pytest.mark.parametrize("starts", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_every_path_is_a_complete_path_of_the_world_with_its_word(seed: int, starts: int) -> None:
    problem, tasks = random_problem(seed, starts=starts), random_tasks(seed, 6)
    for path in follow(problem, tasks):
        check_path(problem, path)
    for one in possible_paths(belief_in(problem, tasks)):
        check_path(problem, one.path)
        assert problem.word(one.path) == one.word
        assert one.world == "world"
        assert not one.drawn


def check_path(problem: Problem, path: Path) -> None:
    steps, start = path.to_file(problem.mdp), problem.mdp.states[path.first(problem.mdp)]
    assert read_path(problem.mdp, steps, complete=True, start=start) == path  # type: ignore[arg-type]


def test_words_come_shortest_first_and_the_same_every_time() -> None:
    belief = belief_in(random_problem(1, horizon=4), random_tasks(1, 8))
    found = possible_paths(belief)
    words = [one.word for one in found]
    assert len(words) > 2
    assert words == sorted(words, key=lambda word: (len(word), word))
    assert possible_paths(belief) == found


def test_with_too_many_places_the_first_tasks_are_still_told_apart() -> None:
    problem, tasks = random_problem(1, horizon=4), random_tasks(1, 8)
    full, few = follow(problem, tasks), follow(problem, tasks, most_places=12)
    assert 0 < len(few) < len(full)
    for task in tasks[:1]:
        assert {task.accepts(problem.word(one)) for one in few} == {
            task.accepts(problem.word(one)) for one in full
        }


def test_more_tasks_are_followed_while_words_are_few() -> None:
    problem, tasks = random_problem(1, horizon=4), random_tasks(1, 8)
    assert follow(problem, tasks, first=1) == follow(problem, tasks)


@pytest.mark.parametrize("seed", range(10))
def test_long_episodes_in_which_nothing_new_is_reached(seed: int) -> None:
    problem, tasks = random_problem(seed, horizon=40), random_tasks(seed, 3)
    found = follow(problem, tasks)
    assert {labels(problem, tasks, path) for path in found} == label_rows(problem, tasks)
    for path in found:
        check_path(problem, path)


def test_long_episodes_take_few_places() -> None:
    problem = corner_world(DFA.constant("ab", True))
    longer = replace(problem.mdp, episode=Episode(horizon=1000))
    long = replace(problem, scenes=(Scene(world=longer),))
    tasks = random_tasks(2, 4)
    found = follow(long, tasks, most_places=2000)
    assert {labels(long, tasks, path) for path in found} == label_rows(long, tasks)
    assert {len(path.steps) for path in found} == {1000}


def label_rows(problem: Problem, tasks: list[DFA]) -> set[tuple[bool, ...]]:
    """What tasks say of complete paths: all (state, last letter, states of the tasks), step by step."""
    mdp, alphabet = problem.mdp, problem.alphabet

    def read(place: Place, label: str | None) -> Place:
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


@pytest.mark.parametrize("seed", range(6))
def test_the_words_of_all_worlds_are_possible(seed: int) -> None:
    problem = two_worlds(seed)
    tasks = random_tasks(seed, 6)
    found = possible_paths(belief_in(problem, tasks))
    ways: set[tuple[bool, ...]] = set()
    for scene in problem.scenes:
        words = {problem.word(path, scene) for path in every_path(scene.mdp)}
        ways |= {tuple(task.accepts(word) for task in tasks) for word in words}
    assert {tuple(task.accepts(one.word) for task in tasks) for one in found} == ways
    assert len({one.word for one in found}) == len(found)
    for one in found:
        scene = problem.scene(one.world)
        assert one.path in every_path(scene.mdp)
        assert problem.word(one.path, scene) == one.word


def test_a_stop_flag_ends_it() -> None:
    stop = Stop()
    stop.set()
    with pytest.raises(Stopped):
        possible_paths(belief_in(random_problem(1), random_tasks(1, 3)), stop=stop)


def test_where_each_path_begins_is_told_where_there_are_several_starts() -> None:
    problem, tasks = random_problem(4, starts=3), random_tasks(4, 5)
    begun = {path.start for path in follow(problem, tasks)}
    assert None not in begun
    assert begun <= {state for state, _ in problem.mdp.starts}
    assert np.isclose(sum(chance for _, chance in problem.mdp.starts), 1.0)

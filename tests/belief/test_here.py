"""What is said exactly here, against all episodes of tiny worlds, one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from demospec.belief.episodes import Episodes, describe_here
from demospec.files import load_example
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.words.clauses import any_list
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import word_of
from demospec.worlds.world import Episode

LETTERS = ("a", "b", "c")


def tiny_world(seed: int) -> MDP:
    rng = np.random.default_rng(seed)
    names = ["s0", "s1", "s2", "s3"]
    rows = []
    for name in names:
        for action in ("go", "turn"):
            reached = rng.choice(4, size=int(rng.integers(1, 3)), replace=False)
            rows.append((name, action, {names[k]: 1 / len(reached) for k in reached}))
    return MDP.build(
        rows,
        start="s0",
        labels={"s1": "a", "s2": "b", "s3": "c"},
        terminal=["s3"] if seed % 3 == 0 else [],
        episode=Episode(horizon=4, end_probability=0.1 if seed % 2 else 0.0),
    )


def episodes(world: MDP, states: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the states of every episode that begins with some states."""
    steps, state = len(states) - 1, states[-1]
    ending = world.end_chance(state, steps) if steps else 0.0
    if ending > 0:
        yield states
    if ending < 1:
        following = {s for pair in world.pairs(state) for s, _ in world.outcomes(pair)}
        for reached in sorted(following):
            yield from episodes(world, (*states, reached))


def words_of(problem: Problem) -> set[Word]:
    world = problem.mdp
    return {
        word_of([world.label(state) for state in one], merge_repeats=problem.merge_repeats)
        for start, _ in world.starts
        for one in episodes(world, (start,))
    }


def random_task(rng: np.random.Generator) -> DFA:
    table = tuple(tuple(rng.integers(4, size=3).tolist()) for _ in range(4))
    return DFA(alphabet=LETTERS, table=table, accepting=tuple((rng.random(4) < 0.5).tolist())).minimal


@pytest.mark.parametrize("merge", [False, True])
def test_exactly_here_is_on_every_episode(merge: bool) -> None:
    rng, kinds = np.random.default_rng(3), set()
    for seed in range(14):
        problem = Problem.of(tiny_world(seed), alphabet=LETTERS, merge_repeats=merge)
        possible = words_of(problem)
        task = random_task(rng)
        found, followed = describe_here(problem, task)
        assert followed
        kinds.add(found.exact)
        if found.exact == "here":
            said = any_list(found.alternatives, LETTERS)
            assert said != task
            assert all(said.accepts(word) == task.accepts(word) for word in possible)
            assert found.formula is None or DFA.from_formula(found.formula, LETTERS) == said
        elif found.exact == "always":
            assert any_list(found.alternatives, LETTERS) == task
        else:
            assert all(task.implies(clause.automaton(LETTERS)) for clause in found.clauses)
    assert "here" in kinds


@pytest.mark.parametrize("merge", [False, True])
def test_two_tasks_are_told_apart_exactly_where_an_episode_does(merge: bool) -> None:
    rng, seen = np.random.default_rng(4), set()
    for seed in range(20):
        problem = Problem.of(tiny_world(seed), alphabet=LETTERS, merge_repeats=merge)
        first = random_task(rng)
        second = random_task(rng) if seed % 2 else nearly(first, rng)
        apart = {word for word in words_of(problem) if first.accepts(word) != second.accepts(word)}
        found = Episodes(problem).telling(first, second, 5)
        seen.add(bool(apart))
        assert bool(found) == bool(apart)
        assert {one.word for one in found} <= apart
        if apart:
            assert len(found[0].word) == min(map(len, apart))
    assert seen == {False, True}


def nearly(task: DFA, rng: np.random.Generator) -> DFA:
    """Return a task that differs from another one on long words only."""
    length = int(rng.integers(3, 7))
    states = range(length + 2)
    longer = DFA(
        alphabet=LETTERS,
        table=tuple((min(n + 1, length + 1),) * 3 for n in states),
        accepting=tuple(n == length for n in states),
    )
    return (task ^ longer).minimal


def test_words_to_begin_with_are_possible() -> None:
    for seed in range(4):
        problem = Problem.of(tiny_world(seed), alphabet=LETTERS)
        assert set(Episodes(problem).words(random_task(np.random.default_rng(seed)))) <= words_of(problem)


def test_what_no_episode_breaks_is_anything_here() -> None:
    problem = load_example("robot-paper")
    short = DFA.from_formula("true", problem.alphabet)
    long = DFA(  # fails after 40 letters, and the horizon is 15
        alphabet=problem.alphabet,
        table=tuple((min(n + 1, 40),) * 4 for n in range(41)),
        accepting=tuple(n < 40 for n in range(41)),
    )
    assert long != short
    found, _ = describe_here(problem, long)
    assert (found.sentence, found.exact) == ("Anything.", "here")


def test_worlds_with_too_many_situations_are_not_followed() -> None:
    task = DFA.parse(">0: a→1 | 1: b→2, a→3, c→0 | *2: c→1 | 3: b→0", LETTERS)
    problem = Problem.of(tiny_world(0), alphabet=LETTERS)
    found, followed = describe_here(problem, task, most=5)
    assert not followed
    assert found.exact is False

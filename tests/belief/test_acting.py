"""What to act on, against chances that are added up over every path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, compress, pairwise, product

import pytest
from belief_cases import KINDS, Kind, some_problem, some_tasks

import demospec
from demospec.belief.acting import Acting, acting_on
from demospec.belief.answers import Answer, Answers
from demospec.belief.tuned import AS_OFTEN, FOR_NOTHING
from demospec.explain.score import Score
from demospec.plan.rationality import MOST_RATIONAL, Fixed
from demospec.problem import Problem, Weights
from demospec.tasks import DFA, Task, Word
from demospec.tasks.clauses import parse
from demospec.testing.small_worlds import ByEnumeration
from demospec.worlds.gridworld import gridworld
from demospec.worlds.world import Episode

PRICE = 0.5  # nats that a bit costs in a belief
PER_BIT = Weights(size_weight=PRICE, surprise_weight=1.0, belief_size_weight=PRICE)


def answer(task: Task, share: float, size: float = 1.0) -> Answer:
    """Return an answer of one task: what its size leaves of the share is its evidence."""
    surprise = -math.log(share) - PRICE * size
    return Answer((Score(task, size, surprise, 0.0, 10.0, 0.5),), share, is_named=False)


def answers_of(weighted: Sequence[tuple[Task, float]]) -> Answers:
    return Answers(tuple(answer(task, share) for task, share in weighted), len(weighted), 0.0)


def said(problem: Problem, weighted: Sequence[tuple[str, float]]) -> tuple[Answers, Acting]:
    answers = answers_of([(parse(line, problem.alphabet), share) for line, share in weighted])
    found = acting_on(problem, answers)
    assert found is not None
    return answers, found


def by_the_way() -> Problem:
    """Return a world in which r can be avoided for nothing."""
    world = gridworld(["y.r.", "...."], start=(4, 2), episode=Episode(horizon=8))
    bare = Problem.of(world, alphabet="ry", merge_repeats=True, code="words", agent=Fixed(50.0))
    return bare.with_demonstrations(demospec.sample(bare, parse("reach y; never r", "ry")))


@cache
def by_all_paths(problem: Problem, pursued: DFA, read: DFA) -> float:
    """Add up the chances of all paths of one task's agent that satisfy another task."""
    total = 0.0
    for scene, share in zip(problem.scenes, problem.shares, strict=True):
        agent = ByEnumeration(scene.mdp, pursued, MOST_RATIONAL, merge_repeats=problem.merge_repeats)
        words = ((problem.word(path, scene), chance) for path, chance in agent.continuations())
        total += share * math.fsum(chance for word, chance in words if read.accepts(word))
    return total


def words_read(problem: Problem) -> list[Word]:
    """Return all words of up to nine letters that may be read: without repeats, where these are merged."""
    every = chain.from_iterable(product(problem.alphabet, repeat=length) for length in range(10))
    merged = problem.merge_repeats
    return [word for word in every if not merged or all(one != two for one, two in pairwise(word))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_all_paths_say(seed: int, kind: Kind) -> None:
    """The rule and the two beliefs, written out with chances that are added up over every path."""
    problem = replace(some_problem(seed, kind=kind), code="words", weights=PER_BIT)
    tasks, shares, sizes = some_tasks(seed, 4), (0.4, 0.3, 0.2, 0.1), (9.0, 3.0, 5.0, 2.0)
    weighted = zip(tasks, shares, sizes, strict=True)
    answers = Answers(tuple(answer(*one) for one in weighted), 4, 0.0)
    own = [by_all_paths(problem, one, one) for one in tasks]
    found = acting_on(problem, answers)
    if own[0] < 1e-9:
        assert found is None
        return
    whole, added, words = tasks[0].minimal, [], words_read(problem)
    for place in (1, 2, 3):
        more = (whole & tasks[place]).minimal
        follows = not any(whole.accepts(word) and not more.accepts(word) for word in words)
        if not follows and by_all_paths(problem, more, more) >= FOR_NOTHING * own[0] - 1e-9:
            whole = more
            added.append(answers.all[place])
    assert found is not None
    assert (found.task, list(found.added)) == (whole, added)
    scores = [one.members[0] for one in answers.all]
    half = [math.exp(-PRICE * score.size - 0.5 * score.surprise) for score in scores]
    for acted_on, told in ((whole, found.enough), (tasks[0], found.alone)):
        chances = [by_all_paths(problem, acted_on, other) for other in tasks]
        marks = [chance >= AS_OFTEN * most - 1e-9 for chance, most in zip(chances, own, strict=True)]
        full = math.fsum(compress(shares, marks))
        assert told == pytest.approx(min(full, math.fsum(compress(half, marks)) / math.fsum(half)))


@pytest.mark.parametrize("seeds", [range(first, first + 20) for first in range(0, 300, 20)], ids=str)
def test_it_costs_nothing_and_implies_the_likeliest_answer(seeds: range) -> None:
    """In 200 problems and more its agent satisfies the likeliest answer nearly as often as one can."""
    for seed in seeds:
        problem = replace(some_problem(seed, horizon=4, kind=KINDS[seed % 3]), code="words")
        tasks = some_tasks(seed, 8)
        answers = answers_of([(task, 2.0**-k) for k, task in enumerate(tasks, start=1)])
        found = acting_on(problem, answers)
        if found is None:
            assert by_all_paths(problem, tasks[0], tasks[0]) < 1e-9
            continue
        assert found.task & tasks[0] == found.task
        own, kept = (by_all_paths(problem, pursued, tasks[0]) for pursued in (tasks[0], found.task))
        assert kept >= 0.99 * own - 1e-9
        assert found.same_as_answer == (found.task == tasks[0])
        assert all((found.task & one.smallest.language).minimal == found.task for one in found.added)


def test_what_costs_nothing_is_kept_to() -> None:
    """A rule that less likely answers hold is kept, though the likeliest leaves it out; what costs is not."""
    weighted = [("reach y", 0.4), ("reach y; never r", 0.35), ("reach y; reach r", 0.15)]
    answers, found = said(by_the_way(), [*weighted, ("reach y; no r before y", 0.1)])
    assert found.added == (answers.all[1],)  # the last one follows
    assert found.task == parse("reach y; never r", "ry").automaton.minimal
    half = [math.sqrt(share) for share in (0.4, 0.35, 0.15, 0.1)]
    assert found.alone == pytest.approx(half[0] / math.fsum(half))
    assert found.enough == pytest.approx(min(0.85, 1 - half[2] / math.fsum(half)))


def test_what_follows_already_is_not_counted() -> None:
    answers, found = said(by_the_way(), [("reach y; never r", 0.6), ("reach y", 0.4)])
    assert found.same_as_answer
    assert found.task == answers.all[0].smallest.language
    assert found.alone == pytest.approx(1)
    assert found.enough == found.alone


def test_half_of_the_evidence_is_the_less_where_the_likeliest_rests_on_it() -> None:
    """Twice the evidence of a task of the same size is √2 of it where evidence counts half."""
    _, found = said(by_the_way(), [("reach y", 2 / 3), ("reach r", 1 / 3)])
    assert found.alone == pytest.approx(math.sqrt(2) / (1 + math.sqrt(2)))


def test_one_answer_is_enough() -> None:
    _, found = said(demospec.load_example("robot"), [("reach y", 1.0)])
    assert (found.enough, found.alone, found.same_as_answer) == (1.0, 1.0, True)


def test_there_is_none_where_the_answer_cannot_be_satisfied() -> None:
    nothing = DFA.constant(("r", "y"), False)
    assert acting_on(by_the_way(), answers_of([(nothing, 0.6), (parse("reach y", "ry"), 0.4)])) is None


def test_there_is_none_where_sizes_are_no_prior() -> None:
    problem = demospec.load_example("robot-paper")
    assert acting_on(problem, answers_of([(parse("reach y", problem.alphabet), 1.0)])) is None


def test_the_cost_is_taken_over_all_worlds() -> None:
    """What costs nothing in one world is not kept to where it cannot be kept in the other."""
    free = by_the_way()
    narrow = gridworld(["y.r."], start=(4, 1), episode=Episode(horizon=8))
    scene = replace(free.scenes[0], name="free")
    other = Problem.of(narrow, alphabet="ry", merge_repeats=True, code="words", agent=Fixed(50.0)).scenes[0]
    shown = demospec.sample(replace(free, scenes=(other,)), parse("reach y", "ry"))
    both = replace(free, scenes=(scene, replace(other, name="narrow", demonstrations=tuple(shown))))
    answers = answers_of([(parse("reach y", "ry"), 0.6), (parse("reach y; never r", "ry"), 0.4)])
    alone, together = acting_on(free, answers), acting_on(both, answers)
    assert alone is not None
    assert together is not None
    assert (len(alone.added), len(together.added)) == (1, 0)

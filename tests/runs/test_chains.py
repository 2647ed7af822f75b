"""Chains in rounds: the order of rows, why a run ends, and that it does not matter who does the work."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any

import pytest

import demospec
from demospec.problem import Problem
from demospec.runs import session as sessions
from demospec.runs.result import Ended, Row
from demospec.runs.session import Session, iterate
from demospec.search.engine import Info, chain_generator
from demospec.work import Workers, open_workers
from stepping import chain_infos
from toy_engine import Toy

METHODS = ("paper", "enumeration", "explore")


class Elsewhere(Workers):
    """What is sent to another process and back, without the process; a forgetful one keeps no chains."""

    def __init__(self, *, forgetful: bool = False) -> None:
        self.forgetful = forgetful

    def run(
        self,
        function: Callable[[Any, Any], Any],
        items: Iterable[Any],
        shared: Any = None,
        *,
        home: Callable[[Any], int] | None = None,
    ) -> Generator[Any, None, None]:
        for message in [pickle.dumps((function, item)) for item in items]:
            if self.forgetful:
                shared.kept.clear()
            function, item = pickle.loads(message)
            yield pickle.loads(pickle.dumps(function(shared, item)))


def problem(method: str, **settings: Any) -> Problem:
    return demospec.load_example("robot-incremental").with_settings(method=method, **settings)


def finish(session: Session) -> tuple[list[Row], Ended | None]:
    rows = list(session)
    return rows, session.ended


# -- the order of rows -----------------------------------------------------------------------------------


def test_each_round_has_the_rows_of_each_chain_in_turn() -> None:
    asked = problem("paper", iterations=30, chains=2, reset_period=5)
    rows, ended = finish(Session(asked, seed=3))
    assert [row.chain for row in rows] == [0] * 25 + [1] * 25 + [0] * 5 + [1] * 5
    for chain in range(2):
        assert [row.info for row in rows if row.chain == chain] == list(chain_infos(asked, 3, chain))
    assert ended == "iterations"


@pytest.mark.parametrize("method", METHODS)
def test_one_chain_is_one_chain(method: str) -> None:
    asked = problem(method, iterations=4 if method == "explore" else 12)
    told = [repr(row.info) for row in iterate(asked, seed=1)]  # enumeration has no temperature: nan ≠ nan
    assert told == [repr(info) for info in chain_infos(asked, 1, 0)]


def test_the_best_is_the_lowest_over_all_chains_so_far() -> None:
    rows = list(iterate(problem("paper", iterations=30, chains=3), seed=1))
    lowest = float("inf")
    for row in rows:
        if row.info.best is not None:
            lowest = min(lowest, row.info.best.energy)
        assert (float("inf") if row.best is None else row.best.energy) == lowest


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("forgetful", [False, True])
def test_it_does_not_matter_who_does_the_work(
    method: str, forgetful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = problem(method, iterations=3 if method == "explore" else 60, chains=2, reset_period=5)
    monkeypatch.setattr(sessions, "ROUND_OF_EXPLORE", 2)
    expected = finish(Session(asked, seed=3))
    found = finish(Session(asked, seed=3, workers=Elsewhere(forgetful=forgetful)))
    assert repr(found) == repr(expected)  # a temperature that is not a number equals nothing


def test_other_processes_give_the_same_rows_and_say_the_same_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "ROUND_OF_EXPLORE", 2)  # more than one round in little time
    for method, iterations in (("paper", 60), ("explore", 3)):
        asked = problem(method, iterations=iterations, chains=3, reset_period=5)
        expected = finish(Session(asked, seed=3))
        with open_workers(2) as workers:
            assert finish(Session(asked, seed=3, workers=workers)) == expected


def test_learn_takes_jobs() -> None:
    asked = problem("paper", iterations=30, chains=2)
    here, there = demospec.learn(asked, seed=2), demospec.learn(asked, seed=2, jobs=2)
    assert there.ranked == here.ranked
    assert there.trace == here.trace


# -- why a run ends, against what it says in words --------------------------------------------------------


def by_the_book(asked: Problem, seed: int) -> tuple[list[tuple[int, Info]], Ended]:
    """Run all chains to their ends, and cut them where the rules say."""
    settings = asked.settings
    whole: list[list[Info]] = []
    for chain in range(settings.chains):
        toy, rng = Toy(asked), chain_generator(seed, chain)
        state, infos = toy.start(), []
        while not toy.over(state):
            state, info = toy.step(rng, state)
            infos.append(info)
        whole.append(infos)
    length = 4 if settings.method == "explore" else 25
    rows: list[tuple[int, Info]] = []
    scored = 0
    for first in range(0, settings.iterations, length):
        for chain, infos in enumerate(whole):
            for info in infos[first : first + length]:
                rows.append((chain, info))
                scored += max(1, len(info.scored))
                if settings.max_evaluations is not None and scored >= settings.max_evaluations:
                    return rows, "evaluations"
        ended = [chain for chain, infos in enumerate(whole) if len(infos) <= first + length]
        if len(ended) == len(whole):
            break
        lowest = [infos[: first + length][-1].best for infos in whole]
        energies = {None if best is None else best.energy for best in lowest}
        agree = len(energies) == 1 and None not in energies
        if settings.method == "explore" and len(ended) >= 2 and 2 * len(ended) >= len(whole) and agree:
            return rows, "agreement"
    early = any(len(infos) < settings.iterations for infos in whole)
    return rows, "patience" if early and settings.method == "explore" else "iterations"


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("workers", [None, Elsewhere()], ids=["here", "elsewhere"])
def test_runs_end_as_the_rules_say(count: int, workers: Workers | None) -> None:
    seen = set()
    for seed in range(16):
        for method in ("explore", "paper"):
            for most in (None, 8):
                asked = problem(method, iterations=30, chains=count, max_evaluations=most)
                rows, ended = finish(Session(asked, seed=seed, workers=workers, engine=Toy))
                assert ([(row.chain, row.info) for row in rows], ended) == by_the_book(asked, seed)
                seen.add(ended)
    assert seen >= {"iterations", "patience", "evaluations"}
    assert ("agreement" in seen) == (count > 2)


def test_time_that_is_up_leaves_what_was_done() -> None:
    asked = problem("paper", iterations=100, chains=3, max_seconds=1e-6)
    for workers in (None, Elsewhere()):
        assert finish(Session(asked, workers=workers)) == ([], "seconds")
    asked = problem("paper", iterations=100_000, chains=2, max_seconds=1.0)
    rows, ended = finish(Session(asked))
    assert ended == "seconds"
    assert rows == list(islice(iterate(problem("paper", iterations=100_000, chains=2)), len(rows)))

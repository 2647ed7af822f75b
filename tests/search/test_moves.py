"""Moves: what each proposes when, that they keep nothing, and moves of one's own."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from small_problems import LETTERS, random_problem, steps

import demospec
from demospec.cli.group import cli
from demospec.errors import InputError
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import Score
from demospec.identify.allowed import Parts
from demospec.problem import Problem
from demospec.runs.why import explain
from demospec.search.best_first import INGREDIENTS, SMALLEST, Explorer
from demospec.search.frontier import FRONT, Known, best_by_states, best_of, best_one, order
from demospec.search.moves import MOVES, Memory, Move, Proposals
from demospec.search.moves.automata import small_automata
from demospec.search.moves.detours import DETOUR
from demospec.search.moves.guesses import chain, contains, guesses
from demospec.search.moves.products import COMBINE, POOL
from demospec.tasks import DFA, Composite
from demospec.tasks.edits import edits
from demospec.testing.engines import check_engine, difference
from demospec.work.stop import Stop
from strategies import all_words

BY_NAME = {move.name: move for move in MOVES}


def after(count: int, seed: int = 2, **changes: Any) -> Known:
    """Return what is known after some steps of a small search, with the best that was not taken yet taken."""
    engine, state, _ = steps(random_problem(seed).with_settings(method="explore"), count)
    known = engine.known(state)
    left = [score.task for score in known.front if score.task not in known.taken]
    return replace(known, **{"task": left[0] if left else None, **changes})


def proposed(name: str, known: Known, memory: Memory | None = None) -> Proposals:
    return BY_NAME[name].propose(np.random.default_rng(0), known, memory or Memory())


def nothing_known(problem: Problem) -> Known:
    engine = Explorer(problem)
    return engine.known(engine.start())


# -- all of them --------------------------------------------------------------------------------------------


def test_names_and_reasons_are_for_people() -> None:
    assert len(INGREDIENTS) == len(MOVES) + 1
    for name, reason in INGREDIENTS.items():
        assert name == name.lower()
        assert reason[0].isupper()
        assert reason.endswith(".")
        assert reason.count(". ") == 0
    assert all(move.phrase for move in MOVES)


@pytest.mark.parametrize("option", ["--without={}", "--set=search.without={}"])
def test_who_leaves_out_what_is_not_there_is_told_all_names(option: str, tmp_path: Path) -> None:
    robot = tmp_path / "robot.toml"
    robot.write_text(demospec.problems.text("robot"), encoding="utf-8")
    refused = CliRunner().invoke(cli, ["learn", str(robot), option.format("edit")]).exception
    assert isinstance(refused, InputError)
    assert f'without "edit": known are {", ".join(INGREDIENTS)} (did you mean "edits"?)' in str(refused)


def test_the_table_of_the_documents_is_made_from_the_reasons() -> None:
    docs = Path(__file__).parents[2] / "docs"
    specification = importlib.util.spec_from_file_location("make_search", docs / "make_search.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    text = (docs / "searching.md").read_text(encoding="utf-8")
    assert module.with_table(text) == text


@pytest.mark.parametrize("name", BY_NAME)
def test_a_move_says_the_same_again(name: str) -> None:
    for count, quiet in ((0, 0), (2, 0), (2, COMBINE), (3, DETOUR)):
        known = after(count, quiet=quiet, task=None) if count == 0 else after(count, quiet=quiet)
        move = BY_NAME[name]
        memory = move.propose(np.random.default_rng(1), known, Memory()).memory or Memory()
        once, again = (move.propose(np.random.default_rng(0), known, memory) for _ in range(2))
        assert difference(list(once.tasks), list(again.tasks)) is None
        assert difference(once.memory, again.memory) is None


# -- one by one ---------------------------------------------------------------------------------------------


def test_guesses_are_made_while_nothing_is_known() -> None:
    problem = random_problem(2)
    assert proposed("guesses", nothing_known(problem)).tasks == guesses(problem.words, LETTERS)
    assert not proposed("guesses", after(1)).tasks


def test_guesses_are_what_at_least_half_of_the_words_contain() -> None:
    words = [tuple("bgy"), tuple("bg"), tuple("ybg"), tuple("g")]
    found = guesses(words, "bgry")
    assert chain("bgry", "bg", "", always=False) in found
    assert chain("bgry", "bg", "r", always=True) in found
    assert chain("bgry", "gb", "", always=False) not in found
    assert chain("bgry", "", "r", always=True) in found
    assert DFA.parse(">0: b→1, y→1 | *1:", "bgry") in found
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("always", [False, True])
@pytest.mark.parametrize("sequence", ["", "a", "ab", "aba"])
def test_a_chain_reads_its_sequence_before_anything_that_is_avoided(sequence: str, always: bool) -> None:
    task = chain("abc", sequence, "c", always=always)
    for word in all_words("abc", 5):
        ends = [k for k in range(len(word) + 1) if contains(word[:k], sequence)]
        reached = bool(ends)
        before = reached and "c" not in word[: ends[0]]
        assert task.accepts(word) == (before and not (always and "c" in word))


def test_edits_are_those_of_the_task_that_is_taken() -> None:
    known = after(2)
    assert known.task is not None
    assert proposed("edits", known).tasks == edits(known.task, known.largest)
    assert not proposed("edits", replace(known, task=None)).tasks


def test_products_are_made_of_each_pair_once() -> None:
    known = replace(after(2), quiet=0)
    first = proposed("products", known)
    pool = [score.language for score in known.front[:POOL]]
    assert (pool[0] & pool[1]).minimal in first.tasks
    assert first.memory is not None
    assert len(first.memory.pairs) == POOL * (POOL - 1) / 2
    again = proposed("products", known, first.memory)
    assert not again.tasks
    assert again.memory == first.memory
    shifted = proposed("products", replace(known, front=known.front[1:]), first.memory)
    assert shifted.memory is not None
    assert len(shifted.memory.pairs) == len(first.memory.pairs) + POOL - 1


def test_when_nothing_better_turns_up_the_best_is_combined_with_the_guesses() -> None:
    known = replace(after(2), quiet=COMBINE)
    seen = proposed("products", known).memory
    combined = list(proposed("products", known, seen).tasks)
    assert known.best is not None
    for guess in guesses(known.problem.words, LETTERS):
        made = (known.best & guess).minimal
        assert made in combined or made.states > known.largest
    without = replace(known, problem=known.problem.with_settings(without=("guesses",)))
    assert not proposed("products", without, seen).tasks


@pytest.mark.parametrize("parts", [Parts("and", 2), Parts("or", 3)], ids=str)
def test_parts_are_joined_where_the_problem_allows_for_them(parts: Parts) -> None:
    known = after(2)
    assert proposed("parts", known) == Proposals()
    known = replace(known, problem=replace(known.problem, parts=parts))
    first = proposed("parts", known)
    for task in first.tasks:
        assert isinstance(task, Composite)
        assert task.operator == parts.operator
        assert len(task.parts) <= parts.most
    assert first.tasks
    assert not proposed("parts", known, first.memory).tasks


def test_detours_are_those_of_the_best_of_each_size_once_for_each_best() -> None:
    known = after(3)
    for quiet in range(8):
        assert bool(proposed("detours", replace(known, quiet=quiet)).tasks) == (quiet == DETOUR)
    assert known.best is not None
    sizes = [task.states for task in best_by_states(known.scores.values(), known.best.states)]
    assert sizes == sorted(set(sizes), reverse=True)


# -- of one's own -------------------------------------------------------------------------------------------


class Hints(Move):
    """Tasks that somebody has in mind, one in each step."""

    name = "hints"
    reason = "Tries tasks that somebody has in mind, because people may know what a search does not."

    def __init__(self, *tasks: DFA) -> None:
        self.tasks = tasks

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        tried = sum(memory.numbers)
        return Proposals(self.tasks[tried : tried + 1], Memory(numbers=(tried + 1,)))


BEST = ">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:"


def test_a_move_of_one_s_own_is_learned_with() -> None:
    def engine(problem: Problem, stop: Stop) -> Explorer:
        return Explorer(
            problem, moves=[*MOVES, Hints(DFA.parse(BEST))], evaluator=Evaluator(problem, stop=stop)
        )

    problem = demospec.load_example("robot-paper").with_settings(iterations=3)
    result = demospec.learn(problem, engine=engine)
    assert result.best.task == DFA.parse(BEST)
    origin = explain(result).origin
    assert origin is not None
    assert (origin.ingredient, origin.iteration) == ("hints", 1)
    assert (
        demospec.learn(problem.with_settings(without=("hints",)), engine=engine).trace[0].info.best
        != result.best
    )


def test_a_move_of_one_s_own_keeps_the_contract() -> None:
    tasks = [DFA.parse(one, LETTERS) for one in (">0: a→1 | *1: b→0", ">*0: a→1 | 1:", ">0: b→1 | *1:")]
    check_engine(lambda problem: Explorer(problem, moves=[Hints(*tasks)]), seeds=[0])


def test_what_it_proposes_outside_the_class_is_passed_over() -> None:
    prior = DFA.parse(">*0: b→1 | *1: a→2 | 2:", LETTERS)
    everything = DFA.constant(LETTERS, True)
    engine = Explorer(random_problem(1, prior=prior), moves=[Hints(everything)])
    state, info = engine.step(np.random.default_rng(0), engine.start())
    assert [score.task for score in info.scored] == [prior]  # what is left of it within the prior
    assert info.origins == ("hints",)
    assert state.memory == {"hints": Memory(numbers=(1,))}


def test_two_moves_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match='two moves are called "hints"'):
        Explorer(random_problem(1), moves=[Hints(), *MOVES, Hints()])


def test_a_move_that_is_not_there_cannot_be_left_out() -> None:
    problem = random_problem(1).with_settings(without=("edits",))
    with pytest.raises(InputError, match='without "edits": known are hints, restarts'):
        Explorer(problem, moves=[Hints()])


def test_without_any_move_the_smallest_tasks_are_scored() -> None:
    engine = Explorer(random_problem(1), moves=[])
    _, info = engine.step(np.random.default_rng(0), engine.start())
    assert info.origins == ("start",) * SMALLEST
    smallest = sorted(task.size for task in small_automata(LETTERS, 3))[:SMALLEST]
    assert sorted(score.task.size for score in info.scored) == smallest
    assert len({score.language for score in info.scored}) == SMALLEST


def test_the_best_are_the_first_of_all_by_energy_size_and_table() -> None:
    rng = np.random.default_rng(3)
    tasks = [task for task in small_automata(("a", "b"), 3)[:600] if task.states > 1]
    scores = [
        Score(task, int(rng.integers(3)), 0.0, float(rng.integers(90)), 1.0, 0.5)
        for task in [*tasks, *tasks[:100]]
    ]
    for some in (scores, scores[:50], scores[:1], []):
        ranked = sorted(some, key=order)
        first: dict[DFA, Score] = {}
        for score in ranked:
            first.setdefault(score.language, score)
        assert best_of(some) == tuple(first.values())[:FRONT]
        assert best_one(some) == next(iter(ranked), None)

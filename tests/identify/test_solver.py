"""What searches by SAT share: counters, proofs that cover bounds, models that are minimal."""

from __future__ import annotations

import pytest

from demospec.identify.noise import SmallerClass
from demospec.identify.sat import AutomataSolver, Counter, Exhausted, Machine
from demospec.identify.word_graph import WordTree
from demospec.tasks import DFA
from demospec.tasks.tables import finest_merge
from strategies import AB


def models(solver: AutomataSolver, assumed: list[int]) -> list[Machine]:
    """Every minimal automaton under assumptions, for a solver that looks for one."""
    (automaton,) = solver.automata
    found = []
    while (machines := solver.next_minimal(list(assumed))) is not None:
        automaton.exclude(machines[0])
        found += machines
    solver.close()
    return found


def open_solver(states: int) -> AutomataSolver:
    solver = AutomataSolver(WordTree(AB), [states])
    solver.automata[0].demand(())
    return solver


@pytest.mark.parametrize("states", [1, 2, 3])
def test_the_models_are_the_minimal_automata_each_once(small_languages: list[DFA], states: int) -> None:
    found = models(open_solver(states), [])
    assert all(finest_merge(*machine) is None for machine in found)
    expected = [(dfa.table, dfa.accepting) for dfa in small_languages if dfa.states == states]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_counters_bound_how_many_literals_hold(small_languages: list[DFA], count: int) -> None:
    solver = open_solver(3)
    accepting = Counter(solver, solver.automata[0].skeleton.accepting)
    accepting.at_most(2)  # levels that are there already
    found = models(solver, [accepting.at_most(count)])
    assert len(found) == sum(dfa.states == 3 and sum(dfa.accepting) <= count for dfa in small_languages)


def test_the_smaller_class_is_bounded_whichever_it_is(small_languages: list[DFA]) -> None:
    solver = open_solver(3)
    bound = SmallerClass(solver.automata[0]).at_most(1)
    assert len(models(solver, [bound])) == sum(dfa.states == 3 for dfa in small_languages)
    solver = open_solver(3)
    bound = SmallerClass(solver.automata[0]).at_most(0)
    assert models(solver, [bound]) == []


def test_a_proof_covers_what_is_within_its_bounds() -> None:
    proof = Exhausted(((2, None), (None, 5)))
    assert proof.covers(((2, 99), (99, 5)))
    assert not proof.covers(((3, 0), (0, 0)))
    assert not proof.covers(((0, 0), (0, 6)))

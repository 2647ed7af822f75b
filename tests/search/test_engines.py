"""The contract of engines: ours keep it, and wrong ones are caught by the law that they break."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from demospec import load_example, problems
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.plan.base import Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.plan.tabular import PLANNER
from demospec.problem import METHODS, Problem
from demospec.runs import records
from demospec.runs.chains import engine_of
from demospec.search.best_first import Explored, Explorer
from demospec.search.diss import PaperInfo, Search, State
from demospec.search.engine import Engine, Info, chain_generator
from demospec.search.enumeration import Enumeration, Looked
from demospec.search.frontier import Known as View
from demospec.search.moves import Memory, Move, Proposals
from demospec.search.moves.guesses import chain
from demospec.tasks import DFA
from demospec.testing.engines import LAWS, check_engine
from demospec.worlds.world import World
from toy_engine import Known, Toy

ARGUMENTS = "a step depends on its arguments alone"
CUT = "a run that is cut off goes on to the same end"
OVER = "over is final and depends on the state alone"
STAY = "states are not changed"
LEAST = "the best is the least of all energies"
COUNT = "iterations count up"
TOLD = "everything that was scored is told"
CLASS = "every task is in the problem's class"


class OneByOne(Planner):
    """A planner that is not known to plan many tasks in one pass: proposals wait."""

    def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
        return PLANNER.plan(world, monitor, rationality)


RIGHT: dict[str, Callable[[Problem], Engine]] = {
    **{method: lambda problem, m=method: engine_of(problem.with_settings(method=m)) for method in METHODS},  # type: ignore[misc]
    "toy": Toy,
}


@pytest.mark.parametrize("name", RIGHT)
def test_engines_keep_the_contract(name: str) -> None:
    report = check_engine(RIGHT[name], seeds=[0] if name == "explore" else range(3))
    assert min(report.compared.values()) >= 20
    assert str(report).count("\n") == len(LAWS) - 1


def test_what_waits_to_be_scored_is_part_of_the_state() -> None:
    check_engine(lambda problem: Explorer(replace(problem, planner=OneByOne())), seeds=[1], laws=[CUT])


# -- wrong ones -------------------------------------------------------------------------------------------


class KeepsItsPlace(Enumeration):
    """Looks at the next task, whatever state it is given."""

    place = 0

    def step(self, rng: np.random.Generator, state: Looked) -> tuple[Looked, Info]:
        self.place += 1
        following, info = super().step(rng, replace(state, iteration=(self.place - 1) % 6))
        return replace(following, iteration=state.iteration + 1), replace(info, iteration=state.iteration + 1)


class OwnGenerator(Search):
    """Draws from a generator of its own."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.rng = np.random.default_rng(0)

    def step(self, rng: np.random.Generator, state: State) -> tuple[State, PaperInfo]:
        return super().step(self.rng, state)


class Growing(Move):
    """A move that keeps something between steps: how often it was asked."""

    name = "growing"
    reason = "Proposes larger and larger tasks."
    asked = 0

    def propose(self, rng: np.random.Generator, known: View, memory: Memory) -> Proposals:
        self.asked += 1
        word = known.problem.alphabet[:1] * (self.asked % 3 + 1)
        return Proposals([chain(known.problem.alphabet, word, (), always=False)])


class Forgetful(Known):
    """Keeps its best where no record sees it: on the way to another process it is lost."""

    kept: Score | None = None  # no field: this is not a dataclass of its own


class LosesItsBest(Toy):
    def start(self) -> Known:
        return Forgetful()

    def step(self, rng: np.random.Generator, state: Known) -> tuple[Known, Info]:
        assert isinstance(state, Forgetful)
        known, info = super().step(rng, Known(state.iteration, state.kept, state.quiet))
        following = Forgetful(known.iteration, None, known.quiet)
        object.__setattr__(following, "kept", known.best)
        return following, info


class CountsItself(Toy):
    """Is over after so many steps of its own."""

    steps = 0

    def step(self, rng: np.random.Generator, state: Known) -> tuple[Known, Info]:
        self.steps += 1
        return super().step(rng, state)

    def over(self, state: Known) -> bool:
        return self.steps >= 4


class BeginsAgain(Toy):
    """Is over, and after one more step is not."""

    def over(self, state: Known) -> bool:
        return state.iteration == 4


class WritesIntoItsState(Search):
    """Adds to the tasks that an earlier state has visited."""

    def step(self, rng: np.random.Generator, state: State) -> tuple[State, PaperInfo]:
        following, info = super().step(rng, state)
        assert isinstance(state.visited, dict)
        state.visited.update(following.visited)
        return following, info


class Bent(Toy):
    """Changes what the toy tells."""

    def bend(self, info: Info) -> Info:
        raise NotImplementedError

    def step(self, rng: np.random.Generator, state: Known) -> tuple[Known, Info]:
        known, info = super().step(rng, state)
        return known, self.bend(info)


class LastIsBest(Bent):
    def bend(self, info: Info) -> Info:
        return replace(info, best=info.candidate or info.best)


class CountsFromZero(Bent):
    def bend(self, info: Info) -> Info:
        return replace(info, iteration=info.iteration - 1)


class CandidateAlone(Bent):
    """Says nothing of what was scored where it is the candidate alone."""

    def bend(self, info: Info) -> Info:
        return replace(info, scored=(), origins=()) if len(info.scored) == 1 else info


class WithoutOrigins(Bent):
    def bend(self, info: Info) -> Info:
        return replace(info, origins=())


class AnyTask(Toy):
    """Forgets prior, examples and classes."""

    @property
    def tasks(self) -> list[DFA]:
        return [DFA.constant(self.problem.alphabet, k % 2 == 0) for k in range(5)]


WRONG: dict[str, tuple[Callable[[Problem], Engine], tuple[str, ...]]] = {
    "keeps its place": (KeepsItsPlace, (ARGUMENTS, CUT)),
    "draws from a generator of its own": (OwnGenerator, (ARGUMENTS, CUT)),
    "has a move that keeps something": (lambda problem: Explorer(problem, moves=[Growing()]), (ARGUMENTS,)),
    "loses its best": (LosesItsBest, (CUT,)),
    "counts itself": (CountsItself, (OVER,)),
    "begins again": (BeginsAgain, (OVER,)),
    "writes into its state": (WritesIntoItsState, (STAY,)),
    "takes the last for the best": (LastIsBest, (LEAST,)),
    "counts from zero": (CountsFromZero, (COUNT,)),
    "says nothing of the candidate": (CandidateAlone, (TOLD,)),
    "says nothing of origins": (WithoutOrigins, (TOLD,)),
    "takes any task": (AnyTask, (CLASS,)),
}


@pytest.mark.parametrize(
    ("wrong", "law"), [(wrong, law) for wrong, (_, laws) in WRONG.items() for law in laws]
)
def test_a_wrong_engine_is_caught_by_each_law_that_it_breaks(wrong: str, law: str) -> None:
    with pytest.raises(AssertionError) as caught:
        check_engine(WRONG[wrong][0], laws=[law])
    assert str(caught.value).startswith(f'law "{law}", seed ')
    assert "Error was raised" not in str(caught.value)


def test_every_law_catches_some_engine() -> None:
    assert {law for _, laws in WRONG.values() for law in laws} == set(LAWS)


def test_a_failure_names_law_seed_problem_step_and_numbers() -> None:
    with pytest.raises(AssertionError) as caught:
        check_engine(CountsFromZero, laws=[COUNT], seeds=[7])
    assert str(caught.value) == (
        'law "iterations count up", seed 7: iteration of step 1: found 0, expected 1 (problem "plain")'
    )


def test_what_an_engine_raises_is_a_failure() -> None:
    class Raises(Toy):
        def step(self, rng: np.random.Generator, state: Known) -> tuple[Known, Info]:
            raise OverflowError("math range error")

    with pytest.raises(AssertionError, match=r"OverflowError was raised: math range error"):
        check_engine(Raises, laws=[COUNT])


def test_an_engine_that_does_not_end_is_a_failure() -> None:
    class Endless(Toy):
        def over(self, state: Known) -> bool:
            return False

    with pytest.raises(AssertionError, match="is not over after the 6 iterations"):
        check_engine(Endless, laws=[COUNT])


def test_an_unknown_law_is_refused() -> None:
    with pytest.raises(InputError, match=r'no law "iterations count" \(did you mean "iterations count up"'):
        check_engine(Toy, laws=["iterations count"])


@pytest.mark.parametrize("name", problems.names())
def test_nothing_that_a_step_depends_on_is_outside_the_state(name: str) -> None:
    problem = load_example(name).with_settings(method="explore")
    engine, other = Explorer(problem), Explorer(problem)
    rng, state = chain_generator(0, 0), engine.start()
    while not engine.over(state):
        there = records.loads(Explored, records.dumps(state))
        _, expected = other.step(copy.deepcopy(rng), there)  # which recalls, at every step
        state, info = engine.step(rng, state)
        assert records.dumps(info) == records.dumps(expected)

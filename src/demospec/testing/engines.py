"""Conformance of ways to search: one call checks an engine of one's own against the contract of all engines.

`step(rng, state)` depends on its arguments alone, so that whoever has a state can go on from it, in another
process or another year. The first thing that is wrong ends the check with one message: the law, the seed, the
problem, the step, what was found and what was expected.

>>> from demospec.search.enumeration import Enumeration
>>> report = check_engine(Enumeration, seeds=[0])
>>> list(report.compared) == list(LAWS)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from demospec.identify.allowed import Parts
from demospec.identify.classes import CoSafety
from demospec.plan.rationality import Fixed
from demospec.problem import PaperSettings, Problem, Settings
from demospec.runs import records
from demospec.search.engine import Engine, Info
from demospec.tasks import DFA, Composite
from demospec.tasks.examples import Examples
from demospec.testing.laws import LawReport, LawRun, run_laws
from demospec.testing.small_worlds import random_demonstrations, random_dfa, random_mdp


class TakenApart(dict[str, Any]):
    """What a value held when it was taken apart, by its places; what can change is copied."""


def places_in(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the places of a value, and what is there: numbers to the last digit, automata table by table."""
    parts: Iterable[tuple[object, Any]] = ()
    if isinstance(value, DFA):
        yield where, (value.alphabet, value.table, value.accepting, value.start)
        parts = enumerate(value.parts, start=1) if isinstance(value, Composite) else ()
    elif is_dataclass(value) and not isinstance(value, type):
        parts = ((one.name, getattr(value, one.name)) for one in fields(value))
    elif isinstance(value, Mapping | list | tuple):
        yield f"{where}, entries", len(value)
        parts = enumerate(value.items() if isinstance(value, Mapping) else value, start=1)
    elif isinstance(value, Set):
        yield where, frozenset(value)
    elif isinstance(value, np.ndarray):
        yield where, (value.dtype, value.shape, value.tobytes())
    elif hasattr(value, "__dict__"):
        parts = vars(value).items()
    else:
        yield where, repr(value) if isinstance(value, float) else value
    for name, part in parts:
        yield from places_in(part, f"{where}, {f'entry {name}' if isinstance(name, int) else name}")


def difference(found: object, expected: object) -> str | None:
    """Say where two values, or pictures of them, differ first, and how; None when they are the same.

    >>> difference([1.0, float("nan")], [1.0, float("nan")])
    >>> difference({"a": (1, 2)}, {"a": (1, 3)})
    ', entry 1, entry 2, entry 2: found 2, expected 3'
    """
    one, other = (x if isinstance(x, TakenApart) else TakenApart(places_in(x)) for x in (found, expected))
    for where in {**one, **other}:
        got, wanted = one.get(where), other.get(where)
        if type(got) is not type(wanted) or got != wanted:
            return f"{where}: found {got!r:.200}, expected {wanted!r:.200}"
    return None


LETTERS = ("a", "b")
FEW = Settings(
    iterations=6,
    max_states=4,
    paper=PaperSettings(
        reset_period=3, candidates=6, pivot_temperature=0.5, initial_temperature=0.5, final_temperature=0.1
    ),
)
Make = Callable[[Problem], Engine]


def problems(seed: int) -> Iterator[Problem]:
    """Yield small random problems: a plain one, one with a prior and examples, a class, tasks with parts."""
    for number, name in enumerate(("plain", "prior and examples", "class", "parts")):
        rng = np.random.default_rng([seed, number])
        mdp = random_mdp(
            rng, states=5, letters=LETTERS, horizon=4, end_probability=0.1 * (seed % 2), terminal=number % 2
        )
        prior, given = None, Examples()
        if name == "prior and examples":
            prior = ~DFA.parse(">0: a→1 | 1: b→2 | *2:", LETTERS)
            truth = random_dfa(rng, LETTERS, 2) & prior
            given = Examples.from_mapping({word: truth.accepts(word) for word in [("a",), ("b", "a")]})
        yield Problem.of(
            mdp,
            random_demonstrations(rng, mdp, 3),
            name=name,
            alphabet=LETTERS,
            agent=Fixed(3.0),
            merge_repeats=bool(seed % 2),
            prior=prior,
            classes=(CoSafety(),) if name == "class" else (),
            parts=Parts("and", 2) if name == "parts" else None,
            given=given,
            settings=FEW,
        )


@dataclass(frozen=True, eq=False)
class Recorded:
    """A run of one engine: its states and its generator's, the first ones included, and what it did."""

    states: list[Any]
    generators: list[Any]
    infos: list[Info]


@dataclass(eq=False)
class EngineCheck(LawRun):
    """One engine on one problem."""

    make: Make
    problem: Problem

    def compare(self, where: str, found: object, expected: object) -> None:
        """Compare two values, field by field."""
        self.passed()
        if (told := difference(found, expected)) is not None:
            self.fail(f"{where}{told}")

    @cached_property
    def used(self) -> Engine:
        """Return the engine that made the run."""
        return self.make(self.problem)

    @cached_property
    def run(self) -> Recorded:
        """Return a run until it is over."""
        return self.go(self.used, self.used.start(), np.random.default_rng([self.seed or 0, 0]))

    def go(self, engine: Engine, state: Any, rng: np.random.Generator) -> Recorded:
        """Step until the engine is over."""
        run = Recorded([state], [rng.bit_generator.state], [])
        while not engine.over(run.states[-1]):
            if len(run.infos) >= self.problem.settings.iterations:
                self.fail(f"it is not over after the {len(run.infos)} iterations of the problem's settings")
            state, info = engine.step(rng, run.states[-1])
            run.states.append(state)
            run.generators.append(rng.bit_generator.state)
            run.infos.append(info)
        return run

    def compare_step(self, who: str, engine: Engine, number: int) -> None:
        """Compare a step of the run with what an engine makes of it."""
        run, rng = self.run, generator(self.run.generators[number])
        state, info = engine.step(rng, run.states[number])
        place = f"step {number + 1}, {who}"
        self.compare(f"{place}: state", state, run.states[number + 1])
        self.compare(f"{place}: info", info, run.infos[number])
        self.compare(f"{place}: generator", rng.bit_generator.state, run.generators[number + 1])


def generator(state: Any) -> np.random.Generator:
    """Return a generator in a state."""
    rng = np.random.default_rng()
    rng.bit_generator.state = state
    return rng


# -- the laws ---------------------------------------------------------------------------------------------


def arguments_alone(trial: EngineCheck) -> None:
    """Steps are made again: by the engine that made them, by fresh ones, by one that made another run."""
    steps = range(len(trial.run.infos))
    for number in reversed(steps):
        trial.compare_step("made again", trial.used, number)
        trial.compare_step("in a fresh engine", trial.make(trial.problem), number)
    other = trial.make(trial.problem)
    trial.go(other, other.start(), np.random.default_rng([trial.seed or 0, 1]))
    for number in steps:
        trial.compare_step("in an engine that made another run before", other, number)


def cut_anywhere(trial: EngineCheck) -> None:
    """A run is cut off after each step, and goes on in a fresh engine from the pickled state."""
    run = trial.run
    for number, state in enumerate(run.states):
        sent = records.loads(type(state), records.dumps(state))  # as another process gets it
        rest = trial.go(trial.make(trial.problem), sent, generator(run.generators[number]))
        cut = f"cut off after step {number}: "
        trial.compare(f"{cut}what was done", rest.infos, run.infos[number:])
        trial.compare(f"{cut}last state", rest.states[-1], run.states[-1])


def over_is_final(trial: EngineCheck) -> None:
    """The end is asked for in any order, in any engine, and where a step beyond it is possible, after it."""
    run, last = trial.run, len(trial.run.infos)
    for number in reversed(range(last + 1)):
        for engine in (trial.used, trial.make(trial.problem)):
            for _ in range(2):
                trial.compare(f"over after step {number}", engine.over(run.states[number]), number == last)
    for engine in (trial.used, trial.make(trial.problem)):
        try:
            beyond, _ = engine.step(generator(run.generators[-1]), run.states[-1])
        except Exception:
            continue  # no engine has to make a step when it is over
        trial.compare("over after a step beyond the end", engine.over(beyond), True)


def states_stay(trial: EngineCheck) -> None:
    """No state is changed, neither by a step from it nor by a later one."""
    engine, rng = trial.make(trial.problem), np.random.default_rng([trial.seed or 0, 0])
    states, before = [engine.start()], list[TakenApart]()
    before.append(TakenApart(places_in(states[0])))
    while not engine.over(states[-1]):
        states.append(engine.step(rng, states[-1])[0])
        before.append(TakenApart(places_in(states[-1])))
        trial.compare(f"state before step {len(states) - 1}, after it: ", states[-2], before[-2])
    for number, state in enumerate(states):
        trial.compare(f"state after step {number}, at the end: ", state, before[number])


def best_is_least(trial: EngineCheck) -> None:
    """The best is one of the tasks that were scored so far, and none of them has less energy."""
    energies: list[float] = []
    for number, info in enumerate(trial.run.infos, start=1):
        energies += [score.energy for score in info.scored]
        best = math.inf if info.best is None else info.best.energy
        trial.compare(f"energy of the best after step {number}", best, min(energies, default=math.inf))


def iterations_count(trial: EngineCheck) -> None:
    """Iterations are numbered from 1."""
    for number, info in enumerate(trial.run.infos, start=1):
        trial.compare(f"iteration of step {number}", info.iteration, number)


def all_is_told(trial: EngineCheck) -> None:
    """What was scored is told, each task with an origin; the candidate is one of them."""
    for number, info in enumerate(trial.run.infos, start=1):
        trial.compare(f"origins of step {number}", len(info.origins), len(info.scored))
        for origin in info.origins:
            trial.compare(f"step {number}: the origin {origin!r} is a name", bool(origin), True)
        if info.candidate is not None:
            found = info.candidate in info.scored
            trial.compare(f"step {number}: the candidate {info.candidate.task} was scored", found, True)


def in_the_class(trial: EngineCheck) -> None:
    """Tasks read the problem's letters, imply its prior, agree with its examples; their parts are members."""
    problem = trial.problem
    for number, info in enumerate(trial.run.infos, start=1):
        for task in (score.task for score in info.scored):
            about = f"step {number}: the task {task} "
            trial.compare(f"{about}reads letters", task.alphabet, problem.alphabet)
            language = task.automaton
            minimal = language.minimal.states
            trial.compare(f"{about}is minimal: its states", language.states, minimal)
            implied = problem.prior is None or language.implies(problem.prior)
            trial.compare(f"{about}implies the prior", implied, True)
            trial.compare(f"{about}agrees with the examples", problem.given.consistent(task), True)
            most = 1 if problem.parts is None else problem.parts.most
            trial.compare(f"{about}has at most {most} parts", len(task.parts) <= most, True)
            for part in [one.automaton for one in task.parts]:
                for one in problem.classes:
                    trial.compare(f"{about}is in the class {one.name}", one.holds(part), True)
                few = part.states <= problem.settings.max_states
                trial.compare(f"{about}has at most {problem.settings.max_states} states", few, True)


LAWS: dict[str, Callable[[EngineCheck], None]] = {
    "a step depends on its arguments alone": arguments_alone,
    "a run that is cut off goes on to the same end": cut_anywhere,
    "over is final and depends on the state alone": over_is_final,
    "states are not changed": states_stay,
    "the best is the least of all energies": best_is_least,
    "iterations count up": iterations_count,
    "everything that was scored is told": all_is_told,
    "every task is in the problem's class": in_the_class,
}


def check_engine(
    make: Make, *, seeds: Iterable[int] = range(3), laws: Iterable[str] | None = None
) -> LawReport:
    """Check the engines that `make` makes for small problems; an AssertionError tells what is wrong first.

    An engine is over after at most as many steps as the problem's settings have iterations. `laws` are names
    from `LAWS`; all of them unless given. The report tells how many values were compared for each.
    """
    numbers = list(seeds)
    return run_laws(
        LAWS,
        laws,
        lambda: (
            EngineCheck(make, problem, seed=seed, subject=f'problem "{problem.name}"')
            for seed in numbers
            for problem in problems(seed)
        ),
    )

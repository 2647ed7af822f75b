"""Runs step by step, for `live/figures.js`: where each step is, what is read, which state the task is in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from demospec.problem import Problem
from demospec.report.values import Document, finite
from demospec.runs.why import Shown
from demospec.tasks.dfa import DFA
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import World, is_stopped, show

MOST_RUNS, MOST_STEPS = 30, 3000  # on one page


@dataclass(frozen=True)
class Step:
    """Where a run is after a step; step 0 is where it begins. Surprises are in nats, None where not known."""

    cell: str  # a grid's "column,row", else the state's name
    place: str  # the same for people
    letter: str | None
    state: int  # of the automaton, after what is read here
    action: str | None = None
    surprise: float | None = None
    prior_surprise: float | None = None


@dataclass(frozen=True)
class Walk:
    """A run, step by step."""

    number: int  # from 1
    scene: Scene
    steps: tuple[Step, ...]


def cell_name(world: World, state: int) -> str:
    """Return how live pictures name a state of a world.

    >>> import demospec
    >>> world = demospec.load_example("robot").world
    >>> cell_name(world, world.starts[0][0])
    '5,6'
    """
    name = world.name(state)
    return name if isinstance(name, str) else ",".join(map(str, name))


def walk_of(
    scene: Scene, path: Path, number: int, task: DFA, *, merge_repeats: bool, shown: Shown | None = None
) -> Walk:
    """Follow a path through its world and an automaton; `shown` knows how surprising each step is."""
    world, original = scene.world, scene.original
    states, originals = path.states(world), scene.in_original(path).states(original)
    state, last = task.start, None
    steps: list[Step] = []
    for k, (here, there) in enumerate(zip(states, originals, strict=True)):
        stopped = is_stopped(world, here)
        letter = None if stopped else world.label(here)
        if letter is not None and not (merge_repeats and letter == last):
            state, last = task.table[state][task.alphabet.index(letter)], letter
        known = shown.steps[k - 1] if shown is not None and 0 < k <= len(shown.steps) else None
        steps.append(
            Step(
                cell=steps[-1].cell if stopped else cell_name(original, there),
                place=steps[-1].place if stopped else show(original.name(there)),
                letter=letter,
                state=state,
                action=None if k == 0 else world.action(path.steps[k - 1][0]),
                surprise=None if known is None else known.surprise,
                prior_surprise=None if known is None else known.prior_surprise,
            )
        )
    return Walk(number, scene, tuple(steps))


def walks_of(problem: Problem, task: DFA, shown: Sequence[Shown] = ()) -> Iterator[Walk]:
    """Follow all demonstrations, as many as one page holds."""
    known = {one.number: one for one in shown}
    total = 0
    for number, scene, path in islice(problem.shown, MOST_RUNS):
        total += len(path.steps)
        if total > MOST_STEPS:
            return
        yield walk_of(scene, path, number, task, merge_repeats=problem.merge_repeats, shown=known.get(number))


def step_words(walk: Walk, k: int) -> str:
    """Tell a step in a sentence or two."""
    step, last = walk.steps[k], len(walk.steps) - 1
    if k == 0:
        told = f"Start in {step.place}."
        if step.letter is not None:
            told += f" It reads {step.letter}: the task begins in state {step.state}."
        return told
    before = walk.steps[k - 1]
    told = f"Step {k} of {last}: {step.action}, to {step.place}."
    if step.letter is not None:
        change = "stays in" if before.state == step.state else "goes to"
        told += f" It reads {step.letter}: the task {change} state {step.state}."
    if step.surprise is not None:
        told += f" Surprise {number_words(step.surprise)} nats"
        if step.prior_surprise is not None:
            told += f", {number_words(step.prior_surprise)} without the task"
        told += "."
    return told


def number_words(value: float) -> str:
    """Write a surprise.

    >>> number_words(0.001), number_words(1.234), number_words(float("inf"))
    ('0.00', '1.23', 'infinite')
    """
    return "infinite" if value == float("inf") else f"{value:.2f}"


def walks_document(problem: Problem, walks: Sequence[Walk]) -> list[Document]:
    """Return the runs as `live/figures.js` reads them."""
    return [
        {
            "run": walk.number,
            "name": f"demonstration {walk.number}",
            **({"world": walk.scene.name} if len(problem.scenes) > 1 else {}),
            "steps": [
                {
                    "cell": step.cell,
                    "letter": step.letter,
                    "state": step.state,
                    **({} if step.action is None else {"action": step.action}),
                    **({} if step.surprise is None else {"surprise": finite(step.surprise)}),
                    "told": step_words(walk, k),
                }
                for k, step in enumerate(walk.steps)
            ],
        }
        for walk in walks
    ]

"""What the wide suite plants: worlds of four kinds, tasks in clauses and as automata, and tasks of the prior.

A world is drawn again until its task can be pursued there: the most rational agent satisfies it in at least
`REACHABLE` of the episodes, and one of rationality 10 clearly more often than an agent that wanders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from demospec.errors import InputError, TaskError
from demospec.plan.base import ACCEPTED
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MOST_RATIONAL
from demospec.plan.tabular import PLANNER
from demospec.tasks import DFA, Task
from demospec.tasks.clauses import parse
from demospec.tasks.code import Words
from demospec.worlds.gridworld import MOVES, Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Ends, Episode, State

SIDE = 8
ROOM, ROOMS_ACROSS, ROOMS_DOWN = 3, 3, 2  # cells along a side of a room; rooms
STATES, ACTIONS, OUTCOMES = 30, 3, 3  # of a sparse MDP; outcomes of an action at most
GRID_STEPS, OFFICE_STEPS, SPARSE_STEPS = 15, 18, 12
REACHABLE, CLEARLY = 0.6, 0.1
MOST_DRAWS = 100
RATIONALITY = 10.0  # of the agent that must be able to pursue a task

Rng = np.random.Generator


def lettered(rng: Rng, letters: str) -> np.ndarray:
    """Draw a map with two to four cells of each letter."""
    grid = np.full((SIDE, SIDE), ".", dtype="<U1")
    for letter in letters:
        for _ in range(int(rng.integers(2, 5))):
            grid[tuple(rng.integers(SIDE, size=2))] = letter
    return grid


def drawn_grid(rng: Rng, letters: str, ends: Ends, wind: Wind | None = None) -> MDP:
    """Draw an 8×8 map with a white start."""
    grid = lettered(rng, letters)
    row, column = rng.permutation(np.argwhere(grid == "."))[0].tolist()
    episode = Episode(horizon=GRID_STEPS, ends=ends)
    return gridworld(
        ["".join(line) for line in grid], start=(column + 1, row + 1), episode=episode, wind=wind
    )


def slippery(rng: Rng, letters: str, ends: Ends) -> MDP:
    """Draw a map in which the wind takes a fifth to three tenths of the moves."""
    direction = tuple(MOVES)[int(rng.integers(len(MOVES)))]
    wind = Wind(direction=direction, probability=float(rng.uniform(0.2, 0.3)))  # type: ignore[arg-type]
    return drawn_grid(rng, letters, ends, wind)


def office(rng: Rng, letters: str, ends: Ends) -> MDP:
    """Draw an office: rooms of 3×3 cells, a door between any two neighbours, two or three of each letter.

    Walls are cells that do not exist; a move into one stays put.
    """
    across, down = range(ROOMS_ACROSS), range(ROOMS_DOWN)
    span = range(ROOM)
    pitch = ROOM + 1
    cells = {(pitch * x + i, pitch * y + j) for x in across for y in down for i in span for j in span}
    inside = sorted(cells)
    for x in across:
        for y in down:
            if x + 1 < ROOMS_ACROSS:
                cells.add((pitch * x + ROOM, pitch * y + int(rng.integers(ROOM))))
            if y + 1 < ROOMS_DOWN:
                cells.add((pitch * x + int(rng.integers(ROOM)), pitch * y + ROOM))
    places = iter(rng.permutation(len(inside)).tolist())
    start = inside[next(places)]
    labels: dict[State, str] = {}
    for letter in letters:
        for _ in range(int(rng.integers(2, 4))):
            labels[inside[next(places)]] = letter
    rows: list[tuple[State, str, dict[State, float]]] = []
    for cell in sorted(cells):
        for action, (right, below) in MOVES.items():
            to = (cell[0] + right, cell[1] + below)
            rows.append((cell, action, {to if to in cells else cell: 1.0}))
    episode = Episode(horizon=OFFICE_STEPS, ends=ends)
    return MDP.build(rows, start=start, episode=episode, labels=labels, actions=tuple(MOVES))


def sparse(rng: Rng, letters: str, ends: Ends) -> MDP:
    """Draw an MDP with 30 states, 3 actions with one to three outcomes each, and two to four of a letter."""
    names = [f"s{number}" for number in range(STATES)]
    rows: list[tuple[State, str, dict[State, float]]] = []
    for name in names:
        for action in range(ACTIONS):
            targets = rng.choice(STATES, size=int(rng.integers(1, OUTCOMES + 1)), replace=False).tolist()
            chances = rng.dirichlet(np.ones(len(targets))).tolist()
            rows.append((name, f"act{action}", {names[t]: p for t, p in zip(targets, chances, strict=True)}))
    labels: dict[State, str] = {}
    places = iter(rng.permutation(np.arange(1, STATES)).tolist())
    for letter in letters:
        for _ in range(int(rng.integers(2, 5))):
            labels[names[next(places)]] = letter
    episode = Episode(horizon=SPARSE_STEPS, ends=ends)
    return MDP.build(rows, start=names[0], episode=episode, labels=labels, states=names)


WORLDS: dict[str, Callable[[Rng, str, Ends], MDP]] = {
    "grid": drawn_grid,
    "office": office,
    "sparse": sparse,
    "slippery": slippery,
}


def satisfied(world: MDP, task: DFA, rationality: float) -> float:
    """Return how often an agent without effort satisfies a task; repeats are merged."""
    monitor = make_monitor(task, merge_repeats=True)
    return PLANNER.for_labels(ACCEPTED).plan(world, monitor, rationality).satisfaction_probability


def world_for(kind: str, task: DFA, rng: Rng, ends: Ends = "by chance", *, draws: int = MOST_DRAWS) -> MDP:
    """Draw worlds until the task can be pursued in one; refuse after so many.

    Whether a task can be pursued is judged without `stop`: an episode of which nobody decides the end.
    """
    letters = "".join(task.alphabet)
    for _ in range(draws):
        state = rng.bit_generator.state
        world = WORLDS[kind](rng, letters, "by chance")
        best, model, aimless = (satisfied(world, task, one) for one in (MOST_RATIONAL, RATIONALITY, 0.0))
        if best >= REACHABLE and model >= aimless + CLEARLY:
            break
    else:
        raise InputError(f'none of {draws} worlds of the kind "{kind}" lets an agent pursue {task}')
    if ends == "by choice":  # the same draw once more, with another end
        again = np.random.default_rng()
        again.bit_generator.state = state
        return WORLDS[kind](again, letters, ends)
    return world


def hurried(world: MDP, chance: float) -> MDP:
    """Return the world as somebody sees it who fears that every step may be the last."""
    return replace(world, episode=Episode(horizon=world.horizon, end_probability=chance))


LETTERS = "abcde"


@dataclass(frozen=True)
class Wanted:
    """A task that someone might mean: a sentence in clauses, or an automaton's line."""

    name: str
    kind: str
    line: str = ""  # of the automaton; empty: the name says it in clauses

    @property
    def letters(self) -> str:
        """Return the letters that it needs: the first ones of `LETTERS`, up to its last."""
        needed = DFA.parse(self.line).alphabet if self.line else parse(self.name).alphabet
        return LETTERS[: LETTERS.index(max(needed)) + 1]

    def task(self, alphabet: str) -> DFA:
        """Return the automaton over letters."""
        return DFA.parse(self.line, alphabet) if self.line else parse(self.name, alphabet).automaton


# Their number shares no factor with those of worlds and demonstrators: cases that count through all three
# at once meet every combination. The order matters: it says which case has which task.
TASKS = (
    Wanted("a, then b", "sequence"),
    Wanted("reach a; never b", "avoidance"),
    Wanted("reach a; after b, no a until c", "conditional"),
    Wanted("reach a; reach b", "any order"),
    Wanted("a at least twice", "counting"),
    Wanted("(a, then b) or (c, then d)", "either/or"),
    Wanted("an odd number of a", "parity", ">0: a→1 | *1: a→0"),
    Wanted("a, then b, then c", "sequence"),
    Wanted("never a; never b", "avoidance"),
    Wanted("reach a; no a before b; never c", "conditional"),
    Wanted("reach a; reach b; never c", "any order"),
    Wanted("reach b; a at most once", "counting"),
    Wanted("reach a, or b and c in turn", "either/or", ">0: a→2, b→1 | 1: a→2, c→2 | *2:"),
)
KINDS = tuple(dict.fromkeys(one.kind for one in TASKS))


BITS = 400  # that are drawn for a task: many more than one takes
MOST_STATES = 12  # of a task
MOST_DRAWS = 200


def draw(alphabet: str, kind: str, ends: Ends, rng: np.random.Generator) -> tuple[Task, MDP]:
    """Draw a task from the prior, and a world in which it can be pursued."""
    code = Words(tuple(alphabet))
    for _ in range(MOST_DRAWS):
        bits = "".join(map(str, rng.integers(2, size=BITS).tolist()))
        try:
            task = code.decode(bits)
            if 1 < task.automaton.states <= MOST_STATES:
                return task, world_for(kind, task.automaton, rng, ends, draws=10)
        except (TaskError, InputError):
            continue
    raise InputError(f'none of {MOST_DRAWS} tasks can be pursued in a world of the kind "{kind}"')

"""The paper's world and demonstrations."""

from __future__ import annotations

from demospec.problem import Problem, Settings, Weights
from demospec.tasks import DFA
from demospec.worlds.gridworld import MOVES, Wind, gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.world import Episode, State

MAP = (
    "..rr..r.",
    "........",
    "g.....r.",
    "......r.",
    "..bbbbr.",
    "......ry",
    "..bbbbr.",
    "y.....rg",
)
LETTERS = ("b", "g", "r", "y")
WORLD: MDP = gridworld(
    MAP,
    start=(5, 6),
    wind=Wind(direction="down", probability=1 / 32),
    episode=Episode(horizon=15, end_probability=1 / 32),
)

# Avoid lava, reach a recharge tile; after water, dry before recharging.
BEST = DFA.parse(">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2")
# Lava after recharging does not matter here: that changes little, and saves 6 bits.
SMALLER = DFA.parse(">0: b→3, r→2, y→1 | *1: | 2: | 3: g→0, r→2")
# What is known already in the incremental experiment: avoid lava and reach a recharge tile.
PRIOR = DFA.parse(">0: r→2, y→1 | *1: r→2 | 2:", LETTERS)


def walk(moves: list[str], *, slips: tuple[int, ...] = (), complete: bool) -> Path:
    """Return the path of these moves from the start; at the steps in `slips` the wind moves down instead."""
    column, row = 5, 6
    path: list[str | State] = []
    for step, move in enumerate(moves):
        across, down = MOVES["down" if step in slips else move]
        column, row = column + across, row + down
        path += [move, (column, row)]
    return read_path(WORLD, path, complete=complete)


XI_G = walk(["left"] * 4 + ["down"] * 2, complete=True)
MOVES_B = ["left"] * 3 + ["up"] + ["left"] * 2 + ["up"] * 3 + ["down"] * 5
XI_B = walk(MOVES_B, slips=(0,), complete=True)
XI_B_UNFINISHED = walk(MOVES_B[:-1], slips=(0,), complete=False)


def monolithic(settings: Settings | None = None) -> Problem:
    """Return the paper's first experiment: both demonstrations complete, any automaton."""
    return Problem.of(
        WORLD,
        demonstrations=(XI_G, XI_B),
        merge_repeats=True,
        weights=Weights(),
        settings=settings or Settings(method="paper"),
    )


def incremental(settings: Settings | None = None) -> Problem:
    """Return the paper's second experiment: one unfinished demonstration, and what is known already."""
    return Problem.of(
        WORLD,
        demonstrations=(XI_B_UNFINISHED,),
        merge_repeats=True,
        prior=PRIOR,
        weights=Weights(),
        settings=settings or Settings(method="paper"),
    )

"""Factored worlds for tests: random ones, the paper's, and one with more states than can be listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import paper
from demospec.errors import WorldError
from demospec.plan.base import Plan, Planner
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.monitor import Monitor
from demospec.worlds.expressions import Value, expression
from demospec.worlds.factored import Expression, FactoredWorld, Vector, any_of, bit, coin, integer, lift
from demospec.worlds.gridworld import MOVES
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.world import Ends, Episode, World


def random_world(
    rng: np.random.Generator,
    *,
    actions: int = 3,
    horizon: int = 3,
    end_probability: float = 0.0,
    terminal: bool = False,
    guarded: bool = False,
    coins: int = 2,
    rarest: float | None = None,
    lifted: bool = True,
) -> FactoredWorld:
    """Make a world of two bits and a number with three values, in which everything else is random.

    All but the first action are available only somewhere when it is `guarded`. Unless it is `lifted`, there
    are no functions but those that formulas know.
    """
    p, q, n = bit("p"), bit("q"), integer("n", -1, 1)
    thrown = [coin(f"c{k}", float(rng.uniform(0.1, 0.9))) for k in range(coins)]
    if rarest is not None:
        thrown[0] = coin("c0", rarest)
    table = rng.integers(-1, 2, size=(3, 2))

    def condition(depth: int, leaves: list[Expression]) -> Expression:
        if depth == 0 or rng.random() < 0.2:
            return leaves[int(rng.integers(len(leaves)))]
        left, right = condition(depth - 1, leaves), condition(depth - 1, leaves)
        return [left & right, left | right, left ^ right, ~left, left.then(right, p)][int(rng.integers(5))]

    read = [p, q, n == 0, n > -1]
    every = [*read, *thrown]

    def number() -> Expression:
        looked_up = lift(lambda m, bit: table[m + 1, int(bit)])(n, q) if lifted else q.then(n, n.clip(1 - n))
        moved = [n.clip(n + 1), n.clip(n - 1), looked_up]
        first, second = (moved[int(rng.integers(3))] for _ in range(2))
        return condition(1, every).then(first, second)

    def effects(chance: float) -> dict[str, Expression | Value]:
        made = {"p": condition(2, every), "q": condition(2, every), "n": number()}
        return {name: effect for name, effect in made.items() if rng.random() < chance}

    names = [f"m{k}" for k in range(actions)]
    world_effects = effects(0.3)
    while True:  # until the start does not end the episode
        try:
            return FactoredWorld(
                variables=[p, n, q],
                actions={name: effects(0.7) for name in names},
                start={"n": 0},
                episode=Episode(horizon=horizon, end_probability=end_probability),
                labels={"a": condition(2, read), "b": condition(2, read)},
                every_step=world_effects,
                available={name: condition(1, read) for name in names[1:]} if guarded else {},
                terminal=condition(2, read) if terminal else None,
            )
        except WorldError as error:
            if "is terminal" not in str(error):
                raise


def paper_world() -> FactoredWorld:
    """Return the world of `paper.WORLD`, its coordinates in bits."""
    column, row, gust = integer("column", 1, 8), integer("row", 1, 8), coin("gust", 1 / 32)
    blown = row.clip(row + 1)

    def moved(across: int, down: int) -> dict[str, Expression | Value]:
        return {
            "column": gust.then(column, column.clip(column + across)),
            "row": gust.then(blown, row.clip(row + down)),
        }

    def tile(letter: str) -> Expression:
        return lift(lambda c, r: paper.MAP[r - 1][c - 1] == letter)(column, row)

    return FactoredWorld(
        variables=[column, row],
        actions={action: moved(*direction) for action, direction in MOVES.items()},
        start={"column": 5, "row": 6},
        episode=paper.WORLD.episode,
        labels={letter: tile(letter) for letter in paper.LETTERS},
    )


def rooms(
    count: int = 40,
    horizon: int = 15,
    end_probability: float = 0.0,
    lamps: tuple[int, ...] | None = None,
    ends: Ends = "by chance",
) -> FactoredWorld:
    """Return a corridor of rooms with a lamp in each; whoever is in a room can switch its lamp.

    Two labels: `door` in room 0, and `lit` in room 4 when its lamp is on. With `lamps` there are only some.
    """
    place, slip = integer("place", 0, count - 1), coin("slip", 1 / 32)
    lamp = {room: bit(f"lamp{room}") for room in (range(count) if lamps is None else lamps)}
    return FactoredWorld(
        variables=[place, *lamp.values()],
        actions={
            "left": {"place": slip.then(place, place.clip(place - 1))},
            "right": {"place": slip.then(place, place.clip(place + 1))},
            "switch": {own.name: own ^ (place == room) for room, own in lamp.items()},
        },
        start={"place": 2},
        episode=Episode(horizon=horizon, end_probability=end_probability, ends=ends),
        labels={"lit": (place == 4) & lamp[4], "door": place == 0},
    )


class BeginsAnywhere(FactoredWorld):
    """A factored world whose episodes begin by chance."""

    def __init__(self, begin: dict[Vector, float], **parts: Any) -> None:
        self._begin = begin
        super().__init__(**parts)

    def begin(self) -> dict[Vector, float]:
        return self._begin


def as_factored(mdp: MDP) -> FactoredWorld:
    """Write a listed world as a factored one: its one variable is the number of the state.

    Every state-action pair throws coins of its own, the rarest outcome first, so that nothing is lost.
    """
    here = integer("s", 0, max(1, len(mdp.states) - 1))
    effects: dict[str, Expression] = dict.fromkeys(mdp.actions, here)
    available: dict[str, Expression] = dict.fromkeys(mdp.actions, here != here)
    for state in range(len(mdp.states)):
        for pair in mdp.pairs(state):
            action = mdp.actions[mdp.pair_action[pair]]
            *others, (last, _) = sorted(mdp.outcomes(pair), key=lambda outcome: outcome[1])
            landed, left = expression(last), 1.0
            thrown = []
            for k, (reached, chance) in enumerate(others):
                thrown.append((coin(f"c{pair}.{k}", min(1.0, chance / left)), reached))
                left -= chance
            for tossed, reached in reversed(thrown):
                landed = tossed.then(reached, landed)
            effects[action] = (here == state).then(landed, effects[action])
            available[action] = available[action] | (here == state)
    labels = {
        letter: any_of(here == s for s, label in enumerate(mdp.labels) if label == letter)
        for letter in mdp.letters
    }
    return BeginsAnywhere(
        begin={(state,): chance for state, chance in mdp.starts},
        variables=[here],
        actions={action: {"s": effect} for action, effect in effects.items()},
        start={"s": mdp.starts[0][0]},
        episode=mdp.episode,
        labels=labels,
        available=available,
        terminal=any_of(
            [here >= len(mdp.states), *(here == s for s in np.flatnonzero(mdp.terminal).tolist())]
        ),
    )


class Renumbered(Plan):
    """A plan of the factored world, asked about the states of the listed one."""

    def __init__(self, inner: Plan, mdp: MDP) -> None:
        super().__init__(mdp, inner.monitor, inner.rationality)
        self.inner = inner

    def there(self, state: Ints) -> Ints:
        found = [self.inner.world.find(f"s={s}") for s in state.ravel().tolist()]
        return np.array(found, dtype=np.intp).reshape(state.shape)

    def values(self, time: Ints, monitor: Ints, state: Ints) -> Floats:
        return self.inner.values(time, monitor, self.there(state))

    def chances(self, label: int, time: Ints, monitor: Ints, state: Ints) -> Floats:
        return self.inner.chances(label, time, monitor, self.there(state))


class ListedByDiagrams(Planner):
    """The planner on diagrams for listed worlds, through `as_factored`."""

    def plan(self, world: World, monitor: Monitor, rationality: float) -> Plan:
        return self.plans(world, [(monitor, rationality)])[0]

    def plans(self, world: World, tasks: Sequence[tuple[Monitor, float]]) -> list[Plan]:
        mdp = world.listed()
        return [Renumbered(plan, mdp) for plan in DiagramPlanner().plans(as_factored(mdp), tasks)]

"""Factored worlds: a state is made of named bits and small numbers, so that all states cannot be listed.

States are numbered when they are first met: paths, prefix trees and samplers work as in a listed world.
Planning needs `demospec.plan.diagrams`, or `listed` where the states can be listed after all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from demospec.errors import WorldError
from demospec.wording import listing, nearest
from demospec.worlds.expressions import (
    Coin,
    Expression,
    Value,
    Variable,
    all_of,
    any_of,
    bit,
    bits,
    coin,
    expression,
    integer,
    leaves,
    lift,
    truth,
)
from demospec.worlds.unlisted import UnlistedWorld
from demospec.worlds.world import STOP, STOPPED, Episode, State, check_costs

__all__ = [
    "Expression",
    "FactoredWorld",
    "Variable",
    "all_of",
    "any_of",
    "bit",
    "bits",
    "coin",
    "integer",
    "lift",
]

Effects = Mapping[str, Expression | Value]
Vector = tuple[Value, ...]  # the variables' values, in order

MOST_COINS = 12  # that decide an action's outcomes in one state: all ways in which they can fall are listed
NOTHING = "-"  # the name of the state in which nothing holds, in a world of bits


class FactoredWorld(UnlistedWorld[Vector]):
    """A world made of variables; a state is the vector of their values.

    `actions` holds the effects of each action: new values by variable, all read from the old state; what
    is not mentioned stays. `every_step` holds the effects of the world itself: they come after the action's
    and read the state that it left. A state's label is the first whose condition holds. An action is
    available where its condition in `available` holds, or everywhere. The name of a state tells its numbers
    and the bits that are true: "place=3 lamp7". `costs` tells what actions cost: the others cost 1, and one
    that changes nothing, in a world that changes nothing either, costs nothing.

    Where episodes end by choice, `plain` is the world without that choice. Its variables are then joined by a
    bit that tells that the episode was stopped.
    """

    def __init__(
        self,
        *,
        variables: Sequence[Variable],
        actions: Mapping[str, Effects],
        start: Mapping[str, Value],
        episode: Episode,
        labels: Mapping[str, Expression],
        every_step: Effects | None = None,
        available: Mapping[str, Expression] | None = None,
        terminal: Expression | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(episode=episode, actions=actions, letters=labels)
        self.costs = dict(costs or {})
        check_costs(self.costs, self.actions, by_choice=episode.by_choice)
        self.plain = self
        if episode.by_choice:
            self.plain = plain = FactoredWorld(
                variables=variables,
                actions=actions,
                start=start,
                episode=replace(episode, ends="by chance"),
                labels=labels,
                every_step=every_step,
                available=available,
                terminal=terminal,
                costs=costs,
            )
            # All stopped episodes are in one state: the variables are as at the start, a bit tells it, and
            # nothing changes any more.
            start, stopped = plain.values(plain.starts[0][0]), Variable(STOPPED, (False, True))
            variables = (*plain.variables, stopped)
            actions = {**plain.effects, STOP: {**start, STOPPED: True}}
            start = {**start, STOPPED: False}
            labels = {label: where & ~stopped for label, where in plain.conditions.items()}
            every_step = {
                name: stopped.then(plain.by_name[name], effect) for name, effect in plain.every_step.items()
            }
            terminal = plain.terminal_where | stopped
        self.variables: tuple[Variable, ...] = tuple(variables)
        self.effects: dict[str, dict[str, Expression]] = {
            action: {name: expression(value) for name, value in effects.items()}
            for action, effects in actions.items()
        }
        self.every_step: dict[str, Expression] = {
            name: expression(value) for name, value in (every_step or {}).items()
        }
        self.conditions: dict[str, Expression] = dict(labels)
        self.available_where = dict(available or {})
        self.terminal_where: Expression = expression(False) if terminal is None else terminal
        self.by_name: dict[str, Variable] = check_variables(self)
        self.coins = check_expressions(self)
        self._coin = {coin.name: coin for coin in self.coins}
        self._start = self.vector(start, "the start")
        assert self.starts  # refuse a start that is terminal

    @property
    def state_count(self) -> int:
        """Return how many states the variables make up, reachable or not."""
        if self.plain is not self:
            return self.plain.state_count
        return math.prod(len(variable.domain) for variable in self.variables)

    def values(self, state: int) -> dict[str, Value]:
        """Return the values of a state's variables."""
        return self._named(self.key(state))

    def _named(self, vector: Vector) -> dict[str, Value]:
        return dict(zip(self.by_name, vector, strict=True))

    def name_of(self, values: Mapping[str, Value]) -> str:
        """Return the name of the state with these values; bits left out are false."""
        return self.written(self.vector(values, "the state"))

    @property
    def stopped(self) -> Vector:
        return (*self._start[:-1], True)

    @property
    def usual_costs(self) -> dict[str, float]:
        """Return what each action costs unless told otherwise: 1, nothing where nothing can come of it."""
        plain = self.plain
        idle = {
            action
            for action, effects in plain.effects.items()
            if not plain.every_step
            and all(isinstance(new, Variable) and new.name == name for name, new in effects.items())
        }
        return {
            action: 0.0 if action in idle or action not in plain.effects else 1.0 for action in self.actions
        }

    @cached_property
    def action_costs(self) -> dict[str, float]:
        return {**self.usual_costs, **self.costs}

    def spent(self, key: Vector, action: str) -> float:
        del key
        return self.action_costs[action]

    def begin(self) -> dict[Vector, float]:
        return {self._start: 1.0}

    def labelled(self, key: Vector) -> str | None:
        """Return the first label whose condition holds."""
        values = self._named(key)
        for label, where in self.conditions.items():
            if truth(where.at(values), f'label "{label}"'):
                return label
        return None

    def over(self, key: Vector) -> bool:
        return truth(self.terminal_where.at(self._named(key)), "terminal")

    def offered(self, key: Vector) -> list[str]:
        """Return the actions whose condition holds."""
        values = self._named(key)
        return [
            action
            for action in self.actions
            if (where := self.available_where.get(action)) is None
            or truth(where.at(values), f'where "{action}" is available')
        ]

    def reached(self, key: Vector, action: str) -> dict[Vector, float]:
        """Throw the coins that are looked at, one after the other, in all ways in which they can fall."""
        before, place = self._named(key), f'action "{action}" in state "{self.written(key)}"'
        chances: dict[Vector, float] = {}
        todo: list[tuple[dict[str, Value], float]] = [({}, 1.0)]
        while todo:
            fell, chance = todo.pop()
            values = Seen({**before, **fell})
            try:
                for effects in (self.effects[action], self.every_step):
                    values |= {name: effect.at(values) for name, effect in effects.items()}
            except NotThrown as looked:
                (name,) = looked.args
                if len(fell) == MOST_COINS:
                    raise WorldError(
                        f"{place} depends on more than {MOST_COINS} coins; the outcomes of at most so many "
                        "can be listed"
                    ) from None
                heads = self._coin[name].probability
                todo += [({**fell, name: True}, chance * heads)] if heads > 0 else []
                todo += [({**fell, name: False}, chance * (1 - heads))] if heads < 1 else []
                continue
            vector = self.vector({name: values[name] for name in self.by_name}, place)
            chances[vector] = chances.get(vector, 0.0) + chance
        total = math.fsum(chances.values())  # 1, but for rounding
        return {vector: chance / total for vector, chance in chances.items()}

    def vector(self, values: Mapping[str, Value], place: str) -> Vector:
        """Check the values of a state's variables and put them in order; bits left out are false."""
        for name in values:
            if name not in self.by_name:
                raise WorldError(f'{place}: "{name}" is not a variable{nearest(name, self.by_name)}')
        found: list[Value] = []
        for name, variable in self.by_name.items():
            if name not in values and not variable.is_bit:
                raise WorldError(f'{place}: the number "{name}" has no value')
            value = values.get(name, False)
            if not variable.can_be(value):
                raise WorldError(f'{place}: "{name}" becomes {value}; expected {variable.expected}')
            found.append(value)
        return tuple(found)

    def written(self, key: Vector) -> str:
        parts = [
            variable.name if variable.is_bit else f"{variable.name}={value}"
            for variable, value in zip(self.variables, key, strict=True)
            if value is not False
        ]
        return " ".join(parts) or NOTHING

    def read(self, name: State) -> Vector | None:
        if self.plain is not self:
            found = self.plain.read(name)
            return None if found is None else (*found, False)
        values: dict[str, Value] = {}
        for part in str(name).split() if name != NOTHING else ():
            variable, sign, value = part.partition("=")
            try:
                values[variable] = int(value) if sign else True
            except ValueError:
                return None
        try:
            return self.vector(values, f'state "{name}"') if isinstance(name, str) else None
        except WorldError:
            return None

    def too_many(self, most: int) -> str:
        return (
            f"more than {most} states can be reached, of {self.state_count} that the variables make up: "
            'they cannot be listed; plan on decision diagrams (planner = "diagrams", or '
            "demospec.plan.diagrams.DiagramPlanner())"
        )


class NotThrown(Exception):
    """A coin was looked at that has not been thrown; its name is the argument."""


class Seen(dict[str, Value]):
    """Values of variables and coins; what is not among them is a coin that has not been thrown."""

    def __missing__(self, name: str) -> Value:
        raise NotThrown(name)


def check_variables(world: FactoredWorld) -> dict[str, Variable]:
    """Return the variables by name; refuse names that are taken twice, or changed but unknown."""
    known: dict[str, Variable] = {}
    for variable in world.variables:
        if variable.name in known:
            raise WorldError(f'there are two variables with the name "{variable.name}"')
        known[variable.name] = variable
    if not known or not world.effects:
        raise WorldError("a world needs at least one variable and one action")
    changes = {f'action "{action}"': effects for action, effects in world.effects.items()}
    for place, effects in {**changes, "every step": world.every_step}.items():
        for name in effects:
            if name not in known:
                raise WorldError(
                    f'{place} changes "{name}", which is not a variable{nearest(name, known)}; '
                    f"variables: {listing(known)}"
                )
    for action in world.available_where:
        if action not in world.effects:
            raise WorldError(
                f'"{action}" has a condition in available, but is not an action'
                f"{nearest(action, world.effects)}; actions: {listing(world.effects)}"
            )
    if "" in world.conditions:
        raise WorldError("a label is empty; leave white states out")
    return known


def check_expressions(world: FactoredWorld) -> tuple[Coin, ...]:
    """Return the coins; refuse variables that the world does not have, and coins where a state is read."""
    steady = [*world.conditions.values(), *world.available_where.values(), world.terminal_where]
    for name in coins_of(steady):
        raise WorldError(
            f'the coin "{name}" decides a label, the end or what is available; only the state can do that'
        )
    effects = [e for own in (*world.effects.values(), world.every_step) for e in own.values()]
    for whole in (*steady, *effects):
        for leaf in leaves(whole):
            known = world.by_name.get(leaf.name)
            if isinstance(leaf, Variable) and (known is None or known.domain != leaf.domain):
                raise WorldError(
                    f'"{leaf.name}" is used, but is not one of the variables'
                    f"{nearest(leaf.name, world.by_name)}; variables: {listing(world.by_name)}"
                )
            if isinstance(leaf, Coin) and known is not None:
                raise WorldError(f'"{leaf.name}" is the name of a variable and of a coin')
    return tuple(coins_of(effects).values())


def coins_of(wholes: Iterable[Expression]) -> dict[str, Coin]:
    """Return the coins that expressions mention, in order; one name is one coin."""
    coins: dict[str, Coin] = {}
    for leaf in itertools.chain.from_iterable(map(leaves, wholes)):
        if isinstance(leaf, Coin):
            other = coins.setdefault(leaf.name, leaf)
            if other.probability != leaf.probability:
                raise WorldError(
                    f'coin "{leaf.name}" has two probabilities: {other.probability:g}, {leaf.probability:g}'
                )
    return coins

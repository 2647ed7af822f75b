"""Factored worlds: a state is made of named bits and small numbers, so that all states cannot be listed.

States are numbered when they are first met: paths, prefix trees and samplers work as in a listed world.
Planning needs `demospec.plan.diagrams.planner`, or `to_mdp` where the states can be listed after all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import cast

import numpy as np

from demospec.errors import WorldError, listing, nearest
from demospec.tasks.showing import short
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
from demospec.worlds.mdp import MDP, Bools, Episode, Ints, State

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
MOST_STATES = 1 << 20  # that `to_mdp` lists
NOTHING = "-"  # the name of the state in which nothing holds, in a world of bits
ARRAYS = ("pair_offset", "outcome_offset", "successor", "probability")


class FactoredWorld(MDP):
    """A world made of variables: it answers like an `MDP`, but for the arrays that list one.

    `actions` holds the effects of each action: new values by variable, all read from the old state; what
    is not mentioned stays. `every_step` holds the effects of the world itself: they come after the action's
    and read the state that it left. A state's label is the first whose condition holds. An action is
    available where its condition in `available` holds, or everywhere. The name of a state tells its numbers
    and the bits that are true: "place=3 lamp7".
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
    ) -> None:
        self.variables = tuple(variables)
        self.effects = {
            action: {name: expression(value) for name, value in effects.items()}
            for action, effects in actions.items()
        }
        self.every_step = {name: expression(value) for name, value in (every_step or {}).items()}
        self.conditions = dict(labels)
        self.available_where = dict(available or {})
        self.terminal_where = expression(False) if terminal is None else terminal
        self.by_name = check_variables(self)
        self.coins = check_expressions(self)
        self._names: list[State] = []
        self._vectors: list[Vector] = []
        self._labels: list[str | None] = []
        self._ends: list[bool] = []
        self._met: dict[Vector, int] = {}
        self._pairs: dict[int, range] = {}
        self._pair: list[tuple[int, str]] = []  # state and action
        self._pair_action: list[int] = []
        self._coin = {coin.name: coin for coin in self.coins}
        for field, value in (("actions", tuple(self.effects)), ("episode", episode), ("start", 0)):
            object.__setattr__(self, field, value)  # an MDP is frozen
        self.meet(self.vector(start, "the start"))
        if self._ends[0]:
            raise WorldError(f'the start state "{self._names[0]}" is terminal: no episode could take a step')

    def __getattr__(self, name: str) -> object:
        if name in ARRAYS:
            raise WorldError(
                "a factored world is not listed, as this planner needs it: plan with "
                "demospec.plan.diagrams.planner.DiagramPlanner(), or list it with to_mdp()"
            )
        raise AttributeError(name)

    def __repr__(self) -> str:
        return short(
            [
                f"FactoredWorld: {len(self.variables)} variables, actions {listing(self.actions)}, "
                f"letters {listing(self.letters)}",
                f"{len(self.states)} states met so far; episodes of at most {self.horizon} steps",
            ]
        )

    @property
    def state_count(self) -> int:
        """Return how many states the variables make up, reachable or not."""
        return math.prod(len(variable.domain) for variable in self.variables)

    # What has been met so far. These grow, and are read one at a time.

    @property
    def states(self) -> tuple[State, ...]:
        """Return the names of the states met so far, by number."""
        return cast(tuple[State, ...], self._names)

    @property
    def labels(self) -> tuple[str | None, ...]:
        """Return their labels."""
        return cast(tuple[str | None, ...], self._labels)

    @property
    def terminal(self) -> Bools:
        """Return where an episode ends, among the states met so far."""
        return np.array(self._ends, dtype=np.bool_)

    @property
    def pair_action(self) -> Ints:
        """Return the action of each state-action pair met so far."""
        return cast(Ints, self._pair_action)

    @cached_property
    def number(self) -> dict[State, int]:
        """Return the number of each state; asking for a state by its name is meeting it."""
        return Numbers(self)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Return the labels that states can have, sorted."""
        return tuple(sorted(self.conditions))

    def values(self, state: int) -> dict[str, Value]:
        """Return the values of a state's variables."""
        return dict(zip(self.by_name, self._vectors[state], strict=True))

    def name(self, values: Mapping[str, Value]) -> str:
        """Return the name of the state with these values; bits left out are false."""
        return self.written(self.vector(values, "the state"))

    def pairs(self, state: int) -> range:
        """Return the numbers of a state's state-action pairs."""
        known = self._pairs.get(state)
        if known is None:
            values, offered = self.values(state), []
            for number, action in enumerate(() if self._ends[state] else self.actions):
                where = self.available_where.get(action)
                if where is None or truth(where.at(values), f'where "{action}" is available'):
                    offered.append(number)
            if not offered and not self._ends[state]:
                raise WorldError(f'in state "{self._names[state]}" no action is available; is it terminal?')
            known = self._pairs[state] = range(len(self._pair), len(self._pair) + len(offered))
            self._pair += [(state, self.actions[number]) for number in offered]
            self._pair_action += offered
        return known

    def available(self, state: int) -> tuple[str, ...]:
        """Return the names of a state's actions."""
        return tuple(self._pair[pair][1] for pair in self.pairs(state))

    def outcomes(self, pair: int) -> list[tuple[int, float]]:
        """Return the possible successors of a state-action pair with their probabilities."""
        known = self._outcomes.get(pair)
        if known is None:
            chances = self._land(*self._pair[pair])
            known = [(self.meet(vector), chance) for vector, chance in chances.items()]
            self._outcomes[pair] = known
        return known

    def _land(self, state: int, action: str) -> dict[Vector, float]:
        """Throw the coins that are looked at, one after the other, in all ways in which they can fall."""
        before, place = self.values(state), f'action "{action}" in state "{self._names[state]}"'
        chances: dict[Vector, float] = {}
        todo: list[tuple[dict[str, Value], float]] = [({}, 1.0)]
        while todo:
            fell, chance = todo.pop()
            values = Seen({**before, **fell})
            try:
                for effects in (self.effects[action], self.every_step):
                    values |= {name: effect.at(values) for name, effect in effects.items()}
            except NotThrown as coin:
                if len(fell) == MOST_COINS:
                    raise WorldError(
                        f"{place} depends on more than {MOST_COINS} coins; the outcomes of at most so many "
                        "can be listed"
                    ) from None
                heads = self._coin[coin.name].probability
                todo += [({**fell, coin.name: True}, chance * heads)] if heads > 0 else []
                todo += [({**fell, coin.name: False}, chance * (1 - heads))] if heads < 1 else []
                continue
            vector = self.vector({name: values[name] for name in self.by_name}, place)
            chances[vector] = chances.get(vector, 0.0) + chance
        total = math.fsum(chances.values())  # 1, but for rounding
        return {vector: chance / total for vector, chance in chances.items()}

    def meet(self, vector: Vector) -> int:
        """Return the number of a state; one that is new gets the next."""
        number = self._met.get(vector)
        if number is None:
            values = dict(zip(self.by_name, vector, strict=True))
            holds = (
                label
                for label, where in self.conditions.items()
                if truth(where.at(values), f'label "{label}"')
            )
            label, ends = next(holds, None), truth(self.terminal_where.at(values), "terminal")
            number = self._met[vector] = len(self._vectors)
            self._vectors.append(vector)
            self._names.append(self.written(vector))
            self._labels.append(label)
            self._ends.append(ends)
        return number

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

    def written(self, vector: Vector) -> str:
        """Write the name of a state."""
        parts = [
            variable.name if variable.is_bit else f"{variable.name}={value}"
            for variable, value in zip(self.variables, vector, strict=True)
            if value is not False
        ]
        return " ".join(parts) or NOTHING

    def read(self, name: str) -> Vector:
        """Return the values of the state with this name."""
        values: dict[str, Value] = {}
        for part in name.split() if name != NOTHING else ():
            variable, sign, value = part.partition("=")
            try:
                values[variable] = int(value) if sign else True
            except ValueError:
                raise WorldError(f'state "{name}": "{value}" is not a whole number') from None
        return self.vector(values, f'state "{name}"')

    def to_mdp(self, most: int = MOST_STATES) -> MDP:
        """List the states that can be reached, at most so many."""
        rows: list[tuple[State, str, dict[State, float]]] = []
        order, seen = [self.start], {self.start}
        for state in order:  # which grows
            for pair in self.pairs(state):
                found = self.outcomes(pair)
                rows.append((self._names[state], self._pair[pair][1], {self._names[s]: p for s, p in found}))
                order += [reached for reached, _ in found if reached not in seen]
                seen.update(reached for reached, _ in found)
            if len(order) > most:
                raise WorldError(
                    f"more than {most} states can be reached, of {self.state_count} that the variables "
                    "make up; plan with demospec.plan.diagrams.planner.DiagramPlanner()"
                )
        labels = {self._names[state]: label for state in order if (label := self._labels[state])}
        return MDP.build(
            rows,
            start=self._names[self.start],
            episode=self.episode,
            labels=labels,
            terminal=[self._names[state] for state in order if self._ends[state]],
            states=[self._names[state] for state in order],
            actions=self.actions,
        )


class NotThrown(Exception):
    """A coin was looked at that has not been thrown."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Seen(dict[str, Value]):
    """Values of variables and coins; what is not among them is a coin that has not been thrown."""

    def __missing__(self, name: str) -> Value:
        raise NotThrown(name)


class Numbers(dict[State, int]):
    """The numbers of a factored world's states by name: any state that the variables make up has one."""

    def __init__(self, world: FactoredWorld) -> None:
        super().__init__()
        self.world = world

    def __contains__(self, name: object) -> bool:
        try:
            self.world.read(str(name))
        except WorldError:
            return False
        return isinstance(name, str)

    def __missing__(self, name: State) -> int:
        self[name] = self.world.meet(self.world.read(str(name)))
        return self[name]


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

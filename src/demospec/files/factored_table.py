"""`[world]` with kind "factored": variables, coins, and formulas for what actions do; read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from demospec.errors import WorldError, told_within
from demospec.files.tables import FactoredTable
from demospec.limits import VALUES, VARIABLES
from demospec.wording import shown_value
from demospec.worlds.expressions import Constant, Expression, Variable, bit, checked_name, coin, integer
from demospec.worlds.factored import FactoredWorld
from demospec.worlds.formulas import (
    FormulaText,
    Names,
    Target,
    parse_effects,
    parse_formula,
    parse_targets,
    quoted_name,
    written_formula,
)
from demospec.worlds.world import Episode, only_start

_DOMAIN = re.compile(r"\s*(?:bit|(-?\d{1,18})\s*\.\.\s*(-?\d{1,18}))\s*(?:\[\s*(\d{1,18})\s*\])?\s*")


def world_place(*keys: str) -> str:
    """Return a place in the world's table as TOML writes it.

    >>> world_place("actions", "switch", "lamp[4]")
    'world.actions.switch."lamp[4]"'
    """
    bare = (key if re.fullmatch(r"[\w-]+", key) else json.dumps(key, ensure_ascii=False) for key in keys)
    return ".".join(["world", *bare])


# From the table to the world.


def build_factored(
    table: FactoredTable, episode: Episode, costs: Mapping[str, float] | None = None
) -> FactoredWorld:
    """Make the world that a table describes; refusals tell the place, such as world.actions.left.place."""
    names = read_names(table)
    parts: dict[str, Any] = {
        **{
            key: {name: read_condition(names, text, key, name) for name, text in getattr(table, key).items()}
            for key in ("labels", "available")
        },
        "terminal": None if table.terminal is None else read_condition(names, table.terminal, "terminal"),
        "start": read_factored_start(names, table.start),
        "actions": {
            action: read_effects(names, effects, "actions", action)
            for action, effects in table.actions.items()
        },
        "every_step": read_effects(names, table.every_step, "every_step"),
    }
    with told_within(world_place()):
        return FactoredWorld(variables=tuple(names.variables.values()), episode=episode, costs=costs, **parts)


def read_names(table: FactoredTable) -> Names:
    """Return the variables, arrays and coins; no two may have one name."""
    variables: dict[str, Variable] = {}
    arrays: dict[str, tuple[Variable, ...]] = {}
    for name, text in table.variables.items():
        with told_within(world_place("variables", name)):
            made, is_array = read_variable(name, text)
            if len(variables) + len(made) > VARIABLES:
                raise WorldError(f"there are more than {VARIABLES} variables")
            for variable in made:
                if variable.name in variables:
                    raise WorldError(f'there are two variables with the name "{variable.name}"')
                variables[variable.name] = variable
            if is_array:
                arrays[name] = made
    coins: dict[str, Expression] = {}
    for name, probability in table.coins.items():
        with told_within(world_place("coins", name)):
            if name in variables or name in arrays:
                raise WorldError(f'"{name}" is the name of a variable and of a coin')
            coins[name] = coin(name, probability)
    for name in arrays:
        with told_within(world_place("variables", name)):
            if name in variables:
                raise WorldError(f'"{name}" is the name of an array and of a member of another one')
    return Names(variables, arrays, coins)


def read_variable(name: str, text: str) -> tuple[tuple[Variable, ...], bool]:
    """Return the variables that "bit", "0..39", "bit[40]" or "0..3[40]" declares, and whether as an array."""
    match = _DOMAIN.fullmatch(text)
    if match is None:
        raise WorldError(
            'expected "bit", a range such as "0..9", or an array of either such as "bit[40]"; '
            f"found {shown_value(text)}"
        )
    low, high, count = (None if number is None else int(number) for number in match.groups())
    if low is not None and high is not None and high - low >= VALUES:
        raise WorldError(f"a variable has at most {VALUES} values; found {high - low + 1}")
    if count is not None and not 1 <= count <= VARIABLES:
        raise WorldError(f"an array has 1 to {VARIABLES} members; found {count}")
    members = [name] if count is None else [f"{checked_name(name)}{number}" for number in range(count)]
    if low is None or high is None:
        return tuple(map(bit, members)), count is not None
    return tuple(integer(member, low, high) for member in members), count is not None


def read_condition(names: Names, text: str, *keys: str) -> Expression:
    """Read a condition that only the state decides."""
    with told_within(world_place(*keys)):
        return parse_formula(text, names, coins=False)


def read_effects(names: Names, table: object, *keys: str) -> dict[str, Expression]:
    """Read the effects of an action or of every step."""
    if not isinstance(table, Mapping):
        raise WorldError(f"expected a table of effects, found {shown_value(table)}", place=world_place(*keys))
    effects: dict[str, Expression] = {}
    for key, value in table.items():
        targets = targets_of(key, names, effects, *keys)
        with told_within(world_place(*keys, key)):
            if not isinstance(value, str | int):
                raise WorldError(
                    f"expected a formula, a whole number, true or false; found {shown_value(value)}"
                )
            effects |= parse_effects(targets, value if isinstance(value, str) else str(value).lower(), names)
    return effects


def read_factored_start(names: Names, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the variables at the start."""
    start: dict[str, Any] = {}
    for key, value in table.items():
        start |= {target.variable.name: value for target in targets_of(key, names, start, "start")}
    return start


def targets_of(key: str, names: Names, before: Mapping[str, object], *keys: str) -> list[Target]:
    """Return what a key changes; refuse to change a variable twice."""
    with told_within(world_place(*keys)), told_within(f"key {shown_value(key)}"):
        targets, seen = parse_targets(key, names), set(before)
        if keys == ("start",) and any(target.index is not None for target in targets):
            raise WorldError("the index must be known before there is a state")
        for target in targets:
            if target.variable.name in seen:
                raise WorldError(f'"{target.variable.name}" gets a value twice')
            seen.add(target.variable.name)
    return targets


# From the world to the table.


def factored_document(world: FactoredWorld) -> dict[str, Any]:
    """Return the table that describes a world; one with a Python function of its own is refused."""
    return FactoredDescription(world.plain).document()


class FactoredDescription:
    """Writes a world. Variables lamp0, lamp1, … that follow each other become an array `lamp`."""

    def __init__(self, world: FactoredWorld) -> None:
        self.world = world
        self.coins = {coin.name: coin.probability for coin in world.coins}
        self.arrays = find_arrays(world.variables, {*world.by_name, *self.coins})
        self.keys = {
            variable.name: f"{quoted_name(array)}[{number}]"
            for array, members in self.arrays.items()
            for number, variable in enumerate(members)
        }
        self.beginning = {members[0].name: (name, members) for name, members in self.arrays.items()}
        taken = {*world.by_name, *self.arrays, *self.coins}
        self.counter = next((name for name in ("i", "j", "k", "index") if name not in taken), None)

    def document(self) -> dict[str, Any]:
        """Return the whole table; what is not needed is left out."""
        world, ends = self.world, self.world.terminal_where
        values, declared = world.values(only_start(world)), dict[str, str]()
        for variable in world.variables:
            if variable.name in self.beginning:
                array, members = self.beginning[variable.name]
                declared[array] = f"{domain_text(variable)}[{len(members)}]"
            elif variable.name not in self.keys:
                declared[variable.name] = domain_text(variable)
        whole = {
            "kind": "factored",
            "variables": declared,
            "coins": self.coins,
            "start": {self.key(name): value for name, value in values.items() if value is not False},
            "labels": {
                label: self.formula(where, True, "labels", label) for label, where in world.conditions.items()
            },
            "actions": {
                action: self.effects(effects, "actions", action) for action, effects in world.effects.items()
            },
            "every_step": self.effects(world.every_step, "every_step"),
            "available": {
                action: self.formula(where, True, "available", action)
                for action, where in world.available_where.items()
            },
        }
        if not (isinstance(ends, Constant) and ends.value is False):
            whole["terminal"] = self.formula(ends, True, "terminal")
        optional = ("coins", "every_step", "available")
        return {key: value for key, value in whole.items() if value or key not in optional}

    def key(self, name: str) -> str:
        """Return how a table calls a variable."""
        key = self.keys.get(name, name)
        return name if key in self.world.by_name else key

    def formula(self, whole: Expression, condition: bool, *keys: str) -> str:
        with told_within(world_place(*keys)):
            return written_formula(whole, self.arrays, "condition" if condition else "number")

    def effects(self, table: Mapping[str, Expression], *keys: str) -> dict[str, str]:
        """Write effects; those on all members of an array become one where their formulas are alike."""
        texts = {
            name: self.formula(effect, self.world.by_name[name].is_bit, *keys, self.key(name))
            for name, effect in table.items()
        }
        order, found = list(texts), dict[str, str]()
        while order:
            array, members = self.beginning.get(order[0], ("", ()))
            count = max(1, len(members))
            if self.counter and order[:count] == [member.name for member in members]:
                alike = one_formula([texts[name] for name in order[:count]], self.counter)
                if alike is not None:
                    key = f"{quoted_name(array)}[{self.counter}] for {self.counter} in 0..{count - 1}"
                    found[key], order = alike, order[count:]
                    continue
            found[self.key(order[0])] = texts[order[0]]
            del order[0]
        return found


def domain_text(variable: Variable) -> str:
    """Write the values that a variable can have."""
    domain = variable.domain
    if variable.is_bit:
        return "bit"
    if domain != tuple(range(domain[0], domain[-1] + 1)):
        raise WorldError(f'the values of "{variable.name}" are no range, and cannot be written')
    return f"{domain[0]}..{domain[-1]}"


def find_arrays(variables: Sequence[Variable], taken: set[str]) -> dict[str, tuple[Variable, ...]]:
    """Return the variables that can be written as arrays: at least two, alike, numbered from 0 on."""
    arrays: dict[str, tuple[Variable, ...]] = {}
    left = list(variables)
    while left:
        name, span = left[0].name.removesuffix("0"), domain_text(left[0])
        other = (k for k, one in enumerate(left) if (one.name, domain_text(one)) != (f"{name}{k}", span))
        count = next(other, len(left))
        if count > 1 and name and name not in taken:
            arrays[name] = tuple(left[:count])
        left = left[max(1, count) :]
    return arrays


def one_formula(texts: Sequence[str], counter: str) -> str | None:
    """Return a formula that is each of these when the counter is its number, if there is one.

    >>> one_formula(["lamp[0] xor place == 0", "lamp[1] xor place == 1"], "i")
    'lamp[i] xor place == i'
    """
    first, second = FormulaText(texts[0]).tokens, FormulaText(texts[1]).tokens
    pieces, done = list[str](), 0
    for one, other in zip(first, second, strict=False):
        if (one.text, other.text) == ("0", "1"):
            pieces.append(texts[0][done : one.start])
            done = one.end
    pieces.append(texts[0][done:])
    if any(str(number).join(pieces) != text for number, text in enumerate(texts)):
        return None
    return counter.join(pieces)

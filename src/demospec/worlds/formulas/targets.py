"""Effects: which variables change, and the formula of their new value for each of them.

What changes is written `place`, `lamp[4]`, `lamp[place]` (the member that the index chooses; the others stay)
or `lamp[i] for i in 0..39`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from demospec.worlds.expressions import Choice, Constant, Expression, Lifted, Variable
from demospec.worlds.formulas.language import Names
from demospec.worlds.formulas.reader import Part, Reader
from demospec.worlds.formulas.tokens import Token


@dataclass(frozen=True)
class Target:
    """A variable that changes: always, or where an index has the number of this member of an array."""

    variable: Variable
    bound: Mapping[str, int]  # by `for`
    index: Part | None = None
    tokens: Sequence[Token] = ()  # of the index
    number: int = 0


def parse_targets(key: str, names: Names) -> list[Target]:
    """Read what an effect changes."""
    if key in names.variables:
        return [Target(names.variables[key], {})]
    reader = Reader(key, names)
    if -1 not in reader.fors:
        return read_targets(reader, "the end")
    reader.at = reader.fors[-1]
    name, numbers = reader.binder()
    reader.finish("the end")
    found: list[Target] = []
    for number in numbers:
        reader.at, reader.bound = 0, {name: number}
        found += read_targets(reader, '"for"')
    return found


def read_targets(reader: Reader, end: str) -> list[Target]:
    """Read a variable's name, or an array's with an index."""
    token = reader.take_name("the name of a variable")
    bound, array = dict(reader.bound), reader.names.arrays.get(token.text, ())
    if array and reader.sees("["):
        index, tokens = reader.index(token)
        if index.low == index.high:
            found = [Target(array[index.low], bound)]
        else:
            numbers = range(index.low, index.high + 1)
            found = [Target(array[number], bound, index, tokens, number) for number in numbers]
    else:
        whole = reader.named(token).expression
        if not isinstance(whole, Variable):
            reader.refuse(token.start, f'"{token.text}" is no variable, and only variables change')
        found = [Target(whole, bound)]
    if reader.at != reader.fors.get(-1, len(reader.tokens) - 1):
        reader.wrong(f"expected {end}")
    return found


def parse_effects(targets: Iterable[Target], text: str, names: Names) -> dict[str, Expression]:
    """Read the formula for the new value of each target, and return the effects by variable.

    Where an index chooses the member that changes, the same index in the formula is the member's number:
    for lamp[4], "not lamp[place]" is read as "not lamp[4]".
    """
    reader, effects, size = Reader(text, names), dict[str, Expression](), 0
    for target in targets:
        variable, index = target.variable, target.index
        reader.at, reader.bound = 0, dict(target.bound)
        reader.index_is = None if index is None else (target.tokens, target.number)
        part = reader.whole("condition" if variable.is_bit else "number", f'for "{variable.name}"')
        size = reader.check_size(size + part.size, 0)
        effects[variable.name] = part.expression
        if index is not None:
            here = Lifted(operator.eq, (index.expression, Constant(target.number)))
            effects[variable.name] = Choice((here, part.expression, variable))
    return effects

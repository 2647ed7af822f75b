"""Expressions as decision diagrams: where an expression has which value."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from demospec.errors import InputError, WorldError
from demospec.worlds.expressions import (
    JOINS,
    Choice,
    Coin,
    Constant,
    Expression,
    Join,
    Lifted,
    Value,
    Variable,
    truth,
)

if TYPE_CHECKING:
    from oxidd.bdd import BDDFunction, BDDManager

Split = dict[Value, "BDDFunction"]  # by value: where an expression has it
REMEMBERED = 1 << 18  # results of operations on diagrams
MOST_COMBINATIONS = 1 << 20  # of values of the parts of a lifted function
PATIENCE = 10.0  # seconds


def new_manager(nodes: int) -> BDDManager:
    """Return an empty store for so many nodes of diagrams."""
    try:
        from oxidd.bdd import BDDManager
    except ModuleNotFoundError:
        raise InputError(
            'planning on decision diagrams needs the package oxidd: pip install "demospec[diagrams]"'
        ) from None
    return BDDManager(nodes, REMEMBERED, 1)


def collect(manager: BDDManager) -> None:
    """Free the nodes that nothing refers to; where the library is at it already, it is waited for."""
    done, deadline = manager.gc_count(), time.monotonic() + PATIENCE
    while manager.gc() == 0 and manager.gc_count() == done and time.monotonic() < deadline:
        time.sleep(0.001)


class Lifting:
    """Turns expressions into diagrams of one manager; `given` tells it where variables have which values."""

    def __init__(self, manager: BDDManager, given: Mapping[str, Split]) -> None:
        self.true, self.false = manager.true(), manager.false()
        self.given = given
        self._known: dict[int, tuple[Expression, Split]] = {}  # by identity; kept alive for it

    def holds(self, whole: Expression, place: str) -> BDDFunction:
        """Return where a condition holds."""
        return self.condition(self.split(whole), place)

    def split(self, whole: Expression) -> Split:
        """Return where an expression has which value; values that it cannot have are left out."""
        if id(whole) not in self._known:
            found = {value: there for value, there in self._split(whole).items() if there.satisfiable()}
            self._known[id(whole)] = whole, found
        return self._known[id(whole)][1]

    def _split(self, whole: Expression) -> Split:
        if isinstance(whole, (Variable, Coin)):
            return self.given[whole.name]
        if isinstance(whole, Constant):
            return {whole.value: self.true}
        parts = [self.split(part) for part in whole.parts]
        if isinstance(whole, Join):
            joined = reduce(JOINS[whole.sign], [self.condition(part, whole.sign) for part in parts])
            return {False: ~joined, True: joined}
        if isinstance(whole, Choice):
            where = self.condition(parts[0], "then")
            yes, no = parts[1:]
            return {
                value: where.ite(yes.get(value, self.false), no.get(value, self.false))
                for value in {**yes, **no}
            }
        assert isinstance(whole, Lifted)
        if math.prod(map(len, parts)) > MOST_COMBINATIONS:
            raise WorldError(
                f"a function of {len(parts)} expressions needs its value for {math.prod(map(len, parts))} "
                f"combinations of theirs; the limit is {MOST_COMBINATIONS}"
            )
        found: Split = {}
        for values in itertools.product(*parts):
            there = reduce(and_, (part[value] for part, value in zip(parts, values, strict=True)), self.true)
            if there.satisfiable():
                result = whole.apply(*values)
                found[result] = found.get(result, self.false) | there
        return found

    def condition(self, split: Split, place: str) -> BDDFunction:
        """Return where a split is true."""
        for value in split:
            truth(value, place)
        return split.get(True, self.false)

    def union(self, functions: Iterable[BDDFunction]) -> BDDFunction:
        """Return where one of the functions holds."""
        return reduce(or_, functions, self.false)

"""Boolean functions as reduced ordered decision diagrams: equal functions are equal numbers.

A diagram is a number: 0 is false, 1 is true, any other one a node that asks for one variable. Lower
variables are asked first.
"""

from __future__ import annotations

from collections.abc import Sequence

from demospec.errors import TooLarge

MOST_NODES = 400_000
FALSE, TRUE = 0, 1
_LEAF = 1 << 30  # the variable of 0 and 1: below every other


class Diagrams:
    """The nodes that were made so far, each once."""

    def __init__(self) -> None:
        self.variable = [_LEAF, _LEAF]
        self.low, self.high = [FALSE, TRUE], [FALSE, TRUE]  # when the variable is false, true
        self._known: dict[tuple[int, int, int], int] = {}
        self._chosen: dict[tuple[int, int, int], int] = {}

    def of(self, variable: int) -> int:
        """Return the function that is one variable."""
        return self._node(variable, FALSE, TRUE)

    def _node(self, variable: int, low: int, high: int) -> int:
        if low == high:
            return low
        key = (variable, low, high)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.variable)
            if found > MOST_NODES:
                raise TooLarge(f"what the formula leaves to be met takes more than {MOST_NODES:,} decisions")
            self.variable.append(variable)
            self.low.append(low)
            self.high.append(high)
        return found

    def choose(self, test: int, then: int, otherwise: int) -> int:
        """Return `then` where `test` is true, `otherwise` where it is false."""
        if test == TRUE or then == otherwise:
            return then
        if test == FALSE:
            return otherwise
        if then == TRUE and otherwise == FALSE:
            return test
        key = (test, then, otherwise)
        found = self._chosen.get(key)
        if found is None:
            variable, low, high = self.variable, self.low, self.high
            v, w, u = variable[test], variable[then], variable[otherwise]
            top = min(v, w, u)
            t0, t1 = (low[test], high[test]) if v == top else (test, test)
            a0, a1 = (low[then], high[then]) if w == top else (then, then)
            b0, b1 = (low[otherwise], high[otherwise]) if u == top else (otherwise, otherwise)
            found = self._node(top, self.choose(t0, a0, b0), self.choose(t1, a1, b1))
            self._chosen[key] = found
        return found

    def both(self, one: int, other: int) -> int:
        """Return "and"."""
        return self.choose(one, other, FALSE)

    def either(self, one: int, other: int) -> int:
        """Return "or"."""
        return self.choose(one, TRUE, other)

    def negated(self, one: int) -> int:
        """Return "not"."""
        return self.choose(one, FALSE, TRUE)

    def replaced(self, one: int, by: Sequence[int], known: dict[int, int]) -> int:
        """Return the function with each variable replaced by a function; `known` keeps what was found."""
        if one <= TRUE:
            return one
        found = known.get(one)
        if found is None:
            low, high = self.replaced(self.low[one], by, known), self.replaced(self.high[one], by, known)
            found = known[one] = self.choose(by[self.variable[one]], high, low)
        return found

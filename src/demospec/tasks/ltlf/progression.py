"""Progression: what a formula asks of the rest of a word, after each letter.

A state is what is left to be met at the next position. It is a Boolean function of

- END, whether the word ends before the next position, and
- one variable for each part of the formula that is not joined by Boolean operators: whether it holds at
  the next position, if there is one.

Reading a letter replaces END by false and each variable by what its part asks for at this letter:

    F f   =  f | !END & next(F f)            G f   =  f & (END | next(G f))
    f U g =  g | f & !END & next(f U g)      f W g =  g | f & (END | next(f W g))
    f M g =  g & (f | !END & next(f M g))    f R g =  g & (f | END | next(f R g))
    X[!] f = !END & next(f)                  X f   =  END | next(f)                  last = END

Parts that look back are true or false when they are read. For each, one bit of memory is kept: for `Y f`
whether f held at the letter before, for the others whether they held there themselves.
"""

from __future__ import annotations

from demospec.errors import TooLarge
from demospec.tasks.ltlf.diagrams import FALSE, TRUE, Diagrams
from demospec.tasks.ltlf.meaning import Propositions, holds
from demospec.tasks.ltlf.syntax import PAST, Formula, Letter

MOST_PARTS = 300  # different parts: a diagram asks for each at most once, one below the other
END = 0

State = tuple[int, int]  # what is left to be met, and the memory
_BOOLEAN = frozenset(("!", "&", "|", "->", "<->", "true", "false"))


class Progression:
    """The states that a formula goes through; letters are read by what holds at them."""

    def __init__(self, formula: Formula, letters: tuple[str, ...], propositions: Propositions) -> None:
        self._diagrams = Diagrams()
        self._parts: list[tuple[str, bool, tuple[int, ...]]] = [("last", False, ())]  # END is no part
        self._seen: list[frozenset[str]] = [frozenset(propositions[letter]) for letter in letters]
        top = self._number(formula, {})
        self._remember()
        self._next = self._at_the_next_position()
        self._rows: dict[tuple[int, int], tuple[list[int], int, dict[int, int]]] = {}
        self._needs: dict[int, int] = {FALSE: 0, TRUE: 0}
        empty = TRUE if holds(formula, ()) else FALSE
        wanted = self._diagrams.choose(self._diagrams.of(END), empty, self._next[top])
        self.start: State = (wanted, self._before & self._needed(wanted))

    def _number(self, formula: Formula, known: dict[tuple[str, bool, tuple[int, ...]], int]) -> int:
        """Number the parts, equal ones once, operands before their operator."""
        operands = tuple([self._number(part, known) for part in formula.parts])
        key = (formula.symbol, isinstance(formula, Letter), operands)
        if key not in known:
            known[key] = len(self._parts)
            self._parts.append(key)
            if len(self._parts) > MOST_PARTS + 1:
                raise TooLarge(f"the formula has more than {MOST_PARTS} different parts")
        return known[key]

    def _remember(self) -> None:
        """Give each part that looks back its bit, and find which bits each part needs."""
        self._bit: dict[int, int] = {}
        self._needed_by: list[int] = []
        self._before = 0  # the memory before the first letter: H holds there, the others do not
        for part, (symbol, is_letter, operands) in enumerate(self._parts):
            need = 0
            for operand in operands:
                need |= self._needed_by[operand]
            if symbol in PAST and not is_letter:
                bit = self._bit[part] = 1 << len(self._bit)
                need |= bit
                self._before |= bit if symbol == "H" else 0
            self._needed_by.append(need)

    def _at_the_next_position(self) -> list[int]:
        """Return next(f) for each part f: its Boolean operators over the variables of the rest."""
        found = [self._diagrams.of(END)]
        for part, (symbol, is_letter, operands) in enumerate(self._parts[1:], start=1):
            if is_letter or symbol not in _BOOLEAN:
                found.append(self._diagrams.of(part))
            else:
                found.append(self._joined(symbol, [found[operand] for operand in operands]))
        return found

    def _joined(self, symbol: str, operands: list[int]) -> int:
        choose = self._diagrams.choose
        match symbol:
            case "!":
                return choose(operands[0], FALSE, TRUE)
            case "->":
                return choose(operands[0], operands[1], TRUE)
            case "<->":
                return choose(operands[0], operands[1], choose(operands[1], FALSE, TRUE))
            case "&":
                found = TRUE
                for operand in reversed(operands):
                    found = choose(operand, found, FALSE)
                return found
            case "|":
                found = FALSE
                for operand in reversed(operands):
                    found = choose(operand, TRUE, found)
                return found
        return TRUE if symbol == "true" else FALSE

    def _row(self, letter: int, memory: int) -> tuple[list[int], int, dict[int, int]]:
        """Return what each part asks for at a letter, the memory after it, and room for what follows."""
        key = (letter, memory)
        if key in self._rows:
            return self._rows[key]
        diagrams, seen = self._diagrams, self._seen[letter]
        both, either = diagrams.both, diagrams.either
        end = diagrams.of(END)
        more = diagrams.negated(end)
        found: list[int] = [FALSE]  # END: a letter is read, so the word did not end before it
        after = 0
        for part, (symbol, is_letter, operands) in enumerate(self._parts[1:], start=1):
            if is_letter:
                found.append(TRUE if symbol in seen else FALSE)
                continue
            if symbol in _BOOLEAN:
                found.append(self._joined(symbol, [found[operand] for operand in operands]))
                continue
            f, g = (found[operands[0]], found[operands[-1]]) if operands else (FALSE, FALSE)
            later = self._next[part]
            bit = self._bit.get(part, 0)
            before = TRUE if memory & bit else FALSE
            match symbol:
                case "last":
                    value = end
                case "X[!]":
                    value = both(more, self._next[operands[0]])
                case "X":
                    value = either(end, self._next[operands[0]])
                case "F":
                    value = either(f, both(more, later))
                case "G":
                    value = both(f, either(end, later))
                case "U":
                    value = either(g, both(f, both(more, later)))
                case "W":
                    value = either(g, both(f, either(end, later)))
                case "M":
                    value = both(g, either(f, both(more, later)))
                case "R":
                    value = both(g, either(f, either(end, later)))
                case "Y":
                    value = before
                case "O":
                    value = either(f, before)
                case "H":
                    value = both(f, before)
                case _:
                    value = either(g, both(f, before))  # S
            found.append(value)
            if (f if symbol == "Y" else value) == TRUE:
                after |= bit
        self._rows[key] = found, after, {}
        return self._rows[key]

    def _needed(self, wanted: int) -> int:
        """Return the bits of memory that a state can still ask for."""
        found = self._needs.get(wanted)
        if found is None:
            diagrams = self._diagrams
            below = self._needed(diagrams.low[wanted]) | self._needed(diagrams.high[wanted])
            found = self._needs[wanted] = below | self._needed_by[diagrams.variable[wanted]]
        return found

    def step(self, state: State, letter: int) -> State:
        """Return the state after a letter, by its number."""
        wanted, memory = state
        if wanted <= TRUE:
            return state
        by, after, known = self._row(letter, memory)
        left = self._diagrams.replaced(wanted, by, known)
        return left, after & self._needed(left)

    def accepting(self, state: State) -> bool:
        """Say whether the word may end here."""
        wanted = state[0]
        return (wanted if wanted <= TRUE else self._diagrams.high[wanted]) == TRUE

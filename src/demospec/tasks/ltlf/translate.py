"""What formulas mean: on a word, and as an automaton.

Boolean functions as reduced ordered decision diagrams: equal functions are equal numbers.

A diagram is a number: 0 is false, 1 is true, any other one a node that asks for one variable. Lower
variables are asked first.

Progression: what a formula asks of the rest of a word, after each letter.

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

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce

from demospec.errors import TaskError, TooLarge
from demospec.tasks.dfa import DFA, checked_letters
from demospec.tasks.ltlf.syntax import PAST, Formula, parse_formula
from demospec.tasks.propositions import atoms, holding
from demospec.tasks.side_by_side import product
from demospec.tasks.tables import canonical, explore
from demospec.wording import unknown_letter

# -- What a formula means on a word ----------------------------------------------------------------------

# The definition, written down; the witness of the translation. A word has n letters, at positions 0 to n − 1.
# Position n is behind the end; in the empty word it is the first one too. Operators that look ahead never
# look behind the end: next at the last letter is false when strong, true when weak.


Propositions = Mapping[str, Collection[str]]  # which propositions hold where a letter is read


def holds(
    formula: Formula, word: Sequence[str], at: int = 0, *, propositions: Propositions | None = None
) -> bool:
    """Say whether a formula holds on a word, at a position from 0 to its length.

    >>> holds(parse_formula("F y & (!r W y)"), "bgy"), holds(parse_formula("X[!] a"), "")
    (True, False)
    """
    if not 0 <= at <= len(word):
        raise TaskError(f"position {at} is not among 0 to {len(word)}, the length of the word")
    return _values(formula, word, propositions)[at]


def _values(formula: Formula, word: Sequence[str], propositions: Propositions | None) -> list[bool]:
    """Return whether the formula holds at each position, 0 to n."""
    n = len(word)
    if formula.is_letter:
        p = formula.symbol
        seen = [(p == letter if propositions is None else p in propositions[letter]) for letter in word]
        return [*seen, False]
    operands = [_values(part, word, propositions) for part in formula.parts]
    means = _MEANING[formula.symbol]
    return [means(i, n, *operands) for i in range(n + 1)]


_MEANING: dict[str, Callable[..., bool]] = {  # at position i of n, by where the operands hold
    "true": lambda i, n: True,
    "false": lambda i, n: False,
    "last": lambda i, n: i == n - 1,
    "!": lambda i, n, f: not f[i],
    "&": lambda i, n, *all_of: all(f[i] for f in all_of),
    "|": lambda i, n, *any_of: any(f[i] for f in any_of),
    "->": lambda i, n, f, g: not f[i] or g[i],
    "<->": lambda i, n, f, g: f[i] == g[i],
    "X[!]": lambda i, n, f: i + 1 < n and f[i + 1],
    "X": lambda i, n, f: i + 1 >= n or f[i + 1],
    "F": lambda i, n, f: any(f[i:n]),
    "G": lambda i, n, f: all(f[i:n]),
    "U": lambda i, n, f, g: any(g[j] and all(f[i:j]) for j in range(i, n)),
    "W": lambda i, n, f, g: all(f[i:n]) or _MEANING["U"](i, n, f, g),
    "R": lambda i, n, f, g: all(g[j] or any(f[i:j]) for j in range(i, n)),
    "M": lambda i, n, f, g: any(f[j] and all(g[i : j + 1]) for j in range(i, n)),
    "Y": lambda i, n, f: i > 0 and f[i - 1],
    "O": lambda i, n, f: any(f[: min(i + 1, n)]),
    "H": lambda i, n, f: all(f[: min(i + 1, n)]),
    "S": lambda i, n, f, g: any(g[k] and all(f[k + 1 : min(i + 1, n)]) for k in range(min(i + 1, n))),
}


# -- Decision diagrams -----------------------------------------------------------------------------------

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
        return self.choose(one, other, FALSE)

    def either(self, one: int, other: int) -> int:
        return self.choose(one, TRUE, other)

    def replaced(self, one: int, by: Sequence[int], known: dict[int, int]) -> int:
        """Return the function with each variable replaced by a function; `known` keeps what was found."""
        if one <= TRUE:
            return one
        found = known.get(one)
        if found is None:
            low, high = self.replaced(self.low[one], by, known), self.replaced(self.high[one], by, known)
            found = known[one] = self.choose(by[self.variable[one]], high, low)
        return found


# -- Progression -----------------------------------------------------------------------------------------

MOST_PARTS = 300  # different parts: a diagram asks for each at most once, one below the other
END = 0

State = tuple[int, int]  # what is left to be met, and the memory
_BOOLEAN = frozenset(("!", "&", "|", "->", "<->", "true", "false"))
_STRONG = ("X[!]", "F", "U", "M")  # false where the word ends before it is met


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
        key = (formula.symbol, formula.is_letter, operands)
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
        if symbol == "!":
            return choose(operands[0], FALSE, TRUE)
        if symbol in ("->", "<->"):
            f, g = operands
            return choose(f, g, TRUE if symbol == "->" else choose(g, FALSE, TRUE))
        found = FALSE if symbol in ("|", "false") else TRUE
        for operand in reversed(operands):
            found = choose(operand, TRUE, found) if symbol == "|" else choose(operand, found, FALSE)
        return found

    def _row(self, letter: int, memory: int) -> tuple[list[int], int, dict[int, int]]:
        """Return what each part asks for at a letter, the memory after it, and room for what follows."""
        key = (letter, memory)
        if key in self._rows:
            return self._rows[key]
        diagrams, seen = self._diagrams, self._seen[letter]
        both, either = diagrams.both, diagrams.either
        end = diagrams.of(END)
        more = diagrams.choose(end, FALSE, TRUE)
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
            bit = self._bit.get(part, 0)
            if bit:
                rest = TRUE if memory & bit else FALSE
            else:
                later = self._next[operands[0] if symbol in ("X[!]", "X") else part]
                rest = both(more, later) if symbol in _STRONG else either(end, later)
            match symbol:
                case "last":
                    value = end
                case "X[!]" | "X" | "Y":
                    value = rest
                case "F" | "O":
                    value = either(f, rest)
                case "G" | "H":
                    value = both(f, rest)
                case "M" | "R":
                    value = both(g, either(f, rest))
                case _:
                    value = either(g, both(f, rest))  # U, W, S
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


# -- From a formula to its minimal automaton: a large conjunction part by part ---------------------------

MOST_STATES = 20_000  # before minimisation
SMALL = 1_000  # states up to which parts are not taken one by one

_JOINS: dict[str, Callable[[bool, bool], bool]] = {
    "!": lambda p, q: not q,  # of one: p is q
    "&": lambda p, q: p and q,
    "|": lambda p, q: p or q,
    "->": lambda p, q: not p or q,
    "<->": lambda p, q: p == q,
}


def automaton_of(
    formula: Formula, alphabet: Iterable[str], *, propositions: Propositions | None = None
) -> DFA:
    """Return the minimal automaton that accepts the words on which a formula holds.

    `propositions` says which propositions hold where a letter is read; by default the letter itself does.

    >>> automaton_of(parse_formula("F y & (!r W y)"), "bry")
    DFA('>0: r→1, y→2 | 1: | *2:')
    """
    letters = checked_letters(alphabet)
    seen = {letter: (letter,) for letter in letters} if propositions is None else propositions
    known = {name for letter in letters for name in seen[letter]}
    for letter in formula.letters:
        if letter not in known:
            raise TaskError(f"the formula's {unknown_letter(letter, sorted(known))}")
    try:
        return _in_parts(formula, letters, seen)
    except TooLarge:
        if _join(formula) is None:
            raise
        return _at_once(formula, letters, seen, MOST_STATES)  # parts can be larger than what they join to


def _at_once(formula: Formula, letters: tuple[str, ...], seen: Propositions, most: int) -> DFA:
    progression = Progression(formula, letters, seen)
    nodes, table = explore(progression.start, len(letters), progression.step, most)
    marks = [progression.accepting(node) for node in nodes]
    return DFA.from_canonical(letters, *canonical(table, 0, marks))


def _in_parts(formula: Formula, letters: tuple[str, ...], seen: Propositions) -> DFA:
    """Translate what Boolean operators join at once where it is small, else part by part."""
    join = _join(formula)
    try:
        return _at_once(formula, letters, seen, MOST_STATES if join is None else SMALL)
    except TooLarge:
        if join is None:
            raise
    first, *others = [_in_parts(part, letters, seen) for part in formula.parts]
    return reduce(lambda one, other: _product(one, other, join), others or [first], first)


def _join(formula: Formula) -> Callable[[bool, bool], bool] | None:
    return None if formula.is_letter else _JOINS.get(formula.symbol)


def _product(one: DFA, other: DFA, join: Callable[[bool, bool], bool]) -> DFA:
    nodes, table = product([one.table, other.table], most=MOST_STATES)
    marks = [join(one.accepting[p], other.accepting[q]) for p, q in nodes]
    return DFA.from_canonical(one.alphabet, *canonical(table, 0, marks))


def automaton_of_text(text: str, alphabet: Iterable[str] | None = None) -> DFA:
    """Return the automaton of a formula's text; without an alphabet the letters are those of the formula."""
    if alphabet is None:
        formula = parse_formula(text)
        if not formula.letters:
            raise TaskError("a formula without letters needs its alphabet to be given")
        return automaton_of(formula, formula.letters)
    letters = list(alphabet)
    known = tuple(sorted(set(letters)))
    return automaton_of(parse_formula(text, atoms(known)), letters, propositions=holding(known))

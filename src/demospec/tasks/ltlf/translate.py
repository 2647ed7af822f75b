"""From a formula to its minimal automaton: by progression; a large conjunction part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from demospec.errors import TaskError, TooLarge, listing, nearest
from demospec.tasks.dfa import DFA
from demospec.tasks.ltlf.meaning import Propositions
from demospec.tasks.ltlf.progression import Progression
from demospec.tasks.ltlf.syntax import Formula, Letter
from demospec.tasks.tables import Table, canonical, explore

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

    >>> from demospec.tasks.ltlf import parse
    >>> automaton_of(parse("F y & (!r W y)"), "bry")
    DFA('>0: r→1, y→2 | 1: | *2:')
    """
    letters = _checked(alphabet)
    seen = {letter: (letter,) for letter in letters} if propositions is None else propositions
    known = {name for letter in letters for name in seen[letter]}
    for letter in formula.letters:
        if letter not in known:
            raise TaskError(
                f'the formula\'s letter "{letter}" is not in the alphabet {listing(sorted(known))}'
                f"{nearest(letter, known)}"
            )
    try:
        return _in_parts(formula, letters, seen)
    except TooLarge:
        if _join(formula) is None:
            raise
        return _at_once(formula, letters, seen, MOST_STATES)  # parts can be larger than what they join to


def _at_once(formula: Formula, letters: tuple[str, ...], seen: Propositions, most: int) -> DFA:
    progression = Progression(formula, letters, seen)
    nodes, table = explore(progression.start, len(letters), progression.step, most)
    return _minimal(letters, table, [progression.accepting(node) for node in nodes])


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
    return None if isinstance(formula, Letter) else _JOINS.get(formula.symbol)


def _product(one: DFA, other: DFA, join: Callable[[bool, bool], bool]) -> DFA:
    def step(node: tuple[int, int], letter: int) -> tuple[int, int]:
        return one.table[node[0]][letter], other.table[node[1]][letter]

    nodes, table = explore((0, 0), len(one.alphabet), step, MOST_STATES)
    return _minimal(one.alphabet, table, [join(one.accepting[p], other.accepting[q]) for p, q in nodes])


def _minimal(letters: tuple[str, ...], table: Table, accepting: list[bool]) -> DFA:
    return DFA.from_canonical(letters, *canonical(table, 0, accepting))


def _checked(alphabet: Iterable[str]) -> tuple[str, ...]:
    given = list(alphabet)
    letters = tuple(sorted(set(given)))
    if not letters:
        raise TaskError("the alphabet is empty")
    if len(letters) < len(given):
        twice = next(letter for letter in letters if given.count(letter) > 1)
        raise TaskError(f'the alphabet lists "{twice}" twice')
    return letters

"""Every automaton that is small enough to be tried."""

from __future__ import annotations

from itertools import product

import numpy as np

from demospec.explain.setup import resolve
from demospec.search.frontier import Known
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.tasks import DFA

MOST_TABLES = 1 << 14  # that are tried to find all automata of so many states


class SmallAutomata(Move):
    """In its first step every automaton of two states, of three over two letters; then nothing."""

    name = "automata"
    origin = "automaton"
    reason = (
        'Begins with every automaton of two states, where code = "words", because some tasks, such as '
        "parities, are short as automata alone."
    )
    phrase = "one of the smallest automata"

    def propose(self, rng: np.random.Generator, known: Known, memory: Memory) -> Proposals:
        """Propose the smallest automata, once."""
        if resolve(known.problem).code != "words" or memory.numbers:
            return Proposals()
        return Proposals(small_automata(known.problem.alphabet, known.largest), Memory(numbers=(1,)))


def small_automata(alphabet: tuple[str, ...], largest: int) -> list[DFA]:
    """Return every language of automata with up to as many states as can be tried, each once, by states.

    >>> [len(small_automata(("a", "b")[:letters], 8)) for letters in (1, 2)]
    [48, 1054]
    """
    found: dict[DFA, None] = {}
    for states in range(1, largest + 1):
        if states > 2 and states ** (states * len(alphabet)) * 2**states > MOST_TABLES:
            break
        if states == 2 and 4 ** len(alphabet) * 4 > MOST_TABLES:
            break
        for cells in product(range(states), repeat=states * len(alphabet)):
            rows = tuple(zip(*[iter(cells)] * len(alphabet), strict=True))
            if states > 1 and not any(rows[0]):
                continue  # nothing leads away from the start
            for marks in product((False, True), repeat=states):
                if states > 1 and len(set(marks)) == 1:
                    continue  # no word tells the states apart
                if states == 2:  # what is left is minimal, and numbered as it should be
                    found[DFA.from_canonical(alphabet, rows, marks)] = None
                    continue
                made = DFA(alphabet=alphabet, table=rows, accepting=marks).minimal
                if made.states == states:
                    found.setdefault(made)
    return list(found)

"""Languages made from others by closing them under what a class demands of its members."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from demospec.tasks import DFA, Word
from demospec.tasks.tables import explore
from demospec.work.stop import NEVER, Stop

States = frozenset[int]


def of_words(words: Iterable[Word], alphabet: Sequence[str], stop: Stop = NEVER) -> DFA:
    """Return the language of some words.

    >>> of_words([("a", "b"), ("a",)], "ab")
    DFA('>0: a→1, b→2 | *1: a→2, b→3 | 2: | *3: a→2, b→2')
    """
    letters = tuple(sorted(alphabet))
    known = set(words)
    begun = {word[:length] for word in known for length in range(len(word) + 1)}

    def step(prefix: Word | None, letter: int) -> Word | None:
        stop.check()
        longer = None if prefix is None else (*prefix, letters[letter])
        return longer if longer in begun else None

    start: Word | None = ()
    nodes, table = explore(start, len(letters), step)
    return DFA(alphabet=letters, table=table, accepting=tuple(node in known for node in nodes))


def prefixes(dfa: DFA) -> DFA:
    """Return the words that can be extended to a word of the language.

    >>> prefixes(of_words([("a",)], "ab"))
    DFA('>*0: a→1, b→2 | *1: a→2, b→2 | 2:')
    """
    hopeful: set[int] = set()
    while more := {
        state
        for state, row in enumerate(dfa.table)
        if state not in hopeful and (dfa.accepting[state] or not hopeful.isdisjoint(row))
    }:
        hopeful |= more
    marks = tuple(state in hopeful for state in range(dfa.states))
    return replace(dfa, accepting=marks, _is_canonical=False)


def extensions(dfa: DFA) -> DFA:
    """Return the words that begin with a word of the language.

    >>> extensions(DFA.parse(">0: a→1 | *1: a→0", "ab"))
    DFA('>0: a→1 | *1:')
    """
    table = tuple(
        (state,) * len(row) if mark else row
        for state, (row, mark) in enumerate(zip(dfa.table, dfa.accepting, strict=True))
    )
    return replace(dfa, table=table, _is_canonical=False)


def up_to_repeats(dfa: DFA) -> DFA:
    """Return the words that are equal to one of the language once repeats of a letter are merged.

    >>> up_to_repeats(of_words([("a", "a", "b")], "ab")).minimal
    DFA('>0: a→1, b→2 | 1: b→3 | 2: | *3: a→2')
    """

    def step(node: tuple[States, int], letter: int) -> tuple[States, int]:
        here, last = node
        if letter == last:
            return node
        reached: States = frozenset()
        while here := frozenset(dfa.table[state][letter] for state in here) - reached:
            reached |= here
        return reached, letter

    return _subsets(dfa, step)


def up_to_exchange(dfa: DFA, letters: Sequence[str]) -> DFA:
    """Return the words that are equal to one of the language once some of these letters are exchanged.

    >>> up_to_exchange(of_words([("a",)], "abc"), "ab").minimal
    DFA('>0: a→1, b→1, c→2 | *1: a→2, b→2, c→2 | 2:')
    """
    among = [dfa.column[letter] for letter in letters]

    def step(node: tuple[States, int], letter: int) -> tuple[States, int]:
        read = among if letter in among else [letter]
        return frozenset(dfa.table[state][a] for state in node[0] for a in read), -1

    return _subsets(dfa, step)


def _subsets(dfa: DFA, step: Callable[[tuple[States, int], int], tuple[States, int]]) -> DFA:
    """Return the automaton of the states where a word may lead, and the letter that is remembered."""
    nodes, table = explore((frozenset([dfa.start]), -1), len(dfa.alphabet), step)
    marks = tuple(any(dfa.accepting[state] for state in here) for here, _ in nodes)
    return DFA(alphabet=dfa.alphabet, table=table, accepting=marks)

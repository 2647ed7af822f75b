"""How many languages there are, where a lower and an upper bound leave only a few words open.

A search that has found them all can end. Without this it would go on through all numbers of states in search
of more, which takes long: nothing rules a larger automaton out before it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, product

from demospec.identify.base import certain
from demospec.identify.classes import AutomatonClass
from demospec.identify.closures import of_words, prefixes
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples

MOST_LISTED = 200  # words between the bounds
MOST_OPEN = 5  # of these, words without a label: 32 languages


def languages_left(
    classes: Sequence[AutomatonClass],
    alphabet: Sequence[str],
    examples: Examples,
    max_states: int | None = None,
) -> int | None:
    """Return how many members of all classes agree with the examples; None when that is not seen.

    At most so many, where labels are excluded.
    """
    between = words_between(tuple(classes), tuple(alphabet))
    if between is None:
        return None
    labelled = tuple((word, examples.mapping[word]) for word in between if word in examples.mapping)
    if len(between) - len(labelled) > MOST_OPEN:
        return None
    return members(tuple(classes), tuple(alphabet), labelled, max_states)


@lru_cache(maxsize=256)
def words_between(classes: tuple[AutomatonClass, ...], alphabet: tuple[str, ...]) -> tuple[Word, ...] | None:
    """Return the words that no member must accept and none must reject; None when they are many."""
    accepted, rejected = certain(classes, alphabet)
    return words_of(~(accepted | rejected), MOST_LISTED)


@lru_cache(maxsize=1024)
def members(
    classes: tuple[AutomatonClass, ...],
    alphabet: tuple[str, ...],
    labelled: tuple[tuple[Word, bool], ...],
    max_states: int | None,
) -> int:
    """Return the number of members in which words between the bounds have the given labels."""
    accepted, _ = certain(classes, alphabet)
    known = dict(labelled)
    between = words_between(classes, alphabet) or ()
    choices = [(known[word],) if word in known else (False, True) for word in between]
    tasks = (
        (accepted | of_words(compress(between, chosen), alphabet)).minimal for chosen in product(*choices)
    )
    return sum(
        (max_states is None or task.states <= max_states) and all(one.holds(task) for one in classes)
        for task in tasks
    )


def words_of(language: DFA, most: int) -> tuple[Word, ...] | None:
    """Return the words of a language, short ones first; None when there are more than `most`.

    >>> words_of(of_words([("b",), ("a", "b")], "ab"), 2)
    (('b',), ('a', 'b'))
    >>> words_of(of_words([("b",), ("a", "b")], "ab"), 1) is None
    True
    """
    dfa = language.minimal
    hopeful = prefixes(dfa).accepting
    found: list[Word] = []
    begun: list[tuple[Word, int]] = [((), 0)] if hopeful[0] else []
    for _ in range(dfa.states):  # a longer word repeats a state, and then there are endlessly many
        found += [word for word, state in begun if dfa.accepting[state]]
        if len(found) > most or len(begun) > most:  # each that is begun ends in a word of its own
            return None
        begun = [
            ((*word, letter), target)
            for word, state in begun
            for letter, target in zip(dfa.alphabet, dfa.table[state], strict=True)
            if hopeful[target]
        ]
    return None if begun else tuple(found)

"""A task told state by state: "after b (not enough yet): g leads back to the start, r fails for good"."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.errors import count
from demospec.tasks.clauses.clause import spelt
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.guards import guard
from demospec.tasks.propositions import are_sets
from demospec.tasks.words.place import access_words

MOST_STATES = 12  # that are told


def told_by_state(task: DFA) -> tuple[str, ...]:
    """Return a sentence for each state of the minimal automaton in which a letter changes something.

    A state is named by a shortest word that leads there. Letters that are not named change nothing.

    >>> for line in told_by_state(DFA.parse(">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3:")): print(line)
    at first (not enough): b leads on, r fails for good, y is enough for good
    after b (not enough): g leads back to the start, r fails for good
    """
    task = task.minimal
    access = access_words(task)
    living = [state for state in range(task.states) if set(task.table[state]) != {state}]
    lines = [told(task, state, access) for state in living[:MOST_STATES]]
    if len(living) > MOST_STATES:
        lines.append(f"and {count(len(living) - MOST_STATES, 'more state')}")
    return tuple(lines)


def told(task: DFA, state: int, access: Sequence[Word]) -> str:
    """Tell one state: how it stands, and where letters lead."""
    by_target: dict[int, list[str]] = {}
    for letter, target in zip(task.alphabet, task.table[state], strict=True):
        if target != state:
            by_target.setdefault(target, []).append(letter)
    moves = []
    for target, letters in by_target.items():
        said = guard(letters, task.alphabet)
        many = len(letters) > 1
        who = " or ".join(said if are_sets(task.alphabet) else map(spelt, said))
        moves.append(f"{who} {where(task, target, access, (*access[state], letters[0]), many=many)}")
    stands = "enough" if task.accepting[state] else "not enough"
    return f"{name(access[state])} ({stands}): {', '.join(moves)}"


def where(task: DFA, target: int, access: Sequence[Word], word: Word, *, many: bool) -> str:
    """Tell where a letter leads, by the state's nature, or by the word that names it."""
    if set(task.table[target]) == {target}:
        return "is enough for good" if task.accepting[target] else "fails for good"
    if target == task.start:
        return "leads back to the start"
    if access[target] == word and not many:
        return "leads on"
    return f"leads to where {shown(access[target])} does"


def name(word: Word) -> str:
    """Name a state by a word that leads there."""
    return f"after {shown(word)}" if word else "at first"


def shown(word: Word) -> str:
    """Write a word in a sentence.

    >>> shown(("b", "g"))
    'b g'
    """
    return " ".join(map(spelt, word)) or "nothing"

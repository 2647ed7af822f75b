"""How tasks and letters are written inside other texts: in comments, in lists, as identifiers.

What the states of a task say about its end: satisfied for good, violated for good, or open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence

from demospec.errors import TaskError
from demospec.readable import readable
from demospec.tasks.clauses import Clauses
from demospec.tasks.dfa import DFA
from demospec.tasks.tables import Table, never_left
from demospec.tasks.task import Task
from demospec.tasks.text import spelled
from demospec.tasks.words import BRIEF, describe

MOST_STATES, MOST_LETTERS = 16, 8  # of a task whose words are looked for when it is handed over
_PLAIN = re.compile(r'[^\s,"\\]+')
_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^\s,"][^\s,]*)\s*(,|$)')


def letter_list(letters: Iterable[str]) -> str:
    """Write letters with commas between; those that would read as something else are quoted as in JSON.

    >>> letter_list(["b", "red door", "y"])
    'b, "red door", y'
    """
    return ", ".join(spelled(letter, _PLAIN) for letter in letters)


def with_backslashes(text: str) -> str:
    """Write a text in quotes as Graphviz and HOA do."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_letter_list(text: str) -> list[str]:
    """Read back what `letter_list` wrote.

    >>> read_letter_list('b, "red door", y')
    ['b', 'red door', 'y']
    """
    letters: list[str] = []
    at = 0
    while at < len(text) or (not letters and not text):
        found = _ITEM.match(text, at)
        if found is None or (found[2] and found.end() == len(text)):
            raise TaskError(f'expected letters with commas between, such as "b, g"; found {text!r}')
        try:
            letters.append(json.loads(found[1], strict=False) if found[1].startswith('"') else found[1])
        except ValueError:
            raise TaskError(f"{found[1]} is not a quoted letter") from None
        at = found.end()
    return letters


def identifiers(letters: Sequence[str], taken: Collection[str] = ()) -> dict[str, str]:
    """Return an identifier for each letter: the letter itself where it is one that is not taken.

    >>> identifiers(["b", "red door", "true"], taken=["true"])
    {'b': 'b', 'red door': 'letter_2', 'true': 'letter_3'}
    """
    plain = {a for a in letters if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", a) and a not in taken}
    used = {*plain, *taken}
    names = {}
    for number, letter in enumerate(letters, start=1):
        name = letter if letter in plain else f"letter_{number}"
        while letter not in plain and name in used:
            name += "_"
        used.add(name)
        names[letter] = name
    return names


def printable_line(text: str) -> str:
    """Return text for a comment: what would break its line, or cannot be seen, is escaped."""
    return readable(text).replace("\n", "\\n")


def title_of(task: Task) -> str:
    """Return a task for a comment: in words, unless it is large, and as the automaton of the text around it.

    >>> title_of(DFA.parse(">0: y→1, r→2 | *1: | 2:", "bry"))
    'Reach y before r. (>0: r→1, y→2 | 1: | *2:)'
    """
    whole = task.automaton
    line = printable_line(str(whole if isinstance(task, Clauses) or type(task) is DFA else task))
    if whole.states > MOST_STATES or len(whole.alphabet) > MOST_LETTERS:
        return line
    return f"{printable_line(describe(task, budget=BRIEF).sentence)} ({line})"


# -- What the states of a task say about its end ---------------------------------------------------------


def verdicts(table: Table, satisfied: Iterable[Sequence[bool]]) -> tuple[str, ...]:
    """Return what each state says of the tasks that it has marks of; one that is never left has said all.

    >>> verdicts(((1, 2), (1, 1), (2, 2)), [[False, True], [False, False], [True, True]])
    ('open', 'violated', 'satisfied')
    """
    said = {(True, True): "satisfied", (False, True): "satisfied in part", (False, False): "violated"}
    return tuple(
        said[all(marks), any(marks)] if stays else "open"
        for stays, marks in zip(never_left(table), satisfied, strict=True)
    )

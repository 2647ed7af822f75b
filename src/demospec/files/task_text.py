"""A task as a line of text: an automaton, a formula, or clauses; which of them, the text tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from demospec.errors import PointedError
from demospec.tasks import DFA, Composite, Task, clauses

_AUTOMATON = re.compile(r"[(>*\s]*\d+\s*:")
_FILE = re.compile(r"[^\s;&|!]*(?:[/\\]|\.(?:json|toml|txt|task|hoa|dot|ltlf)$)[^\s;&|!]*", re.IGNORECASE)


def is_automaton(text: str) -> bool:
    """Say whether a text begins as an automaton's one-line form does.

    >>> is_automaton(">0: y→1 | *1:"), is_automaton("(>*0: r->1 | 1:) and (>0:)"), is_automaton("F y")
    (True, True, False)
    """
    return _AUTOMATON.match(text) is not None or "→" in text


def is_file_name(text: str) -> bool:
    """Say whether a text is meant as a file's name, not as a task: it has an ending or a folder in it.

    >>> [is_file_name(text) for text in ("tasks/dry.json", "-", "reach y", "G(a -> F b)")]
    [True, True, False, False]
    """
    return text == "-" or _FILE.fullmatch(text) is not None


def read_line(text: str, alphabet: Sequence[str] | None = None) -> Task:
    """Read a task from one line.

    >>> read_line("reach y; never r", "ry").automaton == read_line("F y & G !r", "ry")
    True
    """
    if half := re.search("[\ud800-\udfff]", text):
        raise PointedError("this is half a character, or no UTF-8", text=text, at=half.start())
    if is_automaton(text):
        return Composite.parse(text, alphabet)
    readings: list[Callable[[], Task]] = [
        lambda: clauses.parse(text, alphabet),
        lambda: DFA.from_formula(text, alphabet),
    ]
    refusals: list[PointedError] = []
    for read in readings:
        try:
            return read()
        except PointedError as error:
            refusals.append(error)
    said, formula = refusals
    # whoever came further is what was meant; at the same place, whose words are there
    meant = formula if formula.at > said.at or (formula.at == said.at and looks_like_formula(text)) else said
    raise meant


def looks_like_formula(text: str) -> bool:
    """Say whether a text has the signs of a formula."""
    return re.search(r"[!&|~]|->|\b[FGXUWRM]\b", text) is not None and ";" not in text

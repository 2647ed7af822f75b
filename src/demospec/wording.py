"""How names, numbers, words and values are written for people: in messages, on the screen, on the page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ' (did you mean "…"?)' for the closest known word, or nothing.

    >>> nearest("iteratoins", ["iterations", "chains"])
    ' (did you mean "iterations"?)'
    >>> nearest("zzz", ["iterations"])
    ''
    """
    import difflib  # which nobody needs who makes no mistake

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f' (did you mean "{close[0]}"?)' if close else ""


def listing(names: Iterable[object], limit: int = 12) -> str:
    """Write names as a short list for a message.

    >>> listing("abc")
    'a, b, c'
    >>> listing(range(15), limit=3)
    '0, 1, 2, … (15 in all)'
    """
    every = [str(name) for name in names]
    if len(every) <= limit:
        return ", ".join(every) or "none"
    return ", ".join(every[:limit]) + f", … ({len(every)} in all)"


def unknown_letter(letter: str, alphabet: Iterable[str]) -> str:
    """Return what is said of a letter that a task does not read.

    >>> unknown_letter("yelow", ["red", "yellow"])
    'letter "yelow" is not in the alphabet red, yellow (did you mean "yellow"?)'
    """
    return f'letter "{letter}" is not in the alphabet {listing(alphabet)}{nearest(letter, alphabet)}'


def count(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> count(1, "task"), count(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{number} {noun}" + ("" if number == 1 else "s")


def word_text(word: Sequence[str]) -> str:
    """Write a word for a message; ε is the empty one.

    >>> word_text(["b", "g"]), word_text([])
    ('b g', 'ε')
    """
    return " ".join(word) or "ε"


def file_name(source: str) -> str:
    """Return what messages call a file; `-` is standard input."""
    return "standard input" if source == "-" else source or '""'


def shown_value(value: object) -> str:
    """Write a value that was found, cut where it gets long.

    >>> shown_value("15"), shown_value(True), len(shown_value("long " * 100))
    ('"15"', 'true', 60)
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)  # a date or time of TOML
    return text if len(text) <= 60 else f"{text[:59]}…"


def percent(share: float) -> str:
    """Write a share; what is rounded to nothing or all says so.

    >>> percent(0.123), percent(0.0001), percent(0.9999), percent(1.0)
    ('12 %', 'under 1 %', 'over 99 %', '100 %')
    """
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 - 1e-9 else f"{100 * share:.0f} %"

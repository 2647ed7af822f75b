"""Letters that are sets of propositions: a state where key and door hold has the letter "door&key"."""

from __future__ import annotations

from collections.abc import Iterable


def letter_of(propositions: Iterable[str]) -> str | None:
    """Return the letter of a set of propositions; None, white, where none holds.

    >>> letter_of({"key", "door"}), letter_of([])
    ('door&key', None)
    """
    return "&".join(sorted(set(propositions))) or None

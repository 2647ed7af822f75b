"""A letter as a set of propositions: all that holds in a state, read at once."""

from __future__ import annotations

from collections.abc import Iterable

AND = "&"


def letter_of(propositions: Iterable[str]) -> str | None:
    """Return the letter of a state in which these propositions hold; None, white, where none does.

    >>> letter_of(["key", "door"]), letter_of(["key"]), letter_of([])
    ('door&key', 'key', None)
    """
    return AND.join(sorted(set(propositions))) or None

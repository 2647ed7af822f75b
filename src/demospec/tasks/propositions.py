"""Letters that are sets of propositions: where key and door hold at once, the letter `door&key` is read."""

from __future__ import annotations

from collections.abc import Iterable

from demospec.errors import InputError

JOIN = "&"


def letter_of(propositions: Iterable[str]) -> str | None:
    """Return the letter that is read where some propositions hold; None where none do.

    >>> letter_of(["key", "door", "key"]), letter_of([])
    ('door&key', None)
    """
    names = sorted(set(propositions))
    for name in names:
        if not name or (JOIN in name and name != JOIN):
            raise InputError(f'"{name}" cannot be a proposition: "{JOIN}" joins several, and none is empty')
    return JOIN.join(names) if names else None

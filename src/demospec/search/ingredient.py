"""What the default search is made of has names, by which each part can be left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from demospec.errors import InputError, listing, nearest


class Ingredient(NamedTuple):
    """A part of the search that is no move; moves have a name and a reason too."""

    name: str  # as `--without` calls it
    reason: str  # what it adds and why, in one sentence


def check_names(without: Iterable[str], known: Collection[str]) -> None:
    """Refuse to leave out what there is not."""
    for name in without:
        if name not in known:
            raise InputError(f'without "{name}": known are {listing(known)}{nearest(name, known)}')

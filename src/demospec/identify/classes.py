"""All classes of automata that come with the package, and their names. They can be combined."""

from __future__ import annotations

from demospec.errors import InputError, listing, nearest
from demospec.identify.automaton_class import AutomatonClass
from demospec.identify.bounds import ImpliedBy, Implies
from demospec.identify.invariance import IgnoresRepeats, SameEffect
from demospec.identify.shapes import CoSafety, Monotone, ReachAvoid, Safety

__all__ = [
    "AutomatonClass",
    "CoSafety",
    "IgnoresRepeats",
    "ImpliedBy",
    "Implies",
    "Monotone",
    "ReachAvoid",
    "Safety",
    "SameEffect",
    "by_name",
]

PLAIN: dict[str, AutomatonClass] = {
    one.kind: one for one in (Safety(), CoSafety(), Monotone(), ReachAvoid(), IgnoresRepeats())
}


def by_name(text: str) -> AutomatonClass:
    """Return the class with a name; `same-effect` is followed by its letters.

    >>> by_name("co-safety"), by_name("same-effect: a, b")
    (CoSafety(), SameEffect(letters=('a', 'b')))
    """
    kind, colon, rest = (part.strip() for part in text.partition(":"))
    if kind == SameEffect.kind:
        letters = [letter.strip() for letter in rest.split(",") if letter.strip()]
        if len(set(letters)) < 2:
            raise InputError(f'class "{text}": expected two letters or more, as in "{kind}:a,b"')
        return SameEffect(letters)
    if kind not in PLAIN:
        known = [*PLAIN, SameEffect.kind]
        raise InputError(f'class "{text}" is not known; known: {listing(known)}{nearest(kind, known)}')
    if colon:
        raise InputError(f'class "{text}": "{kind}" stands alone, found "{rest}" after it')
    return PLAIN[kind]

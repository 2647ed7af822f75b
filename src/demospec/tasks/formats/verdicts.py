"""What the states of a task say about its end: satisfied for good, violated for good, or open."""

from __future__ import annotations

from typing import Literal

from demospec.tasks.dfa import DFA
from demospec.tasks.tables import never_left


def verdicts(dfa: DFA) -> tuple[Literal["satisfied", "violated", "open"], ...]:
    """Return what each state of a minimal automaton says; one that is never left has said its last word.

    >>> verdicts(DFA.parse(">0: r→1, y→2 | 1: | *2:"))
    ('open', 'violated', 'satisfied')
    """
    return tuple(
        "open" if not stays else "satisfied" if accepting else "violated"
        for stays, accepting in zip(never_left(dfa.table), dfa.accepting, strict=True)
    )

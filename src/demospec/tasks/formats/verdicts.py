"""What the states of a task say about its end: satisfied for good, violated for good, or open."""

from __future__ import annotations

from typing import Literal

from demospec.tasks.dfa import DFA

Verdict = Literal["satisfied", "violated", "open"]


def verdicts(dfa: DFA) -> tuple[Verdict, ...]:
    """Return what each state of a minimal automaton says; one that is never left has said its last word.

    >>> verdicts(DFA.parse(">0: r→1, y→2 | 1: | *2:"))
    ('open', 'violated', 'satisfied')
    """
    return tuple(
        "open" if any(target != state for target in row) else "satisfied" if accepting else "violated"
        for state, (row, accepting) in enumerate(zip(dfa.table, dfa.accepting, strict=True))
    )

"""Hanoi omega-automata text, version 1: the form that Spot, Owl and their relatives read.

Each letter is an atomic proposition, and exactly one holds at a time. A finite word is accepted when its run
ends in a marked state; the marks are those of state-based Büchi acceptance.
"""

from __future__ import annotations

from demospec.tasks.formats.names import title_of
from demospec.tasks.task import Task


def to_hoa(task: Task) -> str:
    """Write a task as a HOA automaton, state by state as in its minimal automaton."""
    dfa = task.automaton
    lines = [
        "HOA: v1",
        f"name: {_quoted(title_of(task))}",
        'tool: "demospec"',
        f"States: {dfa.states}",
        "Start: 0",
        f"AP: {len(dfa.alphabet)} {' '.join(map(_quoted, dfa.alphabet))}",
        "acc-name: Buchi",
        "Acceptance: 1 Inf(0)",
        # It is not complete: no edge tells of a step on which no letter holds, or two.
        "properties: trans-labels explicit-labels state-acc deterministic",
        "/* One letter holds at a time; a finite word is accepted when its run ends in a marked state. */",
        "--BODY--",
    ]
    for state, row in enumerate(dfa.table):
        lines.append(f"State: {state}" + (" {0}" if dfa.accepting[state] else ""))
        for target in sorted(set(row)):
            letters = [k for k, other in enumerate(row) if other == target]
            lines.append(f"[{' | '.join(_only(k, len(row)) for k in letters)}] {target}")
    return "\n".join([*lines, "--END--", ""])


def _only(letter: int, letters: int) -> str:
    """Return the label that says that this letter holds and no other."""
    return "&".join(str(k) if k == letter else f"!{k}" for k in range(letters))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""What an agent does in some situations."""

from __future__ import annotations

from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Heading, Table
from demospec.report.documents import Document
from demospec.report.words import actions_text, decimal, state_text

HEADER = ("time", "state", "task in", "satisfied", "value", "taken", "what the agent does")
TAKEN = HEADER.index("taken")


def policy_blocks(problem: Problem, document: Document) -> list[Block]:
    """Tell the result of `policy`."""
    return [
        Heading(
            f"{problem.name}: an agent of rationality {document['rationality']:.6g} that succeeds with "
            f"probability {decimal(document['satisfaction_probability'])}"
        ),
        Facts([("task", document["reads"])]),
        situations_table(document["situations"]),
    ]


def situations_table(situations: list[Document]) -> Table:
    """Return what is done in each situation; what was taken, where a run says so."""
    rows = [
        (
            str(found["time"]),
            state_text(found["state"]),
            str(found["monitor"]),
            decimal(found["satisfaction_probability"]),
            decimal(found["value"]),
            found["taken"] or "",
            actions_text(found["actions"]) if not found["over"] else "the episode is over",
        )
        for found in situations
    ]
    if any(row[TAKEN] for row in rows):
        return Table(HEADER, rows)
    return Table(without(HEADER), [without(row) for row in rows])


def without(row: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what was taken."""
    return row[:TAKEN] + row[TAKEN + 1 :]

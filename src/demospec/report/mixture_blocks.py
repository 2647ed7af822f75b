"""What an agent that acts on a belief does in some situations, and how often it satisfies each answer."""

from __future__ import annotations

import math

from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Heading, Paragraph, Table
from demospec.report.documents import Document
from demospec.report.policy_blocks import situations_table
from demospec.report.words import decimal


def mixture_policy_blocks(problem: Problem, document: Document) -> list[Block]:
    """Tell the result of `policy --belief`."""
    belief = document["belief"]
    count = len(belief["answers"])
    return [
        Heading(
            f"{problem.name}: an agent of rationality {document['rationality']:.6g} that acts on "
            f"{count} answer{'' if count == 1 else 's'} at once"
        ),
        Facts(
            [
                ("expected satisfaction", decimal(document["satisfaction_probability"])),
                ("weight in the belief", decimal(belief["weight"])),
            ]
        ),
        answers_table(belief["answers"]),
        *left_out(belief["left_out"]),
        situations_table(document["situations"]),
    ]


def answers_table(answers: list[Document]) -> Table:
    """Return each answer with its weight and the chance that it is satisfied."""
    rows = [
        (
            decimal(answer["weight"]),
            decimal(answer["satisfaction_probability"]),
            answer["sentence"],
            answer["one_line"],
        )
        for answer in answers
    ]
    return Table(("weight", "satisfied", "answer", "automaton"), rows, align="rrlc")


def left_out(answers: list[Document]) -> list[Paragraph]:
    """Tell what the plan does not look at."""
    if not answers:
        return []
    weight = decimal(math.fsum(answer["weight"] for answer in answers))
    few = "1 answer" if len(answers) == 1 else f"{len(answers)} answers"
    return [Paragraph(f"Not acted on: {few} with a weight of {weight} together.")]

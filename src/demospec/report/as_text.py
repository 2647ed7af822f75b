"""Blocks as plain text, for a terminal without colours, a pipe or a file."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.report.blocks import Block
from demospec.report.layout import lines_of


def as_text(blocks: Sequence[Block], width: int | None = None) -> str:
    """Return the text of blocks, with an empty line between two of them; without a width no line is broken.

    >>> from demospec.report.blocks import Heading, Paragraph, Section
    >>> print(as_text([Heading("robot"), Section("How sure is it?", [Paragraph("Not very.")])]))
    robot
    <BLANKLINE>
    How sure is it?
    Not very.
    """
    return "\n".join("".join(span.text for span in line).rstrip() for line in lines_of(blocks, width))

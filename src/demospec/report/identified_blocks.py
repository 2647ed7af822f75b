"""Automata that were found for labelled words."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.identify.noise import Noisy
from demospec.report.blocks import Block, Table
from demospec.report.words import sentence
from demospec.tasks import DFA
from demospec.wording import listing, word_text


def identified_blocks(answers: Sequence[DFA | Noisy]) -> list[Block]:
    """Tell the automata that `identify` found, each with the labels that it takes to be wrong."""
    rows: list[tuple[str, ...]] = []
    noisy = False
    for number, answer in enumerate(answers, start=1):
        if isinstance(answer, DFA):
            rows.append((str(number), str(answer.size), sentence(answer), str(answer)))
            continue
        noisy = True
        task, flips = answer.task, len(answer.flipped)
        told = sentence(task), str(task)
        rows.append((str(number), str(task.size), str(flips), f"{answer.cost:.1f}", *told))
        if flips:
            signs = [f"{'+' if label else '-'} {word_text(word)}" for word, label in answer.flipped]
            rows.append(("", "", "", "", f"  wrong: {listing(signs)}", ""))
    if noisy:
        return [Table(("", "size", "flips", "cost", "in words", "task"), rows, align="rrrrlc")]
    return [Table(("", "size", "in words", "task"), rows, align="rrlc")]

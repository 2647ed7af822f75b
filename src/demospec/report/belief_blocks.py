"""How sure a result is: which answers there are, who shares what, what is not determined."""

from __future__ import annotations

from functools import partial

from demospec.belief import Findings
from demospec.belief.differences import Difference
from demospec.belief.findings import how_sure, undetermined
from demospec.report.blocks import Block, Items, OnPage, Paragraph, Section, Table
from demospec.report.drawings import open_svg
from demospec.report.said import cells
from demospec.wording import percent, word_text

NOTE = (
    "(best says: a word that the best answer accepts, +, or rejects, -, and this one does not; "
    "runs: how many demonstrations would tell the two apart)"
)
DRAWN = (
    "Tasks that this world does not tell apart are one answer, named by the smallest. "
    "Pale and dashed is what no episode would show."
)


def belief_blocks(found: Findings) -> list[Block]:
    """Tell how sure the best task is, which answers there are beside it, and what is not determined."""
    letters = [letter.sentence for letter in found.letters if letter.seen is None]
    return [
        Section(
            "How sure is it?",
            [
                Items([*how_sure(found), *undetermined(found)]),
                OnPage([Paragraph(DRAWN)]),
                answers_table(found),
                Section("How likely each part of the automaton is", [shares_table(found)], 4),
                Section("What is believed of each letter", [Items(letters)], 4),
            ],
        )
    ]


def answers_table(found: Findings) -> Table:
    """Return the best answer, and those of which it is known how they differ from it."""
    differences = {difference.other: difference for difference in found.differences}
    rows = []
    for number, answer in enumerate(found.answers.all):
        if answer.holds_best or answer in differences:
            drawn = None
            if number < len(found.open_answers):  # what is open was worked out
                drawn = partial(open_svg, found.open_answers[number])
            numbers = percent(answer.share), str(len(answer.members))
            told = *difference_words(differences.get(answer)), *cells(answer.name.task, drawn)
            rows.append((*numbers, *told))
    header = ("share", "tasks", "best says", "runs", "in words", "answer")
    return Table(header, rows, align="rrrrlc", note=NOTE if found.differences else "")


def difference_words(difference: Difference | None) -> tuple[str, str]:
    """Write what tells an answer from the best, and how many demonstrations would."""
    if difference is None:
        return "", ""
    word = "?" if not difference.searched else "the same"
    if difference.word is not None:
        word = f"{'+' if difference.accepted else '-'} {word_text(difference.word)}"
        word += "" if difference.world is None else f" ({difference.world})"
    return word, "never" if difference.demonstrations is None else str(difference.demonstrations)


def shares_table(found: Findings) -> Table:
    """Return the share of every state and letter: rows are states, and where each letter leads."""
    shares, task = found.shares, found.shares.task
    rows = []
    for q, row in enumerate(task.table):
        targets = zip(row, shares.transitions[q].tolist(), strict=True)
        verdict = "accepts" if task.accepting[q] else "rejects"
        rows.append(
            (
                str(q),
                *(f"→ {target}: {percent(float(share))}" for target, share in targets),
                f"{verdict}: {percent(float(shares.marks[q]))}",
            )
        )
    return Table(("state", *task.alphabet, "a word that ends here"), rows)

"""The result of `learn` as blocks: one screen of it, all of it, and what is believed in detail."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from demospec.belief import Findings
from demospec.belief.answers import Difference
from demospec.belief.findings import how_sure, undetermined
from demospec.belief.tuned import CREDIBLE
from demospec.explain.setup import resolve
from demospec.report.blocks import (
    Advice,
    Block,
    Facts,
    Figure,
    Heading,
    InTerminal,
    Items,
    OnPage,
    Paragraph,
    Section,
    Table,
    Together,
)
from demospec.report.documents import Document
from demospec.report.drawings import best_svg, energy_svg, map_of_demonstrations, open_svg
from demospec.report.told import KEPT_TO, ClaimList, Told, warning_words
from demospec.report.words import cells, decimal
from demospec.runs.result import Result
from demospec.tasks import Word
from demospec.tasks.showing import bits_text
from demospec.wording import percent, word_text

STATES = 12  # of an automaton, drawn one to a line
SHOWN = 5  # tasks
MAPPED = 3  # conjectures on a page, each with a map


def screen_blocks(told: Told, *, words: Sequence[Word] = ()) -> list[Block]:
    """Tell a result in three lines, and below them what speaks against it, what is settled, who showed it."""
    drawn = told.result.best.task.pretty().split("\n")
    left = len(drawn) - STATES
    shown = drawn if left <= 1 else [*drawn[:STATES], f"… and {left} more lines: see --details"]
    step = told.next_step
    serious, others = (
        [Paragraph(warning_words(one), "warning") for one in told.warnings if one.serious == first]
        for first in (True, False)
    )
    return [
        Together(
            [
                *serious,
                Paragraph(told.learned, "strong"),
                Paragraph(told.sure),
                Advice(f"Next: {step.text}", step.command),
            ]
        ),
        Together(others),
        Items(word_sentences(told.result, words) if words else []),
        Facts(list(told.facts())),
        Figure(partial(best_svg, told.result), "\n".join(shown)),
    ]


def result_blocks(
    result: Result, *, shown: int = SHOWN, words: Sequence[Word] = (), conjectures: int | None = MAPPED
) -> list[Block]:
    """Tell a result: so many tasks, some words, and why with so many conjectures; None leaves why out."""
    told = Told(result)
    return [
        Heading(f"{told.problem.name}: {told.undetermined or told.asked}"),
        Items([warning_words(one) for one in told.warnings]),
        *([Paragraph(f"{told.named}:")] if told.named else []),
        Paragraph(told.said.sentence),
        Items(told.said.rest),
        Paragraph(told.sure),
        Paragraph(told.besides),
        Facts(list(told.facts(claims=False))),
        *claims_blocks(told.claims),
        *acting_blocks(told),
        Figure(partial(best_svg, result), result.best.task.pretty()),
        *([] if told.believed else [Paragraph(told.energy)]),
        Section("What was shown", map_of_demonstrations(told.problem)),
        *details_blocks(result, shown=shown, words=words, conjectures=conjectures),
    ]


def acting_blocks(told: Told) -> list[Block]:
    """Tell which other answers are kept to beside the answer, and what was not compared."""
    kept: list[Block] = [Paragraph(KEPT_TO), Items(told.kept_to)] if told.kept_to else []
    left: list[Block] = [Paragraph(told.not_compared)] if told.not_compared else []
    return [Section("How to act", [*kept, *left])] if kept or left else []


def claims_blocks(lists: Sequence[ClaimList]) -> list[Block]:
    """Tell what follows from the task, how likely that is, and what would settle what is open."""

    def told(one: ClaimList) -> Block:
        if not one.name:
            return Paragraph(one.nothing)
        lines = [f"{claim.line}: {claim.settle}" if claim.settle else claim.line for claim in one.claims]
        return Section(one.name, [Items(lines or [one.nothing])], 4)

    return [Section("What is settled", [told(one) for one in lists])] if lists else []


# -- what is believed in detail


NOTE = (
    "(best says: a word that the best answer accepts, +, or rejects, -, and this one does not; "
    "runs: how many demonstrations would tell the two apart)"
)
DRAWN = (
    "Tasks that this world does not tell apart are one answer, named by the smallest. "
    "Pale and dashed is what no episode would show."
)


def belief_blocks(found: Findings | None) -> list[Block]:
    """Tell how sure the best task is, which answers there are beside it, and what is not determined."""
    if found is None:
        return []
    letters = [letter.sentence for letter in found.letters if letter.seen is None]
    return [
        Section(
            "How sure is it?",
            [
                Items([*how_sure(found), *undetermined(found)]),
                OnPage([Paragraph(DRAWN)]),
                likely_answers_table(found),
                Section("How likely each part of the automaton is", [shares_table(found)], 4),
                Section("What is believed of each letter", [Items(letters)], 4),
            ],
        )
    ]


def likely_answers_table(found: Findings) -> Table:
    """Return the best answer, and those of which it is known how they differ from it."""
    differences = {difference.other: difference for difference in found.differences}
    rows = []
    for number, answer in enumerate(found.answers.all):
        if answer.is_named or answer in differences:
            drawn = None
            if number < len(found.open_answers):  # what is open was worked out
                drawn = partial(open_svg, found.open_answers[number])
            numbers = percent(answer.share), str(len(answer.members))
            told = *difference_cells(differences.get(answer)), *cells(answer.smallest.task, drawn)
            rows.append((*numbers, *told))
    header = ("share", "tasks", "best says", "runs", "in words", "answer")
    return Table(header, rows, align="rrrrlc", note=NOTE if found.differences else "")


def difference_cells(difference: Difference | None) -> tuple[str, str]:
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


def details_blocks(
    result: Result, *, shown: int = SHOWN, words: Sequence[Word] = (), conjectures: int | None = None
) -> list[Block]:
    """Tell what comes after the answer: the other tasks, what is believed in detail, how the search went."""
    return [
        ranking_section(result, shown),
        *belief_blocks(result.findings),
        Items(word_sentences(result, words) if words else []),
        *([] if conjectures is None else why(result, conjectures)),
        Section("How the search went", search_blocks(Told(result))),
    ]


def ranking_section(result: Result, shown: int) -> Section:
    """Tell the first answers, or tasks by energy."""
    title = "The answers" if resolve(result.problem).code == "words" else "The best tasks"
    return Section(title, [ranking(result, shown)])


def ranking(result: Result, shown: int) -> Table:
    """Return the first answers, or tasks, with their numbers."""
    sure = resolve(result.problem).code != "words" or result.findings is not None
    rows = [
        (
            str(number),
            decimal(score.energy),
            bits_text(score.size),
            decimal(score.surprise),
            f"{score.satisfaction_probability:.4f}",
            f"{weight:.4f}" if sure else "",
            *cells(score.task),
        )
        for number, (score, weight) in enumerate(result.leading[:shown], start=1)
    ]
    weighed = "share" if resolve(result.problem).code == "words" else "weight"
    header = ("", "energy", "size", "surprise", "satisfied", weighed, "in words", "task")
    return Table(header, rows, align="rrrrrrlc")


def why(result: Result, conjectures: int) -> Sequence[Block]:
    """Tell why, with so many conjectures."""
    from demospec.report.why_report import why_blocks  # which is loaded for those who ask

    return why_blocks(result, conjectures)


def word_sentences(result: Result, words: Sequence[Word]) -> list[str]:
    """Say of each word how likely it is that it satisfies the task."""
    from demospec.report.result_document import words_document

    return [word_sentence(document) for document in words_document(result, words)]


def word_sentence(document: Document) -> str:
    """Say how likely it is that a word satisfies the task.

    >>> word_sentence({"word": ["b"], "probability": 0.25, "possible": [True, False]})
    'Word "b": satisfies the task with 25 %'
    >>> word_sentence({"word": ["b"], "probability": 0.01, "possible": [False], "credible": 0.99})
    'Word "b": satisfies the task with 1 %; the 95 % credible set of its labels excludes that it does'
    >>> word_sentence({"word": ["b"], "probability": None})
    'Word "b": how likely it satisfies the task is not known'
    >>> word_sentence({"word": ["b"], "probability": 0.99, "possible": [True]})
    'Word "b": satisfies the task with 99 %; the demonstrations exclude that it does not'
    """
    if document["probability"] is None:
        return f'Word "{word_text(document["word"])}": how likely it satisfies the task is not known'
    told = f'Word "{word_text(document["word"])}": satisfies the task with {percent(document["probability"])}'
    if document["possible"] == [True, False]:
        return told
    (only,) = document["possible"]
    excluded = f"that it does{' not' if only else ''}"
    if "credible" in document:
        return f"{told}; the {percent(CREDIBLE)} credible set of its labels excludes {excluded}"
    return f"{told}; the demonstrations exclude {excluded}"


def search_blocks(told: Told) -> list[Block]:
    """Say how much was done, and why it ended; a page is the same every time, and does not say how long."""
    end = f"seed {told.result.seed}; {told.ended}"
    return [
        Figure(partial(energy_svg, told.result)),
        OnPage([Paragraph(f"{told.searched}, {end}")]),
        InTerminal([Paragraph(f"{told.searched}, {told.result.seconds:.2f} s, {end}")]),
        Paragraph(told.not_scored),
    ]

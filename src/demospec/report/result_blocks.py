"""The result of `learn`: the best tasks, how sure it is, why, and how the search went."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from demospec.belief.credible import CREDIBLE
from demospec.belief.warnings import counted_worlds
from demospec.report.answer_blocks import (
    answer_blocks,
    headline,
    not_scored_words,
    shown_words,
    warning_words,
)
from demospec.report.belief_blocks import belief_blocks
from demospec.report.blocks import (
    Block,
    Figure,
    Heading,
    InTerminal,
    Items,
    OnPage,
    Paragraph,
    Section,
    Table,
)
from demospec.report.drawings import best_svg, energy_svg, map_of_demonstrations
from demospec.report.said import cells, in_full, said_blocks
from demospec.report.words import decimal
from demospec.runs.result import Result
from demospec.tasks import Word
from demospec.tasks.showing import bits_text
from demospec.wording import count, percent, word_text

if TYPE_CHECKING:
    from demospec.report.documents import Document

SHOWN = 5  # tasks
DRAWN = 3  # conjectures on a page, each with a map
ENDED = {
    "iterations": "all iterations are made",
    "patience": "nothing better was found for a while",
    "agreement": "the chains agree",
    "evaluations": "as many tasks are scored as were allowed",
    "seconds": "the time is up",
    "interrupted": "interrupted",
}


NOT_SURE = Section(
    "How sure is it?", [Paragraph("This was not worked out: the time was up. Allow more with --max-seconds.")]
)


def result_blocks(
    result: Result, *, shown: int = SHOWN, words: Sequence[Word] = (), conjectures: int | None = DRAWN
) -> list[Block]:
    """Tell a result: so many tasks, some words, and why with so many conjectures; None leaves why out."""
    problem = result.problem
    drawn = Figure(partial(best_svg, result), result.best.task.pretty())
    begin: list[Block]
    if problem.code == "words":
        begin = [Heading(f"{problem.name}: {headline(result)}"), *answer_blocks(result), drawn]
    else:
        begin = [
            Heading(f"{problem.name}: the task that explains {shown_words(problem)} best"),
            Items([warning_words(one) for one in counted_worlds(problem)]),
            *said_blocks(in_full(problem, result.best.task, result.stop)),
            drawn,
            Paragraph(energy_sentence(result)),
        ]
    return [
        *begin,
        Section("What was shown", map_of_demonstrations(problem)),
        *details_blocks(result, shown=shown, words=words, conjectures=conjectures),
    ]


def details_blocks(
    result: Result, *, shown: int = SHOWN, words: Sequence[Word] = (), conjectures: int | None = None
) -> list[Block]:
    """Tell what comes after the answer: the other tasks, what is believed in detail, how the search went."""
    return [
        ranking_section(result, shown),
        *([NOT_SURE] if result.findings is None else belief_blocks(result.findings)),
        Items(word_sentences(result, words) if words else []),
        *([] if conjectures is None else why(result, conjectures)),
        Section("How the search went", search_blocks(result)),
    ]


def ranking_section(result: Result, shown: int) -> Section:
    """Tell the first answers, or tasks by energy."""
    title = "The answers" if result.problem.code == "words" else "The best tasks"
    return Section(title, [ranking(result, shown)])


def energy_sentence(result: Result) -> str:
    """Say what the best task's energy is made of, and how often its agent succeeds."""
    best, problem = result.best, result.problem
    weights, bits = problem.weights, best.size - problem.prior_size
    relative = "" if problem.prior is None else f" beyond the prior's {bits_text(problem.prior_size)}"
    return (
        f"energy {decimal(best.energy)} = {weights.size_weight:g} × {bits_text(bits)} bits{relative} + "
        f"{weights.surprise_weight:g} × {decimal(best.surprise)} nats of surprise; "
        f"satisfied with probability {best.satisfaction_probability:.4f}"
    )


def ranking(result: Result, shown: int) -> Table:
    """Return the first answers, or tasks, with their numbers."""
    rows = [
        (
            str(number),
            decimal(score.energy),
            bits_text(score.size),
            decimal(score.surprise),
            f"{score.satisfaction_probability:.4f}",
            f"{weight:.4f}",
            *cells(score.task),
        )
        for number, (score, weight) in enumerate(result.leading[:shown], start=1)
    ]
    weighed = "share" if result.problem.code == "words" else "weight"
    header = ("", "energy", "size", "surprise", "satisfied", weighed, "in words", "task")
    return Table(header, rows, align="rrrrrrlc")


def why(result: Result, conjectures: int) -> Sequence[Block]:
    """Tell why, with so many conjectures."""
    from demospec.report.why_blocks import why_blocks  # which is loaded for those who ask

    return why_blocks(result, conjectures)


def word_sentences(result: Result, words: Sequence[Word]) -> list[str]:
    """Say of each word how likely it is that it satisfies the task."""
    from demospec.report.documents import words_document

    return [word_sentence(document) for document in words_document(result, words)]


def word_sentence(document: Document) -> str:
    """Say how likely it is that a word satisfies the task.

    >>> word_sentence({"word": ["b"], "probability": 0.25, "possible": [True, False]})
    'Word "b": satisfies the task with 25 %'
    >>> word_sentence({"word": ["b"], "probability": 0.01, "possible": [False], "credible": 0.99})
    'Word "b": satisfies the task with 1 %; the 95 % credible set of its labels excludes that it does'
    >>> word_sentence({"word": ["b"], "probability": 0.99, "possible": [True]})
    'Word "b": satisfies the task with 99 %; the demonstrations exclude that it does not'
    """
    told = f'Word "{word_text(document["word"])}": satisfies the task with {percent(document["probability"])}'
    if document["possible"] == [True, False]:
        return told
    (only,) = document["possible"]
    excluded = f"that it does{' not' if only else ''}"
    if "credible" in document:
        return f"{told}; the {percent(CREDIBLE)} credible set of its labels excludes {excluded}"
    return f"{told}; the demonstrations exclude {excluded}"


def search_blocks(result: Result) -> list[Block]:
    """Say how much was done, and why it ended; a page is the same every time, and does not say how long."""
    done = f"{count(result.evaluations, 'task')} scored in {count(len(result.trace), 'iteration')}"
    end = f"seed {result.seed}; {ENDED[result.ended]}"
    return [
        Figure(partial(energy_svg, result)),
        OnPage([Paragraph(f"{done}, {end}")]),
        InTerminal([Paragraph(f"{done}, {result.seconds:.2f} s, {end}")]),
        *([Paragraph(not_scored_words(result))] if result.problem.code == "words" else []),
    ]

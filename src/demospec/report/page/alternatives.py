"""Other answers, told by how they differ from the answer: a run between them, and what only one asks."""

from __future__ import annotations

from demospec.belief.answers import Answer, Difference
from demospec.report.html import card, chips, more, paragraph, section, tag
from demospec.report.pictures.svg import escape
from demospec.report.words import sentence
from demospec.runs.result import Result
from demospec.tasks.clauses import Clause
from demospec.tasks.words import BRIEF, compare
from demospec.wording import count, percent

LEAD = "Other tasks that explain the runs, and how each differs from the answer."


def alternatives_section(result: Result) -> str:
    """Tell the other answers of which it is known how they differ from the best."""
    found = result.findings
    if found is None or not found.differences:
        return ""
    cards = [tag("div", *(difference_card(result, one) for one in found.differences), class_="cards")]
    left = len(found.answers.all) - 1 - len(found.differences)
    if left > 0:
        told = f"{count(left, 'more answer')}, each less likely: see result.json."
        cards.append(paragraph(told, "quiet after"))
    return section("Alternatives", *cards, anchor="alternatives", lead=LEAD)


def difference_card(result: Result, one: Difference) -> str:
    """Tell one answer by its differences."""
    pairs = [*separating(one), *clauses(result, one.other), ("To tell them apart", needed(one))]
    listed = tag("dl", *(tag("dt", escape(name)) + tag("dd", told) for name, told in pairs), class_="differs")
    line = tag("code", escape(str(one.other.smallest.task.automaton)))
    return card(
        tag("p", f"{escape(percent(one.other.share))} of the belief", class_="share-of"),
        paragraph(sentence(one.other.smallest.task), "sentence"),
        listed,
        more("Its automaton", tag("p", line)),
    )


def separating(one: Difference) -> list[tuple[str, str]]:
    """Tell a word that one of two answers accepts and the other does not."""
    if one.word is None:
        told = (
            "none: no episode here tells them apart" if one.searched else "not looked for: there are too many"
        )
        return [("A run between them", told)]
    where = "" if one.world is None else f" in world {escape(one.world)}"
    own, other = ("good", "not good") if one.accepted else ("not good", "good")
    return [
        ("A run between them", chips(one.word) + where),
        ("For the answer", f"it is {own}"),
        ("For this one", f"it is {other}"),
    ]


def clauses(result: Result, other: Answer) -> list[tuple[str, str]]:
    """Tell the clauses that only one of two answers implies."""
    found = compare(result.best.task, other.smallest.task, budget=BRIEF)
    told = []
    for name, some in (
        ("Only the answer asks", found.first_clauses),
        ("Only this asks", found.second_clauses),
    ):
        if some:
            told.append((name, escape(clause_words(some))))
    return told


def clause_words(some: tuple[Clause, ...]) -> str:
    return "; ".join(clause.sentence for clause in some)


def needed(one: Difference) -> str:
    """Say how many demonstrations would tell."""
    if one.demonstrations is None:
        return "more runs like these would not tell"
    where = "" if one.shown_in is None else f" in world {one.shown_in}"
    if one.demonstrations > 1000:
        return escape(f"more runs like these would hardly tell; ask instead{where}")
    return escape(f"about {count(one.demonstrations, 'more run')}{where}")

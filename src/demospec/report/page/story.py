"""The story: what was learned and how sure that is, what was shown, what is open, what else it could be."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.belief.answers import Answer, Difference
from demospec.belief.findings import Caution, Findings, how_sure, undetermined
from demospec.problem import Problem
from demospec.report.answer_report import shares_table
from demospec.report.drawings import task_svg
from demospec.report.html import (
    as_html,
    captioned_table,
    card,
    chips,
    command,
    items,
    more,
    paragraph,
    picture,
    section,
    tag,
)
from demospec.report.page.figures import Walk, automaton_figure, badge, sized, world_figures
from demospec.report.pictures.svg import escape
from demospec.report.told import ACT, EXACTLY, KEPT_TO, SHOWN_BY, ClaimList, Told, as_sentence, warning_words
from demospec.report.words import sentence
from demospec.runs.result import Result
from demospec.tasks.words import BRIEF, compare
from demospec.wording import count, percent

READ = (
    "Reading begins at the arrow; a double ring is where a run may end. A letter without an arrow changes "
    "nothing. Pale and dashed is what these runs do not determine."
)
SEGMENTS = 8  # answers in the bar of shares


# -- the head ---------------------------------------------------------------------------------------------


def head(told: Told) -> str:
    """Tell the answer first: the sentence, how sure it is, and what speaks against it."""
    title, named = told.said.sentence, ""
    if told.named:
        title = as_sentence(told.undetermined).rstrip(".")
        named = tag("p", f"{told.named}: ", tag("strong", escape(told.said.sentence)))
    return "".join(
        [
            paragraph(f"{told.problem.name}: {told.asked}", "kicker"),
            tag("h1", escape(title)),
            named,
            *map(warning, told.warnings),
            sureness(told),
        ]
    )


def warning(one: Caution) -> str:
    """Write a warning with what to do about it."""
    first, rest = warning_words(one).split(" ", 1)
    return tag(
        "div", tag("p", tag("strong", escape(first)), " ", escape(rest)), class_="warning", role="note"
    )


def sureness(told: Told) -> str:
    """Tell in one number how sure the answer is, and how the belief is shared."""
    found = told.result.findings
    if found is None:
        return paragraph(told.sure)
    number = tag("div", escape(told.share), class_="number")
    what = tag("div", *map(paragraph, (told.sure, as_sentence(told.enough, ACT), told.besides)))
    return tag("div", number, what, class_="hero") + shares_bar(found)


def shares_bar(found: Findings) -> str:
    """Draw how the belief is shared: the answer, the others, and what was not compared."""
    best = found.answer
    ordered = [best, *(one for one in found.answers.all if one is not best)][:SEGMENTS]
    parts = [
        tag("span", class_="best" if one is best else "other", style=f"flex-grow:{one.share:.4f}")
        for one in ordered
    ]
    rest = max(0.0, 1 - sum(one.share for one in ordered))
    parts.append(tag("span", class_="rest", style=f"flex-grow:{rest:.4f}"))
    told = f"The answer has {percent(best.share)} of the belief, the rest is shared by others"
    return tag("div", *parts, class_="shares", role="img", aria_label=told)


# -- what was shown, what was learned ---------------------------------------------------------------------


def shown_card(problem: Problem, walks: Sequence[Walk]) -> str:
    """Draw what was shown, with what each run read."""
    lines = [
        tag("li", badge(walk.number), "reads ", chips(problem.words[walk.number - 1])) for walk in walks[:8]
    ]
    read = tag("ul", *lines, class_="runs")
    title = f"{problem.name}: {count(len(problem.demonstrations), 'demonstration')}"
    rows = []
    for walk in walks:
        way = " ".join(f"{step.action or ''} {step.cell}".strip() for step in walk.steps)
        rows.append((str(walk.number), escape(walk.scene.name), escape(way)))
    table = captioned_table(("run", "world", "start, then each action and where it led"), rows, title)
    listed = more("The runs as a table", table)
    return card(world_figures(problem, walks, title), read, listed, title="What was shown")


def learned_card(told: Told) -> str:
    """Tell what was learned in words, and as one large automaton."""
    result, task, said = told.result, told.result.best.task, told.said
    parts = [
        tag("p", tag("strong", escape(said.sentence))),
        paragraph(as_sentence(told.exact, EXACTLY)),
        items(said.rest),
    ]
    if len(task.parts) > 1:
        joined = f"The task is made of parts, joined by “{task.joined_by}”:"
        pieces = [picture(sized(task_svg(part.automaton, live=True))) for part in task.parts]
        parts += [paragraph(joined), *pieces, paragraph("As one automaton:")]
    title = f"The answer as an automaton: {said.sentence}"
    parts += [automaton_figure(result, title, large=True), paragraph(READ, "quiet")]
    if result.findings is not None:
        about = "Each state with where its letters lead, and how much of the belief agrees."
        table_of_shares = as_html([shares_table(result.findings)])
        parts.append(more("The automaton as a table", paragraph(about), table_of_shares))
    if not told.believed:
        parts.append(paragraph(told.energy, "quiet"))
    return card(*parts, title="What was learned")


# -- how sure, what is open, what to ask -----------------------------------------------------------------


def sure_section(told: Told) -> str:
    """Tell what is settled, likely and open."""
    found = told.result.findings
    if found is None:
        return section("How sure is it?", paragraph(told.sure), anchor="sure")
    lists = [
        card(claim_items(one) if one.claims else paragraph(as_sentence(one.nothing)), title=one.name)
        for one in told.claims
        if one.name
    ]
    letters = [letter.sentence for letter in found.letters if letter.seen is None]
    lead = "What follows from the task, whichever answer is right, and how likely that is."
    return section(
        "How sure is it?",
        tag("div", *lists, class_="cards") if lists else "",
        *(paragraph(one.nothing, "quiet") for one in told.claims if not one.name),
        more("In more detail", items([*how_sure(found), *undetermined(found)]), items(letters)),
        anchor="sure",
        lead=lead if lists else "",
    )


def claim_items(told: ClaimList) -> str:
    lines = (
        tag("li", tag("span", escape(one.share), class_="share"), tag("span", escape(one.sentence)))
        for one in told.claims
    )
    return tag("ul", *lines, class_="claims")


def ask_section(told: Told) -> str:
    """Say what would settle what is open, and the command to do next."""
    cards = []
    for claim in (each for one in told.claims for each in one.claims):
        if claim.word is not None:
            word = tag("p", chips(claim.word))
            asked = paragraph(as_sentence(claim.settle), "quiet")
            cards.append(card(word, asked, title=f"Is it true: {claim.sentence}?"))
    step = told.next_step
    return section(
        "What to do next",
        *([tag("div", *cards, class_="cards")] if cards else []),
        paragraph(as_sentence(step.text), "after"),
        command(step.command),
        paragraph(as_sentence(told.shown_by, SHOWN_BY), "quiet"),
        anchor="next",
    )


def acting_section(told: Told) -> str:
    """Tell which other answers are kept to beside the answer, and what was not compared."""
    if not told.kept_to and not told.not_compared:
        return ""
    kept = paragraph(KEPT_TO) + items(told.kept_to) if told.kept_to else ""
    lead = as_sentence(told.enough, ACT)
    return section("How to act", kept, paragraph(told.not_compared), anchor="act", lead=lead)


# -- other answers ----------------------------------------------------------------------------------------


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
    return section(
        "Alternatives",
        *cards,
        anchor="alternatives",
        lead="Other tasks that explain the runs, and how each differs from the answer.",
    )


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
        none, unknown = "none: no episode here tells them apart", "not looked for: there are too many"
        return [("A run between them", none if one.searched else unknown)]
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
    sides = (("Only the answer asks", found.first_clauses), ("Only this asks", found.second_clauses))
    return [(name, escape("; ".join(clause.sentence for clause in some))) for name, some in sides if some]


def needed(one: Difference) -> str:
    """Say how many demonstrations would tell."""
    if one.demonstrations is None:
        return "more runs like these would not tell"
    where = "" if one.shown_in is None else f" in world {one.shown_in}"
    if one.demonstrations > 1000:
        return escape(f"more runs like these would hardly tell; ask instead{where}")
    return escape(f"about {count(one.demonstrations, 'more run')}{where}")

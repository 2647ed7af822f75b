"""The story: what was learned and how sure that is, what was shown, what is settled and open, what to ask."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.belief import Claim
from demospec.belief.answers import not_determined
from demospec.belief.claims import Status
from demospec.belief.findings import Caution, Findings, counted_worlds, how_sure, undetermined
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.report.answer_report import (
    BOUND,
    NOTHING,
    NOTHING_SETTLED,
    TIME_IS_UP,
    called,
    demonstrator_words,
    energy_sentence,
    enough_words,
    rival_sentence,
    settle_sentence,
    shares_table,
)
from demospec.report.drawings import task_svg
from demospec.report.html import (
    as_html,
    card,
    chips,
    command,
    items,
    more,
    paragraph,
    picture,
    section,
    table,
    tag,
)
from demospec.report.page.figures import Walk, automaton_figure, badge, sized, world_figures
from demospec.report.pictures.svg import escape
from demospec.report.told import Step
from demospec.report.words import EXACT
from demospec.runs.result import Result
from demospec.tasks.words import Description
from demospec.wording import count, percent

READ = (
    "Reading begins at the arrow; a double ring is where a run may end. A letter without an arrow changes "
    "nothing. Pale and dashed is what these runs do not determine."
)
SEGMENTS = 8  # answers in the bar of shares


# -- the head ---------------------------------------------------------------------------------------------


def head(result: Result, said: Description) -> str:
    """Tell the answer first: the sentence, how sure it is, and what speaks against it."""
    problem, found = result.problem, result.findings
    shown = f"{problem.name}: what {count(len(problem.demonstrations), 'demonstration')} asked for"
    title = said.sentence
    named = ""
    if found is not None and resolve(problem).code == "words" and not found.determined:
        title = f"{not_determined(problem)[0].upper()}{not_determined(problem)[1:]}"
        named = tag("p", f"{called(found)}: ", tag("strong", escape(said.sentence)))
    warnings = result.warnings if resolve(problem).code == "words" else list(counted_worlds(problem))
    return "".join(
        [
            paragraph(shown, "kicker"),
            tag("h1", escape(title)),
            named,
            *map(warning, warnings),
            sureness(result),
        ]
    )


def warning(one: Caution) -> str:
    """Write a warning with what to do about it."""
    told = tag("p", tag("strong", "Warning: "), escape(one.message), " ", escape(one.advice))
    return tag("div", told, class_="warning", role="note")


def sureness(result: Result) -> str:
    """Tell in one number how sure the answer is, and how the belief is shared."""
    found = result.findings
    if found is None:
        return paragraph(TIME_IS_UP)
    answer = found.answer
    what = "Probability that this is the whole task" if found.aim else "Probability of this answer"
    what += f"{enough_words(found)}."
    if alike := len(answer.members) - 1:
        what += f" It counts {count(alike, 'other task')} that no episode here tells from it."
    what += rival_sentence(found)
    number = tag("div", escape(percent(answer.share)), class_="number")
    return tag("div", number, paragraph(what), class_="hero") + shares_bar(found)


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
    rows = [
        (
            f"{walk.number}",
            escape(walk.scene.name),
            escape(" ".join(f"{step.action or ''} {step.cell}".strip() for step in walk.steps)),
        )
        for walk in walks
    ]
    return card(
        world_figures(problem, walks, title),
        read,
        more(
            "The runs as a table",
            table(("run", "world", "start, then each action and where it led"), rows, title),
        ),
        title="What was shown",
    )


def learned_card(result: Result, said: Description) -> str:
    """Tell what was learned in words, and as one large automaton."""
    task, found = result.best.task, result.findings
    exact = EXACT[said.exact].format("task" if found is None or found.determined else "answer")
    if said.exact is False and not said.rest:
        exact = f"{exact.removesuffix(':')}."
    parts = [tag("p", tag("strong", escape(said.sentence))), paragraph(exact), items(said.rest)]
    if len(task.parts) > 1:
        joined = f"The task is made of parts, joined by “{task.joined_by}”:"
        pieces = [picture(sized(task_svg(part.automaton, live=True))) for part in task.parts]
        parts += [paragraph(joined), *pieces, paragraph("As one automaton:")]
    title = f"The answer as an automaton: {said.sentence}"
    parts += [automaton_figure(result, title, large=True), paragraph(READ, "quiet")]
    if found is not None:
        about = "Each state with where its letters lead, and how much of the belief agrees."
        parts.append(more("The automaton as a table", paragraph(about), as_html([shares_table(found)])))
    if resolve(result.problem).code != "words":
        parts.append(paragraph(energy_sentence(result), "quiet"))
    return card(*parts, title="What was learned")


# -- how sure, what is open, what to ask -----------------------------------------------------------------


def sure_section(result: Result) -> str:
    """Tell what is settled, likely and open."""
    found, claims = result.findings, result.claims if resolve(result.problem).code == "words" else None
    if found is None:
        return section("How sure is it?", paragraph(TIME_IS_UP), anchor="sure")
    parts = []
    if claims is not None:
        kinds: list[tuple[Status, str]] = [("settled", "Settled"), ("likely", "Likely"), ("open", "Open")]
        told_of = [(name, claims.of(status)) for status, name in kinds]
        lists = [card(claim_list(some), title=name) for name, some in told_of if some]
        parts.append(tag("div", *lists, class_="cards") if lists else "")
        if not claims.told:
            parts.append(paragraph(NOTHING))
        elif not claims.of("settled"):
            parts.insert(0, paragraph(NOTHING_SETTLED))
        if not claims.exact:
            parts.append(paragraph(BOUND, "quiet"))
    told = [*how_sure(found), *undetermined(found)]
    letters = [letter.sentence for letter in found.letters if letter.seen is None]
    parts.append(more("In more detail", items(told), items(letters)))
    lead = "What follows from the task, whichever answer is right, and how likely that is."
    return section("How sure is it?", *parts, anchor="sure", lead=lead if claims is not None else "")


def claim_list(claims: Sequence[Claim]) -> str:
    """Write claims with their probabilities."""
    lines = (
        tag(
            "li",
            tag("span", escape(percent(one.probability)), class_="share"),
            tag("span", escape(one.sentence)),
        )
        for one in claims
    )
    return tag("ul", *lines, class_="claims")


def ask_section(result: Result, step: Step) -> str:
    """Say what would settle what is open, and the command to do next."""
    claims = result.claims if resolve(result.problem).code == "words" else None
    cards = []
    for claim in () if claims is None else claims.of("open"):
        if claim.settle is not None:
            word = tag("p", "The run that reads ", chips(claim.settle.word), " would tell. Is it good?")
            said = settle_sentence(result.problem, claim.settle)
            told = paragraph(f"{said[0].upper()}{said[1:]}.", "quiet")
            cards.append(card(word, told, title=f"Is it true: {claim.sentence}?"))
    return section(
        "What to do next",
        *([tag("div", *cards, class_="cards")] if cards else []),
        paragraph(f"{step.text[0].upper()}{step.text[1:]}", "after"),
        command(step.command),
        *([paragraph(demonstrator_words(result), "quiet")] if result.demonstrator is not None else []),
        anchor="next",
    )

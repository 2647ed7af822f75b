"""The evidence: demonstrations walked step by step with their surprise, paths not taken, who showed it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from demospec.belief.agent import Demonstrator
from demospec.problem import Problem
from demospec.report.drawings import in_world
from demospec.report.html import (
    as_html,
    captioned_table,
    card,
    chips,
    data,
    letter_chip,
    more,
    paragraph,
    picture,
    section,
    tag,
)
from demospec.report.page.figures import (
    LARGEST_MAP,
    Walk,
    automaton_figure,
    fits_a_map,
    sized,
    walks_document,
    world_figures,
)
from demospec.report.pictures.charts import StepBar, share_bars, step_bars
from demospec.report.pictures.svg import escape
from demospec.report.why_report import (
    change_words,
    guess_words,
    left_words,
    most_useful,
    not_taken_svg,
    origin_words,
    surprise_table,
    tried_words,
)
from demospec.report.words import decimal, path_text
from demospec.runs.result import Result
from demospec.runs.why import NotTaken, explain
from demospec.wording import count

CONJECTURES = 3  # each with a map
LEAD = "Step through a run: where it is, which state the task is in, and how surprising the step is."
CHARTS = 12  # runs whose surprise is drawn
NUMBERS: dict[Literal["rationality", "effort", "haste"], str] = {
    "rationality": "how strongly success is preferred",
    "effort": "nats that a step costs",
    "haste": "how likely it takes every step to be the last",
}


def evidence_section(result: Result, walks: Sequence[Walk]) -> str:
    """Tell what the answer rests on."""
    why = explain(result)
    told = most_useful(why, CONJECTURES)
    origin = ""
    if why.origin is not None:
        origin = f"The task was {origin_words(why.origin, result.problem.settings.chains)}."
    cards = [conjecture_card(result.problem, one) for one in told]
    return section(
        "The evidence",
        walk_card(result, walks),
        card(
            paragraph(tried_words(why, told).replace(":", ".") if why.conjectures else ""),
            tag("div", *cards, class_="cards") if cards else "",
            paragraph(origin, "quiet"),
            title="Paths that were not taken" if why.conjectures else "Where it comes from",
        )
        if why.conjectures or origin
        else "",
        "" if result.demonstrator is None else demonstrator_card(result.demonstrator),
        anchor="evidence",
        lead=LEAD,
    )


# -- the walk -----------------------------------------------------------------------------------------------


def walk_card(result: Result, walks: Sequence[Walk]) -> str:
    """Draw world, automaton and surprise, for the script to walk through; all of it stands without it too."""
    problem, why = result.problem, explain(result)
    runs = [walk for walk in walks[:CHARTS] if len(walk.steps) > 1]
    values = (each for walk in runs for step in walk.steps for each in (step.surprise, step.prior_surprise))
    top = max((value for value in values if value is not None and value < math.inf), default=0.0)
    charts = []
    for walk in runs:
        steps = ((step.surprise or 0.0, step.prior_surprise or 0.0, step.letter) for step in walk.steps[1:])
        name = f"demonstration {walk.number}: surprise by step"
        svg = step_bars([StepBar(*step) for step in steps], run=walk.number, title=name, top=top)
        charts.append(tag("div", picture(sized(svg), name.capitalize()), data_only_run=walk.number))
    automaton = automaton_figure(result, "The automaton of the answer", large=False)
    guess = (
        f"Bars: surprise in nats (−ln of the probability of the action) under the answer. Short lines: under "
        f"{guess_words(result)}. Surprise far below the line is what the answer explains."
    )
    world = tag("div", world_figures(problem, runs, "The world"))
    return tag(
        "div",
        tag("h3", "Demonstrations, step by step"),
        tag("div", class_="ds-walker"),
        tag("div", world, tag("div", automaton, *charts), class_="pair"),
        paragraph(guess, "quiet"),
        more("All steps as a table", *(steps_table(walk) for walk in runs)),
        more("Surprise of each demonstration", as_html([surprise_table(problem, why)])),
        data(walks_document(problem, runs), "ds-runs"),
        class_="card",
        data_walk="",
    )


def steps_table(walk: Walk) -> str:
    """Return a run as a table."""
    rows = [
        (
            str(k),
            escape(step.action or "start"),
            escape(step.place),
            "" if step.letter is None else letter_chip(step.letter),
            str(step.state),
            *("" if one is None else decimal(one, ".2f") for one in (step.surprise, step.prior_surprise)),
        )
        for k, step in enumerate(walk.steps)
    ]
    header = ("step", "action", "leads to", "reads", "state", "surprise", "without the task")
    return captioned_table(header, rows, f"demonstration {walk.number}")


# -- paths not taken ---------------------------------------------------------------------------------------


def conjecture_card(problem: Problem, one: NotTaken) -> str:
    """Tell a conjecture as the path that it is about."""
    made, world = one.tested.conjecture, one.scene.world
    verdict = "was guessed to be good after all" if made.label else "was guessed not to be good"
    said = f" {verdict}{escape(in_world(problem, one.scene))}."
    if fits_a_map(one.scene, LARGEST_MAP / 4):
        drawn = picture(sized(not_taken_svg(problem, one, live=True), "The path not taken"))
    else:
        drawn = tag("p", tag("code", escape(path_text(made.path_in(world).to_file(world)))))
    agrees = "The answer agrees." if one.kept else "The answer does not agree."
    return card(
        tag("p", "The run that reads ", chips(made.word), said),
        drawn,
        paragraph(f"It leaves {left_words(world, one)}." if one.demonstrations else ""),
        paragraph(f"{change_words(one).capitalize()}. {agrees}", "quiet"),
    )


# -- who showed it ------------------------------------------------------------------------------------------


def demonstrator_card(agent: Demonstrator) -> str:
    """Draw what is believed of the demonstrator."""
    charts = []
    for key, about in NUMBERS.items():
        title = f"{key.capitalize()}: {about}"
        bars = [(f"{value:g}", chance) for value, chance in agent.chances(key).items()]
        if len(bars) > 1:
            rows = [(name, f"{100 * chance:.1f} %") for name, chance in bars]
            listed = more("As a table", captioned_table((key, "probability"), rows, title))
            charts.append(tag("div", picture(sized(share_bars(bars, title=title)), title), listed))
    if not charts:
        return ""
    about = f"What is believed of the demonstrator, over {count(len(agent.points), 'possible agent')}."
    return card(paragraph(about), tag("div", *charts, class_="cards"), title="Who showed it")

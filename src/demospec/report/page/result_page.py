"""The page of a result, whole: the story, alternatives, the evidence, and how to run it again."""

from __future__ import annotations

import platform
import shlex
from importlib.metadata import PackageNotFoundError, version

from demospec.explain.setup import resolve
from demospec.problem.settings import table
from demospec.report.answer_report import SHOWN, ranking
from demospec.report.drawings import energy_svg
from demospec.report.html import captioned_table, card, command, more, paragraph, picture, section, shell, tag
from demospec.report.page.evidence import evidence_section
from demospec.report.page.figures import sized, walks_of
from demospec.report.page.story import (
    acting_section,
    alternatives_section,
    ask_section,
    head,
    learned_card,
    shown_card,
    sure_section,
)
from demospec.report.pictures.svg import escape
from demospec.report.told import Told
from demospec.runs.result import Result, Source
from demospec.runs.why import explain

CONTENTS = (
    ("main", "Answer"),
    ("sure", "How sure"),
    ("act", "How to act"),
    ("next", "Next"),
    ("alternatives", "Alternatives"),
    ("evidence", "Evidence"),
    ("again", "Run again"),
)


def result_page(told: Told) -> str:
    """Return the standalone page of a result."""
    result = told.result
    walks = list(walks_of(result.problem, result.best.task.automaton, explain(result).demonstrations))
    story = tag("div", shown_card(result.problem, walks), learned_card(told), class_="pair")
    parts = [
        head(told),
        tag("section", story, aria_label="What was shown and learned", data_link=""),
        sure_section(told),
        acting_section(told),
        ask_section(told),
        alternatives_section(result),
        evidence_section(result, walks),
        again_section(told),
    ]
    body = "\n".join(part for part in parts if part)
    contents = [one for one in CONTENTS if f'id="{one[0]}"' in body or one[0] == "main"]
    return shell(result.problem.name, body, contents=contents, alive=True, letters=result.problem.alphabet)


# -- how the search went, and how to run it again -------------------------------------------------------

PACKAGES = ("demospec", "numpy", "python-sat", "msgspec")


def again_section(told: Told) -> str:
    """Tell how the search went, and how to have the same result again."""
    result, source = told.result, told.source
    used = result.problem.settings.by_name
    settings = [(one.key.removeprefix("search."), setting_text(used[one.name])) for one in table()]
    same = card(
        command(command_to_repeat(result, source)),
        paragraph(f"The same seed, {result.seed}, and the same versions give the same result."),
        facts(versions(), "Versions"),
        more("All settings of the search", facts(settings, "Settings")),
        title="The same result",
    )
    went = card(
        paragraph(f"{told.searched}. It ended because {told.ended}."),
        paragraph(told.not_scored, "quiet"),
        picture(sized(energy_svg(result, live=True)), class_="large"),
        title="How the search went",
    )
    title = "The answers" if resolve(result.problem).code == "words" else "The best tasks"
    numbers = more(f"{title}, with their numbers", ranking_table(result, title))
    return section("Run it again", tag("div", same, went, class_="pair"), numbers, anchor="again")


def command_to_repeat(result: Result, source: Source) -> str:
    """Return the command that learns the same once more."""
    options = list(source.options)
    if "--seed" not in options:
        options += ["--seed", str(result.seed)]
    given = " ".join(map(shlex.quote, options))
    return f"demospec learn {source.name} {given}" + (" …" if source.narrowed else "")


def ranking_table(result: Result, title: str) -> str:
    """Return the first answers, or tasks, with their numbers; automata are written, not drawn."""
    found = ranking(result, SHOWN)
    rows = [
        [escape(cell) if isinstance(cell, str) else tag("code", escape(cell.text)) for cell in row]
        for row in found.rows
    ]
    return captioned_table(found.header, rows, title)


def versions() -> list[tuple[str, str]]:
    """Return what the result was made with."""
    found = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:  # a copy of the source that was never installed
            found.append((name, "not installed"))
    return found


def setting_text(value: object) -> str:
    """Write a setting.

    >>> setting_text(True), setting_text(None), setting_text((1, 2)), setting_text(0.002)
    ('yes', 'none', '1, 2', '0.002')
    """
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def facts(pairs: list[tuple[str, str]], title: str) -> str:
    rows = [(escape(name), escape(value)) for name, value in pairs]
    return tag("div", captioned_table(("name", "value"), rows, title), class_="facts")

"""The page of a result, whole: the story, alternatives, the evidence, and how to run it again."""

from __future__ import annotations

from demospec.report.next_step import Source, next_step
from demospec.report.page.again import again_section
from demospec.report.page.alternatives import alternatives_section
from demospec.report.page.evidence import evidence_section
from demospec.report.page.html import tag
from demospec.report.page.shell import shell
from demospec.report.page.story import ask_section, head, learned_card, shown_card, sure_section
from demospec.report.page.walks import walks_of
from demospec.report.said import in_full
from demospec.runs.result import Result
from demospec.runs.why import explain

CONTENTS = (
    ("main", "Answer"),
    ("sure", "How sure"),
    ("next", "Next"),
    ("alternatives", "Alternatives"),
    ("evidence", "Evidence"),
    ("again", "Run again"),
)


def result_page(result: Result, source: Source | None = None) -> str:
    """Return the standalone page of a result; `source` says which file it is about."""
    source = Source() if source is None else source
    said = in_full(result.problem, result.best.task, result.stop)
    walks = list(walks_of(result.problem, result.best.task.automaton, explain(result).demonstrations))
    story = tag("div", shown_card(result.problem, walks), learned_card(result, said), class_="pair")
    parts = [
        head(result, said),
        tag("section", story, aria_label="What was shown and learned", data_link=""),
        sure_section(result),
        ask_section(result, next_step(result, source)),
        alternatives_section(result),
        evidence_section(result, walks),
        again_section(result, source),
    ]
    body = "\n".join(part for part in parts if part)
    contents = [one for one in CONTENTS if f'id="{one[0]}"' in body or one[0] == "main"]
    return shell(result.problem.name, body, contents=contents, alive=True, letters=result.problem.alphabet)

"""How sure a result is, as a section of its page."""

from __future__ import annotations

from functools import lru_cache

from demospec.belief import Findings
from demospec.belief.findings import how_sure, undetermined
from demospec.belief.letters import percent
from demospec.belief.undetermined import Undetermined
from demospec.errors import word_text
from demospec.report.automaton_svg import automaton_svg
from demospec.report.svg import escape

SHARES = "<h4>How much of the belief shares each part of the best task</h4>"


@lru_cache(maxsize=64)
def open_picture(shown: Undetermined) -> str:
    """Return the picture of a task with what is not determined drawn light."""
    return automaton_svg(shown.task, light=shown.light, also=shown.also)


def belief_html(found: Findings) -> str:
    """Return the section."""
    told = "".join(f"<li>{escape(line)}</li>" for line in [*how_sure(found), *undetermined(found)])
    letters = "".join(
        f"<li>{escape(letter.sentence)}</li>" for letter in found.letters if letter.seen is None
    )
    return (
        f"<h3>How sure is it?</h3><ul>{told}</ul>"
        "<p>Tasks that this world does not tell apart are one answer, named by the smallest. Pale and dashed "
        "is what no episode would show.</p>"
        f"{answers_table(found)}{SHARES}{shares_table(found)}"
        f"<h4>What is believed of each letter</h4><ul>{letters}</ul>"
    )


def answers_table(found: Findings) -> str:
    """Return the first answers with their pictures."""
    differences = {difference.other: difference for difference in found.differences}
    rows = []
    for answer, shown in zip(found.answers.all, found.open_answers, strict=False):
        difference = differences.get(answer)
        word, needed = "", ""
        if difference is not None:
            needed = "" if difference.demonstrations is None else str(difference.demonstrations)
            if difference.word is not None:
                verdict = "accepts" if difference.accepted else "rejects"
                word = f"best {verdict} {escape(word_text(difference.word))}"
        rows.append(
            f"<tr><td>{percent(answer.share)}</td><td>{len(answer.members)}</td><td>{word}</td>"
            f"<td>{needed}</td><td>{open_picture(shown)}</td></tr>"
        )
    head = (
        "<tr><th>share</th><th>tasks</th><th>differs</th><th>demonstrations to tell</th><th>answer</th></tr>"
    )
    return f"<table>{head}{''.join(rows)}</table>"


def shares_table(found: Findings) -> str:
    """Return the share of every state and letter: rows are states, and where each letter leads."""
    shares, task = found.shares, found.shares.task
    head = "".join(f"<th>{escape(letter)}</th>" for letter in task.alphabet)
    rows = []
    for q, row in enumerate(task.table):
        cells = "".join(
            f"<td>→ {target}: {percent(float(share))}</td>"
            for target, share in zip(row, shares.transitions[q].tolist(), strict=True)
        )
        verdict = "accepts" if task.accepting[q] else "rejects"
        rows.append(f"<tr><td>{q}</td>{cells}<td>{verdict}: {percent(float(shares.marks[q]))}</td></tr>")
    return f"<table><tr><th>state</th>{head}<th>a word that ends here</th></tr>{''.join(rows)}</table>"

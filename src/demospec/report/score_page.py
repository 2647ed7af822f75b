"""How one task explains a problem, and what its agent does, as a folder: JSON, maps and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from demospec.errors import word_text
from demospec.explain.acting import policy as policy_of
from demospec.explain.score import Evaluation
from demospec.plan.policy import Policy
from demospec.problem import Problem
from demospec.report.documents import Document, dumps, score_document
from demospec.report.folder import make_folder, write_file
from demospec.report.html import STYLE
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.svg import escape
from demospec.report.policy_document import overview_document, read_as
from demospec.report.policy_maps import monitor_name, policy_maps, shown_monitors

PIVOTS = 8
MAP_STYLE = """
body{max-width:88rem}p,h2,h3{max-width:60rem}
.maps{display:flex;flex-wrap:wrap;gap:1rem}.maps figure{flex:1 1 24rem;max-width:42rem;margin:0}
"""


def write_score(problem: Problem, found: Evaluation, folder: Path, *, time: int = 0) -> list[Path]:
    """Write score.json, score.html, and maps where the world is a grid."""
    policy = policy_of(problem, found.score.task, rationality=found.score.rationality)
    overview = overview_document(policy, policy.worth(time))
    maps = policy_maps(problem, policy, overview)
    document = {**score_document(problem, found), "policy": overview}
    page = score_page(problem, policy, document, maps)
    texts = {"score.json": dumps(document) + "\n", **maps, "score.html": page}
    make_folder(folder)
    for name, text in texts.items():
        write_file(folder / name, text)
    return [folder / name for name in texts]


def score_page(problem: Problem, policy: Policy, document: Document, maps: dict[str, str]) -> str:
    """Return the report as a standalone page."""
    title = escape(problem.name)
    parts = [*explanation(problem, policy, document), *behaviour(policy, document["policy"], maps)]
    body = "\n".join([*parts, *gradient(document)])
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} – demospec</title>'
        f"<style>{STYLE}{MAP_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def explanation(problem: Problem, policy: Policy, document: Document) -> list[str]:
    """Return how well the task explains what was shown."""
    weights = problem.weights
    rows = [
        (
            str(number),
            f"{demo['surprise']:.4f}",
            "accepted" if demo["accepted"] else "rejected",
            "complete" if demo["complete"] else "unfinished",
            word_text(demo["word"]),
        )
        for number, demo in enumerate(document["demonstrations"], start=1)
    ]
    return [
        f"<h2>{escape(problem.name)}: an agent with this task</h2>",
        f"<figure>{automaton_svg(read_as(policy))}</figure>",
        f"<p>energy {document['energy']:.4f} = {weights.size_weight:g} × "
        f"{document['size'] - problem.prior_size} bits + {weights.surprise_weight:g} × "
        f"{document['surprise']:.4f} nats. The agent's rationality is {document['rationality']:.6g}. "
        f"It succeeds with probability {document['satisfaction_probability']:.4f}, and its episodes take "
        f"{document['policy']['expected_steps']:.2f} steps on average.</p>",
        "<h3>What was shown</h3>",
        html_table(("", "surprise", "word is", "", "word"), rows),
    ]


def behaviour(policy: Policy, overview: Document, maps: dict[str, str]) -> list[str]:
    """Return where the agent goes and what situations are worth to it: maps, or tables."""
    time, shown = overview["time"], shown_monitors(policy)
    when = (
        "Values are those at the beginning of an episode"
        if time == 0
        else f"Values are those after {time} steps"
    )
    about = f"{when}, as if the agent were there, with the task in the state named before the place is read."
    left_out = policy.monitor.states - len(shown)
    if left_out:
        about += f" {left_out} of {policy.monitor.states} states of the task, seldom reached, are left out."
    if not maps:
        parts = ["<h3>Where the agent goes</h3>", visits_table(overview)]
        parts += ["<h3>What places are worth</h3>", f"<p>{about}</p>"]
        return [*parts, *(worth_table(overview, monitor) for monitor in shown)]
    parts = [
        "<h3>Where the agent goes</h3>",
        figures(maps, [name for name in ("visits.svg", "ever.svg") if name in maps]),
    ]
    if "ever.svg" not in maps:
        parts.append("<p>The world is too large to say which cells are visited at all.</p>")
    parts.append(f"<h3>By the state of the task</h3><p>{about}</p>")
    for monitor in shown:
        parts.append(f"<h3>{escape(monitor_name(overview, monitor).capitalize())}</h3>")
        parts.append(figures(maps, [f"{kind}-{monitor}.svg" for kind in ("value", "success", "visits")]))
    return parts


def figures(maps: dict[str, str], names: Sequence[str]) -> str:
    """Return maps side by side."""
    return f'<div class="maps">{"".join(f"<figure>{maps[name]}</figure>" for name in names)}</div>'


def visits_table(overview: Document) -> str:
    """Return how often the agent is in each state, and what it does there."""
    rows = [
        (
            state_text(entry["state"]),
            entry["label"] or "",
            f"{entry['visits']:.4f}",
            "" if entry["ever"] is None else f"{entry['ever']:.4f}",
            f"{entry['ends']:.4f}",
            actions_text(entry["actions"]),
        )
        for entry in overview["states"]
    ]
    return html_table(("state", "label", "visits", "ever visited", "ends here", "what it does"), rows)


def worth_table(overview: Document, monitor: int) -> str:
    """Return what each state is worth while the task is in one of its states."""
    rows = [
        (
            state_text(entry["state"]),
            f"{entry['value'][monitor]:.4f}",
            f"{entry['satisfaction_probability'][monitor]:.4f}",
            f"{entry['visits_by_monitor'][monitor]:.4f}",
            actions_text(entry["actions_by_monitor"][monitor]),
        )
        for entry in overview["states"]
    ]
    name = escape(f"Task in {monitor_name(overview, monitor)}")
    return f"<p>{name}</p>" + html_table(("state", "value", "satisfied", "visits", "what it does"), rows)


def gradient(document: Document) -> list[str]:
    """Return the pivots with the largest gradients."""
    loud = sorted(document["pivots"], key=lambda pivot: -abs(pivot["gradient"]))[:PIVOTS]
    rows = [
        (
            f"{pivot['gradient']:+.4f}",
            f"{pivot['deviation_probability']:.4f}",
            pivot["player"],
            "accept less" if pivot["gradient"] > 0 else "accept more",
            " ".join(["start", *map(state_text, pivot["prefix"])]) + (" (end)" if pivot["complete"] else ""),
        )
        for pivot in loud
    ]
    return [
        "<h3>What would be less surprising</h3>",
        "<p>Pivots with the largest gradients: accept less or more of what leaves the runs there.</p>",
        html_table(("gradient", "leaves", "player", "", "after"), rows),
    ]


def state_text(state: object) -> str:
    """Write a state, or an action, of a problem file.

    >>> state_text([3, 1]), state_text("hall")
    ('(3, 1)', 'hall')
    """
    return f"({state[0]}, {state[1]})" if isinstance(state, list) else str(state)


def actions_text(actions: dict[str, float]) -> str:
    """Write what is chosen, the most likely first.

    >>> actions_text({"up": 0.25, "down": 0.75})
    'down 0.7500, up 0.2500'
    """
    order = sorted(actions.items(), key=lambda item: -item[1])
    return ", ".join(f"{action} {chance:.4f}" for action, chance in order)


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are plain text."""
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in header)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"

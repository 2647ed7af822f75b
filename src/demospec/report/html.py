"""A result as one HTML page: pictures first, numbers beside them; no script, no network."""

from __future__ import annotations

from functools import lru_cache

from demospec.report.belief_html import belief_html, open_picture
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.chart import Band, band_chart
from demospec.report.pictures.svg import escape
from demospec.report.why_html import paths_svg, why_html
from demospec.runs.learn import Result
from demospec.tasks import DFA, Composite

SHOWN = 5  # tasks drawn in a report

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
body{color:#1b1f24;background:#fff}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.25rem .75rem;border-bottom:1px solid #d0d7de;text-align:right;vertical-align:middle}
td:last-child,th:last-child{text-align:left}
figure{margin:1rem 0}code{font-size:.9em}svg{max-width:100%;height:auto}
"""


@lru_cache(maxsize=64)
def picture(task: DFA) -> str:
    """Return the picture of a task; the best is shown twice, and a layout takes a moment."""
    return automaton_svg(task.minimal)


def drawing(task: DFA, *, whole: bool = False) -> str:
    """Return the picture of a task; of one with parts, of these and, if asked for, of the whole."""
    if not isinstance(task, Composite):
        return picture(task)
    parts = f"<p>{task.operator}</p>".join(map(picture, task.parts))
    return f"{parts}<p>or, as one automaton,</p>{picture(task.minimal)}" if whole else parts


def best_drawing(result: Result) -> str:
    """Return the picture of the best task; what is not determined is light, unless it has parts."""
    if isinstance(result.best.task, Composite):
        return drawing(result.best.task, whole=True)
    return open_picture(result.findings.open)


def world_svg(result: Result) -> str | None:
    """Return the map with the demonstrations on it, where the world is a grid."""
    return paths_svg(result.problem, result.problem.demonstrations, title=result.problem.name)


def energy_svg(result: Result) -> str:
    """Return the lowest energy by iteration, one line for each chain."""
    chains: dict[int, list[float]] = {}
    for row in result.trace:
        energy = float("inf") if row.info.best is None else row.info.best.energy
        chains.setdefault(row.chain, []).append(energy)
    bands = [Band(f"chain {chain + 1}", line, line, line) for chain, line in chains.items()]
    return band_chart(bands, title="Lowest energy found", x_label="iteration", y_label="energy")


def result_html(result: Result) -> str:
    """Return the body of the report; a notebook shows it as it is."""
    best = result.best
    parts = [
        f"<h2>{escape(result.problem.name)}: the task learned</h2>",
        f"<figure>{best_drawing(result)}</figure>",
    ]
    parts.append(
        f"<p>energy {best.energy:.4f} = {result.problem.weights.size_weight:g} × "
        f"{best.size - result.problem.prior_size} bits + {result.problem.weights.surprise_weight:g} × "
        f"{best.surprise:.4f} nats; an agent that pursues it succeeds with probability "
        f"{best.satisfaction_probability:.4f}.</p>"
    )
    world = world_svg(result)
    if world is not None:
        parts.append(f"<h3>What was shown</h3><figure>{world}</figure>")
    rows = "".join(
        f"<tr><td>{number}</td><td>{entry.score.energy:.4f}</td><td>{entry.score.size}</td>"
        f"<td>{entry.score.surprise:.4f}</td><td>{entry.score.satisfaction_probability:.4f}</td>"
        f"<td>{entry.weight:.4f}</td><td>{drawing(entry.score.task)}</td></tr>"
        for number, entry in enumerate(result.ranked[:SHOWN], start=1)
    )
    parts.append(
        "<h3>The best tasks</h3><table><tr><th></th><th>energy</th><th>size</th><th>surprise</th>"
        f"<th>satisfied</th><th>weight</th><th>task</th></tr>{rows}</table>"
    )
    parts.append(belief_html(result.findings))
    parts.append(why_html(result))
    parts.append(f"<h3>How the search went</h3><figure>{energy_svg(result)}</figure>")
    return "\n".join(parts)


def result_page(result: Result) -> str:
    """Return the report as a standalone page."""
    title = escape(result.problem.name)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} – demospec</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{result_html(result)}\n</body></html>\n"
    )

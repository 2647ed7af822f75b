"""Why a result is what it is, on the page: tables, and maps of paths not taken."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.problem import Problem
from demospec.report.pictures.path_map import path_map
from demospec.report.pictures.svg import escape
from demospec.report.why_words import (
    change_words,
    gains_words,
    guess_words,
    label_words,
    left_words,
    most_useful,
    origin_words,
    tried_words,
)
from demospec.runs.learn import Result
from demospec.runs.why import NotTaken, explain
from demospec.worlds.paths import Path

DRAWN = 3  # conjectures
TOGETHER = 4  # demonstrations on one map


def why_html(result: Result) -> str:
    """Return the section of the page that says why."""
    why, mdp = explain(result), result.problem.mdp
    rows = "".join(
        f"<tr><td>{shown.number}</td><td>{shown.surprise:.4f}</td><td>{shown.prior_surprise:.4f}</td>"
        f"<td>{shown.gain:+.4f}</td><td>{escape(gains_words(mdp, shown))}</td></tr>"
        for shown in why.demonstrations
    )
    gain = why.prior_guess.surprise - why.best.surprise
    rows += (
        f"<tr><td>all</td><td>{why.best.surprise:.4f}</td><td>{why.prior_guess.surprise:.4f}</td>"
        f"<td>{gain:+.4f}</td><td></td></tr>"
    )
    parts = [
        "<h3>Why</h3>",
        "<p>Surprise in nats under the best task and under the prior guess, "
        f"{escape(guess_words(result))}; and the steps at which the best task explains most.</p>",
        "<table><tr><th>demonstration</th><th>best task</th><th>prior guess</th><th>gain</th>"
        f"<th>largest gains</th></tr>{rows}</table>",
    ]
    if why.origin is not None:
        chains = result.problem.settings.chains
        parts.append(f"<p>The best task was {escape(origin_words(why.origin, chains))}.</p>")
    told = most_useful(why, DRAWN)
    parts.append(f"<p>{escape(tried_words(why, told))}</p>")
    if told:
        entries = "".join(f"<li>{not_taken_html(result.problem, one)}</li>" for one in told)
        parts.append(f"<ol>{entries}</ol>")
    return "\n".join(parts)


def not_taken_html(problem: Problem, one: NotTaken) -> str:
    """Return one conjecture: what was conjectured, where its path leaves, what it changed, and the map."""
    agrees = "as conjectured" if one.kept else "not as conjectured"
    said = (
        f"{label_words(one)}. The path leaves {left_words(problem.mdp, one)}. "
        f"What trying it changed: {change_words(one)}. In the best task the word is {agrees}."
    )
    drawing = paths_svg(
        problem,
        [problem.demonstrations[number - 1] for number in one.demonstrations[:TOGETHER]],
        numbers=one.demonstrations[:TOGETHER],
        not_taken=one.tested.conjecture.path,
    )
    return f"{escape(said[0].upper() + said[1:])}" + (f"<figure>{drawing}</figure>" if drawing else "")


def paths_svg(
    problem: Problem,
    shown: Sequence[Path],
    *,
    numbers: Sequence[int] = (),
    not_taken: Path | None = None,
    title: str = "",
) -> str | None:
    """Return the map with paths on it, where the world is a grid."""
    if problem.grid is None:
        return None

    def cell(state: int) -> tuple[int, int]:
        name = problem.original.states[state]
        assert not isinstance(name, str)
        return name

    def cells(path: Path) -> list[tuple[int, int]]:
        return [cell(state) for state in problem.in_original(path).states(problem.original)]

    return path_map(
        problem.grid,
        start=cell(problem.original.start),
        paths=[cells(path) for path in shown],
        numbers=numbers,
        not_taken=[] if not_taken is None else cells(not_taken),
        title=title,
    )

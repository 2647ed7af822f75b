"""Why a result is what it is, for the terminal."""

from __future__ import annotations

from demospec.cli.text import path_text, table
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
from demospec.runs.result import Result
from demospec.runs.why import explain

CONJECTURES = 5  # told


def why_text(result: Result) -> str:
    """Tell each demonstration's surprise, the conjectures that helped most, and the best task's origin."""
    why, world = explain(result), result.problem.world
    rows = [
        (
            str(shown.number),
            f"{shown.surprise:.4f}",
            f"{shown.prior_surprise:.4f}",
            f"{shown.gain:+.4f}",
            gains_words(world, shown),
        )
        for shown in why.demonstrations
    ]
    rows.append(
        (
            "all",
            f"{why.best.surprise:.4f}",
            f"{why.prior_guess.surprise:.4f}",
            f"{why.prior_guess.surprise - why.best.surprise:+.4f}",
            "",
        )
    )
    lines = [
        f"Why: surprise (nats) under the best task and under the prior guess, {guess_words(result)}",
        "",
        table(("demonstration", "best task", "prior guess", "gain", "largest gains"), rows),
        "",
    ]
    if why.origin is not None:
        lines += [f"The best task was {origin_words(why.origin, result.problem.settings.chains)}.", ""]
    told = most_useful(why, CONJECTURES)
    lines.append(tried_words(why, told))
    for number, one in enumerate(told, start=1):
        lines += [
            "",
            f"{number}. {label_words(one)}",
            f"   path      {path_text(one.tested.conjecture.path.to_file(world))}",
            f"   leaves    {left_words(world, one)}",
            f"   change    {change_words(one)}",
            f"   in the best task the word is {'as conjectured' if one.kept else 'not as conjectured'}",
        ]
    return "\n".join(lines)

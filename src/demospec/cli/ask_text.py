"""What both dialogues of `ask` tell, and how they read a line."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from demospec.errors import count
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.report.said import sentence


def answers_text(answers: Sequence[tuple[Score, float]], where: str = "") -> str:
    """Tell the likeliest answers on one line."""
    best = "  ".join(f"{share:.0%} {sentence(score.task)}" for score, share in answers[:3])
    return f"{count(len(answers), 'answer')} possible{where}: {best}"


def best_lines(score: Score, share: float) -> list[str]:
    """Tell what was learned."""
    lines = [f"task      {sentence(score.task)}", f"automaton {score.task.automaton}"]
    return ["", score.task.pretty(), "", *lines, f"belief    {share:.4f}"]


def world_text(problem: Problem, name: str) -> str:
    """Say in which world, where there are several."""
    return f' in the world "{name}"' if len(problem.scenes) > 1 else ""


def read_line(prompt: str) -> str | None:
    """Ask for a line of standard input; None at its end."""
    click.echo(prompt, nl=False)
    line = b"" if sys.stdin is None else sys.stdin.buffer.readline()
    if not line:
        click.echo()
        return None
    return line.decode("utf-8", "replace").strip()

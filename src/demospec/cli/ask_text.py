"""What both dialogues of `ask` tell, and how they read a line."""

from __future__ import annotations

import sys

from demospec.ask.standing import Standing
from demospec.belief.answers import not_determined
from demospec.cli.streams import say
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.report.words import sentence
from demospec.wording import count


def answers_text(standing: Standing, where: str = "") -> str:
    """Tell the likeliest answers on one line, after saying whether they determine the task."""
    answers = standing.answers
    best = "  ".join(f"{share:.0%} {sentence(score.task)}" for score, share in answers[:3])
    told = f"{count(len(answers), 'answer')} possible{where}: {best}"
    return told if standing.determined else f"{not_determined(standing.problem)}; {told}"


def best_lines(standing: Standing, score: Score, share: float) -> list[str]:
    """Tell what was learned."""
    name = "task      " if standing.determined else "answer    "
    lines = [f"{name}{sentence(score.task)}", f"automaton {score.task.automaton}", f"belief    {share:.4f}"]
    begin = [] if standing.determined else ["the task is not determined"]
    return [*begin, "", score.task.pretty(), "", *lines]


def world_text(problem: Problem, name: str) -> str:
    """Say in which world, where there are several."""
    return f' in the world "{name}"' if len(problem.scenes) > 1 else ""


def read_line(prompt: str) -> str | None:
    """Ask for a line of standard input; None at its end."""
    say(prompt, nl=False)
    line = b"" if sys.stdin is None else sys.stdin.buffer.readline()
    if not line:
        say()
        return None
    return line.decode("utf-8", "replace").strip()

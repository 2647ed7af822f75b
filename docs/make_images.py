"""Draw the pictures of docs/ideas.md and of the front page into docs/images: `python docs/make_images.py`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import demospec
from demospec.problem import Problem
from demospec.report.drawings import paths_svg, world_svg
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.policy_report import overview_document, policy_maps
from demospec.report.words import sentence
from demospec.runs.result import Result
from demospec.runs.why import explain

IMAGES = Path(__file__).parent / "images"
INK, PALE, DARK = "#57606a", "#9db4d6", "#2f5d9f"  # readable on white and on dark pages


def bars(rows: Sequence[tuple[str, Sequence[tuple[float, str]]]], *, unit: str, names: Sequence[str]) -> str:
    """Draw rows of a name and one or two bars, each with its number; `names` say what the bars are."""
    greatest = max(value for _, values in rows for value, _ in values)
    left, width, tall = 8 * max(len(name) for name, _ in rows) * 0.86 + 12, 260, 15
    lines, y = [], 4.0
    colours = (PALE, DARK) if len(names) > 1 else (DARK,)
    for name, values in rows:
        middle = y + tall * len(values) / 2
        lines.append(f'<text x="{left - 8:.0f}" y="{middle + 4:.0f}" text-anchor="end">{name}</text>')
        for (value, told), colour in zip(values, colours, strict=True):
            long = max(1.0, width * value / greatest)
            lines.append(
                f'<rect x="{left:.0f}" y="{y:.0f}" width="{long:.1f}" height="{tall - 3}" fill="{colour}"/>'
            )
            lines.append(f'<text x="{left + long + 5:.0f}" y="{y + 10:.0f}" font-size="11">{told}</text>')
            y += tall
        y += 6
    if len(names) > 1:
        for name, colour in zip(names, colours, strict=True):
            lines.append(f'<rect x="{left:.0f}" y="{y + 4:.0f}" width="12" height="12" fill="{colour}"/>')
            lines.append(f'<text x="{left + 18:.0f}" y="{y + 14:.0f}">{name}{unit}</text>')
            y += 20
    across = left + width + 60
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:.0f} {y + 6:.0f}" '
        f'width="{across:.0f}" height="{y + 6:.0f}" font-family="sans-serif" font-size="12" fill="{INK}">\n'
        + "\n".join(lines)
        + "\n</svg>\n"
    )


def agent_map(problem: Problem, rationality: float) -> str:
    """Draw where an agent of a rationality goes."""
    task = demospec.load_task("never r; reach y with no b since g", problem.alphabet)
    policy = demospec.policy(problem, task, rationality=rationality, effort=0)
    overview = overview_document(policy, policy.worth())
    return policy_maps(problem, problem.scenes[0], policy, overview)["visits.svg"]


def surprise_by_step(problem: Problem, result: Result) -> str:
    """Draw the surprise of each step of the second run, aimless and with the learned task."""
    steps = explain(result).demonstrations[1].steps
    world = problem.scenes[0].world
    rows = [
        (
            f"{step.number}: {world.action(step.pair)} in {world.name(step.state)}",
            [(step.prior_surprise, f"{step.prior_surprise:.2f}"), (step.surprise, f"{step.surprise:.2f}")],
        )
        for step in steps
    ]
    return bars(rows, unit=", surprise in nats", names=["aimless agent", "agent of the learned task"])


def posterior(result: Result) -> str:
    """Draw the likeliest answers."""
    assert result.findings is not None
    rows = [
        (sentence(answer.smallest.task), [(answer.share, f"{answer.share:.0%}")])
        for answer in result.findings.answers.all[:6]
    ]
    return bars(rows, unit="", names=["probability"])


def claims(result: Result) -> str:
    """Draw what is settled, likely and open."""
    assert result.claims is not None
    rows = [
        (f"{one.sentence} ({one.status})", [(one.probability, f"{math.floor(100 * one.probability)} %")])
        for one in result.claims.told
    ]
    return bars(rows, unit="", names=["probability"])


def conjecture(problem: Problem) -> str:
    """Draw the conjecture that helped most in the paper's search."""
    result = demospec.learn(problem.with_settings(method="paper"), seed=0)
    first = explain(result).conjectures[0]
    shown = [problem.demonstrations[number - 1] for number in first.demonstrations[:1]]
    scene = first.scene
    path = first.tested.conjecture.path_in(scene.world)
    return paths_svg(scene, shown, numbers=first.demonstrations[:1], not_taken=path)


def same_answer(result: Result) -> list[str]:
    """Draw the two smallest tasks of the likeliest answer."""
    assert result.findings is not None
    members = sorted(result.findings.answer.members, key=lambda score: score.size)
    for score in members[:6]:
        print(f"{score.size:5.1f} bits  {sentence(score.task)}  {score.task.automaton}")
    return [automaton_svg(score.task.automaton) for score in members[:2]]


if __name__ == "__main__":
    robot = demospec.load_example("robot")
    learned = demospec.learn(robot, seed=0)
    first, second = same_answer(learned)
    pictures = {
        "world": world_svg(robot.scenes[0], ""),
        "best": automaton_svg(learned.best.task.automaton),
        "agent-2": agent_map(robot, 2),
        "agent-20": agent_map(robot, 20),
        "surprise": surprise_by_step(robot, learned),
        "posterior": posterior(learned),
        "claims": claims(learned),
        "conjecture": conjecture(demospec.load_example("robot-paper")),
        "same-1": first,
        "same-2": second,
    }
    for name, svg in pictures.items():
        (IMAGES / f"{name}.svg").write_text(svg, encoding="utf-8")

"""The dialogue of `ask` about demonstrations: it offers a start or an edited map, and takes a run there."""

from __future__ import annotations

import numpy as np

from demospec.ask.illustration import illustrate_starts
from demospec.ask.information import Information
from demospec.ask.offers import Edit, Offer, but_for_starts
from demospec.ask.problem_file import ProblemFile
from demospec.ask.showing import Showing
from demospec.cli import Interrupted
from demospec.cli.ask_text import answers_text, best_lines, read_line, world_text
from demospec.cli.streams import say, show
from demospec.cli.typed_path import read_typed, typed
from demospec.errors import InputError
from demospec.explain.score import plan_task
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.report.blocks import Paragraph
from demospec.tasks import DFA
from demospec.wording import count
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.world import World


class Demonstrating:
    """Who demonstrates: an agent with a task, or the lines of standard input."""

    def __init__(self, oracle: DFA | None, seed: int) -> None:
        self.oracle, self.seed = oracle, seed

    def __call__(self, problem: Problem, scene: Scene, number: int) -> Path | str:
        """Return a path of the scene's original world, or s or q; what cannot be read is asked again.

        An empty line is s. The end of the input is q.
        """
        world = scene.original
        prompt = f"your run, as in {example(world)} (an empty line skips, q quits): "
        if self.oracle is not None:
            path = self.drawn(self.oracle, problem, scene, number)
            say(f"{prompt}{typed(world, path)}")
            return path
        while True:
            line = read_line(prompt)
            if line is None or line.lower() in ("q", "quit"):
                return "q"
            if not line:
                return "s"
            try:
                return read_typed(world, line)
            except InputError as error:
                say(str(error))

    def drawn(self, oracle: DFA, problem: Problem, scene: Scene, number: int) -> Path:
        """Let an agent with a task demonstrate."""
        rng = np.random.default_rng([self.seed, number])
        path = sample_path(plan_task(problem, oracle, scene, nearest=True), rng)
        return scene.drawn_in_original(path, rng)


def example(world: World) -> str:
    """Return what a step from a start looks like when it is typed."""
    state = world.starts[0][0]
    pair = world.pairs(state)[0]
    reached, _ = max(world.outcomes(pair), key=lambda outcome: outcome[1])
    start = state if len(world.starts) > 1 else None
    return typed(world, Path(((pair, reached),), complete=False, start=start))


def show_runs(showing: Showing, demonstrating: Demonstrating, most: int, file: ProblemFile | None) -> None:
    """Ask for demonstrations until the task is clear, or there were enough; then tell what was learned."""
    if not showing.contradiction:
        show([Paragraph(f"{showing.problem.name}: {answers_text(showing.standing)}")])
    asked, reason, current = 0, "", showing
    try:
        while True:
            if asked == most and not current.contradiction and not current.sure:
                reason = f"{count(most, 'question')} asked"
                break
            if (reason := current.reason) or (offer := current.offer) is None:
                break
            asked += 1
            say(f"\n{offer_text(current.problem, offer, asked)}")
            reply = demonstrating(current.problem, offer.scene, asked)
            if reply == "q":
                reason = "you left"
                break
            if isinstance(reply, str):
                current = current.skip()
                continue
            current = current.taken(reply)
            if file is not None:
                file.write(current.problem)
            current = current.searched()
            if not current.contradiction:
                show([Paragraph(answers_text(current.standing))])
    except (KeyboardInterrupt, Interrupted):
        say(f"\n{runs_text(current)}", nl=False)  # what there is, is not lost
        raise Interrupted from None
    say(f"\n{runs_end_text(current, reason, file)}", nl=False)
    if current.contradiction:
        raise InputError(current.contradiction, place="runs")


def offer_text(problem: Problem, offer: Offer, number: int) -> str:
    """Tell what is asked for; in which world, where there are others that differ in more than the start."""
    edit = isinstance(offer.change, Edit)
    where = f"in the map {offer.change}" if edit else str(offer.change)
    if edit or len(but_for_starts(problem)) > 1:
        where += world_text(problem, offer.like)
    again = ", as before" if offer.scene in problem.scenes else ""
    return "\n".join(
        line
        for line in (
            f"question {number}: show a run {where}{again}",
            illustrate_starts(offer.scene),
            f"it is expected to tell {nats_text(offer.expected)}",
        )
        if line
    )


def nats_text(expected: Information) -> str:
    """Tell what is expected, and how far off that may be."""
    return (
        f"{expected.nats:.3f} nats" if expected.exact else f"{expected.nats:.3f} ± {expected.error:.3f} nats"
    )


def runs_end_text(showing: Showing, reason: str, file: ProblemFile | None) -> str:
    """Tell what was learned, and what was shown."""
    lines = [f"{reason}; {count(len(showing.shown), 'run')} shown"]
    if not showing.contradiction:
        lines += best_lines(showing.standing, *showing.best)
    if file is not None and showing.shown:
        lines.append(f"the problem with all runs is in {file.path}")
    return "\n".join(lines) + "\n" + (f"\n{runs_text(showing)}" if showing.shown else "")


def runs_text(showing: Showing) -> str:
    """Write what was shown as it can be typed."""
    return "".join(
        f"{shown.offer.scene.name}: {typed(shown.offer.scene.original, shown.path)}\n"
        for shown in showing.shown
    )

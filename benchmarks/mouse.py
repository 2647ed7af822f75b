"""Mice in a labyrinth: learn from some runs, and measure the surprise of others in bits a decision.

    make bench-mouse DATA=FOLDER

The data are not in the repository: a folder with `train.toml` and `test.toml`, problem files of one world.
Those of the labyrinth are of Rosenberg and others (eLife 2021); any other world will do. A prediction is
averaged over what is believed of the task and of the agent; mistakes are expected as in learning. Nothing is
chosen on the test runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from demospec.cli import main
from demospec.cli.options import SEED, json_option
from demospec.cli.streams import say
from demospec.errors import InputError
from demospec.explain.evidence import Evidence
from demospec.explain.setup import resolve
from demospec.files import load
from demospec.plan.rationality import Learned
from demospec.problem import Problem
from demospec.report.documents import Document, dumps
from demospec.report.words import sentence
from demospec.runs.progress_line import telling
from demospec.runs.result import Result
from demospec.runs.session import learn
from demospec.tasks import DFA
from demospec.worlds.mdp import Floats

TASKS = 50  # of the likeliest, over which a prediction is averaged


@dataclass(frozen=True)
class Measured:
    """What was learned from the first runs, and how surprising the others are."""

    result: Result
    test: Problem
    bits: float  # a decision, of the test runs, averaged over the belief
    headline_bits: float  # the same for the headline alone
    uniform_bits: float

    def to_json(self) -> Document:
        """Return what `--json` prints."""
        best = self.result.best
        found = self.result.findings
        return {
            "benchmark": "mouse",
            "headline": sentence(best.task),
            "probability": None if found is None else found.answer.share,
            "agent": self.result.to_json().get("agent"),
            "train_runs": len(self.result.problem.demonstrations),
            "test_runs": len(self.test.demonstrations),
            "decisions": decisions(self.test),
            "bits_a_decision": self.bits,
            "headline_bits_a_decision": self.headline_bits,
            "uniform_bits_a_decision": self.uniform_bits,
            "seconds": self.result.seconds,
        }


def decisions(problem: Problem) -> int:
    """Return how many choices were made."""
    return sum(len(path.steps) for path in problem.demonstrations)


def measure(folder: Path, seed: int = 0) -> Measured:
    """Learn from the runs in train.toml, and predict those in test.toml."""
    train, test = (load(folder / name) for name in ("train.toml", "test.toml"))
    agent = resolve(train).agent
    if not isinstance(agent, Learned) or resolve(train).code != "words":
        place = str(folder / "train.toml")
        raise InputError("the agent and the weights must be left to be learned", place=place)
    if train.alphabet != test.alphabet:
        raise InputError("train.toml and test.toml read different letters", place=str(folder))
    result = learn(train, seed=seed)
    belief = result.belief
    scores, weights = belief.scores[:TASKS], belief.weights[:TASKS]
    nats = predicted(train, test, agent, [score.language for score in scores])
    best = predicted(train, test, agent, [result.best.language])
    mixed = nats.min() - math.log(float((weights / weights.sum() * np.exp(nats.min() - nats)).sum()))
    count = decisions(test) * math.log(2)
    uniform = Evidence(test, resolve(test).planner, agent).aimless.sum()
    return Measured(result, test, float(mixed) / count, float(best[0]) / count, float(uniform) / count)


def predicted(train: Problem, test: Problem, agent: Learned, tasks: Sequence[DFA]) -> Floats:
    """Return [T], the surprise of the test runs under each task, whose agent the other runs have told of."""
    known = Evidence(train, resolve(train).planner, agent).everywhere(tasks)
    asked = Evidence(test, resolve(test).planner, agent).everywhere(tasks)
    prior = math.log(len(agent.points))  # in what was asked there is the prior, which plays no part here
    found = []
    for before, now in zip(known, asked, strict=True):
        points = np.array(before.log_points)
        weight = points - points.max()
        weight -= math.log(float(np.exp(weight).sum()))
        both = weight + np.array(now.log_points) + prior
        found.append(-(both.max() + math.log(float(np.exp(both - both.max()).sum()))))
    return np.array(found)


@click.command()
@click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    help="A folder with train.toml and test.toml.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@json_option
def mouse(folder: Path, seed: int, as_json: bool) -> None:
    """Learn from the runs in train.toml, and measure the surprise of those in test.toml."""
    with telling("learning"):
        measured = measure(folder, seed)
    document = measured.to_json()
    if as_json:
        click.echo(dumps(document))
        return
    for name, value in document.items():
        if isinstance(value, str | int | float) and name != "benchmark":
            told = f"{value:.3f}" if isinstance(value, float) else value
            say(f"{name.replace('_', ' '):24} {told}")


if __name__ == "__main__":
    main(command=mouse)

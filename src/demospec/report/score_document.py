"""How one task explains the demonstrations, as the JSON document of `score`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET

from demospec.explain.score import Evaluation
from demospec.explain.setup import resolve
from demospec.problem import Problem, accepted_demonstrations
from demospec.report.documents import JSON, Document, HowFar, Number, Sometimes, said_keys, world_key
from demospec.report.policy_document import OverviewJSON
from demospec.report.result_document import environment_surprise, prefix_of, score_numbers
from demospec.report.words import in_full
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player
from demospec.worlds.scene import Scene


class _ExplainedJSON(JSON, kw_only=True):
    world: Annotated[Sometimes[str], "With several worlds: the name of its world."] = UNSET
    word: Annotated[list[str], "Its word."]
    complete: Annotated[bool, "Whether it is complete."]
    accepted: Annotated[bool | None, "Whether the task accepts it."]
    surprise: Annotated[Number, "Its share of the surprise."]


class _PivotJSON(JSON, kw_only=True):
    world: Annotated[Sometimes[str], "With several worlds: the name of the world."] = UNSET
    prefix: Annotated[list[Any], "The path to this point."]
    player: Annotated[Literal["agent", "environment"], "Who moves there."]
    complete: Annotated[bool, "Whether it is the end of a complete demonstration."]
    deviation_probability: Annotated[float, "How likely a run leaves the demonstrations exactly here."]
    pivot_value: Annotated[Number, "𝕍 of the paper: what leaving here is worth."]
    gradient: Annotated[float, "∂ĥ/∂𝕍 of the paper: how the surprise changes with that value."]


class ScoreJSON(JSON):
    """`score.json` of `score --out` is the same, with `policy`: what the agent does in every state."""

    size: Annotated[float, "The size of the task, in bits."]
    surprise: Annotated[Number, "−ln of the probability of what was chosen, in nats."]
    energy: Annotated[Number, "The weighted sum of the two."]
    rationality: Annotated[Number, "That the task was scored with; with a learned agent, the likeliest."]
    satisfaction_probability: Annotated[Number, "How often the task's agent succeeds."]
    prior_size: Annotated[float, "The size of the task of `implies`."]
    environment_surprise: Annotated[Number, "−ln of the probability of what the world did."]
    one_line: Annotated[str, "The automaton on one line."]
    sentence: Annotated[str, "The task in a sentence."]
    clauses: Annotated[list[str], "Its clauses."]
    exact: Annotated[HowFar, "How far they say the task."]
    formula: Annotated[str | None, "The task as a formula, or null."]
    demonstrations: Annotated[list[_ExplainedJSON], "A row for each demonstration."]
    pivots: Annotated[list[_PivotJSON], "Every point at which its agent may leave the demonstrations."]
    policy: Annotated[Sometimes[OverviewJSON], "In `score.json`: what the task's agent does."] = UNSET


def score_document(problem: Problem, found: Evaluation) -> Document:
    """Return how one task explains the demonstrations, and what the gradient says at each pivot."""
    task = found.score.task
    readings = dict(zip(map(id, problem.scenes), found.readings, strict=True))

    def surprise(scene: Scene, path: Path) -> float:
        reading = readings[id(scene)]
        chosen = [node for node in reading.tree.nodes_of(path) if reading.tree.chosen[node]]
        return float(-reading.along.log_edge[chosen].sum() + 0.0)

    def pivot(scene: Scene, node: int) -> _PivotJSON:
        reading = readings[id(scene)]
        tree, along = reading.tree, reading.along
        return _PivotJSON(
            world=world_key(problem, scene),
            prefix=prefix_of(tree, node),
            player="agent" if tree.player[node] == Player.AGENT else "environment",
            complete=bool(tree.player[node] == Player.NOBODY),
            deviation_probability=float(along.deviation[node]),
            pivot_value=float(along.pivot_value[node]),
            gradient=float(reading.gradient[node]),
        )

    marks = accepted_demonstrations(problem, task)
    return ScoreJSON(
        **score_numbers(found.score),
        prior_size=resolve(problem).prior_size,
        environment_surprise=environment_surprise(problem),
        one_line=str(task.as_dfa()),
        **said_keys(in_full(problem, task)),
        demonstrations=[
            _ExplainedJSON(
                world=world_key(problem, scene),
                word=[*word],
                complete=path.complete,
                accepted=mark,
                surprise=surprise(scene, path),
            )
            for (_, scene, path), word, mark in zip(problem.shown, problem.words, marks, strict=True)
        ],
        pivots=[
            pivot(scene, node)
            for scene, reading in zip(problem.scenes, found.readings, strict=True)
            for node in range(len(reading.tree))
            if reading.along.deviation[node] > 0
        ],
    ).plain()

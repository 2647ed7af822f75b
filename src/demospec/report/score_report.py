"""How one task explains a problem's demonstrations, and what its agent does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import UNSET

from demospec.explain.score import Evaluation, Reading
from demospec.explain.setup import resolve
from demospec.plan.policy import Policy
from demospec.problem import Problem, accepted_demonstrations
from demospec.report.blocks import Block, Facts, Figure, Heading, Paragraph, Section, SideBySide, Table
from demospec.report.documents import JSON, Document, HowFar, Number, Sometimes, said_keys, world_key
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.policy_report import (
    Columns,
    OverviewJSON,
    monitor_name,
    read_as,
    shown_monitors,
    table_of,
)
from demospec.report.result_document import environment_surprise, prefix_of, score_numbers
from demospec.report.words import actions_text, decimal, in_full, path_text, state_text
from demospec.tasks.showing import bits_text
from demospec.wording import count, word_text
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player
from demospec.worlds.scene import Scene

PIVOTS = 8  # told


def score_blocks(
    problem: Problem, document: Document, pivots: int = PIVOTS, behaviour: Sequence[Block] = ()
) -> list[Block]:
    """Tell a score; what the agent does comes between what was shown and what would be less surprising."""
    shown = count(len(problem.demonstrations), "demonstration")
    about = Paragraph(
        "The steps with the largest gradients. The runs would be less surprising under a task "
        "that accepts less, or more, of the paths that leave them there."
    )
    return [
        Heading(f"{problem.name}: how an agent with this task explains {shown}"),
        Facts(numbers(problem, document)),
        Section("What was shown", [demonstrations_table(document)]),
        *behaviour,
        Section("What would be less surprising", [about, pivots_table(document, pivots)]),
    ]


def numbers(problem: Problem, document: Document) -> list[tuple[str, str]]:
    """Return what the energy is made of, and what else is known of the agent."""
    weights, bits = resolve(problem).weights, document["size"] - resolve(problem).prior_size
    beyond = f" ({bits_text(bits)} beyond the prior)" if problem.prior else ""
    surprise = decimal(document["surprise"])
    size = f"{weights.size_weight:g} × {bits_text(bits)} bits"
    made_of = f"{size} + {weights.surprise_weight:g} × {surprise} nats"
    outside = decimal(document["environment_surprise"])
    found = [
        ("task", document["sentence"]),
        ("automaton", document["one_line"]),
        ("size", f"{bits_text(document['size'])} bits" + beyond),
        ("surprise", f"{surprise} nats"),
        ("energy", f"{decimal(document['energy'])} = {made_of}"),
        ("environment surprise", f"{outside} nats, the same for every task"),
        ("rationality", decimal(document["rationality"], ".6g")),
        ("satisfaction probability", decimal(document["satisfaction_probability"])),
    ]
    if "policy" in document:
        found.append(("steps of an episode", f"{document['policy']['expected_steps']:.2f} on average"))
    return found


def demonstrations_table(document: Document) -> Table:
    """Return how surprising each demonstration is, and its word."""
    columns: Columns = {
        "demonstration": lambda demo: str(demo[0]),
        "surprise": lambda demo: decimal(demo[1]["surprise"]),
        "word is": lambda demo: "accepted" if demo[1]["accepted"] else "rejected",
        "": lambda demo: "complete" if demo[1]["complete"] else "unfinished",
        "word": lambda demo: word_text(demo[1]["word"]),
    }
    return table_of(columns, enumerate(document["demonstrations"], start=1))


def pivots_table(document: Document, most: int) -> Table:
    """Return the pivots with the largest gradients."""
    loud = sorted(document["pivots"], key=lambda pivot: -abs(pivot["gradient"]))[:most]
    columns: Columns = {
        "gradient": lambda pivot: f"{pivot['gradient']:+.4f}",
        "leaves": lambda pivot: f"{pivot['deviation_probability']:.4f}",
        "player": lambda pivot: pivot["player"],
        "": lambda pivot: "accept less" if pivot["gradient"] > 0 else "accept more",
        "after": lambda pivot: path_text(pivot["prefix"]) + (" (end)" if pivot["complete"] else ""),
    }
    return table_of(columns, loud)


# -- what the agent does ------------------------------------------------------------------------------


def behaviour_blocks(policy: Policy, overview: Document, maps: dict[str, str]) -> list[Block]:
    """Tell where the agent goes and what situations are worth to it: maps, or tables."""
    time, shown = overview["time"], shown_monitors(policy)
    when = "at the beginning of an episode" if time == 0 else f"after {time} steps"
    about = (
        f"Values are those {when}, as if the agent were there, with the task in the state named before the "
        "place is read."
    )
    left_out = policy.monitor.states - len(shown)
    if left_out:
        about += f" {left_out} of {policy.monitor.states} states of the task, seldom reached, are left out."

    def row(*names: str) -> SideBySide:
        return SideBySide([Figure(partial(maps.__getitem__, name)) for name in names if name in maps])

    goes: list[Block]
    names = {m: monitor_name(overview, m) for m in shown}
    if maps:
        goes, title = [row("visits.svg", "ever.svg")], "By the state of the task"
        if "ever.svg" not in maps:
            goes.append(Paragraph("The world is too large to say which cells are visited at all."))
        kinds = ("value", "success", "visits")
        worth = [
            Section(names[m].capitalize(), [row(*(f"{one}-{m}.svg" for one in kinds))], 4) for m in shown
        ]
    else:
        goes, title = [visits_table(overview)], "What places are worth"
        worth = [Section(f"Task in {names[m]}", [worth_table(overview, m)], 4) for m in shown]
    return [
        Section("As the agent reads it", [Figure(partial(automaton_svg, read_as(policy), live=True))]),
        Section("Where the agent goes", goes),
        Section(title, [Paragraph(about), *worth]),
    ]


def visits_table(overview: Document) -> Table:
    """Return how often the agent is in each state, and what it does there."""
    columns: Columns = {
        "state": lambda entry: state_text(entry["state"]),
        "label": lambda entry: entry["label"] or "",
        "visits": lambda entry: f"{entry['visits']:.4f}",
        "ever visited": lambda entry: "" if entry["ever"] is None else f"{entry['ever']:.4f}",
        "ends here": lambda entry: f"{entry['ends']:.4f}",
        "what it does": lambda entry: actions_text(entry["actions"]),
    }
    return table_of(columns, overview["states"])


def worth_table(overview: Document, monitor: int) -> Table:
    """Return what each state is worth while the task is in one of its states."""
    columns: Columns = {
        "state": lambda entry: state_text(entry["state"]),
        "value": lambda entry: f"{entry['value'][monitor]:.4f}",
        "satisfied": lambda entry: f"{entry['satisfaction_probability'][monitor]:.4f}",
        "visits": lambda entry: f"{entry['visits_by_monitor'][monitor]:.4f}",
        "what it does": lambda entry: actions_text(entry["actions_by_monitor"][monitor]),
    }
    return table_of(columns, overview["states"])


# -- JSON ------------------------------------------------------------------------------------------------


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
        tree, along = readings[id(scene)].tree, readings[id(scene)].along
        return float(-along.log_edge[[node for node in tree.nodes_of(path) if tree.chosen[node]]].sum() + 0.0)

    def pivot(scene: Scene, reading: Reading, node: int) -> _PivotJSON:
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
            pivot(scene, reading, node)
            for scene, reading in zip(problem.scenes, found.readings, strict=True)
            for node in range(len(reading.tree))
            if reading.along.deviation[node] > 0
        ],
    ).plain()

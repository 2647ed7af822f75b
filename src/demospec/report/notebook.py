"""What objects show in a notebook: pictures where they have one, else a small table.

This module is loaded when an object is shown, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from demospec.ask.dialogue import Dialogue
from demospec.ask.illustration import illustrate_question
from demospec.belief import Belief, Findings
from demospec.explain.score import Evaluation, Score
from demospec.plan.base import Plan
from demospec.plan.policy import MixturePolicy, Policy
from demospec.problem import Problem
from demospec.report.answer_report import belief_blocks, result_blocks
from demospec.report.blocks import Facts, Figure, Items, Paragraph, Preformatted, Table
from demospec.report.drawings import map_of_demonstrations, task_svg
from demospec.report.html import as_html
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.policy_report import (
    answers_table,
    mixture_document,
    read_as,
    situation_document,
    situations_table,
)
from demospec.report.problem_report import check_document, problem_blocks
from demospec.report.result_document import result_document
from demospec.report.words import decimal, sentence
from demospec.runs.result import Result
from demospec.tasks import DFA, Task
from demospec.tasks.showing import bits_text, document, markup
from demospec.tasks.words import Comparison
from demospec.wording import word_text
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.unlisted import UnlistedWorld
from demospec.worlds.world import STOPPED, World, start_names

SHOWN = 5  # tasks


def _task_figure(task: Task) -> Figure:
    return Figure(partial(task_svg, task), str(task))


@markup.register
def show_belief(belief: Belief) -> str:
    """Return the likeliest tasks."""
    likeliest = zip(belief.scores[:SHOWN], belief.weights.tolist(), strict=False)
    rows = [
        (f"{weight:.4f}", bits_text(score.size), sentence(score.task), _task_figure(score.task))
        for score, weight in likeliest
    ]
    numbers = [("tasks", str(len(belief.scores))), ("not excluded", str(len(belief.rivals)))]
    return as_html([Facts(numbers), Table(("probability", "bits", "in words", "task"), rows, align="rrll")])


@markup.register
def show_score(score: Score) -> str:
    """Return the numbers of a task, and its picture."""
    numbers = [
        ("task", sentence(score.task)),
        ("energy", decimal(score.energy)),
        ("size", f"{bits_text(score.size)} bits"),
        ("surprise", f"{decimal(score.surprise)} nats"),
        ("rationality", decimal(score.rationality, ".6g")),
        ("satisfaction probability", decimal(score.satisfaction_probability)),
    ]
    return as_html([Facts(numbers), _task_figure(score.task)])


@markup.register
def show_policy(policy: Policy) -> str:
    """Return what the agent does at the start, and the task as it reads it, or those that it pursues."""
    start = Path((), complete=False)
    situation = {**situation_document(policy, policy.situation(start), start), "taken": None}
    answers = mixture_document(policy)["answers"] if isinstance(policy, MixturePolicy) else None
    first = _task_figure(read_as(policy)) if answers is None else answers_table(answers)
    return as_html([first, situations_table([situation])])


@markup.register
def show_plan(plan: Plan) -> str:
    """Return the size of a plan."""
    size = [("monitor states", str(plan.monitor.states)), ("steps", str(plan.world.episode.horizon))]
    return as_html([Facts([("rationality", f"{plan.rationality:g}"), *size])])


@markup.register
def show_dialogue(dialogue: Dialogue) -> str:
    """Return what would be asked next, what was replied, and the likeliest answers."""
    replies = [str(reply) for reply in dialogue.replies]
    if dialogue.contradiction:
        return as_html([Items([*replies, dialogue.contradiction])])
    question, told, drawn = dialogue.question, ("over", dialogue.reason), ""
    if question is not None:
        told, drawn = ("next question", str(question)), illustrate_question(dialogue.problem, question)
    rows = [(f"{share:.4f}", _task_figure(score.task)) for score, share in dialogue.standing.answers[:SHOWN]]
    table = Table(("probability", "task"), rows)
    picture = [Preformatted(drawn)] if drawn else []
    return as_html([Facts([told]), *picture, Items(replies), table])


@markup.register
def show_comparison(found: Comparison) -> str:
    """Return how two tasks differ in a sentence, and both, with a shortest word that only each accepts."""
    sides = (("first", found.first, found.only_first), ("second", found.second, found.only_second))
    rows = [
        (which, sentence(task), "none" if word is None else word_text(word), _task_figure(task))
        for which, task, word in sides
    ]
    return as_html([Paragraph(found.sentence), Table(("", "in words", "only it accepts", "task"), rows)])


@markup.register(MDP)
@markup.register(UnlistedWorld)
def show_world(world: World) -> str:
    """Return the size of a world, and how episodes go."""
    by_chance = f"{world.episode.end_probability:g} after each step"
    numbers = [
        ("states", str(sum(name != STOPPED for name in world.names()))),
        ("actions", ", ".join(world.actions)),
        ("letters", ", ".join(world.letters)),
        ("start", start_names(world)),
        ("steps of an episode", f"at most {world.episode.horizon}"),
        ("end of an episode", "where the agent stops" if world.episode.by_choice else by_chance),
    ]
    return as_html([Facts(numbers)])


@markup.register
def show_tree(tree: PrefixTree) -> str:
    """Return the size of a tree."""
    numbers = [("demonstrations", str(tree.demonstrations)), ("nodes", str(len(tree)))]
    names = ("where the agent moves", "where the environment moves", "where an episode ends")
    counts = [(name, str(int((tree.player == who).sum()))) for name, who in zip(names, Player, strict=True)]
    return as_html([Facts([*numbers, *counts, ("steps", f"up to {tree.time.max()}")])])


AS_ELSEWHERE: dict[type, Callable[[Any], str]] = {
    DFA: automaton_svg,
    Evaluation: lambda found: show_score(found.score),
    Findings: lambda found: as_html(belief_blocks(found)),
    Problem: lambda one: as_html([*problem_blocks(check_document(one)), *map_of_demonstrations(one)]),
    Result: lambda result: as_html(result_blocks(result)),
}
for _kind, _show in AS_ELSEWHERE.items():
    markup.register(_kind)(_show)
document.register(Result)(result_document)

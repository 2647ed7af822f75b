"""What objects show in a notebook: pictures where they have one, else a small table.

Each function imports what it needs when it is called, so that `import demospec` stays quick.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demospec.belief import Belief, Findings
from demospec.explain.score import Evaluation, Score
from demospec.plan.base import Plan
from demospec.plan.policy import MixturePolicy, Policy
from demospec.problem import Problem
from demospec.runs.result import Result
from demospec.tasks import DFA, Task
from demospec.tasks.showing import Document, bits_text, register
from demospec.worlds.mdp import MDP
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.unlisted import UnlistedWorld
from demospec.worlds.world import STOPPED, World, start_names

if TYPE_CHECKING:
    from demospec.ask.dialogue import Dialogue
    from demospec.report.blocks import Block, Figure
    from demospec.tasks.words import Comparison

SHOWN = 5  # tasks


def _html(*blocks: Block) -> str:
    from demospec.report.html import as_html

    return as_html(blocks)


def _facts(pairs: Sequence[tuple[str, str]]) -> str:
    from demospec.report.blocks import Facts

    return _html(Facts(pairs))


def _task(task: Task) -> Figure:
    from demospec.report.blocks import Figure
    from demospec.report.drawings import task_svg

    return Figure(lambda: task_svg(task), str(task))


def _said(task: Task) -> str:
    from demospec.report.words import sentence

    return sentence(task)


def show_task(task: DFA) -> str:
    """Return the picture of an automaton, as it is."""
    from demospec.report.pictures.automaton import automaton_svg

    return automaton_svg(task)


def show_result(result: Result) -> str:
    """Return the whole report."""
    from demospec.report.answer_report import result_blocks

    return _html(*result_blocks(result))


def result_document(result: Result) -> Document:
    """Return what `learn --json` prints."""
    from demospec.report import documents

    return documents.result_document(result)


def show_problem(problem: Problem) -> str:
    """Return what a problem holds, and the map of a grid world."""
    from demospec.report.documents import check_document
    from demospec.report.drawings import map_of_demonstrations
    from demospec.report.problem_report import problem_blocks

    return _html(*problem_blocks(check_document(problem)), *map_of_demonstrations(problem))


def show_belief(belief: Belief) -> str:
    """Return the likeliest tasks."""
    from demospec.report.blocks import Facts, Table

    likeliest = zip(belief.scores[:SHOWN], belief.weights.tolist(), strict=False)
    rows = [
        (f"{weight:.4f}", bits_text(score.size), _said(score.task), _task(score.task))
        for score, weight in likeliest
    ]
    numbers = [("tasks", str(len(belief.scores))), ("not excluded", str(len(belief.rivals)))]
    return _html(Facts(numbers), Table(("probability", "bits", "in words", "task"), rows, align="rrll"))


def show_findings(found: Findings) -> str:
    """Return how sure one may be, with the answers."""
    from demospec.report.answer_report import belief_blocks

    return _html(*belief_blocks(found))


def show_score(score: Score) -> str:
    """Return the numbers of a task, and its picture."""
    from demospec.report.blocks import Facts
    from demospec.report.words import decimal

    numbers = [
        ("task", _said(score.task)),
        ("energy", decimal(score.energy)),
        ("size", f"{bits_text(score.size)} bits"),
        ("surprise", f"{decimal(score.surprise)} nats"),
        ("rationality", decimal(score.rationality, ".6g")),
        ("satisfaction probability", decimal(score.satisfaction_probability)),
    ]
    return _html(Facts(numbers), _task(score.task))


def show_evaluation(found: Evaluation) -> str:
    """Return the numbers of its score."""
    return show_score(found.score)


def show_policy(policy: Policy) -> str:
    """Return what the agent does at the start, and the task as it reads it."""
    from demospec.report.policy_document import read_as, situation_document
    from demospec.report.policy_report import situations_table
    from demospec.worlds.paths import Path

    start = Path((), complete=False)
    situation = {**situation_document(policy, policy.situation(start), start), "taken": None}
    return _html(_task(read_as(policy)), situations_table([situation]))


def show_mixture_policy(policy: MixturePolicy) -> str:
    """Return the tasks that are pursued together, each with its chance, and what is done at the start."""
    from demospec.report.mixture_document import mixture_document, mixture_situation_document
    from demospec.report.policy_report import answers_table, situations_table
    from demospec.worlds.paths import Path

    start = Path((), complete=False)
    situation = {**mixture_situation_document(policy, policy.situation(start), start), "taken": None}
    return _html(answers_table(mixture_document(policy)["answers"]), situations_table([situation]))


def show_plan(plan: Plan) -> str:
    """Return the size of a plan."""
    numbers = [
        ("rationality", f"{plan.rationality:g}"),
        ("monitor states", str(plan.monitor.states)),
        ("steps", str(plan.world.episode.horizon)),
    ]
    return _facts(numbers)


def show_dialogue(dialogue: Dialogue) -> str:
    """Return what would be asked next, what was answered, and the likeliest answers."""
    from demospec.ask.illustration import illustrate
    from demospec.report.blocks import Facts, Items, Preformatted, Table
    from demospec.wording import word_text

    answers = [f"{'yes' if one.label else 'no'}: {word_text(one.question.word)}" for one in dialogue.replies]
    if dialogue.contradiction:
        return _html(Items([*answers, dialogue.contradiction]))
    question = dialogue.question
    asked = dialogue.reason if question is None else word_text(question.word)
    path = (
        []
        if question is None
        else [Preformatted(illustrate(dialogue.problem.scene(question.world), question.path))]
    )
    rows = [(f"{share:.4f}", _task(score.task)) for score, share in dialogue.standing.answers[:SHOWN]]
    told = Facts([("next question" if question else "over", asked)])
    return _html(told, *path, Items(answers), Table(("probability", "task"), rows))


def show_comparison(found: Comparison) -> str:
    """Return how two tasks differ in a sentence, and both, with a shortest word that only each accepts."""
    from demospec.report.blocks import Paragraph, Table
    from demospec.wording import word_text

    sides = (("first", found.first, found.only_first), ("second", found.second, found.only_second))
    rows = [
        (which, _said(task), "none" if word is None else word_text(word), _task(task))
        for which, task, word in sides
    ]
    return _html(Paragraph(found.sentence), Table(("", "in words", "only it accepts", "task"), rows))


def show_world(world: World) -> str:
    """Return the size of a world, and how episodes go."""
    numbers = [
        ("states", str(sum(name != STOPPED for name in world.names()))),
        ("actions", ", ".join(world.actions)),
        ("letters", ", ".join(world.letters)),
        ("start", start_names(world)),
        ("steps of an episode", f"at most {world.episode.horizon}"),
        (
            "end of an episode",
            "where the agent stops"
            if world.episode.by_choice
            else f"{world.episode.end_probability:g} after each step",
        ),
    ]
    return _facts(numbers)


def show_tree(tree: PrefixTree) -> str:
    """Return the size of a tree."""
    numbers = [("demonstrations", str(tree.demonstrations)), ("nodes", str(len(tree)))]
    names = ("where the agent moves", "where the environment moves", "where an episode ends")
    counts = [(name, str(int((tree.player == who).sum()))) for name, who in zip(names, Player, strict=True)]
    return _facts([*numbers, *counts, ("steps", f"up to {tree.time.max()}")])


register(DFA, show_task)
register(Result, show_result, result_document)
register(Problem, show_problem)
register(Belief, show_belief)
register(Findings, show_findings)
register(Score, show_score)
register(Evaluation, show_evaluation)
register(Policy, show_policy)
register(MixturePolicy, show_mixture_policy)
register(Plan, show_plan)
register("demospec.ask.dialogue.Dialogue", show_dialogue)
register("demospec.tasks.words.comparison.Comparison", show_comparison)
register(MDP, show_world)
register(UnlistedWorld, show_world)
register(PrefixTree, show_tree)

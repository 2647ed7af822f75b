"""What the dialogue of `ask` tells: questions, the likeliest answers, and what was replied."""

from __future__ import annotations

from collections.abc import Sequence

from demospec.ask.dialogue import Dialogue, Question, Reply
from demospec.ask.illustration import illustrate_question
from demospec.ask.labels import LabelQuestion
from demospec.ask.runs import Edit, RunQuestion, but_for_starts
from demospec.ask.saving import example_toml
from demospec.belief.answers import not_determined
from demospec.cli.typed_path import typed
from demospec.problem import Problem
from demospec.report.words import sentence
from demospec.wording import count
from demospec.worlds.paths import Path


def answers_text(dialogue: Dialogue) -> str:
    """Tell the likeliest answers on one line, after saying whether they determine the task."""
    standing, answers = dialogue.standing, dialogue.standing.answers
    drawn = " on the paths that were drawn" if dialogue.kind == "label" and dialogue.verdicts.drawn else ""
    shares = "  ".join(f"{share:.0%} {sentence(score.task)}" for score, share in answers[:3])
    told = f"{count(len(answers), 'answer')} possible{drawn}: {shares}"
    return told if standing.determined else f"{not_determined(standing.problem)}; {told}"


def question_text(problem: Problem, question: Question, number: int) -> str:
    """Tell a question."""
    if isinstance(question, RunQuestion):
        return run_question_text(problem, question, number)
    drawn = "; the best of some paths that were drawn, not of all" if question.drawn else ""
    return "\n".join(
        [
            f"question {number}: a path that reads {question}{world_text(problem, question.world)}",
            illustrate_question(problem, question),
            f"yes with probability {question.chance:.2f}; the answer tells {question.nats:.3f} nats{drawn}",
        ]
    )


def run_question_text(problem: Problem, question: RunQuestion, number: int) -> str:
    """Tell what is asked for; in which world, where there are others that differ in more than the start."""
    edit, told = isinstance(question.change, Edit), question.information
    where = f"in the map {question.change}" if edit else str(question.change)
    if edit or len(but_for_starts(problem)) > 1:
        where += world_text(problem, question.like)
    again = ", as before" if question.scene in problem.scenes else ""
    error = "" if told.exact else f" ± {told.error:.3f}"
    lines = (
        f"question {number}: show a run {where}{again}",
        illustrate_question(problem, question),
        f"it is expected to tell {told.nats:.3f}{error} nats",
    )
    return "\n".join(line for line in lines if line)


def world_text(problem: Problem, name: str) -> str:
    """Say in which world, where there are several."""
    return f' in the world "{name}"' if len(problem.scenes) > 1 else ""


def end_text(dialogue: Dialogue, reason: str, out: object = None) -> str:
    """Tell what was learned, and what was replied; with the file that holds it."""
    replies = dialogue.replies
    runs = sum(isinstance(reply.given, Path) for reply in replies)
    given = [f"{count(len(replies) - runs, 'label')} given"] if dialogue.kind in ("label", "any") else []
    shown = [f"{count(runs, 'run')} shown"] if dialogue.kind != "label" else []
    lines = [f"{reason}; {', '.join([*given, *shown])}"]
    if not dialogue.contradiction:
        (score, share), determined = dialogue.answer, dialogue.standing.determined
        lines += [] if determined else ["the task is not determined"]
        lines += ["", score.task.pretty(), ""]
        lines += [f"{'task  ' if determined else 'answer'}    {sentence(score.task)}"]
        lines += [f"automaton {score.task.automaton}", f"belief    {share:.4f}"]
    if out is not None and replies:
        what = "replies" if dialogue.kind == "any" else "runs"
        lines.append(
            f"the {'labels are' if dialogue.kind == 'label' else f'problem with all {what} is'} in {out}"
        )
    return "\n".join(lines) + "\n" + (f"\n{replies_text(replies)}" if replies else "")


def replies_text(replies: Sequence[Reply]) -> str:
    """Write labels as a problem file does, and runs as they can be typed."""
    labels = [
        example_toml(reply.question.word, reply.given is True)
        for reply in replies
        if isinstance(reply.question, LabelQuestion)
    ]
    runs = [
        f"{reply.question.scene.name}: {typed(reply.question.scene.original, reply.given)}\n"
        for reply in replies
        if isinstance(reply.question, RunQuestion) and isinstance(reply.given, Path)
    ]
    return "\n".join([*labels, *(["".join(runs)] if runs else [])])

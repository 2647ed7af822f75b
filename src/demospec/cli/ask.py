"""The command `ask`: what to ask next, and the dialogue in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import click

from demospec.ask.answers_file import append_answer, example_toml, read_answers
from demospec.ask.dialogue import SURE, WORTHLESS, Answer, Dialogue
from demospec.ask.illustration import illustrate
from demospec.ask.labelled import scored, with_examples
from demospec.ask.questions import Edit, Question, Start, edits, starts, told
from demospec.belief import Belief
from demospec.cli.commands import cli, run
from demospec.cli.interrupt import Interrupted, interruptible
from demospec.cli.options import about, check_standard_input, json_option, setting_options
from demospec.errors import InputError, count, word_text
from demospec.explain.score import Score
from demospec.files import load, load_task
from demospec.problem import Problem
from demospec.report.as_text import as_text
from demospec.report.blocks import Heading, Table
from demospec.report.documents import Document, dumps, score_numbers, task_document
from demospec.report.worlds import world_of
from demospec.runs.session import Session
from demospec.tasks import DFA
from demospec.work.stop import Stop
from demospec.worlds.paths import file_state
from demospec.worlds.world import show

KINDS = ("label", "start", "edit")
SHOWN = 10  # lines of a ranking


@cli.command("ask")
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="One seed, one result.")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="label",
    show_default=True,
    help="Ask for the label of a path, or advise from where, or in which edited map, to demonstrate.",
)
@click.option(
    "--most", type=click.IntRange(1), default=20, show_default=True, help="Questions, or lines of advice."
)
@click.option(
    "--sure",
    type=click.FloatRange(0, 1),
    default=SURE,
    show_default=True,
    help="Stop when one answer has this share of the belief.",
)
@click.option("--answers", metavar="TASK", help="Let this task answer instead of you.")
@click.option(
    "--out", type=click.Path(path_type=FilePath, dir_okay=False), help="Add the answers to this TOML file."
)
@setting_options
@json_option
def ask_command(
    problem_file: str,
    seed: int,
    kind: str,
    most: int,
    sure: float,
    answers: str | None,
    out: FilePath | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Ask what would tell most about the task behind PROBLEM, until it is clear.

    Answer y (yes), n (no), s (skip) or q (quit). With --out, each answer is added to a file at once, as
    [[examples]]; answers that it already holds are taken as given. The file may be PROBLEM itself.
    """
    check_standard_input({"PROBLEM": problem_file, "--answers": answers})
    talks = kind == "label" and not as_json
    for name, option in (("--answers", answers), ("--out", out)):
        if option is not None and not talks:
            raise InputError(f"{name} is for the dialogue: not with --json or --kind {kind}")
    if problem_file == "-" and talks and answers is None:
        raise InputError("PROBLEM cannot be standard input, which your answers come from; or use --answers")
    problem = load(problem_file)
    with about("options"):
        problem = problem.with_settings(**settings)
    if out is not None:
        given = read_answers(out, problem)
        with about(str(out)):
            problem = with_examples(problem, given)
    oracle = None if answers is None else read_oracle(answers, problem)
    with about(problem_file):
        problem.check_shown()
        if kind == "edit" and problem.scene().grid is None:
            raise InputError("only a gridworld's map can be edited; use --kind label or --kind start")
        if kind != "label":
            advise(problem, seed, kind, most, as_json=as_json)
            return
        dialogue = Dialogue.begin(problem, enough=sure, searching=Searcher(seed))
    if as_json:
        click.echo(dumps(questions_document(dialogue, most)))
        return
    talk(dialogue, Answering(oracle), most, out)


# -- searching that Ctrl-C can stop ---------------------------------------------------------------------


@dataclass(frozen=True)
class Searcher:
    """Runs the searches of a dialogue with progress on standard error."""

    seed: int

    def __call__(self, problem: Problem) -> list[Score]:
        """Search; an interruption ends the dialogue."""
        result = run(Session(problem, seed=self.seed))
        if result.ended == "interrupted":
            raise Interrupted
        return scored(result)


# -- the dialogue ---------------------------------------------------------------------------------------


class Answering:
    """Who answers: a task, or the lines of standard input."""

    def __init__(self, oracle: DFA | None) -> None:
        self.oracle = oracle

    def __call__(self, question: Question) -> str:
        """Return y, n, s or q; the end of the input is q, and what is none of them is asked again."""
        prompt = "should the agent be content with this? [y]es/[n]o/[s]kip/[q]uit: "
        if self.oracle is not None:
            reply = "y" if self.oracle.accepts(question.word) else "n"
            click.echo(f"{prompt}{reply}")
            return reply
        while True:
            click.echo(prompt, nl=False)
            line = b"" if sys.stdin is None else sys.stdin.buffer.readline()
            if not line:
                click.echo()
                return "q"
            reply = line.decode("utf-8", "replace").strip().lower()
            for word in ("yes", "no", "skip", "quit"):
                if reply and word.startswith(reply):
                    return word[0]
            click.echo(f'"{reply}" is none of y, n, s and q' if reply else "please answer y, n, s or q")


def talk(dialogue: Dialogue, answering: Answering, most: int, out: FilePath | None) -> None:
    """Ask until the task is clear, or there were questions enough; then tell what was learned."""
    if not dialogue.contradiction:
        click.echo(f"{dialogue.problem.name}: {belief_text(dialogue)}")
    asked, reason = 0, ""
    current, given = dialogue, list(dialogue.answers)
    try:
        while not (reason := current.reason) and (question := current.question) is not None:
            if asked == most:
                reason = f"{count(most, 'question')} asked"
                break
            asked += 1
            click.echo(f"\n{question_text(current, question, asked)}")
            reply = answering(question)
            if reply == "q":
                reason = "you left"
                break
            if reply == "s":
                current = current.skip()
                continue
            given.append(Answer(question, reply == "y"))
            if out is not None:
                append_answer(out, question.word, reply == "y")
            current = current.answered(reply == "y")
            if not current.contradiction:
                click.echo(belief_text(current))
    except (KeyboardInterrupt, Interrupted):
        click.echo(f"\n{answers_toml(given)}", nl=False)  # what there is, is not lost
        raise Interrupted from None
    click.echo(f"\n{end_text(current, reason, out)}", nl=False)
    if current.contradiction:
        raise InputError(f"{current.contradiction}: one of the answers may be wrong", place="answers")


def question_text(dialogue: Dialogue, question: Question, number: int) -> str:
    """Tell a question."""
    return "\n".join(
        [
            f"question {number}: a path that reads {word_text(question.word)}",
            illustrate(dialogue.problem, question.path),
            f"yes with probability {question.chance:.2f}; the answer tells {question.nats:.3f} nats",
        ]
    )


def belief_text(dialogue: Dialogue) -> str:
    """Tell the likeliest answers on one line."""
    answers = dialogue.labels.answers()
    best = ";  ".join(f"{share:.0%} {score.task}" for score, share in answers[:3])
    return f"{count(len(answers), 'answer')} possible: {best}"


def end_text(dialogue: Dialogue, reason: str, out: FilePath | None) -> str:
    """Tell what was learned, and the answers as a problem file writes them."""
    lines = [f"{reason}; {count(len(dialogue.answers), 'answer')} given"]
    if not dialogue.contradiction:
        score, share = dialogue.best
        lines += ["", score.task.pretty(), "", f"task   {score.task}", f"belief {share:.4f}"]
    if out is not None and dialogue.answers:
        lines.append(f"the answers are in {out}")
    return "\n".join(lines) + "\n" + (f"\n{answers_toml(dialogue.answers)}" if dialogue.answers else "")


def answers_toml(answers: Sequence[Answer]) -> str:
    """Write answers as a problem file does."""
    return "\n".join(example_toml(answer.question.word, answer.label) for answer in answers)


# -- who answers instead -----------------------------------------------------------------------------------


def read_oracle(source: str, problem: Problem) -> DFA:
    """Read the task that answers; it must read the problem's letters and agree with what is given."""
    task = load_task(source, problem.alphabet)
    with about(source):
        problem.check_task(task)
        for word, label in problem.given:
            if task.accepts(word) != label:
                raise InputError(
                    f'the task {"rejects" if label else "accepts"} "{word_text(word)}", '
                    f"which is given as {'accepted' if label else 'rejected'}"
                )
    return task


# -- advice ---------------------------------------------------------------------------------------------


def advise(problem: Problem, seed: int, kind: str, most: int, *, as_json: bool) -> None:
    """Rank start states or edits by what a demonstration there is expected to tell."""
    belief = Belief.of(problem, Searcher(seed)(problem))
    found: list[list[Start] | list[Edit]] = []

    def work(stop: Stop) -> None:
        found.append(starts(belief, seed=seed) if kind == "start" else edits(belief, seed=seed))

    if interruptible(work):
        raise Interrupted
    (ranked,) = found
    if as_json:
        click.echo(dumps(advice_document(problem, kind, ranked[:most])))
        return
    rows = [(f"{one.expected.nats:.4f}", error_text(one), advice_text(problem, one)) for one in ranked[:most]]
    title = f"{problem.name}: what one more demonstration is expected to tell, in nats"
    click.echo(as_text([Heading(title), Table(("nats", "±", "demonstrate"), rows)]))


def error_text(one: Start | Edit) -> str:
    """Tell how far an estimate may be off."""
    return f"{one.expected.error:.4f}" if one.expected.error else "exact"


def advice_text(problem: Problem, one: Start | Edit) -> str:
    """Tell where to demonstrate."""
    if isinstance(one, Edit):
        return told(one)
    world = world_of(problem)
    here = " (as before)" if one.state == world.states[world.start] else ""
    return f"from {show(one.state)}{here}"


# -- documents ------------------------------------------------------------------------------------------


def questions_document(dialogue: Dialogue, most: int) -> Document:
    """Return the questions that could be asked now, and what is believed."""
    problem = dialogue.problem
    return {
        "name": problem.name,
        "kind": "label",
        "reason": dialogue.reason or None,
        "questions": [
            {
                "word": list(one.word),
                "path": problem.scene().in_original(one.path).to_file(problem.scene().original),
                "yes": one.chance,
                "nats": one.nats,
            }
            for one in dialogue.questions[:most]
        ],
        "answers": [
            task_document(score.task, **score_numbers(score), weight=share)
            for score, share in dialogue.labels.answers()[:SHOWN]
        ],
        "least_nats": WORTHLESS,
    }


def advice_document(problem: Problem, kind: str, ranked: list[Start] | list[Edit]) -> Document:
    """Return a ranking of start states or edits."""
    questions = []
    for one in ranked:
        numbers = {"nats": one.expected.nats, "standard_error": one.expected.error}
        if isinstance(one, Edit):
            place: Document = {"cell": list(one.cell), "before": one.before, "letter": one.letter}
        else:
            place = {"state": file_state(one.state)}
        questions.append({**place, **numbers})
    return {"name": problem.name, "kind": kind, "questions": questions}

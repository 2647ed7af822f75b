"""The command `ask`: what to ask next, and the dialogue in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any, get_args

import click
import numpy as np
from msgspec import UNSET

from demospec.ask.dialogue import WORTHLESS, Dialogue, Kind, Question, Reply, scored
from demospec.ask.illustration import illustrate_question
from demospec.ask.labels import LabelQuestion, with_examples
from demospec.ask.run_questions import (
    Edit,
    RunQuestion,
    but_for_starts,
    check_maps,
    check_starts,
    offered_edits,
    offered_starts,
)
from demospec.ask.saving import ProblemFile, append_label, example_toml, read_label_file
from demospec.belief import Belief
from demospec.belief.answers import not_determined
from demospec.belief.tuned import SURE
from demospec.cli import Interrupted
from demospec.cli.group import cli
from demospec.cli.options import (
    SEED,
    Count,
    about,
    check_standard_input,
    json_option,
    setting_options,
    with_changes,
)
from demospec.cli.streams import say, show_report
from demospec.cli.termination import interruptible, search_with_progress
from demospec.cli.typed_path import read_typed, typed
from demospec.errors import InputError
from demospec.explain.score import Score, plan_task
from demospec.files import load, load_task
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.report.blocks import Paragraph
from demospec.report.documents import JSON, Document, ScoredJSON, Sometimes, dumps
from demospec.report.result_document import ranked_json
from demospec.report.words import sentence
from demospec.runs.progress_line import telling
from demospec.runs.session import Session
from demospec.tasks import DFA
from demospec.wording import count, word_text
from demospec.worlds.paths import Path, file_state, start_of
from demospec.worlds.scene import Scene

ANSWERS_TOLD = 10  # in JSON


@cli.command("ask")
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@click.option(
    "--kind",
    type=click.Choice(get_args(Kind)),
    default="label",
    show_default=True,
    help="Ask for the label of a path, for a run from another start state or in an edited map, or for any "
    "that tells most: a label or a run from another start.",
)
@click.option("--most", type=Count(1), default=20, show_default=True, help="Ask at most this many questions.")
@click.option(
    "--sure",
    type=click.FloatRange(0, 1),
    default=SURE,
    show_default=True,
    help="Stop when one answer has this probability.",
)
@click.option("--answers", metavar="TASK", help="Let this task, or an agent with it, answer instead of you.")
@click.option(
    "--out",
    type=click.Path(path_type=FilePath, dir_okay=False),
    help="Add the labels to this TOML file; or write the problem with the runs there.",
)
@setting_options("iterations")
@json_option
def ask_command(
    problem_file: str,
    seed: int,
    kind: Kind,
    most: int,
    sure: float,
    answers: str | None,
    out: FilePath | None,
    as_json: bool,
    iterations: int | None,
    changed: dict[str, Any],
) -> None:
    """Ask what would tell most about the task behind PROBLEM, until it is clear.

    Labels: answer y (yes), n (no), s (skip) or q (quit). With --out, each is added to a file at once, as
    [[examples]]; those that it already holds are taken as given. The file may be PROBLEM itself.

    Runs: type the actions, "left left up", with the state that each leads to where that is not certain:
    "left (4, 6)". An empty line skips, q quits. With --out, the problem with all runs is written after each.
    """
    check_standard_input({"PROBLEM": problem_file, "--answers": answers})
    for name, option in (("--answers", answers), ("--out", out)):
        if option is not None and as_json:
            raise InputError(f"{name} is for the dialogue: not with --json")
    if problem_file == "-" and not as_json and answers is None:
        raise InputError("PROBLEM cannot be standard input, which your answers come from; or use --answers")
    problem = load(problem_file)
    labels, runs = kind in ("label", "any"), kind != "label"
    file = ProblemFile.check(out, problem_file, problem) if out is not None and runs else None
    problem = with_changes(problem, {"iterations": iterations}, changed)
    if out is not None and not runs:
        given = read_label_file(out, problem)
        with about(str(out)):
            problem = with_examples(problem, given)
    oracle = None if answers is None else read_oracle(answers, problem)
    with about(problem_file):
        problem.check_shown()
        if not labels:
            (check_starts if kind == "start" else check_maps)(problem)
        search, rank = partial(searched, seed=seed), partial(ranked, kind=kind, seed=seed)
        if as_json and not labels:
            asked = rank(Belief.of(problem, search(problem)))[:most]
            questions = [question_json(problem, one) for one in asked]
            click.echo(dumps(AskJSON.of(problem, kind=kind, questions=questions).plain()))
            return
        dialogue = Dialogue.begin(problem, seed=seed, enough=sure, searching=search, offering=rank, kind=kind)
    if as_json:
        click.echo(dumps(questions_document(dialogue, most)))
    else:
        talk(dialogue, Replying(oracle, seed), most, out, file)


# -- work that Ctrl-C can stop --------------------------------------------------------------------------


def searched(problem: Problem, *, seed: int) -> list[Score]:
    """Search with progress on standard error; an interruption ends the dialogue."""
    result = search_with_progress(Session(problem, seed=seed))
    if result.ended == "interrupted":
        raise Interrupted
    return scored(result)


def ranked(belief: Belief, *, kind: Kind, seed: int) -> list[RunQuestion]:
    """Rank start states or edits; an interruption ends the dialogue."""
    offered = offered_edits if kind == "edit" else offered_starts
    found: list[RunQuestion] = []
    with telling(f"comparing {'edits' if kind == 'edit' else 'start states'}"):
        if interruptible(lambda stop: found.extend(offered(belief, seed=seed, stop=stop))):
            raise Interrupted
    return found


# -- the dialogue in the terminal -----------------------------------------------------------------------


class Replying:
    """Who replies: a task that labels runs, an agent with it that shows some, or lines of standard input.

    A reply is a label or a path, s or q; the end of the input is q. What cannot be read is asked again.
    """

    def __init__(self, oracle: DFA | None, seed: int = 0) -> None:
        self.oracle, self.seed = oracle, seed

    def label(self, question: LabelQuestion) -> bool | str:
        """Return the label of a word."""
        prompt = "should the agent be content with this? [y]es/[n]o/[s]kip/[q]uit: "
        if self.oracle is not None:
            label = self.oracle.accepts(question.word)
            say(f"{prompt}{'y' if label else 'n'}")
            return label
        replies: dict[str, bool | str] = {"yes": True, "no": False, "skip": "s", "quit": "q"}
        while (line := typed_line(prompt)) is not None:
            for word, meant in replies.items():
                if line and word.startswith(line.lower()):
                    return meant
            say(f'"{line.lower()}" is none of y, n, s and q' if line else "please answer y, n, s or q")
        return "q"

    def run(self, problem: Problem, scene: Scene, number: int) -> Path | str:
        """Return a path of the scene's original world; an empty line is s."""
        world = scene.original
        state = world.starts[0][0]
        pair = world.pairs(state)[0]
        step = pair, max(world.outcomes(pair), key=lambda outcome: outcome[1])[0]
        example = Path((step,), complete=False, start=start_of(world, state))
        prompt = f"your run, as in {typed(world, example)} (an empty line skips, q quits): "
        if self.oracle is not None:
            rng = np.random.default_rng([self.seed, number])
            drawn = sample_path(plan_task(problem, self.oracle, scene, nearest=True), rng)
            path = scene.drawn_in_original(drawn, rng)
            say(f"{prompt}{typed(world, path)}")
            return path
        while (line := typed_line(prompt)) is not None and line.lower() not in ("q", "quit"):
            if not line:
                return "s"
            try:
                return read_typed(world, line)
            except InputError as error:
                say(str(error))
        return "q"


def typed_line(prompt: str) -> str | None:
    """Ask for a line of standard input; None at its end."""
    say(prompt, nl=False)
    line = b"" if sys.stdin is None else sys.stdin.buffer.readline()
    if not line:
        say()
        return None
    return line.decode("utf-8", "replace").strip()


def talk(
    dialogue: Dialogue,
    replying: Replying,
    most: int,
    out: FilePath | None = None,
    file: ProblemFile | None = None,
) -> None:
    """Ask until the task is clear, or there were questions enough; then tell what was learned.

    Each label is added to `out`, or the problem is written to `file` after each reply.
    """
    if not dialogue.contradiction:
        show_report([Paragraph(f"{dialogue.problem.name}: {answers_text(dialogue)}")])
    asked, current = 0, dialogue
    try:
        while True:
            if asked == most and not current.over:  # whether more could be asked is not worked out
                reason = f"{count(most, 'question')} asked"
                break
            if (reason := current.reason) or (question := current.question) is None:
                break
            asked += 1
            say(f"\n{question_text(current.problem, question, asked)}")
            if isinstance(question, LabelQuestion):
                given: bool | Path | str = replying.label(question)
            else:
                given = replying.run(current.problem, question.scene, asked)
            if given == "q":
                reason = "you left"
                break
            if isinstance(given, str):
                current = current.skip()
                continue
            current = current.taken(given)
            if file is not None:
                file.write(current.problem)
            elif out is not None and isinstance(question, LabelQuestion):
                append_label(out, question.word, given is True)
            current = current.learned()
            if not current.contradiction:
                show_report([Paragraph(answers_text(current))])
    except (KeyboardInterrupt, Interrupted):
        say(f"\n{replies_text(current.replies)}", nl=False)  # what there is, is not lost
        raise Interrupted from None
    say(f"\n{end_text(current, reason, out if file is None else file.path)}", nl=False)
    if current.contradiction:
        about_labels = any(isinstance(reply.question, LabelQuestion) for reply in current.replies)
        wrong = ": one of the labels may be wrong" if about_labels else ""
        raise InputError(f"{current.contradiction}{wrong}", place="labels" if about_labels else "runs")


# -- what is told: questions, the likeliest answers, what was replied ------------------------------------


def answers_text(dialogue: Dialogue) -> str:
    """Tell the likeliest answers on one line, after saying whether they determine the task."""
    standing, answers = dialogue.standing, dialogue.standing.answers
    drawn = " on the paths that were drawn" if dialogue.kind == "label" and dialogue.verdicts.drawn else ""
    shares = "  ".join(f"{share:.0%} {sentence(score.task)}" for score, share in answers[:3])
    told = f"{count(len(answers), 'answer')} possible{drawn}: {shares}"
    return told if standing.determined else f"{not_determined(standing.problem)}; {told}"


def question_text(problem: Problem, question: Question, number: int) -> str:
    """Tell a question."""
    if isinstance(question, LabelQuestion):
        drawn = "; the best of some paths that were drawn, not of all" if question.drawn else ""
        told = f"a path that reads {question}{world_text(problem, question.world)}"
        tells = (
            f"yes with probability {question.chance:.2f}; the answer tells {question.nats:.3f} nats{drawn}"
        )
    else:
        edit, expected = isinstance(question.change, Edit), question.information
        where = f"in the map {question.change}" if edit else str(question.change)
        if edit or len(but_for_starts(problem)) > 1:  # others differ in more than the start
            where += world_text(problem, question.like)
        told = f"show a run {where}{', as before' if question.scene in problem.scenes else ''}"
        error = "" if expected.exact else f" ± {expected.error:.3f}"
        tells = f"it is expected to tell {expected.nats:.3f}{error} nats"
    lines = (f"question {number}: {told}", illustrate_question(problem, question), tells)
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
    return task.as_dfa()


# -- documents ------------------------------------------------------------------------------------------


class _AskedJSON(JSON, kw_only=True):
    word: Annotated[Sometimes[list[str]], "Of a label: the word of the path."] = UNSET
    world: Annotated[str | None, "The name of its world; null where there is one."]
    start: Annotated[Sometimes[str | list[Any]], "Of a label: where the path begins."] = UNSET
    path: Annotated[Sometimes[list[Any]], "Of a label: the path."] = UNSET
    drawn: Annotated[
        Sometimes[bool], "Of a label: whether the path is the best of some that were drawn, not of all."
    ] = UNSET
    yes: Annotated[Sometimes[float], "Of a label: the probability that the answer is yes."] = UNSET
    state: Annotated[Sometimes[str | list[Any]], "With `start`: the state to begin in."] = UNSET
    cell: Annotated[Sometimes[list[int]], "With `edit`: the cell to change."] = UNSET
    before: Annotated[Sometimes[str | None], "With `edit`: what the cell is now."] = UNSET
    letter: Annotated[Sometimes[str | None], "With `edit`: its new letter."] = UNSET
    nats: Annotated[float, "What the answer is expected to tell, in nats."]
    standard_error: Annotated[Sometimes[float], "Not of labels: of `nats`; 0 where it is exact."] = UNSET
    draws: Annotated[Sometimes[int], "With `start` and `edit`: how many paths were drawn for it."] = UNSET


class AskJSON(JSON, kw_only=True):
    """What could be asked, ranked. Nothing is asked."""

    name: Annotated[str, "The name of the problem."]
    kind: Annotated[Kind, "What is asked for."]
    reason: Annotated[Sometimes[str | None], "Of labels: why nothing more need be asked."] = UNSET
    determined: Annotated[Sometimes[bool], "Of labels: whether the task is determined."] = UNSET
    questions: Annotated[list[_AskedJSON], "The questions, best first."]
    answers: Annotated[
        Sometimes[list[ScoredJSON]], "Of labels: the likeliest answers; `weight` is the share of the belief."
    ] = UNSET
    least_nats: Annotated[Sometimes[float], "Of labels: what one must tell to be asked for."] = UNSET


def questions_document(dialogue: Dialogue, most: int) -> Document:
    """Return the questions that could be asked now, and what is believed."""
    return AskJSON(
        name=dialogue.problem.name,
        kind=dialogue.kind,
        reason=dialogue.reason or None,
        determined=dialogue.standing.determined,
        questions=[question_json(dialogue.problem, one) for one in dialogue.questions[:most]],
        answers=[ranked_json(score, share) for score, share in dialogue.standing.answers[:ANSWERS_TOLD]],
        least_nats=WORTHLESS,
    ).plain()


def question_json(problem: Problem, question: Question) -> _AskedJSON:
    """Return a question about a label; or a start state or an edit, and what a run there should tell."""
    if isinstance(question, LabelQuestion):
        scene = problem.scene(question.world)
        path, world = scene.in_original(question.path), scene.original
        start = file_state(world.name(path.first(world)))
        return _AskedJSON.of(question, start=start, path=path.to_file(world), yes=question.chance)
    change, told = question.change, question.information
    if isinstance(change, Edit):
        place: Document = {"cell": [*change.cell], "before": change.before, "letter": change.letter}
    else:
        place = {"state": file_state(change.state)}
    numbers: Document = {"nats": told.nats, "standard_error": told.error, "draws": told.draws}
    return _AskedJSON(world=question.like, **place, **numbers)

"""The command `ask`: what to ask next, and the dialogues in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

import click
from msgspec import UNSET

from demospec.ask.dialogue import Dialogue, Reply
from demospec.ask.illustration import illustrate
from demospec.ask.labelled import scored, with_examples
from demospec.ask.labels_file import append_label, example_toml, read_labels
from demospec.ask.offers import Edit, Offer, check_maps, check_starts, offered_edits, offered_starts
from demospec.ask.problem_file import ProblemFile
from demospec.ask.questions import Question
from demospec.ask.showing import Showing
from demospec.ask.standing import WORTHLESS
from demospec.belief import Belief
from demospec.belief.answers import SURE
from demospec.cli import Interrupted
from demospec.cli.ask_showing import Demonstrating, show_runs
from demospec.cli.ask_text import answers_text, best_lines, read_line, world_text
from demospec.cli.group import cli
from demospec.cli.options import SEED, Count, about, check_standard_input, json_option, setting_options
from demospec.cli.progress import interruptible, search_with_progress, telling
from demospec.cli.streams import say, show
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.files import load, load_task
from demospec.problem import Problem
from demospec.report.blocks import Paragraph
from demospec.report.documents import JSON, Document, ScoredJSON, Sometimes, dumps
from demospec.report.result_document import ranked_json
from demospec.runs.session import Session
from demospec.tasks import DFA
from demospec.wording import count, word_text
from demospec.work.stop import Stop
from demospec.worlds.paths import file_state

ANSWERS_TOLD = 10  # in JSON
OFFERED = {"start": offered_starts, "edit": offered_edits}


@cli.command("ask")
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@click.option(
    "--kind",
    type=click.Choice(("label", *OFFERED)),
    default="label",
    show_default=True,
    help="Ask for the label of a path, or for a run from another start state or in an edited map.",
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
    file = None
    if out is not None and kind != "label":
        file = ProblemFile.check(out, problem_file, problem)
    with about("options"):
        problem = problem.with_settings(**settings)
    if out is not None and kind == "label":
        given = read_labels(out, problem)
        with about(str(out)):
            problem = with_examples(problem, given)
    oracle = None if answers is None else read_oracle(answers, problem)
    with about(problem_file):
        problem.check_shown()
        if kind != "label":
            (check_starts if kind == "start" else check_maps)(problem)
        searcher = Searcher(seed)
        if kind != "label" and as_json:
            belief = Belief.of(problem, searcher(problem))
            offers = [offer_json(one) for one in Ranker(kind, seed)(belief)[:most]]
            click.echo(dumps(AskJSON.of(problem, kind=kind, questions=offers).plain()))
            return
        if kind == "label":
            dialogue = Dialogue.begin(problem, seed=seed, enough=sure, searching=searcher)
        else:
            showing = Showing.begin(
                problem, seed=seed, enough=sure, searching=searcher, offering=Ranker(kind, seed)
            )
    if kind != "label":
        show_runs(showing, Demonstrating(oracle, seed), most, file)
    elif as_json:
        click.echo(dumps(questions_document(dialogue, most)))
    else:
        talk(dialogue, Answering(oracle), most, out)


# -- work that Ctrl-C can stop --------------------------------------------------------------------------


@dataclass(frozen=True)
class Searcher:
    """Runs the searches of a dialogue with progress on standard error."""

    seed: int

    def __call__(self, problem: Problem) -> list[Score]:
        """Search; an interruption ends the dialogue."""
        result = search_with_progress(Session(problem, seed=self.seed))
        if result.ended == "interrupted":
            raise Interrupted
        return scored(result)


@dataclass(frozen=True)
class Ranker:
    """Ranks start states or edits."""

    kind: str
    seed: int

    def __call__(self, belief: Belief) -> list[Offer]:
        """Rank; an interruption ends the dialogue."""
        found: list[Offer] = []

        def work(stop: Stop) -> None:
            found.extend(OFFERED[self.kind](belief, seed=self.seed, stop=stop))

        with telling(f"comparing {'start states' if self.kind == 'start' else 'edits'}"):
            interrupted = interruptible(work)
        if interrupted:
            raise Interrupted
        return found


# -- the dialogue about labels --------------------------------------------------------------------------


class Answering:
    """Who answers: a task, or the lines of standard input."""

    def __init__(self, oracle: DFA | None) -> None:
        self.oracle = oracle

    def __call__(self, question: Question) -> str:
        """Return y, n, s or q; the end of the input is q, and what is none of them is asked again."""
        prompt = "should the agent be content with this? [y]es/[n]o/[s]kip/[q]uit: "
        if self.oracle is not None:
            reply = "y" if self.oracle.accepts(question.word) else "n"
            say(f"{prompt}{reply}")
            return reply
        while True:
            line = read_line(prompt)
            if line is None:
                return "q"
            reply = line.lower()
            for word in ("yes", "no", "skip", "quit"):
                if reply and word.startswith(reply):
                    return word[0]
            say(f'"{reply}" is none of y, n, s and q' if reply else "please answer y, n, s or q")


def talk(dialogue: Dialogue, answering: Answering, most: int, out: FilePath | None) -> None:
    """Ask until the task is clear, or there were questions enough; then tell what was learned."""
    if not dialogue.contradiction:
        show([Paragraph(f"{dialogue.problem.name}: {label_answers_text(dialogue)}")])
    asked, reason = 0, ""
    current, given = dialogue, list(dialogue.replies)
    try:
        while not (reason := current.reason) and (question := current.question) is not None:
            if asked == most:
                reason = f"{count(most, 'question')} asked"
                break
            asked += 1
            say(f"\n{question_text(current, question, asked)}")
            reply = answering(question)
            if reply == "q":
                reason = "you left"
                break
            if reply == "s":
                current = current.skip()
                continue
            given.append(Reply(question, reply == "y"))
            if out is not None:
                append_label(out, question.word, reply == "y")
            current = current.answered(reply == "y")
            if not current.contradiction:
                show([Paragraph(label_answers_text(current))])
    except (KeyboardInterrupt, Interrupted):
        say(f"\n{replies_toml(given)}", nl=False)  # what there is, is not lost
        raise Interrupted from None
    say(f"\n{end_text(current, reason, out)}", nl=False)
    if current.contradiction:
        raise InputError(f"{current.contradiction}: one of the labels may be wrong", place="labels")


def label_answers_text(dialogue: Dialogue) -> str:
    """Tell the likeliest answers on one line."""
    drawn = " on the paths that were drawn" if dialogue.verdicts.drawn else ""
    return answers_text(dialogue.standing, drawn)


def question_text(dialogue: Dialogue, question: Question, number: int) -> str:
    problem = dialogue.problem
    drawn = "; the best of some paths that were drawn, not of all" if question.drawn else ""
    return "\n".join(
        [
            f"question {number}: a path that reads {word_text(question.word)}"
            f"{world_text(problem, question.world)}",
            illustrate(problem.scene(question.world), question.path),
            f"yes with probability {question.chance:.2f}; the answer tells {question.nats:.3f} nats{drawn}",
        ]
    )


def end_text(dialogue: Dialogue, reason: str, out: FilePath | None) -> str:
    """Tell what was learned, and the labels as a problem file writes them."""
    lines = [f"{reason}; {count(len(dialogue.replies), 'label')} given"]
    if not dialogue.contradiction:
        lines += best_lines(dialogue.standing, *dialogue.best)
    if out is not None and dialogue.replies:
        lines.append(f"the labels are in {out}")
    return "\n".join(lines) + "\n" + (f"\n{replies_toml(dialogue.replies)}" if dialogue.replies else "")


def replies_toml(replies: Sequence[Reply]) -> str:
    """Write labels as a problem file does."""
    return "\n".join(example_toml(reply.question.word, reply.label) for reply in replies)


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
        Sometimes[bool],
        "Of a label: whether the path is the best of some that were drawn, not of all.",
    ] = UNSET
    yes: Annotated[Sometimes[float], "Of a label: the probability that the answer is yes."] = UNSET
    state: Annotated[Sometimes[str | list[Any]], "With `start`: the state to begin in."] = UNSET
    cell: Annotated[Sometimes[list[int]], "With `edit`: the cell to change."] = UNSET
    before: Annotated[Sometimes[str | None], "With `edit`: what the cell is now."] = UNSET
    letter: Annotated[Sometimes[str | None], "With `edit`: its new letter."] = UNSET
    nats: Annotated[float, "What the answer is expected to tell, in nats."]
    standard_error: Annotated[
        Sometimes[float], "With `start` and `edit`: the standard error of `nats`; 0 where it is exact."
    ] = UNSET
    draws: Annotated[Sometimes[int], "With `start` and `edit`: how many paths were drawn for it."] = UNSET


class AskJSON(JSON, kw_only=True):
    """What could be asked, ranked. Nothing is asked."""

    name: Annotated[str, "The name of the problem."]
    kind: Annotated[Literal["label", "start", "edit"], "What is asked for."]
    reason: Annotated[
        Sometimes[str | None], "Of labels: why nothing more need be asked; null while something does."
    ] = UNSET
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
        kind="label",
        reason=dialogue.reason or None,
        determined=dialogue.standing.determined,
        questions=[question_json(dialogue.problem, one) for one in dialogue.questions[:most]],
        answers=[ranked_json(score, share) for score, share in dialogue.standing.answers[:ANSWERS_TOLD]],
        least_nats=WORTHLESS,
    ).plain()


def question_json(problem: Problem, question: Question) -> _AskedJSON:
    """Return a question about a label."""
    scene = problem.scene(question.world)
    path, world = scene.in_original(question.path), scene.original
    start = file_state(world.name(path.first(world)))
    return _AskedJSON.of(question, start=start, path=path.to_file(world), yes=question.chance)


def offer_json(offer: Offer) -> _AskedJSON:
    """Return a start state or an edit, and what a demonstration there is expected to tell."""
    change, expected = offer.change, offer.expected
    if isinstance(change, Edit):
        place: Document = {"cell": [*change.cell], "before": change.before, "letter": change.letter}
    else:
        place = {"state": file_state(change.state)}
    numbers: Document = {"nats": expected.nats, "standard_error": expected.error, "draws": expected.draws}
    return _AskedJSON(world=offer.like, **place, **numbers)

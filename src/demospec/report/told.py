"""A result on one screen: what was learned, how sure that is, what to do next; then what it rests on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from demospec.belief import Claim
from demospec.belief.answers import SURE, not_determined
from demospec.belief.findings import Caution, counted_worlds
from demospec.explain.setup import resolve
from demospec.report.answer_report import (
    BOUND,
    TIME_IS_UP,
    agent_words,
    called,
    claim_sentence,
    warning_words,
    word_sentences,
)
from demospec.report.blocks import Advice, Block, Facts, Figure, Items, Paragraph, Together
from demospec.report.drawings import best_svg
from demospec.report.words import decimal, in_full, sentence
from demospec.runs.result import Result
from demospec.tasks import Word
from demospec.wording import count, percent, word_text

STATES = 12  # of an automaton, drawn one to a line
RUNS = 4  # whose words are told
LONGEST = 60  # characters of the words of all runs


def screen_blocks(result: Result, source: Source | None = None, *, words: Sequence[Word] = ()) -> list[Block]:
    """Tell a result in three lines, and below them what speaks against it, what is settled, who showed it."""
    source = Source() if source is None else source
    believed = resolve(result.problem).code == "words"
    warnings = result.warnings if believed else list(counted_worlds(result.problem))
    step = next_step(result, source)
    drawn = result.best.task.pretty().split("\n")
    left = len(drawn) - STATES
    shown = drawn if left <= 1 else [*drawn[:STATES], f"… and {left} more lines: see --details"]
    return [
        Together(
            [
                *(warning_block(one) for one in warnings if one.serious),
                Paragraph(learned_words(result), "strong"),
                Paragraph(sure_words(result) if believed else energy_words(result)),
                Advice(f"Next: {step.text}", step.command),
            ]
        ),
        Together([warning_block(one) for one in warnings if not one.serious]),
        Items(word_sentences(result, words) if words else []),
        Facts(
            [
                *enough_facts(result),
                *(claim_facts(result) if believed else ()),
                *origin_facts(result),
            ]
        ),
        Figure(partial(best_svg, result), "\n".join(shown)),
    ]


def warning_block(one: Caution) -> Block:
    """Return a warning."""
    return Paragraph(warning_words(one), "warning")


def learned_words(result: Result) -> str:
    """Say what was learned in a sentence, or that what was shown does not determine it."""
    said = in_full(result.problem, result.best.task, result.stop).sentence
    found = result.findings
    if resolve(result.problem).code != "words" or found is None or found.determined:
        return said
    return f"{not_determined(result.problem)}. {called(found)}: {said}"


def sure_words(result: Result) -> str:
    """Say how likely it is that this is all of the task, and how likely another answer is."""
    found = result.findings
    if found is None:
        return TIME_IS_UP
    first, *others = found.answers.all
    told = f"Probability {percent(first.share)} that "
    told += "this is the whole task" if found.aim else "nothing in particular was asked for"
    likeliest = found.answers.likeliest
    if likeliest is not first:
        told += f"; the likeliest answer has {percent(likeliest.share)}"
        return f"{told}: {sentence(likeliest.smallest.task)}"
    return f"{told}; the next likeliest answer has {percent(others[0].share)}." if others else f"{told}."


def energy_words(result: Result) -> str:
    """Say what the lowest energy is, and what share of the belief its task has."""
    told = f"Lowest energy: {decimal(result.best.energy)}."
    found = result.findings
    if found is None:
        return f"{told} {TIME_IS_UP}"
    told += f" Probability {percent(found.answer.share)}"
    first = found.answers.all[0]
    if first is found.answer:
        return f"{told}, the highest of all answers."
    return f"{told}; likelier, with {percent(first.share)}: {sentence(first.smallest.task)}"


# -- what it rests on ---------------------------------------------------------------------------------


def enough_facts(result: Result) -> Iterator[tuple[str, str]]:
    """Tell how likely it is that acting on the answer is enough."""
    found = result.findings
    if found is None or found.acting is None or not found.aim:
        return
    told = f"{percent(found.acting.enough)} that this is enough"
    if not found.acting.is_likeliest:
        told += f"; {percent(found.acting.likeliest_enough)} for the likeliest answer"
    yield "Act on it", told


def claim_facts(result: Result) -> Iterator[tuple[str, str]]:
    """Tell what is settled, likely and open."""
    claims = result.claims
    if claims is None:
        return
    if not claims.told:
        yield "Settled", "nothing that a short sentence could say"
    elif not claims.of("settled"):
        yield "Settled", "nothing yet"
    for name, told in (("Settled", claims.of("settled")), ("Likely", claims.of("likely"))):
        if told:
            yield name, "\n".join(map(claim_sentence, told))
    if open_claims := claims.of("open"):
        yield "Open", "\n".join(map(open_words, open_claims))
    if not claims.exact:
        yield "", BOUND


def open_words(claim: Claim) -> str:
    """Write an open claim, and the run whose label would tell most about it."""
    told = claim_sentence(claim)
    if claim.settle is None:
        return told
    run = f'the run "{word_text(claim.settle.word)}"' if claim.settle.word else "a run that reads no letter"
    return f"{told}; whether {run} is good would tell"


def origin_facts(result: Result) -> Iterator[tuple[str, str]]:
    """Tell what was shown, by whom, and whether the sentence says all."""
    problem = result.problem
    shown = f'{count(len(problem.demonstrations), "run")} in "{problem.name}"'
    words = ", ".join(f'"{word_text(word)}"' for word in problem.words)
    if 0 < len(problem.words) <= RUNS and len(words) <= LONGEST:
        shown += f", with the word{'' if len(problem.words) == 1 else 's'} {words}"
    yield "Shown", shown
    if resolve(result.problem).code == "words" and result.demonstrator is not None:
        yield "Shown by", agent_words(result)
    said = in_full(problem, result.best.task, result.stop)
    if said.exact == "here":
        yield "Exact", "in this world; elsewhere the automaton below may differ from the sentence"
    elif said.exact is False:
        yield "Exact", "no: the automaton below says more than the sentence"


# -- What to do next with a result: ask, show more, look closer, or hand the task over; and the command.


PROBLEM = "PROBLEM"  # where nobody knows the name of the file


@dataclass(frozen=True)
class Source:
    """Where a result comes from, and where it is kept, as it was typed."""

    file: str = PROBLEM  # the problem file; - is standard input
    folder: str | None = None  # that the result is written to
    options: tuple[str, ...] = ()  # that were given for the search, and that `ask` knows too
    narrowed: bool = False  # by options that `ask` does not have

    @property
    def name(self) -> str:
        """Return the file's name in a command; of standard input it has none."""
        return PROBLEM if self.file == "-" else shlex.quote(self.file)

    @property
    def is_toml(self) -> bool:
        """Say whether runs can be added to the file."""
        return self.file == PROBLEM or self.file.endswith(".toml")


@dataclass(frozen=True)
class Step:
    """What to do, and the command that does it."""

    text: str
    command: str


def next_step(result: Result, source: Source | None = None) -> Step:
    """Say what is most useful now, given how sure the answer is and what speaks against it."""
    source = Source() if source is None else source
    found = result.findings
    if result.ended in ("interrupted", "seconds", "evaluations") or found is None:
        return go_on(result, source)
    codes = {one.code for one in result.warnings if one.serious or one.code == "stray-demonstration"}
    if codes & {"no-choice", "prior-excludes", "succeeds-otherwise"}:
        return Step("check what the problem file says:", f"demospec check {source.name}")
    if codes & {"surprising-demonstration", "stray-demonstration"}:
        command = f"demospec score {source.name} {task_argument(result, source)}"
        return Step("look at the runs that do not fit:", command)
    if "nearly-aimless" in codes or not found.aim:
        return show_more(source)
    if found.answer.share >= SURE:
        return keep(source)
    if source.narrowed:
        return Step(
            "write the options into the problem file and answer questions:", f"demospec ask {source.name}"
        )
    options = "".join(f" {shlex.quote(one)}" for one in source.options)
    return Step("answer a few yes/no questions:", f"demospec ask {source.name}{options}")


def go_on(result: Result, source: Source) -> Step:
    """Advise to search on."""
    if result.ended == "interrupted" and source.folder is not None:
        return Step("go on with the search:", f"demospec resume {shlex.quote(source.folder)}")
    return Step("let the search run to its end:", f"demospec learn {source.name}")


def show_more(source: Source) -> Step:
    """Advise to show more."""
    if source.is_toml:
        return Step("show more runs:", f"demospec record {source.name}")
    return Step("add runs to the problem file; it holds:", f"demospec check {source.name}")


def keep(source: Source) -> Step:
    """Say that it is settled, and advise to hand it over."""
    if source.folder is None:
        command = f"demospec learn {source.name} --out out"
        return Step("it is settled; keep the result, and see it in pictures:", command)
    result = shlex.quote(f"{source.folder}/result.json")
    return Step("it is settled; hand it over:", f"demospec export {result} --format python")


def task_argument(result: Result, source: Source) -> str:
    """Return the answer as an argument of a command: its file, its clauses, or its automaton."""
    if source.folder is not None:
        return shlex.quote(f"{source.folder}/result.json")
    said = in_full(result.problem, result.best.task, result.stop)
    exact = said.exact == "always"
    return shlex.quote(said.sentence.rstrip(".") if exact else str(result.best.task.automaton))

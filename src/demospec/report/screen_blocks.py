"""A result on one screen: what was learned, how sure that is, what to do next; then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from demospec.belief import Claim
from demospec.belief.determined import not_determined
from demospec.belief.warnings import Caution, counted_worlds
from demospec.report.answer_blocks import TIME_IS_UP, agent_words, called, warning_words
from demospec.report.blocks import Advice, Block, Facts, Figure, Items, Paragraph, Together
from demospec.report.claims_blocks import BOUND, claim_sentence
from demospec.report.drawings import best_svg
from demospec.report.next_step import Source, next_step
from demospec.report.result_blocks import word_sentences
from demospec.report.said import in_full, sentence
from demospec.report.words import decimal
from demospec.runs.result import Result
from demospec.tasks import Word
from demospec.wording import count, percent, word_text

STATES = 12  # of an automaton, drawn one to a line
RUNS = 4  # whose words are told
LONGEST = 60  # characters of the words of all runs


def screen_blocks(result: Result, source: Source | None = None, *, words: Sequence[Word] = ()) -> list[Block]:
    """Tell a result in three lines, and below them what speaks against it, what is settled, who showed it."""
    source = Source() if source is None else source
    believed = result.problem.code == "words"
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
    if result.problem.code != "words" or found is None or found.determined:
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
        return f"{told}; the likeliest answer has {percent(likeliest.share)}: {sentence(likeliest.name.task)}"
    return f"{told}; the next likeliest answer has {percent(others[0].share)}." if others else f"{told}."


def energy_words(result: Result) -> str:
    """Say what the lowest energy is, and what share of the belief its task has."""
    told = f"Lowest energy: {decimal(result.best.energy)}."
    found = result.findings
    if found is None:
        return f"{told} {TIME_IS_UP}"
    told += f" Probability {percent(found.answers.best.share)}"
    first = found.answers.all[0]
    if first is found.answers.best:
        return f"{told}, the highest of all answers."
    return f"{told}; likelier, with {percent(first.share)}: {sentence(first.name.task)}"


# -- what it rests on ---------------------------------------------------------------------------------


def enough_facts(result: Result) -> Iterator[tuple[str, str]]:
    """Tell how likely it is that acting on the answer is enough."""
    found = result.findings
    if found is None or found.headline is None or not found.aim:
        return
    told = f"{percent(found.headline.enough)} that this is enough"
    if not found.headline.is_likeliest:
        told += f"; {percent(found.headline.likeliest_enough)} for the likeliest answer"
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
    if result.problem.code == "words" and result.demonstrator is not None:
        yield "Shown by", agent_words(result)
    said = in_full(problem, result.best.task, result.stop)
    if said.exact == "here":
        yield "Exact", "in this world; elsewhere the automaton below may differ from the sentence"
    elif said.exact is False:
        yield "Exact", "no: the automaton below says more than the sentence"

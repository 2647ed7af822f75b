"""The answer first: what was learned in a sentence, how sure it is, what speaks against it, who showed it."""

from __future__ import annotations

import math

from demospec.belief.demonstrator import Demonstrator
from demospec.belief.letters import percent
from demospec.belief.warnings import Caution
from demospec.explain.score import Score
from demospec.report.blocks import Block, Items, Paragraph
from demospec.report.claims_blocks import claims_blocks, claims_document
from demospec.report.said import in_full, said_blocks, said_document, sentence
from demospec.report.values import Document
from demospec.runs.result import Result
from demospec.tasks.words import BRIEF, describe

LITTLE = 0.05  # a headline with less of the belief says that nothing is determined
ANSWERS = 10  # in JSON


def answer_blocks(result: Result) -> list[Block]:
    """Tell the headline with its probability, after what speaks against it."""
    return [
        Items([warning_words(one) for one in result.warnings]),
        *undetermined(result),
        *said_blocks(in_full(result.problem, result.best.task, result.stop)),
        Paragraph(how_sure(result)),
        *([] if result.demonstrator is None else [Paragraph(demonstrator_words(result))]),
        *([] if result.claims is None else claims_blocks(result.problem, result.claims)),
    ]


def warning_words(one: Caution) -> str:
    """Write a warning on a line."""
    return f"Warning: {one.message} {one.advice}"


def undetermined(result: Result) -> list[Block]:
    """Say where what was shown does not tell the task."""
    found = result.findings
    if found is None or (found.best.language.states > 1 and found.answers.best.share >= LITTLE):
        return []
    return [Paragraph("What was shown does not tell the task. The likeliest of many possible ones:")]


def how_sure(result: Result) -> str:
    """Say how likely the headline is, and the next answer."""
    found = result.findings
    if found is None:
        return "How sure this is was not worked out: the time was up. Allow more with --max-seconds."
    first, *others = found.answers.all
    told = f"Probability {percent(first.share)}"
    if alike := len(first.members) - 1:
        told += f", with {alike} other{'' if alike == 1 else 's'} that no episode here tells from it"
    if others:
        told += f". The next answer has {percent(others[0].share)}: {sentence(others[0].name.task)}"
    return told if told.endswith(".") else f"{told}."


def demonstrator_words(result: Result) -> str:
    """Say who showed it."""
    agent: Demonstrator | None = result.demonstrator
    assert agent is not None
    best = result.best.satisfaction_probability
    told = f"rationality about {agent.rationality.mean:.3g}"
    if agent.rationality.low < agent.rationality.high:
        told += f" ({agent.rationality.low:g} to {agent.rationality.high:g})"
    if agent.effort.high > 0:
        spread = f"{agent.effort.low:g} to {agent.effort.high:g}"
        told += f", effort {agent.effort.mean:.2g} nats a step ({spread})"
    return f"The demonstrator: {told}; an agent like that succeeds in {percent(best)} of episodes."


def answer_document(result: Result) -> Document:
    """Return the headline, the leading answers, warnings and the demonstrator, as the contract has them."""
    found = result.findings
    said = in_full(result.problem, result.best.task, result.stop)
    headline: Document = {"task": said.task.to_json(), **said_document(said)}
    if result.problem.code != "words":
        return {"answer": headline}
    headline["probability"] = None if found is None else found.answers.best.share
    answers: list[Document] = []
    if found is not None:
        differences = {id(one.other): one for one in found.differences}
        for one in found.answers.all[:ANSWERS]:
            told = in_full_briefly(result, one.name)
            difference = differences.get(id(one))
            word = None if difference is None or difference.word is None else list(difference.word)
            answers.append({**told, "probability": one.share, "separated_by": word})
    return {
        "answer": headline,
        "answers": answers,
        "claims": [] if result.claims is None else claims_document(result.problem, result.claims),
        "warnings": [one.to_json() for one in result.warnings],
        "agent": None if result.demonstrator is None else result.demonstrator.to_json(),
        "mass_not_scored": mass_not_scored(result),
    }


def in_full_briefly(result: Result, score: Score) -> Document:
    """Return one of the answers with its words."""
    del result
    found = describe(score.task, budget=BRIEF)
    return {"task": score.task.to_json(), **said_document(found)}


def mass_not_scored(result: Result) -> float:
    """Return an estimate of the belief's share in tasks that were never scored.

    The search finds what weighs most first, and adds less and less: what is left is taken to weigh as much as
    what the second half of its steps added.
    """
    half = len(result.trace) // 2
    early = {score.language for row in result.trace[: max(1, half)] for score in row.info.scored}
    late = [
        weight
        for score, weight in zip(result.belief.scores, result.belief.weights.tolist(), strict=True)
        if score.language not in early
    ]
    added = math.fsum(late)
    return added / (1.0 + added)

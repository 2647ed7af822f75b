"""The answer first: what was learned in a sentence, how sure it is, what speaks against it, who showed it."""

from __future__ import annotations

from demospec.belief import Findings
from demospec.belief.demonstrator import Demonstrator
from demospec.belief.determined import LITTLE, not_determined
from demospec.belief.warnings import Caution, counted_worlds
from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.report.blocks import Block, Items, Paragraph
from demospec.report.claims_blocks import claims_blocks, claims_document
from demospec.report.said import in_full, said_blocks, said_document, sentence
from demospec.report.values import Document
from demospec.runs.result import Result
from demospec.tasks.words import BRIEF, Description, describe
from demospec.wording import count, percent

ANSWERS = 10  # in JSON
TIME_IS_UP = "How sure this is was not worked out: the time was up. Allow more with --max-seconds."


def headline(result: Result) -> str:
    """Say in the first line whether what was shown determines the task."""
    found = result.findings
    if found is None or found.determined:
        return f"what {shown_words(result.problem)} asked for"
    return not_determined(result.problem)


def shown_words(problem: Problem) -> str:
    """Say how many demonstrations there are."""
    return count(len(problem.demonstrations), "demonstration")


def answer_blocks(result: Result) -> list[Block]:
    """Tell the headline with its probability, after what speaks against it."""
    return [
        Items([warning_words(one) for one in result.warnings]),
        *headline_blocks(result, in_full(result.problem, result.best.task, result.stop)),
        *([] if result.demonstrator is None else [Paragraph(demonstrator_words(result))]),
        *([] if result.claims is None else claims_blocks(result.problem, result.claims)),
    ]


def warning_words(one: Caution) -> str:
    """Write a warning on a line."""
    return f"Warning: {one.message} {one.advice}"


def headline_blocks(result: Result, said: Description) -> list[Block]:
    """Tell the headline: as the task where it is determined, else as what it is."""
    found = result.findings
    if found is None:
        return [*said_blocks(said), Paragraph(TIME_IS_UP)]
    first = found.answers.all[0]
    told = f"Probability {percent(first.share)}"
    if alike := len(first.members) - 1:
        told += f", with {alike} other{'' if alike == 1 else 's'} that no episode here tells from it"
    told = f"{told}{enough_words(found)}.{rival_sentence(found)}"
    if found.determined:
        return [*said_blocks(said), Paragraph(told)]
    lead = called(found) + ("" if found.aim else " has no aim here")
    if found.answers.likeliest.share < LITTLE:
        lead = f"No answer has {percent(LITTLE)} of the belief. {lead}"
    return [Paragraph(f"{lead}:"), *said_blocks(said, "answer"), Paragraph(told)]


def called(found: Findings) -> str:
    """Say what the headline is, where it is not the task as far as is known."""
    return "The likeliest answer" if found.is_likeliest else "The answer to act on"


def enough_words(found: Findings) -> str:
    """Say how likely it is that acting on the headline is enough."""
    if found.headline is None or not found.aim:
        return ""
    return f", {percent(found.headline.enough)} that it is enough to act on"


def rival_sentence(found: Findings) -> str:
    """Name the likeliest answer where it is not the headline, else the next one."""
    others = [answer for answer in found.answers.all if not answer.holds_best]
    if not others:
        return ""
    if found.headline is None or found.headline.is_likeliest:
        return f" The next answer has {percent(others[0].share)}: {sentence(others[0].name.task)}"
    likeliest, enough = found.answers.likeliest, percent(found.headline.likeliest_enough)
    return (
        f" The likeliest answer has {percent(likeliest.share)}, and is enough to act on with {enough}: "
        f"{sentence(likeliest.name.task)}"
    )


def demonstrator_words(result: Result) -> str:
    """Say who showed it."""
    return f"The demonstrator: {agent_words(result)}."


def agent_words(result: Result) -> str:
    """Say how rational who showed it was, what a step cost them, and how often such an agent succeeds."""
    agent: Demonstrator | None = result.demonstrator
    assert agent is not None
    told = f"rationality about {agent.rationality.mean:.3g}"
    if agent.rationality.low < agent.rationality.high:
        told += f" ({agent.rationality.low:g} to {agent.rationality.high:g})"
    if agent.effort.high > 0:
        spread = f"{agent.effort.low:g} to {agent.effort.high:g}"
        told += f", effort {agent.effort.mean:.2g} nats a step ({spread})"
    if agent.haste.high > 0:
        told += f", haste {agent.haste.mean:.2g} ({agent.haste.low:g} to {agent.haste.high:g})"
    if result.findings is not None and not result.findings.aim:
        return told
    return (
        f"{told}; an agent like that succeeds in {percent(result.best.satisfaction_probability)} of episodes"
    )


def answer_document(result: Result) -> Document:
    """Return the headline, the leading answers, warnings and the demonstrator, as the contract has them."""
    found = result.findings
    said = in_full(result.problem, result.best.task, result.stop)
    answer: Document = {"task": said.task.to_json(), **said_document(said)}
    if result.problem.code != "words":
        told = [one.to_json() for one in counted_worlds(result.problem)]
        return {"answer": answer, **({"warnings": told} if told else {})}
    answer["probability"] = None if found is None else found.answers.best.share
    answer["determined"] = None if found is None else found.determined
    answer["enough"] = None if found is None or found.headline is None else found.headline.enough
    answers: list[Document] = []
    if found is not None:
        differences = {id(one.other): one for one in found.differences}
        for one in found.answers.all[:ANSWERS]:
            said_briefly = in_full_briefly(result, one.name)
            difference = differences.get(id(one))
            word = None if difference is None or difference.word is None else list(difference.word)
            answers.append({**said_briefly, "probability": one.share, "separated_by": word})
    return {
        "answer": answer,
        "answers": answers,
        "likeliest": None if found is None else likeliest_document(result, found),
        "claims": [] if result.claims is None else claims_document(result.problem, result.claims),
        "warnings": [one.to_json() for one in result.warnings],
        "agent": None if result.demonstrator is None else result.demonstrator.to_json(),
        "mass_not_scored": None if result.outside is None else result.outside.share,
    }


def likeliest_document(result: Result, found: Findings) -> Document | None:
    """Return the likeliest answer where it is not the headline."""
    if found.headline is None or found.headline.is_likeliest:
        return None
    likeliest = found.answers.likeliest
    return {
        **in_full_briefly(result, likeliest.name),
        "probability": likeliest.share,
        "enough": found.headline.likeliest_enough,
    }


def not_scored_words(result: Result) -> str:
    """Say how much of the belief may be in tasks that were never scored, and how that is estimated."""
    if result.outside is None:
        return "How much of the belief tasks have that were never scored was not estimated."
    return (
        f"Tasks that were never scored may have about {percent(result.outside.share)} of the belief: "
        "longer sentences, drawn from the prior and weighed."
    )


def in_full_briefly(result: Result, score: Score) -> Document:
    """Return one of the answers with its words."""
    del result
    found = describe(score.task, budget=BRIEF)
    return {"task": score.task.to_json(), **said_document(found)}

"""What is settled: claims in three short lists, with their probabilities, and as a JSON document."""

from __future__ import annotations

from demospec.belief import Claim, Claims
from demospec.belief.settling import Settle
from demospec.problem import Problem
from demospec.report.blocks import Block, Items, Paragraph, Section
from demospec.report.values import Document
from demospec.wording import percent, word_text

TITLE = "What is settled"
NOTHING = "Nothing that a sentence could say is settled, likely or open."
NOTHING_SETTLED = "Nothing that a sentence could say is settled."
BOUND = "Here episodes have too many words to look at all of them: probabilities are lower bounds."


def claims_blocks(problem: Problem, claims: Claims) -> list[Block]:
    """Tell what follows from the task, how likely that is, and what would settle what is open."""
    lists: list[Block] = [
        Section("Settled", [Items([claim_sentence(one) for one in claims.of("settled")])], 4),
        Section("Likely", [Items([claim_sentence(one) for one in claims.of("likely")])], 4),
        Section("Open", [Items([open_sentence(problem, one) for one in claims.of("open")])], 4),
    ]
    if claims.told and not claims.of("settled"):
        lists.insert(0, Paragraph(NOTHING_SETTLED))
    told = lists if claims.told else [Paragraph(NOTHING)]
    return [Section(TITLE, [*told, *([] if claims.exact else [Paragraph(BOUND)])])]


def claim_sentence(claim: Claim) -> str:
    """Write a claim with its probability."""
    return f"{claim.sentence} ({percent(claim.probability)})"


def open_sentence(problem: Problem, claim: Claim) -> str:
    """Write an open claim, with what would settle it."""
    told = claim_sentence(claim)
    return told if claim.settle is None else f"{told}: {settle_sentence(problem, claim.settle)}"


def settle_sentence(problem: Problem, settle: Settle) -> str:
    """Say which label would tell, how likely it is, and how likely the claim is afterwards."""
    several = len(problem.scenes) > 1
    where = f' in world "{problem.scenes[settle.world].name}"' if several else ""
    said = f'the run "{word_text(settle.word)}"' if settle.word else "a run that reads no letter"
    return (
        f"{said}{where} would tell. If it is good ({percent(settle.probability)}), "
        f"this is {percent(settle.if_accepted)} likely, if not, {percent(settle.if_rejected)}"
    )


def claims_document(problem: Problem, claims: Claims) -> list[Document]:
    """Return the claims for JSON, the surest first."""
    return [claim_document(problem, claim, exact=claims.exact) for claim in claims.told]


def claim_document(problem: Problem, claim: Claim, *, exact: bool) -> Document:
    """Return a claim; where its probability is a lower bound, an upper one comes with it."""
    return {
        "sentence": claim.sentence,
        "formula": claim.clause.formula,
        "probability": claim.probability,
        **({} if exact else {"at_most": claim.at_most}),
        "status": claim.status,
        "settle": None if claim.settle is None else settle_document(problem, claim.settle),
    }


def settle_document(problem: Problem, settle: Settle) -> Document:
    """Return the word that would settle an open claim; a world has a name where there are several."""
    world = {"world": problem.scenes[settle.world].name} if len(problem.scenes) > 1 else {}
    return {
        "word": list(settle.word),
        **world,
        "probability": settle.probability,
        "if_accepted": settle.if_accepted,
        "if_rejected": settle.if_rejected,
        "nats": settle.nats,
    }

"""What is believed, as a plain JSON document."""

from __future__ import annotations

from dataclasses import asdict

from demospec.belief import Credible, Findings
from demospec.belief.answers import Answer, Difference
from demospec.belief.undetermined import Transition
from demospec.report.values import Document, finite, task_document

SHOWN = 20  # answers that are written out


def belief_document(found: Findings) -> Document:
    """Return how sure the best task is, and what is not determined."""
    answers = found.answers.all
    return {
        "findings": found.sentences,
        "tasks": len(found.belief.scores),
        "not_excluded": len(found.belief.rivals),
        **({} if found.credible is None else {"credible": credible_document(found.credible)}),
        "compared": found.answers.compared,
        "not_compared": found.answers.not_compared,
        "answers": [answer_document(found, number) for number in range(min(SHOWN, len(answers)))],
        "further_answers": len(answers[SHOWN:]),
        "further_weight": sum(answer.share for answer in answers[SHOWN:]),
        "best": best_document(found),
        "letters": [{**asdict(letter), "sentence": letter.sentence} for letter in found.letters],
        "differences": [difference_document(one) for one in found.differences],
        "believed": [
            {
                "task": str(score.task),
                "size": score.size,
                "surprise": finite(score.surprise),
                "weight": weight,
            }
            for score, weight in zip(found.belief.scores, found.belief.weights.tolist(), strict=True)
        ],
    }


def credible_document(credible: Credible) -> Document:
    """Return how many answers the credible set has, of how many, and their share."""
    return {"answers": len(credible.answers), "of": credible.of, "share": credible.share}


def answer_document(found: Findings, number: int) -> Document:
    """Return one answer by its name; what is open in it is worked out for the first few."""
    answer: Answer = found.answers.all[number]
    task = answer.smallest.task.automaton
    document = task_document(
        task,
        one_line=str(task),
        weight=answer.share,
        members=len(answer.members),
        holds_best=answer.is_named,
    )
    if number < len(found.open_answers):
        shown = found.open_answers[number]
        document["light"], document["also"] = transitions(shown.light), transitions(shown.also)
    return document


def transitions(some: tuple[Transition, ...]) -> list[list[object]]:
    """Return transitions as a task file writes them."""
    return [list(one) for one in some]


def best_document(found: Findings) -> Document:
    """Return, for every transition and mark of the best task, who shares it and whether it is ever seen."""
    shares, use, task = found.shares, found.open.use, found.shares.task
    light = set(found.open.light)
    rows = []
    for q, row in enumerate(task.table):
        for k, (letter, target) in enumerate(zip(task.alphabet, row, strict=True)):
            document: Document = {"from": q, "letter": letter, "to": target}
            document["share"] = float(shares.transitions[q, k])
            if use is not None:
                state = "idle" if use.idle[q, k] else "used"
                document["taken"] = finite(float(use.taken[q, k]))
                document["use"] = state if use.possible[q, k] else "impossible"
            document["light"] = (q, letter, target) in light
            rows.append(document)
    return {
        "weight": found.answer.share,
        "members": len(found.answer.members),
        "words": [list(word) for word in shares.words],
        "possible": list(shares.possible),
        "marks": [float(share) for share in shares.marks],
        "transitions": rows,
        "light": transitions(found.open.light),
        "also": transitions(found.open.also),
    }


def difference_document(one: Difference) -> Document:
    """Return how another answer differs from the best; worlds have names where there are several."""
    document: Document = {
        "one_line": str(one.other.smallest.task.automaton),
        "weight": one.other.share,
        "word": None if one.word is None else list(one.word),
        "accepted": None if one.word is None else one.accepted,
        "searched": one.searched,
        "nats": finite(one.nats),
        "demonstrations": one.demonstrations,
    }
    if one.shown_in is not None:
        document["world"], document["shown_in"] = one.world, one.shown_in
    return document

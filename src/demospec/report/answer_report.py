"""The answer first: what was learned in a sentence, how sure it is, what speaks against it, who showed it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from demospec.belief import Claim, Claims, Findings
from demospec.belief.agent import Demonstrator
from demospec.belief.answers import LITTLE, Difference, not_determined
from demospec.belief.belief import CREDIBLE
from demospec.belief.claims import Settle
from demospec.belief.findings import Caution, counted_worlds, how_sure, undetermined
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.report.blocks import (
    Block,
    Figure,
    Heading,
    InTerminal,
    Items,
    OnPage,
    Paragraph,
    Section,
    Table,
)
from demospec.report.drawings import best_svg, energy_svg, map_of_demonstrations, open_svg
from demospec.report.values import Document
from demospec.report.words import cells, decimal, in_full, said_blocks, said_document, sentence
from demospec.runs.result import Result
from demospec.tasks import Word
from demospec.tasks.showing import bits_text
from demospec.tasks.words import BRIEF, Description, describe
from demospec.wording import count, percent, word_text

if TYPE_CHECKING:
    from demospec.report.documents import Document


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
    if found.acting is None or not found.aim:
        return ""
    return f", {percent(found.acting.enough)} that it is enough to act on"


def rival_sentence(found: Findings) -> str:
    """Name the likeliest answer where it is not the headline, else the next one."""
    others = [answer for answer in found.answers.all if not answer.is_named]
    if not others:
        return ""
    if found.acting is None or found.acting.is_likeliest:
        return f" The next answer has {percent(others[0].share)}: {sentence(others[0].smallest.task)}"
    likeliest, enough = found.answers.likeliest, percent(found.acting.likeliest_enough)
    return (
        f" The likeliest answer has {percent(likeliest.share)}, and is enough to act on with {enough}: "
        f"{sentence(likeliest.smallest.task)}"
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
    if resolve(result.problem).code != "words":
        told = [one.to_json() for one in counted_worlds(result.problem)]
        return {"answer": answer, **({"warnings": told} if told else {})}
    answer["probability"] = None if found is None else found.answer.share
    answer["determined"] = None if found is None else found.determined
    answer["enough"] = None if found is None or found.acting is None else found.acting.enough
    answers: list[Document] = []
    if found is not None:
        differences = {id(one.other): one for one in found.differences}
        for one in found.answers.all[:ANSWERS]:
            said_briefly = in_full_briefly(result, one.smallest)
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
    if found.acting is None or found.acting.is_likeliest:
        return None
    likeliest = found.answers.likeliest
    return {
        **in_full_briefly(result, likeliest.smallest),
        "probability": likeliest.share,
        "enough": found.acting.likeliest_enough,
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


# -- What is settled: claims in three short lists, with their probabilities, and as a JSON document.


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


# -- How sure a result is: which answers there are, who shares what, what is not determined.


NOTE = (
    "(best says: a word that the best answer accepts, +, or rejects, -, and this one does not; "
    "runs: how many demonstrations would tell the two apart)"
)
DRAWN = (
    "Tasks that this world does not tell apart are one answer, named by the smallest. "
    "Pale and dashed is what no episode would show."
)


def belief_blocks(found: Findings) -> list[Block]:
    """Tell how sure the best task is, which answers there are beside it, and what is not determined."""
    letters = [letter.sentence for letter in found.letters if letter.seen is None]
    return [
        Section(
            "How sure is it?",
            [
                Items([*how_sure(found), *undetermined(found)]),
                OnPage([Paragraph(DRAWN)]),
                answers_table(found),
                Section("How likely each part of the automaton is", [shares_table(found)], 4),
                Section("What is believed of each letter", [Items(letters)], 4),
            ],
        )
    ]


def answers_table(found: Findings) -> Table:
    """Return the best answer, and those of which it is known how they differ from it."""
    differences = {difference.other: difference for difference in found.differences}
    rows = []
    for number, answer in enumerate(found.answers.all):
        if answer.is_named or answer in differences:
            drawn = None
            if number < len(found.open_answers):  # what is open was worked out
                drawn = partial(open_svg, found.open_answers[number])
            numbers = percent(answer.share), str(len(answer.members))
            told = *difference_words(differences.get(answer)), *cells(answer.smallest.task, drawn)
            rows.append((*numbers, *told))
    header = ("share", "tasks", "best says", "runs", "in words", "answer")
    return Table(header, rows, align="rrrrlc", note=NOTE if found.differences else "")


def difference_words(difference: Difference | None) -> tuple[str, str]:
    """Write what tells an answer from the best, and how many demonstrations would."""
    if difference is None:
        return "", ""
    word = "?" if not difference.searched else "the same"
    if difference.word is not None:
        word = f"{'+' if difference.accepted else '-'} {word_text(difference.word)}"
        word += "" if difference.world is None else f" ({difference.world})"
    return word, "never" if difference.demonstrations is None else str(difference.demonstrations)


def shares_table(found: Findings) -> Table:
    """Return the share of every state and letter: rows are states, and where each letter leads."""
    shares, task = found.shares, found.shares.task
    rows = []
    for q, row in enumerate(task.table):
        targets = zip(row, shares.transitions[q].tolist(), strict=True)
        verdict = "accepts" if task.accepting[q] else "rejects"
        rows.append(
            (
                str(q),
                *(f"→ {target}: {percent(float(share))}" for target, share in targets),
                f"{verdict}: {percent(float(shares.marks[q]))}",
            )
        )
    return Table(("state", *task.alphabet, "a word that ends here"), rows)


# -- The result of `learn`: the best tasks, how sure it is, why, and how the search went.


SHOWN = 5  # tasks
MAPPED = 3  # conjectures on a page, each with a map
ENDED = {
    "iterations": "all iterations are made",
    "patience": "nothing better was found for a while",
    "agreement": "the chains agree",
    "evaluations": "as many tasks are scored as were allowed",
    "seconds": "the time is up",
    "interrupted": "interrupted",
}


NOT_SURE = Section(
    "How sure is it?", [Paragraph("This was not worked out: the time was up. Allow more with --max-seconds.")]
)


def result_blocks(
    result: Result, *, shown: int = SHOWN, words: Sequence[Word] = (), conjectures: int | None = MAPPED
) -> list[Block]:
    """Tell a result: so many tasks, some words, and why with so many conjectures; None leaves why out."""
    problem = result.problem
    drawn = Figure(partial(best_svg, result), result.best.task.pretty())
    begin: list[Block]
    if resolve(problem).code == "words":
        begin = [Heading(f"{problem.name}: {headline(result)}"), *answer_blocks(result), drawn]
    else:
        begin = [
            Heading(f"{problem.name}: the task that explains {shown_words(problem)} best"),
            Items([warning_words(one) for one in counted_worlds(problem)]),
            *said_blocks(in_full(problem, result.best.task, result.stop)),
            drawn,
            Paragraph(energy_sentence(result)),
        ]
    return [
        *begin,
        Section("What was shown", map_of_demonstrations(problem)),
        *details_blocks(result, shown=shown, words=words, conjectures=conjectures),
    ]


def details_blocks(
    result: Result, *, shown: int = SHOWN, words: Sequence[Word] = (), conjectures: int | None = None
) -> list[Block]:
    """Tell what comes after the answer: the other tasks, what is believed in detail, how the search went."""
    return [
        ranking_section(result, shown),
        *([NOT_SURE] if result.findings is None else belief_blocks(result.findings)),
        Items(word_sentences(result, words) if words else []),
        *([] if conjectures is None else why(result, conjectures)),
        Section("How the search went", search_blocks(result)),
    ]


def ranking_section(result: Result, shown: int) -> Section:
    """Tell the first answers, or tasks by energy."""
    title = "The answers" if resolve(result.problem).code == "words" else "The best tasks"
    return Section(title, [ranking(result, shown)])


def energy_sentence(result: Result) -> str:
    """Say what the best task's energy is made of, and how often its agent succeeds."""
    best, problem = result.best, result.problem
    weights, bits = resolve(problem).weights, best.size - resolve(problem).prior_size
    relative = (
        "" if problem.prior is None else f" beyond the prior's {bits_text(resolve(problem).prior_size)}"
    )
    return (
        f"energy {decimal(best.energy)} = {weights.size_weight:g} × {bits_text(bits)} bits{relative} + "
        f"{weights.surprise_weight:g} × {decimal(best.surprise)} nats of surprise; "
        f"satisfied with probability {best.satisfaction_probability:.4f}"
    )


def ranking(result: Result, shown: int) -> Table:
    """Return the first answers, or tasks, with their numbers."""
    rows = [
        (
            str(number),
            decimal(score.energy),
            bits_text(score.size),
            decimal(score.surprise),
            f"{score.satisfaction_probability:.4f}",
            f"{weight:.4f}",
            *cells(score.task),
        )
        for number, (score, weight) in enumerate(result.leading[:shown], start=1)
    ]
    weighed = "share" if resolve(result.problem).code == "words" else "weight"
    header = ("", "energy", "size", "surprise", "satisfied", weighed, "in words", "task")
    return Table(header, rows, align="rrrrrrlc")


def why(result: Result, conjectures: int) -> Sequence[Block]:
    """Tell why, with so many conjectures."""
    from demospec.report.why_report import why_blocks  # which is loaded for those who ask

    return why_blocks(result, conjectures)


def word_sentences(result: Result, words: Sequence[Word]) -> list[str]:
    """Say of each word how likely it is that it satisfies the task."""
    from demospec.report.documents import words_document

    return [word_sentence(document) for document in words_document(result, words)]


def word_sentence(document: Document) -> str:
    """Say how likely it is that a word satisfies the task.

    >>> word_sentence({"word": ["b"], "probability": 0.25, "possible": [True, False]})
    'Word "b": satisfies the task with 25 %'
    >>> word_sentence({"word": ["b"], "probability": 0.01, "possible": [False], "credible": 0.99})
    'Word "b": satisfies the task with 1 %; the 95 % credible set of its labels excludes that it does'
    >>> word_sentence({"word": ["b"], "probability": 0.99, "possible": [True]})
    'Word "b": satisfies the task with 99 %; the demonstrations exclude that it does not'
    """
    told = f'Word "{word_text(document["word"])}": satisfies the task with {percent(document["probability"])}'
    if document["possible"] == [True, False]:
        return told
    (only,) = document["possible"]
    excluded = f"that it does{' not' if only else ''}"
    if "credible" in document:
        return f"{told}; the {percent(CREDIBLE)} credible set of its labels excludes {excluded}"
    return f"{told}; the demonstrations exclude {excluded}"


def search_blocks(result: Result) -> list[Block]:
    """Say how much was done, and why it ended; a page is the same every time, and does not say how long."""
    done = f"{count(result.evaluations, 'task')} scored in {count(len(result.trace), 'iteration')}"
    end = f"seed {result.seed}; {ENDED[result.ended]}"
    return [
        Figure(partial(energy_svg, result)),
        OnPage([Paragraph(f"{done}, {end}")]),
        InTerminal([Paragraph(f"{done}, {result.seconds:.2f} s, {end}")]),
        *([Paragraph(not_scored_words(result))] if resolve(result.problem).code == "words" else []),
    ]

"""The result of `learn` as a JSON document: the answer, the belief behind it, how the search got there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET

from demospec.belief import Claims, Findings, possible_labels
from demospec.belief.acting import Acting
from demospec.belief.answers import Answer, Difference
from demospec.belief.belief import credible_labels
from demospec.belief.findings import counted_worlds
from demospec.belief.tuned import MOST_MEANT
from demospec.errors import InputError
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.files.writing import agent_document, problem_document
from demospec.identify.classes import ImpliedBy
from demospec.problem import Problem
from demospec.report.documents import (
    JSON,
    Document,
    HowFar,
    Number,
    ScoredJSON,
    Sometimes,
    TaskJSON,
    said_keys,
    task_document,
    version,
    world_key,
)
from demospec.report.why_report import ENERGY, LineJSON, WhyJSON, line_json, why_json
from demospec.report.words import in_full, sentence
from demospec.runs.result import Ended, Result, Row
from demospec.search.diss import Conjecture, PaperInfo, next_conjecture
from demospec.tasks import Word
from demospec.tasks.words import BRIEF, describe
from demospec.worlds.paths import word_of
from demospec.worlds.prefix_tree import PrefixTree

ANSWERS = 10  # that are told with their words
BELIEVED = MOST_MEANT  # answers of the belief: as many as are asked what to act on

# -- the answer ------------------------------------------------------------------------------------------


class _AnswerJSON(JSON):
    task: Annotated[TaskJSON, "The answer as a [task file](problem_file.md#a-task-file)."]
    sentence: Annotated[str, "The answer in a sentence."]
    clauses: Annotated[list[str], "The clauses of that sentence."]
    exact: Annotated[HowFar, "How far they say it; `here`: on every word that occurs; false: it says more."]
    formula: Annotated[str | None, "The task as a formula of LTLf, or null."]
    probability: Annotated[Sometimes[Number], "Its posterior probability."] = UNSET
    determined: Annotated[
        Sometimes[bool | None],
        "Of `answer`: whether the demonstrations determine the task: it has at least 20 % and an aim.",
    ] = UNSET
    enough: Annotated[
        Sometimes[Number],
        "Of `answer`: how likely it is, at least, that acting on it alone is "
        "[enough](../answer.md#what-to-act-on); null where `act_on` is.",
    ] = UNSET
    separated_by: Annotated[
        Sometimes[list[str] | None],
        "Of `answers`: a shortest word of an episode on which it differs from the first, if found.",
    ] = UNSET


class _ActOnJSON(JSON, kw_only=True):
    task: Annotated[TaskJSON, "The answer with all that costs nothing beside it, as a task file."]
    sentence: Annotated[str, "The same in a sentence."]
    clauses: Annotated[list[str], "The clauses of that sentence."]
    exact: Annotated[HowFar, "How far they say it, as of `answer`."]
    formula: Annotated[str | None, "The task as a formula of LTLf, or null."]
    enough: Annotated[float, "How likely it is, at least, that acting on it is enough."]
    same_as_answer: Annotated[bool, "Whether it is the answer, with nothing beside it."]
    added: Annotated[int, "How many other likely answers are kept to as well."]
    kept_to: Annotated[list[str], "These answers, each in a sentence."]


class _SettleJSON(JSON, kw_only=True):
    word: Annotated[list[str], "The word whose label would settle it."]
    world: Annotated[Sometimes[str], "With several worlds: a world in which it occurs."] = UNSET
    probability: Annotated[float, "How likely the word satisfies the task."]
    if_accepted: Annotated[float, "The claim's probability if it does."]
    if_rejected: Annotated[float, "The claim's probability if it does not."]
    nats: Annotated[float, "What the label is expected to tell about the claim, in nats."]


class _ClaimJSON(JSON, kw_only=True):
    sentence: Annotated[str, "The claim."]
    formula: Annotated[str | None, "The claim as a formula, or null."]
    probability: Annotated[float, "The probability that the task implies it, on words that occur here."]
    at_most: Annotated[Sometimes[float], "Where `probability` is a lower bound: an upper bound."] = UNSET
    status: Annotated[str, "`settled` (95 % and more), `likely`, or `open`."]
    settle: Annotated[_SettleJSON | None, "For an open claim: what would settle it. Else null."]


class _WarningJSON(JSON):
    code: Annotated[str, "Which warning: see [the answer](../answer.md)."]
    message: Annotated[str, "The warning in a sentence."]
    advice: Annotated[str, "What to do about it."]


class _SpreadJSON(JSON):
    mean: Annotated[float, "The mean of its posterior; of the rationality on a logarithmic scale."]
    low: Annotated[float, "The lower end of the range that holds nine tenths of it."]
    high: Annotated[float, "The upper end."]


class _DemonstratorJSON(JSON):
    rationality: Annotated[_SpreadJSON, "A number of which a belief is held."]
    effort: Annotated[_SpreadJSON, "What a step of cost 1 costs, in nats."]
    haste: Annotated[_SpreadJSON, "How likely the demonstrator took every step to be the last."]


def answer_keys(result: Result) -> Document:
    """Return the answer, what to act on, the leading answers, claims, warnings and the demonstrator."""
    problem, found, best = result.problem, result.findings, result.best
    said = in_full(problem, best.task, result.stop)
    answer = _AnswerJSON(task=task_document(said.task), **said_keys(said))
    if resolve(problem).code != "words":
        cautions = [_WarningJSON.of(one) for one in counted_worlds(problem)]
        counted = {"act_on": None, "finished": result.finished, "scored": result.evaluations}
        return {"answer": answer, **counted, **({"warnings": cautions} if cautions else {})}
    acting = None if found is None else found.acting
    answer.probability = None if found is None else found.answer.share
    answer.determined = None if found is None else found.determined
    answer.enough = None if acting is None else acting.alone

    def briefly(one: Answer) -> _AnswerJSON:
        task, apart = one.smallest.task, words.get(id(one))
        known = {"separated_by": apart, **said_keys(describe(task, budget=BRIEF))}
        return _AnswerJSON(task=task_document(task), probability=one.share, **known)

    words = {} if found is None else {id(one.other): one.word for one in found.differences}
    agent, spreads = result.demonstrator, _DemonstratorJSON.__struct_fields__
    return {
        "answer": answer,
        "answers": [] if found is None else [briefly(one) for one in found.answers.all[:ANSWERS]],
        "act_on": None if acting is None else act_on_json(acting),
        "claims": [] if result.claims is None else claims_json(problem, result.claims),
        "warnings": [_WarningJSON.of(one) for one in result.warnings],
        "agent": agent
        and _DemonstratorJSON(**{name: _SpreadJSON.of(getattr(agent, name)) for name in spreads}),
        "finished": result.finished,
        "scored": result.evaluations,
        "mass_not_scored": None if result.outside is None else result.outside.share,
    }


def act_on_json(acting: Acting) -> _ActOnJSON:
    """Return what to act on."""
    kept_to = [sentence(answer.smallest.task) for answer in acting.added]
    said = said_keys(describe(acting.task, budget=BRIEF))
    return _ActOnJSON.of(acting, task=task_document(acting.task), added=len(kept_to), kept_to=kept_to, **said)


def claims_json(problem: Problem, claims: Claims) -> list[_ClaimJSON]:
    """Return the claims, the surest first; where probabilities are lower bounds, with upper ones."""
    bound, found = {"at_most": UNSET} if claims.exact else {}, []
    for one in claims.told:
        scene = None if one.settle is None else problem.scenes[one.settle.world]
        settle = scene and _SettleJSON.of(one.settle, world=world_key(problem, scene))
        found.append(_ClaimJSON.of(one, formula=one.clause.formula, settle=settle, **bound))
    return found


# -- the belief ------------------------------------------------------------------------------------------


class _CredibleJSON(JSON):
    answers: Annotated[int, "How many answers it has."]
    every: Annotated[int, "Of how many."] = msgspec.field(name="of")
    share: Annotated[float, "The probability that they have together."]


class _BelievedAnswerJSON(TaskJSON, kw_only=True):
    one_line: Annotated[str, "The automaton on one line."]
    weight: Annotated[float, "Its share of the belief."]
    members: Annotated[int, "The number of tasks in it."]
    holds_best: Annotated[bool, "Whether `best` is one of them."]
    light: Annotated[Sometimes[list[Any]], "Transitions that these worlds leave open; of the first few."] = (
        UNSET
    )
    also: Annotated[Sometimes[list[Any]], "Where they lead in another task of the same answer."] = UNSET


class _TransitionJSON(JSON, kw_only=True):
    origin: Annotated[int, "The state."] = msgspec.field(name="from")
    letter: Annotated[str, "The letter."]
    target: Annotated[int, "The state that it leads to."] = msgspec.field(name="to")
    share: Annotated[float, "The share of the belief that agrees with it."]
    taken: Annotated[Sometimes[Number], "How often an episode of the task's agent takes it, on average."] = (
        UNSET
    )
    use: Annotated[
        Sometimes[Literal["used", "idle", "impossible"]], "Idle: less than once in a million episodes."
    ] = UNSET
    light: Annotated[bool, "Whether these worlds leave open where it leads."]


class _SharedJSON(JSON):
    weight: Annotated[float, "Its share."]
    members: Annotated[int, "How many tasks it has."]
    words: Annotated[list[list[str]], "For each state of `best`, a word that leads to it."]
    possible: Annotated[list[bool], "For each state, whether that word can occur in these worlds."]
    marks: Annotated[list[float], "For each state, the share that agrees on whether it accepts."]
    transitions: Annotated[list[_TransitionJSON], "Every transition of `best`."]
    light: Annotated[list[Any], "The transitions that these worlds leave open."]
    also: Annotated[list[Any], "Where they lead in another task of the same answer."]


class _LetterJSON(JSON):
    name: Annotated[str, "The letter."]
    seen: Annotated[str | None, "Why it can never be read here; null where it can."]
    required: Annotated[float, "The share of the belief in which no word without it is accepted."]
    avoided: Annotated[float, "The share in which no word with it is accepted."]
    irrelevant: Annotated[float, "The share in which it changes nothing."]
    fails: Annotated[float, "The share in which it fails the task when it is read first."]
    fulfils: Annotated[float, "The share in which it fulfils the task when it is read first."]
    sentence: Annotated[str, "The same in a sentence."]


class _DifferenceJSON(JSON):
    one_line: Annotated[str, "The other answer's automaton."]
    weight: Annotated[float, "Its share of the belief."]
    word: Annotated[list[str] | None, "A shortest word of an episode on which they differ, or null."]
    accepted: Annotated[bool | None, "Whether the best answer accepts that word."]
    searched: Annotated[bool, "Whether such a word was looked for; not in very large worlds."]
    nats: Annotated[Number, "What an episode of the best answer's agent tells against the other, in nats."]
    demonstrations: Annotated[int | None, "About how many would tell them apart with odds of twenty to one."]
    world: Annotated[Sometimes[str | None], "With several worlds: in which the word occurs."] = UNSET
    shown_in: Annotated[Sometimes[str], "With several worlds: in which a demonstration tells most."] = UNSET


class _BeliefJSON(JSON, kw_only=True):
    findings: Annotated[list[str], "What is printed about how sure the answer is: a list of sentences."]
    tasks: Annotated[int, "How many tasks have a weight."]
    not_excluded: Annotated[int, "How many scored tasks the demonstrations alone do not exclude."]
    credible: Annotated[Sometimes[_CredibleJSON], "The 95 % credible set."] = UNSET
    compared: Annotated[int, "How many tasks were compared with each other to form answers."]
    not_compared: Annotated[float, "The share of the belief that belongs to the others."]
    answers: Annotated[list[_BelievedAnswerJSON], "The answers, likeliest first: at most 150."]
    further_answers: Annotated[int, "How many answers are not listed."]
    further_weight: Annotated[float, "Their share of the belief."]
    best: Annotated[_SharedJSON, "The answer that `best` belongs to."]
    letters: Annotated[list[_LetterJSON], "What is believed of each letter."]
    differences: Annotated[list[_DifferenceJSON], "How other answers differ from the best."]
    believed: Annotated[list[LineJSON], "Every task that has a weight."]


def belief_json(found: Findings) -> _BeliefJSON:
    """Return how sure the best task is, and what is not determined."""
    answers, credible, belief = found.answers.all, found.credible, found.belief

    def answer(number: int) -> Any:
        one = answers[number]
        task = one.smallest.task.automaton
        known = {} if number >= len(found.open_answers) else changes_of(found.open_answers[number])
        return task_document(
            task,
            one_line=str(task),
            weight=one.share,
            members=len(one.members),
            holds_best=one.is_named,
            **known,
        )

    def difference(one: Difference) -> _DifferenceJSON:
        return _DifferenceJSON.of(
            one,
            one_line=str(one.other.smallest.task.automaton),
            weight=one.other.share,
            accepted=None if one.word is None else one.accepted,
            **({"world": UNSET, "shown_in": UNSET} if one.shown_in is None else {}),
        )

    weighed = zip(belief.scores, belief.weights.tolist(), strict=True)
    return _BeliefJSON(
        findings=found.sentences,
        tasks=len(belief.scores),
        not_excluded=len(belief.rivals),
        credible=UNSET
        if credible is None
        else _CredibleJSON(answers=len(credible.answers), every=credible.of, share=credible.share),
        compared=found.answers.compared,
        not_compared=found.answers.not_compared,
        answers=[answer(number) for number in range(min(BELIEVED, len(answers)))],
        further_answers=len(answers[BELIEVED:]),
        further_weight=sum(answer.share for answer in answers[BELIEVED:]),
        best=shared_json(found),
        letters=[_LetterJSON.of(letter) for letter in found.letters],
        differences=[difference(one) for one in found.differences],
        believed=[line_json(score, "size", "surprise", weight=weight) for score, weight in weighed],
    )


def changes_of(shown: Any) -> Document:
    """Return the transitions that are open in an answer, and where they lead in another of its tasks."""
    return {"light": shown.light, "also": shown.also}


def shared_json(found: Findings) -> _SharedJSON:
    """Return, for every transition and mark of the best task, who shares it and whether it is ever seen."""
    shares, use, task, best = found.shares, found.open.use, found.shares.task, found.answer
    rows = []
    for q, row in enumerate(task.table):
        for k, (letter, target) in enumerate(zip(task.alphabet, row, strict=True)):
            known: Document = {}
            if use is not None:
                state = "idle" if use.idle[q, k] else "used"
                known = {
                    "taken": float(use.taken[q, k]),
                    "use": state if use.possible[q, k] else "impossible",
                }
            share, light = float(shares.transitions[q, k]), (q, letter, target) in found.open.light
            rows.append(
                _TransitionJSON(origin=q, letter=letter, target=target, share=share, light=light, **known)
            )
    return _SharedJSON.of(
        shares,
        weight=best.share,
        members=len(best.members),
        marks=[float(share) for share in shares.marks],
        transitions=rows,
        **changes_of(found.open),
    )


class _WordJSON(JSON, kw_only=True):
    word: Annotated[list[str], "The word."]
    probability: Annotated[
        Number, "The posterior probability that it satisfies the task; null where `finished` is false."
    ]
    possible: Annotated[
        list[bool],
        "The labels with more than 5 % of the belief each: its 95 % credible set. With the paper's energy "
        "also those that the demonstrations do not exclude.",
    ]
    credible: Annotated[Sometimes[float], "The probability that these labels have together."] = UNSET
    accepted_by_best: Annotated[bool, "Whether `best` accepts it."]


def words_document(result: Result, words: Sequence[Word]) -> list[Document]:
    """Return how likely it is that words satisfy the task, and which labels are possible.

    Where sizes are bits of a prior, these are its credible labels, told with the probability that they have.
    """
    belief, problem = result.belief, result.problem

    def one(word: Word) -> _WordJSON:
        accepted_by_best = result.best.task.accepts(word)
        if result.cut_by is not None and resolve(problem).code == "words":
            return _WordJSON(
                word=[*word], probability=None, possible=[True, False], accepted_by_best=accepted_by_best
            )
        chance = belief.accepts(word)
        known: Document = {"possible": possible_labels(belief, word)}
        if resolve(problem).code == "words":
            rejects, accepts = credible_labels(belief, [word])[0].tolist()
            possible = [label for label, credible in ((True, accepts), (False, rejects)) if credible]
            accepted = min(chance, 1.0)
            share = sum(accepted if label else 1.0 - accepted for label in possible)
            known = {"possible": possible, "credible": share}
        return _WordJSON(word=[*word], probability=chance, accepted_by_best=accepted_by_best, **known)

    return [one(word_of(word, merge_repeats=problem.merge_repeats)).plain() for word in words]


# -- the search ------------------------------------------------------------------------------------------


class _ConjectureJSON(JSON, kw_only=True):
    world: Annotated[Sometimes[str], "With several worlds: the world of the path."] = UNSET
    word: Annotated[list[str], "The word."]
    accept: Annotated[bool, "The label that it was given."]
    gradient: Annotated[float, "The gradient of the surprise at the pivot."]
    pivot: Annotated[list[Any], "Where its path leaves the demonstrations."]
    path: Annotated[list[Any], "The path."]


class _TraceJSON(JSON):
    iteration: Annotated[int, "Counted from 1."]
    chain: Annotated[int, "Counted from 0."]
    energy: Annotated[Number, "The energy of the task that was tried; null where there was none."]
    size: Annotated[float | None, "Its size in bits."]
    surprise: Annotated[Number, "Its surprise in nats."]
    accepted: Annotated[bool, "Whether the search moved to it."]
    reset: Annotated[bool, "Whether the iteration began with a reset."]
    best_energy: Annotated[Number, "The lowest energy so far."]
    temperature: Annotated[Number, "The annealing temperature; null where there is none."]
    examples: Annotated[int, "How many labelled words the iteration had."]
    task: Annotated[str | None, "The task on one line."]
    conjecture: Annotated[_ConjectureJSON | None, "The conjecture that led to it, or null."]


def trace_json(problem: Problem, row: Row) -> _TraceJSON:
    """Return one iteration of the trace."""
    info, score = row.info, row.info.candidate
    paper, made = info if isinstance(info, PaperInfo) else None, next_conjecture(info)
    return _TraceJSON.of(
        info,
        chain=row.chain,
        **{name: getattr(score, name, None) for name in ENERGY},
        best_energy=None if row.best is None else row.best.energy,
        reset=paper is not None and paper.reset,
        temperature=None if paper is None else paper.temperature,
        examples=len(problem.given if paper is None else paper.examples),
        task=None if score is None else str(score.task),
        conjecture=None if made is None else conjecture_json(problem, made),
    )


def conjecture_json(problem: Problem, found: Conjecture) -> _ConjectureJSON:
    """Return a conjecture: the word, its new label, where its path left the demonstrations, and why."""
    scene = problem.scenes[found.scene]
    return _ConjectureJSON.of(
        found,
        world=world_key(problem, scene),
        accept=found.label,
        pivot=prefix_of(scene.tree, found.pivot),
        path=found.path_in(scene.world).to_file(scene.world),
    )


def prefix_of(tree: PrefixTree, node: int) -> list[object]:
    """Return the path to a node in the problem file's form."""
    path, chosen = tree.path_to(node)
    prefix = path.to_file(tree.world)
    return prefix if chosen is None else [*prefix, tree.world.action(chosen)]


# -- all of it -------------------------------------------------------------------------------------------


class ResultJSON(JSON, kw_only=True):
    """What `learn` and `resume` print, and `result.json`. One seed gives the same bytes, `seconds` apart.

    `answers`, `claims`, `agent` and `mass_not_scored`, the probability of the answer and what
    follows from it are not there with the paper's energy.
    """

    name: Annotated[str, "The name of the problem."]
    version: Annotated[str, "The version of demospec."]
    best: Annotated[ScoredJSON, "The task of `answer` with its numbers, as a task file."]
    answer: Annotated[
        _AnswerJSON,
        "The likeliest answer. With the paper's energy, the task with the lowest energy.",
    ]
    answers: Annotated[Sometimes[list[_AnswerJSON]], "The answers, likeliest first: ten at most."] = UNSET
    act_on: Annotated[
        _ActOnJSON | None,
        "[What to act on](../answer.md#what-to-act-on): made for the worlds of this problem. null where "
        "agents cannot be compared, sizes are no prior, or the answer cannot be satisfied.",
    ]
    claims: Annotated[Sometimes[list[_ClaimJSON]], "Sentences, and how likely the task implies them."] = UNSET
    warnings: Annotated[Sometimes[list[_WarningJSON]], "What speaks against the answer."] = UNSET
    agent: Annotated[Sometimes[_DemonstratorJSON | None], "What is believed of the demonstrator."] = UNSET
    finished: Annotated[
        bool,
        "Whether the search was done, and all was worked out. Where it is false, without the paper's energy: "
        "probabilities and `enough` are null, `act_on` and `belief` are null, and nothing is claimed.",
    ]
    scored: Annotated[int, "How many tasks were scored."]
    mass_not_scored: Annotated[
        Sometimes[Number],
        "An estimate of the belief that belongs to tasks that the search never scored: longer sentences are "
        "drawn from the prior and weighed. null: it was not estimated.",
    ] = UNSET
    ranked: Annotated[
        list[ScoredJSON],
        "The tasks that the search scored, by energy: at most 1,000, within 10 nats of the best.",
    ]
    belief: Annotated[_BeliefJSON | None, "The posterior in detail; null where `finished` is false."]
    environment_surprise: Annotated[
        Number, "−ln of the probability of what the world did. It is the same for every task."
    ]
    prior_size: Annotated[float, "The size of the task of `implies`, in bits."]
    settings: Annotated[
        dict[str, Any],
        "All that decided the result: `seed`, every setting of the [search](problem_file.md), weights, agent "
        "and classes.",
    ]
    problem: Annotated[
        dict[str, Any] | None,
        "The problem as a [problem file](problem_file.md); null where no file can say it.",
    ]
    trace: Annotated[list[_TraceJSON], "A row for each iteration."]
    ended: Annotated[Ended, "Why the run ended."]
    why: Annotated[WhyJSON, "Why the result is what it is."]
    seconds: Annotated[float, "How long the run took."]
    words: Annotated[Sometimes[list[_WordJSON]], "With `--word`: what is believed of each word."] = UNSET


def result_document(result: Result) -> Document:
    """Return the result of `learn`, with all that is needed to have it again: version, problem and seed."""
    problem, best, setup = result.problem, result.best, resolve(result.problem)
    ranked = [ranked_json(entry.score, entry.weight) for entry in result.ranked]
    weight = next((one.weight for one in result.ranked if one.score.language == best.language), 0.0)
    first = best.language == result.ranked[0].score.language
    try:
        written = problem_document(problem)
    except InputError:  # no file can say it
        written = None
    return ResultJSON(
        name=problem.name,
        version=version(),
        best=ranked[0] if first else ranked_json(best, weight),
        **answer_keys(result),
        ranked=ranked,
        belief=None if result.findings is None else belief_json(result.findings),
        environment_surprise=environment_surprise(problem),
        prior_size=setup.prior_size,
        settings=settings_document(problem, result.seed),
        problem=written,
        trace=[trace_json(problem, row) for row in result.trace],
        ended=result.ended,
        why=why_json(result),
        seconds=result.seconds,
    ).plain()


def ranked_json(score: Score, weight: float) -> Any:
    """Return a task with its numbers and its share."""
    return task_document(score.task, **score_numbers(score), weight=weight)


def score_numbers(score: Score) -> Document:
    """Return a score's numbers."""
    names = ("size", "surprise", "energy", "rationality", "satisfaction_probability")
    return {name: getattr(score, name) for name in names}


def environment_surprise(problem: Problem) -> float:
    """Return the environment's share of the surprise."""
    return math.fsum(scene.tree.environment_surprise for scene in problem.scenes)


# Where the paper's settings stand among the others: as in all documents so far. What is new comes last.
SETTINGS = (
    *("method", "without", "identifier", "iterations", "chains", "pivot_temperature", "overrule_after"),
    *("reset_period", "candidates", "max_states", "initial_temperature", "final_temperature", "refine"),
    *("max_evaluations", "max_seconds"),
)


def settings_document(problem: Problem, seed: int) -> Document:
    """Return all that decided the result: seed, search settings, weights, agent."""
    settings, setup = {**dict.fromkeys(SETTINGS), **problem.settings.by_name}, resolve(problem)
    if math.isinf(settings["pivot_temperature"]):
        settings["pivot_temperature"] = "inf"
    return {
        "seed": seed,
        **settings,
        **asdict(setup.weights),
        **agent_document(setup.agent),
        "merge_repeats": problem.merge_repeats,
        **classes_document(problem),
        **({"code": setup.code} if setup.code != "automaton" else {}),
    }


def classes_document(problem: Problem) -> Document:
    """Return what the task must be like, as the problem file writes it."""
    bounds = [one.task for one in problem.classes if isinstance(one, ImpliedBy)]
    lower = reduce(or_, bounds).minimal if bounds else None
    return {
        "class": [one.name for one in problem.classes if not isinstance(one, ImpliedBy)],
        "implied_by": None if lower is None else task_document(lower, size=lower.size),
        "all_of": problem.parts.most if problem.parts and problem.parts.operator == "and" else None,
        "any_of": problem.parts.most if problem.parts and problem.parts.operator == "or" else None,
    }

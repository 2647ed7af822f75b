"""Claims against brute force: all episodes of tiny worlds, one by one, and the algebra of automata."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from belief_cases import KINDS, Kind, belief_in, some_problem, some_tasks, whole_words

from demospec.belief import Belief, claims, claims_of
from demospec.belief.claims import ClaimChoice, Implied, statuses
from demospec.belief.episodes import any_words, occurring_words
from demospec.belief.tuned import CLAIMED, MEANT, MOST_TOLD, NEAR
from demospec.explain.evaluator import Evaluator
from demospec.files import load_example
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.clauses import parse
from demospec.tasks.clauses.clause import clause_library
from demospec.testing.small_worlds import random_demonstrations, random_dfa
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import word_of
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode, State

LETTERS = ("a", "b", "c", "z")  # z never occurs
SAID = {"reach a": 0.98, "no b before a": 0.9, "never c": 0.8, "after b, a": 0.5}  # how often
NEVER_THERE = "z"


def belief_of(problem: Problem, tasks: list[DFA], rng: np.random.Generator) -> Belief:
    """Believe in tasks with weights that are drawn."""
    belief = Belief.of(problem, Evaluator(problem).scores(tasks))
    weights = np.sort(rng.dirichlet(np.full(len(belief.scores), 2.0)))[::-1]
    return replace(belief, weights=weights)


def some_world(seed: int) -> MDP:
    """Make a world of five states; some end by chance, some in a terminal state."""
    rng = np.random.default_rng([seed, 8])
    names = ["s0", "s1", "s2", "s3", "s4"]
    rows: list[tuple[State, str, dict[State, float]]] = []
    for at, name in enumerate(names):
        reached = rng.choice(5, size=int(rng.integers(1, 3)), replace=False)
        rows.append((name, "go", {names[(at + 1) % 5]: 1.0}))
        rows.append((name, "turn", {names[k]: 1 / len(reached) for k in reached}))
    return MDP.build(
        rows,
        start="s0",
        labels={"s1": "a", "s2": "b", "s3": "c"},
        terminal=["s4"] if seed % 3 == 0 else [],
        episode=Episode(horizon=5, end_probability=0.1 if seed % 2 else 0.0),
    )


def some_belief(seed: int) -> Belief:
    """Believe in tasks that have much in common: most of some clauses, and one more; and in a few others."""
    rng = np.random.default_rng([seed, 12])
    world = some_world(seed)
    scene = Scene(world=world, demonstrations=random_demonstrations(rng, world, 2))
    problem = Problem(scenes=(scene,), alphabet=LETTERS, agent=Fixed(5.0), merge_repeats=seed % 2 == 0)
    tasks = [DFA.constant(LETTERS, False), *(random_dfa(rng, LETTERS, 3).minimal for _ in range(3))]
    other = clause_library(LETTERS[:3])
    for _ in range(20):
        some = [said for said, often in SAID.items() if rng.random() < often]
        one = other[int(rng.integers(len(other)))].sentence
        tasks.append(parse("; ".join([*some, one]), LETTERS).automaton)
    return belief_of(problem, tasks, rng)


def by_episodes(belief: Belief, clause: DFA, words: Iterable[Word]) -> float:
    """Return the weight of the tasks that accept some episode, and none that breaks the clause."""
    return math.fsum(
        weight
        for task, weight in zip(belief.tasks, belief.weights.tolist(), strict=True)
        if (own := [word for word in words if task.accepts(word)]) and all(map(clause.accepts, own))
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
def test_all_words_of_episodes_are_found_and_read(seed: int, kind: Kind) -> None:
    belief = belief_in(some_problem(seed, horizon=4, kind=kind), some_tasks(seed, 20))
    found, wanted = occurring_words(belief.problem), whole_words(belief.problem)
    words = [found.word(number) for number in range(len(found))]
    assert found.complete
    assert len(words) == len(set(words))
    assert set(words) == set(wanted)
    assert found.lengths.tolist() == [len(word) for word in words] == sorted(map(len, words))
    for word, world in zip(words, found.world.tolist(), strict=True):
        assert belief.problem.scenes[world].name in wanted[word]
    assert found.letters == {letter for word in words for letter in word}
    accepted = found.accepted(belief.stack)
    assert accepted.tolist() == [[task.accepts(word) for word in words] for task in belief.tasks]


@pytest.mark.parametrize("seed", range(8))
def test_probabilities_are_those_of_all_episodes(seed: int) -> None:
    belief = some_belief(seed)
    found = Implied(belief, occurring_words(belief.problem), CLAIMED[-1])
    shares = dict(zip(found.clauses, found.share(found.here).tolist(), strict=True))
    told = 0
    words = whole_words(belief.problem)
    letters = {letter for word in words for letter in word}
    for clause in clause_library(LETTERS):
        automaton = clause.automaton(LETTERS)
        wanted = by_episodes(belief, automaton, words)
        if clause in shares:
            assert shares[clause] == pytest.approx(wanted, abs=2e-4)
            told += 1
        else:
            left_out = not letters.issuperset(clause.letters) or all(map(automaton.accepts, words))
            assert left_out or wanted < CLAIMED[-1] + 2e-4
    assert told > 3


@pytest.mark.parametrize("seed", range(4))
def test_what_follows_on_all_words_is_what_the_algebra_says(seed: int) -> None:
    belief = some_belief(seed)
    found = Implied(belief, occurring_words(belief.problem), 0.0)
    assert len(found.clauses) > 10
    for t in range(found.heavy):
        for c, form in enumerate(found.forms):
            wanted = belief.forms[t].implies(form) and bool(found.says_something[t])
            assert found.always[t, c] == wanted
            assert found.here[t, c] >= found.always[t, c]


@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_the_truth_where_not_all_words_are_known(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    belief = some_belief(seed)
    monkeypatch.setattr(claims, "LIGHT", 0.0)
    words = occurring_words(belief.problem, most=3)
    assert not words.complete
    known = {words.word(number) for number in range(len(words))}
    assert known <= set(whole_words(belief.problem))
    every = whole_words(belief.problem)
    satisfying = {task for task in belief.tasks if any(map(task.accepts, every))}
    vacuous = sum(
        weight
        for task, weight in zip(belief.tasks, belief.weights.tolist(), strict=True)
        if task not in satisfying
    )
    found = Implied(belief, words, 0.0)
    chosen = list(range(len(found.clauses)))
    least, most = found.decide(chosen)
    for k, clause in enumerate(found.clauses):
        truth = by_episodes(belief, clause.automaton(LETTERS), every)
        # A task that accepts words but no episode counts below: where not all words are known, nobody knows.
        assert found.share(least)[k] - vacuous - 2e-4 <= truth <= found.share(most)[k] + 2e-4


def test_paths_decide_what_words_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = load_example("robot")
    task = parse("reach y; never r", problem.alphabet).automaton
    belief = belief_of(problem, [task], np.random.default_rng(0))
    exact = Implied(belief, occurring_words(problem), 0.0)
    words = occurring_words(problem, most=30)
    found = Implied(belief, words, 0.0)
    follows = dict(zip(exact.clauses, exact.here[0].tolist(), strict=True))
    monkeypatch.setattr(claims, "MOST_WALKS", 400)
    least, most = found.decide(range(len(found.clauses)))
    assert least.sum() > found.always.sum()  # the world makes more true than logic does
    assert (least == most).all()
    for clause, one in zip(found.clauses, least[0].tolist(), strict=True):
        assert one == follows.get(clause, True)  # what every episode satisfies was left out


def test_words_that_need_not_occur_are_as_words_are_read() -> None:
    for merge in (False, True):
        found = any_words(LETTERS, merge_repeats=merge)
        words = [found.word(number) for number in range(len(found))]
        assert () in words
        assert len(words) > 300
        assert not found.complete
        assert all(word_of(word, merge_repeats=merge) == word for word in words)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_told_is_short_sure_and_not_said_twice(seed: int) -> None:
    belief = some_belief(seed)
    words = list(whole_words(belief.problem))
    found = Implied(belief, occurring_words(belief.problem), CLAIMED[-1])
    chosen = ClaimChoice(found).told()
    shares, always = found.share(found.here), found.share(found.always)
    status = statuses(shares)
    rows = {k: {w for w in words if found.clauses[k].automaton(LETTERS).accepts(w)} for k in chosen}
    for k in chosen:
        assert status[k] < 3
        assert always[k] >= MEANT * shares[k] - 0.01
        assert NEVER_THERE not in found.clauses[k].letters
        assert rows[k] != set(words)  # not trivial
        for other in chosen:
            if other != k and rows[other] <= rows[k] and status[other] <= status[k]:
                assert shares[other] < shares[k] - NEAR
    assert all((status[chosen] == one).sum() <= most for one, most in enumerate(MOST_TOLD))


def test_claims_are_told_surest_first_and_what_is_open_comes_with_a_word() -> None:
    found_any = False
    for seed in range(12):
        belief = some_belief(seed)
        claims = claims_of(belief)
        assert claims.exact
        assert len(claims.told) <= 12
        chances = [claim.probability for claim in claims.told]
        assert chances == sorted(chances, reverse=True)
        assert [c for s in ("settled", "likely", "open") for c in claims.of(s)] == list(claims.told)
        for claim in claims.told:
            assert claim.probability == claim.at_most
            assert claim.settle is None or claim.status == "open"
            if claim.settle is not None:
                found_any = True
    assert found_any


@pytest.mark.parametrize("seed", range(12))
def test_what_settles_a_claim_by_bayes(seed: int) -> None:
    belief = some_belief(seed)
    words = whole_words(belief.problem)
    for claim in claims_of(belief).of("open"):
        if (settle := claim.settle) is None:
            continue
        assert settle.word in words
        clause = claim.clause.automaton(LETTERS)
        weighed = list(zip(belief.tasks, belief.weights.tolist(), strict=True))
        follows = {
            task: any(map(task.accepts, words)) and all(clause.accepts(w) for w in words if task.accepts(w))
            for task in belief.tasks
        }
        for label, told in ((True, settle.if_accepted), (False, settle.if_rejected)):
            some = [(task, weight) for task, weight in weighed if task.accepts(settle.word) == label]
            total = sum(weight for _, weight in some)
            assert (settle.probability if label else 1 - settle.probability) == pytest.approx(total, abs=2e-4)
            part = sum(weight for task, weight in some if follows[task])
            assert told * total == pytest.approx(part, abs=2e-4)
        # The label tells something: it moves the claim.
        assert abs(settle.if_accepted - settle.if_rejected) > 0.01


def test_of_one_task_its_clauses_are_settled() -> None:
    problem = load_example("robot")
    task = parse("never r; reach y; after b, no y until g", problem.alphabet).automaton
    belief = belief_of(problem, [task], np.random.default_rng(0))
    told = claims_of(belief).told
    assert {claim.status for claim in told} == {"settled"}
    sentences = [claim.sentence for claim in told]
    assert "never r" in sentences
    assert "no r before y" not in sentences
    assert "reach g or y" not in sentences
    both = parse("; ".join(sentences), problem.alphabet).automaton
    assert task.implies(both)


def test_who_accepts_all_or_nothing_claims_nothing() -> None:
    problem = load_example("robot")
    for accept in (True, False):
        belief = belief_of(problem, [DFA.constant(problem.alphabet, accept)], np.random.default_rng(0))
        assert claims_of(belief).told == ()

"""Shares of transitions, marks and letters against the definitions, word by word."""

from __future__ import annotations

import numpy as np
import pytest
from belief_cases import KINDS, LETTERS, Kind, all_paths, belief_in, histories, some_problem, some_tasks

from demospec.belief import findings_of, possible, possible_labels
from demospec.belief.belief import forms_of
from demospec.belief.undetermined import (
    Transition,
    access_of,
    led_elsewhere,
    letter_meanings,
    meanings_of,
    shares_of,
    words_to,
)
from demospec.explain.score import evaluate
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Stack
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.walk import reachable
from demospec.worlds.world import Episode
from strategies import all_words

LONGEST = 6  # of words that tell residual languages of automata with four states apart, and more


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", [None, *KINDS])
def test_agreement_is_about_residual_languages(seed: int, kind: Kind | None) -> None:
    """In a world, or by all words (None); with merged repeats where the problem has them."""
    rng = np.random.default_rng(seed)
    problem = some_problem(seed, kind=kind or "one")
    merge = problem.merge_repeats
    task, *others = some_tasks(seed + 20, 6)
    others = forms_of(problem, [task, *others])
    weights = rng.dirichlet(np.ones(len(others)))
    words = None if kind is None else words_to(problem, evaluate(problem, task).score)
    access = access_of(task, words, merge_repeats=merge)
    shares = shares_of(access, others, weights)
    marks, transitions = shares.marks, shares.transitions

    every = [word for word in all_words(LETTERS, 7) if problem_word(merge, word) == word]
    begun = {problem.word(path, scene) for scene, path in histories(problem)} if kind else set()

    def shortest(some: list[Word]) -> Word | None:
        """Return a shortest word that is possible, or else a shortest one."""
        possible = [word for word in some if word in begun]
        return min(possible or some, key=len, default=None)

    def alike(other: DFA, one: Word, two: Word) -> bool:
        return all(
            other.accepts(problem_word(merge, one + rest)) == other.accepts(problem_word(merge, two + rest))
            for rest in all_words(LETTERS, LONGEST)
        )

    for q, word in enumerate(access.words):
        leading = [one for one in every if task.run(one) == q]
        expected = shortest(leading)
        if expected is None:
            assert marks[q] == pytest.approx(1)
            continue
        assert word in leading
        assert len(word) == len(expected)
        same = [other.accepts(word) == task.accepting[q] for other in others]
        assert marks[q] == pytest.approx(float(weights @ same))
        for k, letter in enumerate(LETTERS):
            target = task.table[q][k]
            before = access.before[q * len(LETTERS) + k]
            able = [one for one in leading if not (merge and one[-1:] == (letter,))]
            if not able:
                assert transitions[q, k] == pytest.approx(1)
                continue
            assert before in able
            taken = [one for one in able if (*one, letter) in begun]
            assert len(before) == len(min(taken, key=len)) if taken else before == word or word not in able
            longer = (*before, letter)
            agree = [
                alike(other, longer, before)
                if target == q
                else alike(other, longer, access.words[target]) and not alike(other, longer, before)
                for other in others
            ]
            assert transitions[q, k] == pytest.approx(float(weights @ agree))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", KINDS)
def test_words_to_states_are_possible_where_they_can_be(seed: int, kind: Kind) -> None:
    problem = some_problem(seed, kind=kind)
    belief = belief_in(problem, some_tasks(seed, 4))
    best = belief.scores[0]
    merge = problem.merge_repeats
    access = access_of(best.language, words_to(problem, best), merge_repeats=merge)
    shares = shares_of(access, belief.forms, belief.weights)
    states = {
        best.language.run(problem.word(path, scene)[:end])
        for scene, path in histories(problem)
        for end in range(len(problem.word(path, scene)) + 1)
    }
    for q, (word, seen) in enumerate(zip(shares.words, shares.possible, strict=True)):
        assert best.language.run(word) == q
        assert seen == (q in states)
    unknown = access_of(best.language, None, merge_repeats=merge)
    assert not any(unknown.possible)
    assert [best.language.run(word) for word in unknown.words] == list(range(best.language.states))


def corridor() -> Problem:
    """Whoever reads b has read g before: start, g, b, and waiting everywhere."""
    mdp = MDP.build(
        [
            ("start", "go", {"g": 1}),
            ("start", "wait", {"start": 1}),
            ("g", "go", {"b": 1}),
            ("g", "wait", {"g": 1}),
            ("b", "wait", {"b": 1}),
        ],
        start="start",
        episode=Episode(horizon=4),
        labels={"g": "g", "b": "b"},
    )
    shown = read_path(mdp, ["go", "g", "go", "b", "wait", "b", "wait", "b"], complete=True)
    return Problem.of(mdp, demonstrations=(shown,), agent=Fixed(6.0), merge_repeats=True)


def test_a_transition_is_compared_after_a_word_after_which_it_can_be_taken() -> None:
    """The empty word leads to state 0 as well, but no b can follow it."""
    reach = DFA.parse(">0: b→1 | *1:", ("b", "g"))
    in_order = DFA.parse(">0: g→1 | 1: b→2 | *2:", ("b", "g"))
    found = findings_of(belief_in(corridor(), [reach, in_order]))
    assert found.score.task == reach
    assert len(found.answer.members) == 2  # nobody can tell
    assert found.shares.words == ((), ("g", "b"))
    assert found.open.use is not None
    assert found.open.use.taken[0, 0] > 0.8
    assert found.shares.transitions[0, 0] == pytest.approx(1)
    assert (0, "b", 1) not in found.open.light
    assert not any("0 –b→ 1" in sentence for sentence in found.sentences)
    assert (0, "g", 0) in found.open.differing  # whether g has changed anything, no episode shows


def test_a_task_with_one_transition_changed_disagrees_there() -> None:
    once = DFA.parse(">0: a→1 | *1:", LETTERS)
    back = DFA.parse(">0: a→1 | *1: b→0", LETTERS)
    fails = DFA.parse(">0: a→1 | *1: b→2 | 2:", LETTERS)

    def instead(task: DFA, *others: DFA) -> tuple[list[Transition], list[Transition]]:
        return led_elsewhere(access_of(task, None, merge_repeats=False), others)

    assert instead(once, back) == ([(1, "b", 1)], [(1, "b", 0)])
    assert instead(once, fails) == ([(1, "b", 1)], [])  # where to, the task does not know
    assert instead(once, fails, back) == ([(1, "b", 1)], [(1, "b", 0)])
    assert instead(back, once) == ([(1, "b", 0)], [])
    assert instead(fails, once) == ([(1, "b", 2)], [])
    assert instead(fails, back) == ([(2, "a", 2)], [(2, "a", 1)])
    assert instead(once) == ([], [])


@pytest.mark.parametrize("seed", range(4))
def test_what_letters_mean_word_by_word(seed: int, small_languages: list[DFA]) -> None:
    tasks = [task.minimal for task in small_languages[seed::4]][:40]
    meanings = meanings_of(Stack.of(tasks))
    words = list(all_words(LETTERS, 7))
    for number, task in enumerate(tasks):
        accepted = {word for word in words if task.accepts(word)}
        for k, letter in enumerate(LETTERS):
            rest = {word: tuple(other for other in word if other != letter) for word in words}
            first = [word for word in words if word[:1] == (letter,)]
            expected = (
                bool(accepted) and all(letter in word for word in accepted),
                bool(accepted) and all(letter not in word for word in accepted),
                all(task.accepts(word) == task.accepts(rest[word]) for word in words),
                bool(accepted) and not any(word in accepted for word in first),
                len(accepted) < len(words) and all(word in accepted for word in first),
            )
            assert tuple(bool(meaning[number, k]) for meaning in meanings) == expected, (task, letter)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["one", "starts"])
def test_states_that_can_be_reached(seed: int, kind: Kind) -> None:
    mdp = some_problem(seed, kind=kind).mdp
    expected = {state for path in all_paths(mdp) for state in path.states(mdp)}
    assert set(np.flatnonzero(reachable(mdp)).tolist()) == expected


def test_letters_that_are_never_read_say_why() -> None:
    problem = some_problem(1, alphabet=("a", "b", "c"))
    tasks = [
        DFA.parse(">0: a→1 | *1:", problem.alphabet),
        DFA.parse(">0: a→1, c→2 | *1: c→2 | 2:", problem.alphabet),
    ]
    belief = belief_in(problem, tasks)
    *_, c = letter_meanings(belief)
    assert c.sentence == "c: undetermined, avoided or not (no state of the world has it)"
    weight = {task: float(w) for task, w in zip(belief.tasks, belief.weights, strict=True)}
    assert c.avoided == pytest.approx(weight[tasks[1]])
    assert c.irrelevant == pytest.approx(weight[tasks[0]])
    assert (c.required, c.fulfils) == (0, 0)


def test_what_is_possible_has_at_least_five_percent_or_a_rival() -> None:
    problem = some_problem(0)
    belief = belief_in(problem, some_tasks(0, 8))
    words = list(all_words(LETTERS, 3))
    for label in (True, False):
        found = possible(belief, words, [label] * len(words))
        for word, one in zip(words, found.tolist(), strict=True):
            chance = sum(
                float(w)
                for w, task in zip(belief.weights, belief.tasks, strict=True)
                if task.accepts(problem_word(problem.merge_repeats, word)) == label
            )
            read = problem_word(problem.merge_repeats, word)
            assert one == (chance >= 0.05 or any(s.task.accepts(read) == label for s in belief.rivals))
    assert possible_labels(belief, words[0]) == tuple(
        label for label in (True, False) if possible(belief, words[:1], [label])[0]
    )


def test_rivals_are_the_tasks_beside_which_nothing_as_small_explains_much_better() -> None:
    problem = some_problem(0)
    belief = belief_in(problem, some_tasks(0, 30))
    scores = [evaluate(problem, task).score for task in some_tasks(0, 30)]
    wanted = {
        one.language
        for one in scores
        if not any(other.size <= one.size and other.surprise < one.surprise - 3 for other in scores)
    }
    found = forms_of(problem, [score.language for score in belief.rivals])
    assert set(found) == set(forms_of(problem, sorted(wanted, key=str)))
    assert len(found) == len(set(found))
    assert 1 < len(wanted) < len({score.task for score in scores})


def problem_word(merge_repeats: bool, word: Word) -> Word:
    return tuple(
        letter for k, letter in enumerate(word) if not (merge_repeats and k and word[k - 1] == letter)
    )

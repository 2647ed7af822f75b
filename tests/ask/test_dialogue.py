"""The dialogue: answers are kept, contradicted tasks leave, a planted task is found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small import corner_world, word_asked

from all_paths import enumerate_paths
from demospec.ask.dialogue import Dialogue, learned_scores
from demospec.ask.labels import with_example, with_examples
from demospec.belief.tuned import SURE
from demospec.errors import Contradiction, InputError
from demospec.explain.score import Score
from demospec.identify.classes import by_name
from demospec.problem import Problem, Weights
from demospec.runs.session import learn
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

PLANTED = [
    ">0: a→1 | *1:",
    ">0: a→1, b→2 | 1: b→3 | 2: a→3 | *3:",
    ">0: a→1 | 1: b→2 | *2:",
    ">0: a→1, b→2 | *1: b→2 | 2:",
]


def until_clear(dialogue: Dialogue, truth: DFA, most: int = 30) -> Dialogue:
    for _ in range(most):
        if dialogue.question is None:
            break
        dialogue = dialogue.replied(truth.accepts(word_asked(dialogue)))
    return dialogue


@pytest.mark.parametrize("line", PLANTED)
def test_a_planted_task_is_found(line: str) -> None:
    truth = DFA.parse(line, "ab")
    first = Dialogue.begin(corner_world(truth), enough=0.99)
    assert first.answer[1] < SURE  # one demonstration does not determine the task
    last = until_clear(first, truth)
    assert last.question is None
    assert last.reason
    assert 0 < len(last.replies) < 30
    problem = last.problem
    for word in possible_words(problem):
        assert last.answer[0].task.accepts(word) == truth.accepts(word)


def possible_words(problem: Problem) -> list[tuple[str, ...]]:
    """The words of all complete paths of a world in which words are few: by closure over steps."""
    mdp = problem.mdp
    reached: set[tuple[int, tuple[str, ...]]] = {(mdp.start, ())}
    for _ in range(mdp.horizon):
        reached = {
            (state, extended(word, mdp.labels[state]))
            for at, word in reached
            for pair in mdp.pairs(at)
            for state, _ in mdp.outcomes(pair)
        }
    return sorted({word for _, word in reached})


def extended(word: tuple[str, ...], label: str | None) -> tuple[str, ...]:
    return word if label is None or word[-1:] == (label,) else (*word, label)


def test_a_dialogue_is_a_value_and_the_same_every_time() -> None:
    truth = DFA.parse(PLANTED[3], "ab")
    problem = corner_world(truth)
    first = Dialogue.begin(problem, seed=3)
    question, word = first.question, word_asked(first)
    second = first.replied(True)
    assert first.question == question
    assert first.replies == ()
    assert second.problem.given.mapping == {word: True}
    assert first.problem.given == problem.given
    one, two = (until_clear(Dialogue.begin(problem, seed=3), truth, most=3) for _ in range(2))
    assert one.replies == two.replies
    assert one.answer == two.answer


def test_tasks_that_contradict_an_answer_leave_and_no_word_is_asked_twice() -> None:
    truth = DFA.parse(PLANTED[2], "ab")
    dialogue = Dialogue.begin(corner_world(truth))
    asked = []
    while dialogue.question is not None:
        asked.append(word_asked(dialogue))
        dialogue = dialogue.replied(truth.accepts(word_asked(dialogue)))
        for score in dialogue.scores:
            assert dialogue.problem.given.consistent(score.task)
    assert len(set(asked)) == len(asked)
    assert dialogue.known == len(asked)  # the last search knew all answers


def test_an_unexpected_answer_makes_it_search_again() -> None:
    searched: list[Problem] = []

    def searching(problem: Problem) -> list[Score]:
        searched.append(problem)
        return learned_scores(problem)

    weights = Weights(by_rule=True, belief_size_weight=0.1)  # large tasks count: the belief is sure of words
    problem = corner_world(DFA.parse(PLANTED[1], "ab"), weights=weights)
    dialogue = Dialogue.begin(problem, searching=searching)
    question = next(one for one in dialogue.verdicts.questions() if not 0.08 < one.chance < 0.92)
    dialogue = dialogue.replied(question.chance < 0.5, question)
    assert len(searched) == dialogue.searches == 2
    assert searched[1].given.mapping == {question.word: question.chance < 0.5}
    assert dialogue.scores
    assert all(dialogue.problem.given.consistent(score.task) for score in dialogue.scores)


def test_a_dialogue_stops_when_it_is_sure_enough() -> None:
    dialogue = Dialogue.begin(corner_world(DFA.parse(PLANTED[0], "ab")), enough=0.0)
    assert dialogue.question is None
    assert dialogue.reason.startswith("one answer has")


def test_a_skipped_question_is_not_asked_again() -> None:
    truth = DFA.parse(PLANTED[1], "ab")
    first = Dialogue.begin(corner_world(truth))
    second = first.skip()
    assert word_asked(second) != word_asked(first)
    assert second.replies == ()
    last = second
    while last.question is not None:
        last = last.skip()
    assert last.reason == "no path is left whose label would tell enough"
    with pytest.raises(InputError, match="nothing to skip"):
        last.skip()
    with pytest.raises(InputError, match="nothing to answer"):
        last.replied(True)


def test_answers_that_no_small_task_meets_end_the_dialogue() -> None:
    truth = DFA.parse(PLANTED[1], "ab")
    dialogue = Dialogue.begin(corner_world(truth).with_settings(max_states=1, method="paper"), enough=1.1)
    one, other = Dialogue.begin(corner_world(truth)).questions[:2]
    dialogue = dialogue.replied(True, one)
    assert not dialogue.contradiction
    dialogue = dialogue.replied(False, other)
    assert "no task with at most 1 state meets the examples" in dialogue.reason
    assert dialogue.question is None
    assert len(dialogue.replies) == 2


def test_another_label_for_a_word_is_a_contradiction() -> None:
    problem = corner_world(DFA.parse(PLANTED[0], "ab"))
    once = with_example(problem, ("a",), True)
    assert with_example(once, ("a",), True).given == once.given
    with pytest.raises(Contradiction, match='accepted and rejected at once: "a"'):
        with_examples(once, Examples.of(reject=["a"]))
    safe = corner_world(DFA.constant("ab", True), classes=(by_name("safety"),))
    with pytest.raises(Contradiction):
        with_example(with_example(safe, ("a",), False), ("a", "b"), True)


@pytest.mark.parametrize("method", ["explore", "paper", "random-pivots", "enumeration"])
def test_learning_never_ranks_a_task_that_contradicts_an_answer(method: str) -> None:
    truth = DFA.parse(PLANTED[1], "ab")
    # The demonstration alone says otherwise: labels that go against it must hold all the same.
    given = Examples.of(accept=["", "ba"], reject=["a", "b", "ab"])
    problem = with_examples(corner_world(truth), given).with_settings(method=method)
    result = learn(problem, seed=1)
    assert result.ranked
    for entry in result.ranked:
        assert given.consistent(entry.score.task)
    for row in result.trace:
        assert all(given.consistent(score.task) for score in row.info.scored)


def test_words_by_closure_are_those_of_all_paths() -> None:
    problem = corner_world(DFA.parse(PLANTED[0], "ab"))
    short = replace(problem, scenes=(Scene(world=replace(problem.mdp, episode=Episode(horizon=5))),))
    assert possible_words(short) == sorted({short.word(path) for path in enumerate_paths(short.mdp)})

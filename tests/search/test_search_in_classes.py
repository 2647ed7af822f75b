"""The search among the automata of a class: what may be conjectured, what is overruled, what is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paper
from demospec.errors import Contradiction
from demospec.explain.pursuing import sample
from demospec.explain.setup import resolve
from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
)
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.problem import PaperSettings, Problem, Settings
from demospec.runs.session import learn
from demospec.search.diss import Conjecture, PaperInfo, Search, State, tried_in
from demospec.search.enumeration import Enumeration
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode
from stepping import infos_of
from strategies import AB, words

Classes = tuple[AutomatonClass, ...]

UPPER = DFA.parse(">*0: b→1 | *1: a→2 | 2:", AB)
FEW = DFA.parse(">0: a→1, b→2 | *1: a→2, b→2 | 2:", AB)  # the word a alone

EXACT: list[Classes] = [
    (Implies(UPPER),),
    (ImpliedBy(FEW),),
    (IgnoresRepeats(),),
    (Safety(),),
    (CoSafety(),),
    (Monotone(),),
    (SameEffect(AB),),
    (Safety(), IgnoresRepeats()),
    (Safety(), CoSafety()),
    (CoSafety(), ImpliedBy(FEW)),
    (Safety(), ImpliedBy(FEW), Implies(UPPER)),
    (Monotone(), Safety(), Implies(UPPER)),
]
EVERY: list[Classes] = [*EXACT, (ReachAvoid(),), (ReachAvoid(), IgnoresRepeats())]


def names(classes: Classes) -> str:
    return "+".join(one.name for one in classes)


STEP = MDP.build(
    [("s", "go", {"t": 1.0})], start="s", labels={"t": "a"}, terminal=["t"], episode=Episode(horizon=1)
)


def tiny(classes: Classes, given: Examples | None = None) -> Problem:
    """A problem whose world does not matter."""
    return Problem.of(
        STEP,
        demonstrations=(Path(((0, 1),), complete=True),),
        alphabet=AB,
        classes=classes,
        given=given or Examples(),
    )


def meets(classes: Classes, labels: dict[Word, bool]) -> bool:
    """Say whether a member gives these labels; short words need few states."""
    try:
        return any(smallest(Examples.from_mapping(labels), AB, classes=classes, max_states=9))
    except Contradiction:
        return False


few_labels = st.dictionaries(words(max_size=3), st.booleans(), max_size=4)


@pytest.mark.parametrize("classes", EXACT, ids=names)
@settings(max_examples=20)
@given(labels=few_labels, word=words(max_size=3), label=st.booleans())
def test_a_label_is_possible_when_a_member_that_agrees_with_the_given_has_it(
    classes: Classes, labels: dict[Word, bool], word: Word, label: bool
) -> None:
    if meets(classes, labels):
        engine = Search(tiny(classes, Examples.from_mapping(labels)))
        expected = labels.get(word, label) == label and meets(classes, {**labels, word: label})
        assert engine.possible(word, label) == expected


# -- what is overruled ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "accept", "reject", "new", "label", "gone"),
    [
        ((), ["a", "ab"], ["b"], "a", False, ["a"]),
        ((), ["a", "ab"], ["b"], "aa", False, []),
        ((Safety(),), ["b"], ["a", "aa", "ab"], "ab", True, ["a", "ab"]),
        ((Safety(),), ["", "a", "ab", "b"], [], "a", False, ["a", "ab"]),
        ((CoSafety(),), ["a", "b"], ["", "bb"], "ab", False, ["a"]),
        ((ReachAvoid(),), ["a", "b"], ["", "bb"], "ab", False, ["a"]),
        ((IgnoresRepeats(),), ["a", "aab"], ["b"], "ab", False, ["aab"]),
        ((SameEffect(AB),), ["a", "ab"], [""], "b", False, ["a"]),
        ((Safety(), IgnoresRepeats()), ["b"], ["aa"], "ab", True, ["aa"]),
        ((Safety(), CoSafety()), [], ["a", "b"], "", True, ["a", "b"]),
        ((Monotone(),), ["a"], ["aa"], "b", True, []),
        ((Implies(UPPER),), ["a"], ["ba"], "b", True, []),
    ],
)
def test_a_conjecture_overrules_what_it_excludes(
    classes: Classes, accept: list[str], reject: list[str], new: str, label: bool, gone: list[str]
) -> None:
    earlier = Examples.of(accept, reject)
    found = resolve(tiny(classes)).allowed.overruled(earlier, tuple(new), label)
    assert found == tuple(tuple(word) for word in gone)
    kept = {word: own for word, own in earlier if word not in found}
    updated = Search(tiny(classes)).update(earlier, tuple(new), label)
    assert updated == Examples.from_mapping({**kept, tuple(new): label})


@pytest.mark.parametrize("classes", EXACT, ids=names)
@settings(max_examples=25)
@given(labels=few_labels, word=words(max_size=3), label=st.booleans())
def test_what_is_overruled_is_the_smallest_set_that_makes_room(
    classes: Classes, labels: dict[Word, bool], word: Word, label: bool
) -> None:
    if not meets(classes, labels) or not meets(classes, {word: label}):
        return
    problem = tiny(classes)
    gone = resolve(problem).allowed.overruled(Examples.from_mapping(labels), word, label)
    updated = Search(problem).update(Examples.from_mapping(labels), word, label).mapping
    assert updated[word] == label
    assert meets(classes, updated)
    for back in gone:  # none of them could stay, whatever else goes
        assert back == word or not meets(classes, {back: labels[back], word: label})


def test_an_overruled_conjecture_leaves_when_the_new_one_comes_in() -> None:
    engine = Search(tiny((Safety(),)).with_settings(reset_period=100))
    old = Examples.of(accept=["b"], reject=["a", "aa"])
    pending = Conjecture(("a", "b"), True, Path((), complete=True), 0, 1.0)
    _, info = engine.step(np.random.default_rng(0), State(iteration=1, examples=old, pending=pending))
    assert info.examples == Examples.of(accept=["ab", "b"], reject=["aa"])
    assert info.candidate is not None
    assert info.examples.consistent(info.candidate.task)


# -- whole runs -------------------------------------------------------------------------------------------


def steps(engine: Search) -> Iterator[PaperInfo]:
    """Run a search with one fixed seed."""
    rng, state = np.random.default_rng(0), engine.start()
    for _ in range(engine.settings.iterations):
        state, info = engine.step(rng, state)
        yield info


class Strict:
    """An identifier that counts how often its classes alone exclude what the search asks for."""

    def __init__(self, problem: Problem) -> None:
        self.inner = ExactIdentifier(
            problem.alphabet, prior=problem.prior, classes=problem.classes, max_states=6
        )
        self.contradictions = self.empty = self.asked = 0

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        self.asked += 1
        try:
            found = self.inner.candidates(examples, count)
        except Contradiction:
            self.contradictions += 1
            raise
        self.empty += not found
        return found


MAP = ("a..b", ".c..", "b..a")
GRID = gridworld(MAP, start=(2, 1), episode=Episode(horizon=6, end_probability=0.1))
ABC = ("a", "b", "c")


def parsed(line: str) -> DFA:
    return DFA.parse(line, ABC)


# a task of each class, planted
PLANTED: list[tuple[Classes, DFA]] = [
    ((Safety(),), parsed(">*0: c→1 | 1:")),
    ((CoSafety(),), parsed(">0: a→1, c→2 | 1: b→3, c→2 | 2: | *3:")),
    ((ReachAvoid(),), parsed(">0: b→1, c→2 | 1: a→3, c→2 | 2: | *3:")),
    ((Monotone(),), parsed(">0: a→1, c→2 | *1: c→2 | 2:")),
    ((IgnoresRepeats(),), parsed(">0: a→1 | *1: b→0")),
    ((SameEffect("ab"),), parsed(">0: a→1, b→1, c→2 | *1: c→2 | 2:")),
    ((Implies(parsed(">*0: c→1 | 1:")),), parsed(">0: b→1, c→2 | *1: c→2 | 2:")),
    ((ImpliedBy(parsed(">0: b→1, a→2, c→2 | *1: a→2, c→2 | 2:")),), parsed(">0: b→1, c→2 | *1: c→2 | 2:")),
    ((CoSafety(), IgnoresRepeats()), parsed(">0: b→1, c→2 | *1: | 2:")),
]


def planted(classes: Classes, truth: DFA) -> Problem:
    problem = Problem.of(
        GRID,
        demonstrations=(),
        merge_repeats=True,
        classes=classes,
        settings=Settings(iterations=60, max_states=6),
    )
    return problem.with_demonstrations(sample(problem, truth, count=10, seed=5))


@pytest.mark.parametrize(("classes", "truth"), PLANTED, ids=[names(classes) for classes, _ in PLANTED])
def test_in_the_class_of_a_planted_task_the_search_finds_members_only_and_none_worse(
    classes: Classes, truth: DFA
) -> None:
    assert all(one.holds(truth) for one in classes)
    problem = planted(classes, truth)
    result = learn(problem, seed=1)
    assert len(result.ranked) > 3
    for entry in result.ranked:
        assert all(one.holds(entry.score.language) for one in classes), str(entry.score.language)
    # the best of all tasks need not be of the class; of those that are, a search that does not know about
    # the class finds none that is better
    anywhere = learn(replace(problem, classes=()), seed=1).ranked
    members = [entry.score for entry in anywhere if all(one.holds(entry.score.language) for one in classes)]
    assert result.best.energy <= min(score.energy for score in members) + 1e-9
    for method in ("enumeration", "random-pivots", "paper"):
        found = learn(problem.with_settings(method=method, iterations=10), seed=1)
        assert any(tried_in(row.info) for row in found.trace) == (method != "enumeration")
        for entry in found.ranked:
            assert all(one.holds(entry.score.language) for one in classes)


@pytest.mark.parametrize("with_given", [False, True])
@pytest.mark.parametrize("classes", [c for c in EVERY if c != (Safety(), CoSafety())], ids=names)
def test_no_conjecture_asks_for_what_the_classes_exclude(classes: Classes, with_given: bool) -> None:
    world = gridworld(("a.b", "...", "b.a"), start=(2, 2), episode=Episode(horizon=6, end_probability=0.1))
    wished = Examples.of(accept=["ab"], reject=["ba"])
    if not meets(classes, wished.mapping):
        wished = Examples.of(accept=["ab"])
    member = next(smallest(wished, AB, classes=classes))
    given = {(): member.accepts(()), ("b", "a"): member.accepts("ba")} if with_given else {}
    problem = Problem.of(
        world,
        demonstrations=(),
        merge_repeats=True,
        classes=classes,
        given=Examples.from_mapping(given),
        settings=Settings(
            iterations=60, max_states=6, paper=PaperSettings(initial_temperature=5.0, overrule_after=1)
        ),
    )
    problem = problem.with_demonstrations(sample(problem, member, count=3, seed=2))
    identifier = Strict(problem)
    engine, rng = Search(problem, identifier=identifier), np.random.default_rng(3)
    state, found = engine.start(), set()
    for _ in range(problem.settings.iterations):
        state, info = engine.step(rng, state)
        if info.candidate is not None:
            found.add(info.candidate.task)
            assert problem.given.consistent(info.candidate.task)
            assert info.examples.consistent(info.candidate.task)
        if info.conjecture is not None:
            assert engine.possible(info.conjecture.word, info.conjecture.label)
    assert identifier.contradictions == 0
    assert classes not in EXACT or identifier.empty == 0
    assert all(one.holds(task.automaton) for task in found for one in classes)


def test_some_runs_overrule_through_the_class() -> None:
    dropped = 0
    for classes, truth in PLANTED[:3]:
        problem = planted(classes, truth)
        engine, rng = Search(problem.with_settings(overrule_after=1)), np.random.default_rng(0)
        state = engine.start()
        for _ in range(40):
            if state.pending is not None:
                gone = resolve(problem).allowed.overruled(
                    state.examples, state.pending.word, state.pending.label
                )
                dropped += any(word != state.pending.word for word in gone)
            state, _ = engine.step(rng, state)
    assert dropped > 0


# -- what no task meets -----------------------------------------------------------------------------------


class Picky:
    """An identifier that finds nothing as soon as a word that it does not like is labelled."""

    def __init__(self, problem: Problem, dislike: Word) -> None:
        self.inner = ExactIdentifier(problem.alphabet, max_states=6)
        self.dislike, self.refused = dislike, list[Examples]()

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        if self.dislike in examples.mapping:
            self.refused.append(examples)
            return ()
        return self.inner.candidates(examples, count)


def test_what_failed_once_is_not_conjectured_again() -> None:
    problem = paper.monolithic(Settings(iterations=40))
    first = next(info.conjecture for info in steps(Search(problem)) if info.conjecture)
    identifier = Picky(problem, first.word)
    infos = list(steps(Search(problem, identifier=identifier)))
    assert identifier.refused
    assert len(identifier.refused) == len(set(identifier.refused))
    assert sum(info.candidate is None for info in infos) == len(identifier.refused)
    assert infos[0].best is not None
    assert infos[-1].best is not None
    assert infos[-1].best.energy < infos[0].best.energy


def test_an_identifier_with_a_class_of_its_own_does_not_end_the_search() -> None:
    problem = paper.monolithic(Settings(iterations=40))
    identifier = ExactIdentifier(problem.alphabet, classes=[Safety()], max_states=6)
    infos = list(steps(Search(problem, identifier=identifier)))
    assert len(infos) == 40
    tasks = {info.candidate.task for info in infos if info.candidate is not None}
    assert len(tasks) > 2
    assert all(Safety().holds(task.automaton) for task in tasks)


# -- the problem's own checks -----------------------------------------------------------------------------


def test_a_problem_refuses_given_labels_that_its_classes_exclude() -> None:
    with pytest.raises(Contradiction, match='"ε" rejected, "a" accepted'):
        resolve(tiny((Safety(),), Examples.of(accept=["a"], reject=[""])))
    with pytest.raises(Contradiction, match="implies and implied-by"):
        resolve(tiny((Implies(FEW), ImpliedBy(UPPER))))


def test_a_class_named_twice_counts_once() -> None:
    assert tiny((Safety(), Safety())).classes == (Safety(),)


def test_a_demonstration_that_the_class_excludes_is_no_constraint_for_the_enumeration() -> None:
    problem = replace(paper.monolithic(Settings(iterations=5)), classes=(Safety(), Implies(~paper.BEST)))
    engine = Enumeration(problem)
    infos = list(infos_of(engine, np.random.default_rng(0)))
    assert engine.examples == Examples()
    assert all(info.candidate is not None and Safety().holds(info.candidate.language) for info in infos)


def test_bounds_follow_from_all_classes_together() -> None:
    assert resolve(tiny(())).allowed.bounds == (None, None)
    assert resolve(tiny((Safety(), Monotone()))).allowed.bounds == (None, None)
    assert resolve(tiny((ImpliedBy(FEW), Implies(UPPER)))).allowed.bounds == (FEW, UPPER)
    lower, upper = resolve(tiny((Safety(), ImpliedBy(FEW)))).allowed.bounds
    assert lower is not None
    assert upper is None
    assert sorted(word for word in ((), ("a",), ("b",), ("a", "a")) if lower.accepts(word)) == [(), ("a",)]
    lower, upper = resolve(tiny((CoSafety(), Implies(~FEW)))).allowed.bounds
    assert lower is None
    assert upper is not None
    assert not upper.accepts(())  # its extension a must be rejected
    assert upper.accepts("b")

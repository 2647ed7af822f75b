"""Algorithm 2: what one step does, what a run keeps, and the paper's numbers."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import paper
from demospec.errors import CompetencyUnreachable
from demospec.explain.score import evaluate
from demospec.explain.setup import resolve
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.plan.rationality import Competency
from demospec.problem import PaperSettings, Problem, Settings
from demospec.search.diss import Conjecture, PaperInfo, Search, State, Visit
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.small_worlds import random_demonstrations, random_dfa, random_mdp, random_path
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode
from stepping import infos_of

LETTERS = ("a", "b")


def telling_prior(rng: np.random.Generator, mdp: MDP) -> DFA:
    """Return a prior that allows some paths of the world and excludes others."""
    words = {random_path(rng, mdp, complete=True).word(mdp, merge_repeats=True) for _ in range(30)}
    while True:
        prior = random_dfa(rng, LETTERS, 3)
        if 0 < sum(map(prior.accepts, words)) < len(words):
            return prior


def small_problem(seed: int, *, with_prior: bool = False, with_given: bool = False) -> Problem:
    rng = np.random.default_rng([seed, 61])
    mdp = random_mdp(rng, states=8, letters=LETTERS, horizon=6, end_probability=0.05, same_actions=True)
    prior = telling_prior(rng, mdp) if with_prior else None
    given = Examples()
    if with_given:
        target = random_dfa(rng, LETTERS, 2)
        target = target if prior is None else target & prior
        words = [("a",), ("b", "a"), ("a", "b"), ()]
        given = Examples.from_mapping({word: target.accepts(word) for word in words})
    return Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 3),
        alphabet=LETTERS,
        merge_repeats=True,
        prior=prior,
        given=given,
        settings=Settings(
            iterations=40,
            max_states=4,
            paper=PaperSettings(
                reset_period=7,
                candidates=8,
                pivot_temperature=0.5,
                initial_temperature=0.5,
                final_temperature=0.1,
            ),
        ),
    )


def run(
    problem: Problem, seed: int, iterations: int | None = None, engine: Search | None = None
) -> tuple[list[State], list[PaperInfo]]:
    """Return all states, the first one included, and what each iteration did."""
    engine, rng = engine or Search(problem), np.random.default_rng(seed)
    states, infos = [engine.start()], []
    for _ in range(iterations or problem.settings.iterations):
        state, info = engine.step(rng, states[-1])
        states.append(state)
        infos.append(info)
    return states, infos


SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_gives_the_same_run(seed: int) -> None:
    problem = small_problem(seed)
    first, again, other = (run(problem, s)[1] for s in (seed, seed, seed + 100))
    assert first == again == list(infos_of(Search(problem), np.random.default_rng(seed)))
    assert repr(first) == repr(again)
    assert first != other


class WithoutMemory:
    """An identifier whose answers depend on the question alone."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def candidates(self, examples: Examples, count: int) -> list[DFA]:
        problem = self.problem
        found = smallest(examples, problem.alphabet, prior=problem.prior, max_states=6)
        return list(itertools.islice(found, count))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_depends_on_the_random_state_and_the_state_alone(seed: int) -> None:
    problem = small_problem(seed)

    def make() -> Search:
        return Search(problem, identifier=WithoutMemory(problem))

    engine, rng = make(), np.random.default_rng(seed)
    state, before = engine.start(), []
    for _ in range(15):
        before.append((state, copy.deepcopy(rng)))
        state, _ = engine.step(rng, state)
    for then, its_rng in before:  # an engine with a past, and one without
        fresh = make().step(copy.deepcopy(its_rng), then)
        assert engine.step(its_rng, then) == fresh


def test_a_step_does_not_change_the_state_it_starts_from() -> None:
    engine, rng = Search(small_problem(1)), np.random.default_rng(1)
    state = engine.start()
    for _ in range(20):
        before = replace(state, visited=dict(state.visited))
        after, _ = engine.step(rng, state)
        assert state == before
        state = after


@pytest.mark.parametrize("seed", SEEDS)
def test_the_books_of_a_run_agree(seed: int) -> None:
    problem = small_problem(seed)
    states, infos = run(problem, seed)
    for t, (old, info, new) in enumerate(zip(states, infos, states[1:], strict=False), start=1):
        assert new.iteration == info.iteration == t
        assert info.candidate is not None
        assert info.temperature == pytest.approx(0.5 * (1 - t / 40) + 0.1)
        assert info.examples.consistent(info.candidate.task)
        assert new.visited == {**old.visited, info.candidate.language: Visit(info.candidate, info.examples)}
        assert new.pending == info.conjecture
        if info.accepted:
            assert (new.examples, new.current) == (info.examples, info.candidate)
        else:
            assert (new.current, new.pending) == (old.current, None)
            assert old.current is not None
            assert info.candidate.energy > old.current.energy
        assert info.exhausted == (info.accepted and info.conjecture is None)
    assert {info.accepted for info in infos} == {False, True}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_candidate_is_drawn_for_no_examples_and_accepted(seed: int) -> None:
    _, infos = run(small_problem(seed), seed, 1)
    assert infos[0].accepted
    assert infos[0].examples == Examples()


@pytest.mark.parametrize("seed", SEEDS)
def test_without_a_reset_a_candidate_is_drawn_for_the_examples_and_the_pending_one(seed: int) -> None:
    states, infos = run(small_problem(seed), seed)
    for state, info in zip(states, infos, strict=False):
        if not info.reset:
            pending = state.pending
            expected = (
                state.examples if pending is None else state.examples.update(pending.word, pending.label)
            )
            assert info.examples == expected


def test_a_newer_label_wins() -> None:
    word = ("a",)
    old = Examples.of(accept=[word], reject=[["b"]])
    pending = Conjecture(word, False, Path((), complete=True), 0, 1.0)
    _, info = Search(small_problem(0)).step(
        np.random.default_rng(0), State(iteration=1, examples=old, pending=pending)
    )
    assert info.examples == Examples.of(reject=[word, ["b"]])


@pytest.mark.parametrize("period", [1, 3, 7])
def test_resets_happen_at_multiples_of_the_period_and_draw_visited_examples(period: int) -> None:
    problem = small_problem(2).with_settings(reset_period=period)
    states, infos = run(problem, 2)
    for state, info in zip(states, infos, strict=False):
        assert info.reset == (info.iteration % period == 0 and info.iteration > 1)
        if info.reset:
            assert info.examples in {visit.examples for visit in state.visited.values()}


def test_a_reset_prefers_low_energies() -> None:
    problem = small_problem(0)
    engine = Search(problem)
    score = engine.evaluator.score(DFA.constant(LETTERS, True))
    good, bad = Examples.of(accept=[["a"]]), Examples.of(accept=[["b"]])
    visited = {
        DFA.constant(LETTERS, True): Visit(replace(score, energy=1.0), good),
        DFA.constant(LETTERS, False): Visit(replace(score, energy=2.0), bad),
    }
    rng, state = np.random.default_rng(0), State(visited=visited)
    drawn = [engine.restart(rng, state) for _ in range(4000)]
    assert set(drawn) == {good, bad}
    assert drawn.count(good) / 4000 == pytest.approx(1 / (1 + math.exp(-1)), abs=0.03)


def test_a_reset_moves_the_walk_even_when_its_candidate_is_rejected() -> None:
    # Algorithm 2 assigns X when it resets; a rejection then leaves φ, not the X of before the reset.
    problem = small_problem(0).with_settings(reset_period=2)
    engine = Search(problem)
    score = engine.evaluator.score(DFA.constant(LETTERS, True))
    kept, other = Examples.of(accept=[["a"]]), Examples.of(accept=[["b"]])
    unbeatable = replace(score, energy=-1e9)
    state = State(
        iteration=1,
        examples=other,
        current=unbeatable,
        visited={score.language: Visit(score, kept)},
        best=unbeatable,
    )
    new, info = engine.step(np.random.default_rng(0), state)
    assert info.reset
    assert not info.accepted
    assert info.examples == kept
    assert new.current == unbeatable
    assert new.examples == kept


@pytest.mark.parametrize("seed", SEEDS)
def test_visited_energies_are_those_of_a_fresh_evaluation(seed: int) -> None:
    problem = small_problem(seed, with_prior=seed % 2 == 0).with_settings(initial_temperature=20.0)
    states, _ = run(problem, seed)
    for task, visit in states[-1].visited.items():
        assert visit.score == evaluate(problem, task).score
        assert visit.score.energy == pytest.approx(
            resolve(problem).weights.size_weight * (task.size - resolve(problem).prior_size)
            + visit.score.surprise
        )
        assert visit.examples.consistent(task)


def test_the_random_problems_lead_to_many_tasks() -> None:
    for with_prior in (False, True):
        problems = [small_problem(seed, with_prior=with_prior) for seed in SEEDS]
        visited = [len(run(problem, seed)[0][-1].visited) for seed, problem in enumerate(problems)]
        assert sum(visited) >= 12, visited


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_is_the_lowest_energy_so_far(seed: int) -> None:
    states, infos = run(small_problem(seed), seed)
    energies = [info.candidate.energy for info in infos if info.candidate is not None]
    best = [info.best.energy for info in infos if info.best is not None]
    assert best == list(itertools.accumulate(energies, min))
    assert states[-1].best == infos[-1].best


@pytest.mark.parametrize("with_prior", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_all_candidates_meet_the_given_examples_and_imply_the_prior(seed: int, with_prior: bool) -> None:
    problem = small_problem(seed, with_prior=with_prior, with_given=True)
    _, infos = run(problem, seed)
    assert any(info.candidate is not None for info in infos)
    for info in infos:
        if info.candidate is not None:
            assert problem.given.consistent(info.candidate.task)
            assert problem.prior is None or info.candidate.language.implies(problem.prior)
        if info.conjecture is not None:
            assert (
                problem.given.mapping.get(info.conjecture.word, info.conjecture.label)
                == info.conjecture.label
            )


class Nothing:
    """An identifier that finds no task, from some call on."""

    def __init__(self, inner: ExactIdentifier, calls: int) -> None:
        self.inner, self.left = inner, calls

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        self.left -= 1
        return self.inner.candidates(examples, count) if self.left >= 0 else ()


@pytest.mark.parametrize("calls", [0, 3])
def test_examples_that_no_task_meets_reject_the_step_and_keep_the_state(calls: int) -> None:
    problem = small_problem(1)
    engine = Search(problem, identifier=Nothing(ExactIdentifier(LETTERS, max_states=4), calls))
    states, infos = run(problem, 1, calls + 2, engine)
    for old, info, new in zip(states[calls:], infos[calls:], states[calls + 1 :], strict=False):
        assert info.candidate is None
        assert not info.accepted
        assert not info.exhausted
        assert info.conjecture is None
        assert new == replace(
            old, iteration=old.iteration + 1, pending=None, failed=old.failed | {info.examples}
        )
    assert all(info.candidate is not None for info in infos[:calls])


def test_a_search_goes_on_past_tasks_that_no_agent_is_so_competent_at() -> None:
    mdp = MDP.build(
        [("s", "try", {"won": 0.5, "lost": 0.5}), ("s", "wait", {"lost": 1.0})],
        start="s",
        terminal=["won", "lost"],
        labels={"won": "w"},
        episode=Episode(horizon=1),
    )
    shown = (Path(((0, mdp.number["won"]),), complete=True),)
    problem = Problem.of(mdp, demonstrations=shown, agent=Competency(0.9), settings=Settings(iterations=30))
    winning = DFA.parse(">0: w→1 | *1:")
    with pytest.raises(CompetencyUnreachable):
        evaluate(problem, winning)
    infos = list(infos_of(Search(problem), np.random.default_rng(0)))
    assert winning in {info.candidate.task for info in infos if info.candidate}
    assert all(info.candidate is not None and math.isfinite(info.candidate.energy) for info in infos)


def test_the_unfinished_demonstration_lacks_the_last_step() -> None:
    assert [path.complete for path in paper.incremental().demonstrations] == [False]
    assert paper.XI_B.steps[:-1] == paper.XI_B_UNFINISHED.steps


# -- the paper's world --------------------------------------------------------------------------------


def test_the_papers_words() -> None:
    assert paper.monolithic().words == (("y",), ("b", "g", "y"))
    assert paper.incremental().words == (("b", "g"),)
    assert [len(path.steps) for path in (paper.XI_G, paper.XI_B, paper.XI_B_UNFINISHED)] == [6, 14, 13]


def test_the_papers_best_task_has_its_numbers() -> None:
    problem = paper.monolithic()
    score = evaluate(problem, paper.BEST).score
    assert score.size == 51
    assert score.surprise == pytest.approx(11.4537, abs=5e-5)
    assert score.energy == pytest.approx(12.4737, abs=5e-5)
    assert score.satisfaction_probability == pytest.approx(0.6601, abs=5e-5)
    assert score.rationality == 10
    assert problem.tree.environment_surprise == pytest.approx(11.3497, abs=5e-5)


@pytest.mark.parametrize("task", [paper.BEST, paper.SMALLER, paper.PRIOR], ids=str)
def test_the_papers_numbers_are_those_of_a_plain_recursion(task: DFA) -> None:
    mdp, rationality = paper.WORLD, 10.0

    @cache
    def value(steps: int, state: int, q: int, last: str | None) -> float:
        return math.log(sum(math.exp(action_value(steps, q, last, pair)) for pair in mdp.pairs(state)))

    def action_value(steps: int, q: int, last: str | None, pair: int) -> float:
        return sum(chance * reached(steps + 1, s, q, last) for s, chance in mdp.outcomes(pair))

    def read(state: int, q: int, last: str | None) -> tuple[int, str | None]:
        label = mdp.labels[state]
        return (q, last) if label is None or label == last else (task.run([label], q), label)

    def reached(steps: int, state: int, q: int, last: str | None) -> float:
        q, last = read(state, q, last)
        ends, final = mdp.end_chance(state, steps), rationality * task.accepting[q]
        return ends * final + ((1 - ends) * value(steps, state, q, last) if ends < 1 else 0.0)

    nats = 0.0
    for path in (paper.XI_G, paper.XI_B):
        state, q, last = mdp.start, task.start, None
        for steps, (pair, target) in enumerate(path.steps):
            nats += value(steps, state, q, last) - action_value(steps, q, last, pair)
            state, (q, last) = target, read(target, q, last)
    assert evaluate(paper.monolithic(), task).score.surprise == pytest.approx(nats, abs=1e-9)


def test_a_task_that_asks_for_nothing_leaves_four_equal_moves_at_each_step() -> None:
    for accept in (False, True):
        score = evaluate(paper.monolithic(), DFA.constant(paper.LETTERS, accept)).score
        assert score.surprise == pytest.approx(20 * math.log(4))
        assert score.satisfaction_probability == float(accept)


@pytest.mark.parametrize("seed", range(3))
def test_the_papers_search_finds_a_task_as_good_as_the_truth(seed: int) -> None:
    *_, last = infos_of(Search(paper.monolithic()), np.random.default_rng(seed))
    assert last.best is not None
    assert last.best.energy <= evaluate(paper.monolithic(), paper.BEST).score.energy


def test_the_papers_incremental_search_stays_inside_the_prior() -> None:
    problem = paper.incremental(Settings(iterations=30))
    infos = list(infos_of(Search(problem), np.random.default_rng(0)))
    assert all(info.candidate is not None and info.candidate.language.implies(paper.PRIOR) for info in infos)
    assert infos[-1].best is not None
    assert infos[-1].best.energy < evaluate(problem, paper.PRIOR).score.energy

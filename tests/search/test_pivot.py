"""Algorithm 1: where a drawn path pivots, which label it has, and how often each is drawn."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from all_paths import enumerate_paths, pivot_of
from demospec.explain.score import Evaluation, evaluate
from demospec.identify.classes import ImpliedBy, of_words
from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE
from demospec.plan.rationality import Fixed
from demospec.plan.sample import Sampler, sample_path
from demospec.problem import PaperSettings, Problem, Settings
from demospec.search.diss import Conjecture, Search, conjecture, path_through, pivot_probabilities
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.small_worlds import (
    ByEnumeration,
    Prefix,
    random_demonstrations,
    random_dfa,
    random_mdp,
    random_path,
)
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
SEEDS = range(12)


@dataclass(frozen=True)
class Case:
    problem: Problem
    task: DFA
    found: Evaluation
    witness: ByEnumeration
    paths: dict[Prefix, list[Path]]  # all complete paths, by where they pivot

    @property
    def tree(self) -> PrefixTree:
        return self.problem.tree

    def prefix(self, node: int) -> Prefix:
        return *self.tree.path_to(node), bool(self.tree.player[node] == Player.NOBODY)

    def labelled(self, path: Path, want: int | None) -> bool:
        return want is None or self.witness.has_label(path, want)

    def conjecture(
        self, rng: np.random.Generator, pivot_temperature: float, examples: Examples | None = None
    ) -> Conjecture | None:
        return Search(self.problem.with_settings(pivot_temperature=pivot_temperature)).conjecture(
            rng, self.found.score, examples or Examples()
        )


def make_case(
    seed: int, *, with_prior: bool, with_lower: bool = False, rationality: float = 3.0, starts: int = 1
) -> Case:
    rng = np.random.default_rng([seed, 51])
    mdp = random_mdp(
        *(rng,),
        letters=LETTERS,
        end_probability=0.2 * (seed % 2),
        terminal=int(seed % 3 == 0),
        outcomes=3,
        starts=starts,
    )
    prior = random_dfa(rng, LETTERS, 3) if with_prior else None
    task = random_dfa(rng, LETTERS, 2)
    lower = None
    if with_lower:  # the words of some paths
        merge, shown = bool(seed % 4 < 2), [random_path(rng, mdp, complete=True) for _ in range(3)]
        lower = of_words([path.word(mdp, merge_repeats=merge) for path in shown], LETTERS)
        lower = lower if prior is None else lower & prior
        task = task | lower
    problem = Problem.of(
        mdp,
        demonstrations=random_demonstrations(rng, mdp, 1 + seed % 4),
        alphabet=LETTERS,
        agent=Fixed(rationality),
        merge_repeats=bool(seed % 4 < 2),
        prior=prior,
        classes=() if lower is None else (ImpliedBy(lower),),
    )
    if prior is not None:
        task = task & prior
    paths: dict[Prefix, list[Path]] = {}
    begun = {path.first(mdp) for path in problem.demonstrations}
    for path in enumerate_paths(mdp):
        if path.first(mdp) in begun:
            paths.setdefault(pivot_of(path, problem.demonstrations), []).append(path)
    witness = ByEnumeration(
        mdp, task, rationality, merge_repeats=problem.merge_repeats, prior=prior, lower=lower
    )
    return Case(problem, task, evaluate(problem, task), witness, paths)


@pytest.mark.parametrize(
    ("with_prior", "with_lower", "starts"),
    [(False, False, 1), (False, True, 1), (True, False, 1), (True, True, 1), (False, False, 2)],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_path_pivots_at_its_node_is_complete_and_possible_and_has_its_label(
    seed: int, with_prior: bool, with_lower: bool, starts: int
) -> None:
    case = make_case(seed, with_prior=with_prior, with_lower=with_lower, starts=starts)
    rng = np.random.default_rng(seed)
    for node in range(len(case.tree)):
        for want in (None, ACCEPTED, OPEN, REVOCABLE):
            allowed = {path for path in case.paths.get(case.prefix(node), []) if case.labelled(path, want)}
            sampler = Sampler(case.found.plan, rng, want)
            drawn = {path_through(sampler, case.tree, case.found.along, node) for _ in range(6)}
            assert drawn <= allowed if allowed else drawn == {None}


@pytest.mark.parametrize("starts", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_path_of_the_agent_is_one_of_its_world(seed: int, starts: int) -> None:
    case = make_case(seed, with_prior=False, starts=starts)
    every = set(enumerate_paths(case.problem.mdp))
    rng = np.random.default_rng(seed)
    assert {sample_path(case.found.plan, rng) for _ in range(20)} <= every


def chi_square(drawn: Counter[Path], chances: dict[Path, float]) -> tuple[float, int]:
    """Return the statistic and its degrees of freedom; cells that expect fewer than 5 are joined."""
    draws = sum(drawn.values())
    cells: list[tuple[float, int]] = []
    rest_expected, rest_drawn = 0.0, 0
    for path, chance in chances.items():
        if draws * chance >= 5:
            cells.append((draws * chance, drawn[path]))
        else:
            rest_expected, rest_drawn = rest_expected + draws * chance, rest_drawn + drawn[path]
    if rest_expected >= 5:
        cells.append((rest_expected, rest_drawn))
    return sum((found - expected) ** 2 / expected for expected, found in cells), len(cells) - 1


def conditional(case: Case, node: int, want: int | None) -> dict[Path, float]:
    """Return the exact probabilities of paths, given where they pivot and their label."""
    here = {path for path in case.paths.get(case.prefix(node), ()) if case.labelled(path, want)}
    chances = {path: chance for path, chance in case.witness.continuations() if path in here}
    total = math.fsum(chances.values())
    return {path: chance / total for path, chance in chances.items()}


@pytest.mark.parametrize(
    ("want", "seed", "with_lower", "starts"),
    [
        (None, 5, False, 1),
        (ACCEPTED, 5, False, 1),
        (OPEN, 5, False, 1),
        (REVOCABLE, 3, True, 1),
        (OPEN, 7, False, 2),
    ],
)
def test_paths_are_drawn_as_often_as_their_conditional_probability_says(
    want: int | None, seed: int, with_lower: bool, starts: int
) -> None:
    case, rng, draws, tested = (
        make_case(seed, with_prior=False, with_lower=with_lower, rationality=1.5, starts=starts),
        np.random.default_rng(1),
        2000,
        set(),
    )
    channel = case.found.plan.layers.columns.channel  # type: ignore[attr-defined]
    assert (channel[REVOCABLE] != channel[ACCEPTED]) == with_lower
    for node in range(len(case.tree)):
        chances = conditional(case, node, want)
        if len(chances) < 3:
            continue
        sampler = Sampler(case.found.plan, rng, want)
        drawn: Counter[Path] = Counter()
        for _ in range(draws):
            path = path_through(sampler, case.tree, case.found.along, node)
            assert path is not None
            drawn[path] += 1
        assert set(drawn) <= set(chances)
        statistic, freedom = chi_square(drawn, chances)
        assert statistic < freedom + 4.5 * math.sqrt(2 * freedom) + 8  # about 1 in 10⁵
        tested.add(Player(case.tree.player[node]))
    assert tested == {Player.AGENT, Player.ENVIRONMENT}


@pytest.mark.parametrize("starts", [1, 2, 3])
def test_complete_paths_are_drawn_as_often_as_all_histories_say(starts: int) -> None:
    case, rng = make_case(4, with_prior=False, rationality=1.5, starts=starts), np.random.default_rng(2)
    chances = dict(case.witness.continuations())
    assert {path.first(case.problem.mdp) for path in chances} == set(range(starts))
    drawn = Counter(sample_path(case.found.plan, rng) for _ in range(4000))
    assert set(drawn) <= set(chances)
    statistic, freedom = chi_square(drawn, chances)
    assert freedom > 10
    assert statistic < freedom + 4.5 * math.sqrt(2 * freedom) + 8
    begun = Counter(path.first(case.problem.mdp) for path in drawn.elements())
    for state, chance in case.problem.mdp.starts:
        assert abs(begun[state] - 4000 * chance) < 4.5 * math.sqrt(4000 * chance * (1 - chance)) + 1e-9


def test_a_very_warm_pivot_is_uniform() -> None:
    gradient = np.array([0.0, -3.0, 0.5, 2.0])
    assert pivot_probabilities(gradient, 1e12) == pytest.approx([0.25] * 4)
    assert pivot_probabilities(gradient, math.inf).tolist() == [0.25] * 4


def test_a_very_cold_pivot_is_where_the_gradient_is_largest_of_either_sign() -> None:
    assert pivot_probabilities(np.array([0.0, -3.0, 0.5, 2.0]), 1e-3).tolist() == [0, 1, 0, 0]
    assert pivot_probabilities(np.array([1.0, 3.0, -3.0]), 1e-3).tolist() == [0, 0.5, 0.5]


def test_pivot_probabilities_grow_by_the_exponential_of_the_magnitude() -> None:
    found = pivot_probabilities(np.array([1.0, -1.5, 0.25]), 0.5)
    assert found.sum() == pytest.approx(1)
    assert found[1] / found[0] == pytest.approx(math.exp(0.5 / 0.5))
    assert found[0] / found[2] == pytest.approx(math.exp(0.75 / 0.5))


@pytest.mark.parametrize("starts", [1, 2])
@pytest.mark.parametrize("with_lower", [False, True])
@pytest.mark.parametrize("with_prior", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_conjecture_toggles_the_label_that_the_gradient_asks_for(
    seed: int, with_prior: bool, with_lower: bool, starts: int
) -> None:
    case = make_case(seed, with_prior=with_prior, with_lower=with_lower, starts=starts)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        made = case.conjecture(rng, math.inf)
        if made is None:
            continue
        assert made.gradient == case.found.gradient[made.pivot] != 0
        assert made.label == (made.gradient < 0)
        assert made.path in case.paths[case.prefix(made.pivot)]
        assert made.word == case.problem.word(made.path)
        assert case.task.accepts(made.word) != made.label
        if made.label and case.problem.prior is not None:
            assert case.problem.prior.accepts(made.word)
        if not made.label and case.witness.lower is not None:
            assert not case.witness.lower.accepts(made.word)


def test_the_random_cases_make_conjectures_of_both_labels_also_with_bounds() -> None:
    made: Counter[tuple[bool, bool, bool | None]] = Counter()
    kinds = list(itertools.product((False, True), (False, True)))
    for with_prior, with_lower in kinds:
        for seed in SEEDS:
            case = make_case(seed, with_prior=with_prior, with_lower=with_lower)
            one = case.conjecture(np.random.default_rng(seed), math.inf)
            made[with_prior, with_lower, None if one is None else one.label] += 1
    assert all(made[prior, lower, label] for prior, lower in kinds for label in (False, True)), made


@pytest.mark.parametrize("with_lower", [False, True])
def test_a_cold_conjecture_pivots_at_the_largest_gradient_that_has_a_path(with_lower: bool) -> None:
    for seed in SEEDS:
        case = make_case(seed, with_prior=False, with_lower=with_lower)
        made = case.conjecture(np.random.default_rng(seed), 1e-9)
        usable = [
            abs(slope)
            for node, slope in enumerate(case.found.gradient.tolist())
            if abs(slope) > 1e-9
            and any(
                case.labelled(path, REVOCABLE if slope > 0 else OPEN)
                for path in case.paths.get(case.prefix(node), ())
            )
        ]
        assert (None if made is None else abs(made.gradient)) == (max(usable) if usable else None)


def test_the_same_seed_makes_the_same_conjectures() -> None:
    case = make_case(3, with_prior=False)
    first, again = (
        [case.conjecture(rng, 1.0) for _ in range(20)] for rng in map(np.random.default_rng, (7, 7))
    )
    assert first == again


# A gamble of one step: try wins ("w") with some chance, wait loses (the empty word). Shown: a win.
# The task that rejects all has its gradients at the root (+, but no path there is accepted), at the
# environment's node (−, the lost try) and at the end of the demonstration (−, the win itself).


def gamble(chance: float, given: Examples) -> Search:
    mdp = MDP.build(
        [("s", "try", {"won": chance, "lost": 1 - chance}), ("s", "wait", {"lost": 1.0})],
        start="s",
        terminal=["won", "lost"],
        labels={"won": "w"},
        episode=Episode(horizon=1),
    )
    return Search(
        Problem.of(
            mdp,
            demonstrations=(Path(((0, mdp.number["won"]),), complete=True),),
            given=given,
            settings=Settings(paper=PaperSettings(pivot_temperature=1e-6)),
        )
    )


def conjectured(search: Search, examples: Examples | None = None) -> tuple[tuple[str, ...], bool] | None:
    nothing = DFA.constant(search.problem.alphabet, False)
    made = search.conjecture(
        np.random.default_rng(0), search.evaluator.score(nothing), examples or Examples()
    )
    return None if made is None else (made.word, made.label)


def test_a_pivot_without_a_path_of_the_asked_label_is_passed_over() -> None:
    assert conjectured(gamble(0.75, Examples())) == (("w",), True)


def test_where_a_given_example_forbids_the_toggle_another_pivot_is_tried() -> None:
    assert conjectured(gamble(0.75, Examples.of(reject=[["w"]]))) == ((), True)


def test_a_given_example_that_agrees_with_the_toggle_forbids_nothing() -> None:
    assert conjectured(gamble(0.75, Examples.of(accept=[["w"]]))) == (("w",), True)


def test_where_all_pivots_are_forbidden_nothing_is_conjectured() -> None:
    assert conjectured(gamble(0.75, Examples.of(reject=[["w"], []]))) is None
    assert conjectured(gamble(1.0, Examples.of(reject=[["w"]]))) is None


def test_what_contradicts_an_earlier_conjecture_waits_for_the_other_pivots() -> None:
    search = gamble(0.75, Examples())
    assert conjectured(search, Examples.of(reject=[["w"]])) == ((), True)
    assert conjectured(search, Examples.of(accept=[["w"]])) == (("w",), True)


def test_an_earlier_conjecture_is_overruled_when_no_other_pivot_has_anything_to_say() -> None:
    everything = Examples.of(reject=[["w"], []])
    assert conjectured(gamble(0.75, Examples()), everything) == (("w",), True)  # the larger gradient's
    assert conjectured(gamble(1.0, Examples()), everything) == (("w",), True)


def test_impatience_overrules_at_once() -> None:
    patient = gamble(0.75, Examples())
    impatient = Search(patient.problem.with_settings(overrule_after=1))
    assert conjectured(patient, Examples.of(reject=[["w"]])) == ((), True)
    assert conjectured(impatient, Examples.of(reject=[["w"]])) == (("w",), True)


def test_a_given_example_is_never_overruled() -> None:
    both = Examples.of(reject=[["w"], []])
    assert conjectured(gamble(0.75, Examples.of(reject=[["w"]])), both) == ((), True)
    assert conjectured(gamble(0.75, both), both) is None


def test_every_pivot_with_a_gradient_is_tried_before_giving_up() -> None:
    case = make_case(2, with_prior=False)
    asked: list[bool] = []

    def refuse(_word: tuple[str, ...], label: bool) -> bool:
        asked.append(label)
        return False

    made = conjecture(
        np.random.default_rng(0),
        case.found.readings,
        pivot_temperature=0.1,
        overrule_after=1,
        word_of=lambda path, _scene: case.problem.word(path),
        possible=refuse,
        overrules=lambda _word, _label: False,
    )
    usable = [
        slope < 0
        for node, slope in enumerate(case.found.gradient.tolist())
        if abs(slope) > 1e-9
        and any(
            case.labelled(path, ACCEPTED if slope > 0 else OPEN)
            for path in case.paths.get(case.prefix(node), ())
        )
    ]
    assert made is None
    assert len(usable) > 1
    assert sorted(asked) == sorted(usable)


def test_a_single_possible_path_has_no_gradient_and_nothing_is_conjectured() -> None:
    mdp = MDP.build([("s", "stay", {"s": 1.0})], start="s", labels={"s": "a"}, episode=Episode(horizon=2))
    problem = Problem.of(mdp, demonstrations=(Path(((0, 0), (0, 0)), complete=True),))
    search = Search(problem)
    for accept in (False, True):
        task = DFA.constant(["a"], accept)
        assert search.conjecture(np.random.default_rng(0), search.evaluator.score(task), Examples()) is None

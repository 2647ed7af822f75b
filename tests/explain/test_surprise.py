"""Surprise, Proposition 1 (pivot values respect subsets) and Proposition 2 (the gradient)."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
import pytest

from all_paths import enumerate_paths, pivot_of, proxy_values
from demospec.explain.evaluator import Evaluator
from demospec.explain.score import gradient, surprise
from demospec.plan.along_tree import AlongTree, along_tree
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import Fixed
from demospec.plan.tabular import TabularPlanner, plan
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.testing.small_worlds import (
    ByEnumeration,
    Prefix,
    random_demonstrations,
    random_dfa,
    random_mdp,
)
from demospec.worlds.mdp import MDP, Floats
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
SEEDS = range(28)  # from 20 on, episodes begin in two or three states


@dataclass(frozen=True)
class Case:
    mdp: MDP
    shown: tuple[Path, ...]
    tree: PrefixTree
    task: DFA
    larger: DFA  # a task that contains it
    merge_repeats: bool
    rationality: float

    def along(self, task: DFA | None = None, *, by_numpy: bool = False) -> AlongTree:
        monitor = make_monitor(task or self.task, merge_repeats=self.merge_repeats)
        made = TabularPlanner(by_numpy=by_numpy).plan(self.mdp, monitor, self.rationality)
        return along_tree(self.tree, made)


def make_case(seed: int) -> Case:
    rng = np.random.default_rng([seed, 41])
    mdp = random_mdp(
        rng,
        letters=LETTERS,
        actions=2 + seed % 2,
        end_probability=0.2 * (seed % 2),
        terminal=int(seed % 3 == 0),
        starts=1 if seed < 20 else 2 + seed % 2,
    )
    shown = random_demonstrations(rng, mdp, 1 + seed % 7 + 3 * (seed >= 20))
    task, other = random_dfa(rng, LETTERS, 3), random_dfa(rng, LETTERS, 2)
    rationality = float(rng.choice([1.0, 3.0, 5.0]))
    return Case(mdp, shown, PrefixTree.build(mdp, shown), task, task | other, bool(seed % 4 < 2), rationality)


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_surprise_is_minus_the_log_policy_along_the_demonstrations(seed: int, by_numpy: bool) -> None:
    case = make_case(seed)
    witness = ByEnumeration(case.mdp, case.task, case.rationality, merge_repeats=case.merge_repeats)
    expected = -sum(witness.log_probability(path) for path in case.shown)
    along = case.along(by_numpy=by_numpy)
    assert surprise(case.tree, along.log_edge) == pytest.approx(expected, abs=1e-10)
    satisfied = witness.chance()
    assert along.plan.satisfaction_probability == pytest.approx(satisfied, abs=1e-12)


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_many_scores_are_those_of_all_histories(seed: int, by_numpy: bool) -> None:
    case = make_case(seed)
    problem = Problem.of(
        case.mdp,
        case.shown,
        alphabet=LETTERS,
        agent=Fixed(case.rationality),
        merge_repeats=case.merge_repeats,
        planner=TabularPlanner(by_numpy=by_numpy),
    )
    tasks = [case.task, case.larger, ~case.task]
    for score in Evaluator(problem).scores(tasks):
        witness = ByEnumeration(case.mdp, score.language, case.rationality, merge_repeats=case.merge_repeats)
        expected = -sum(witness.log_probability(path) for path in case.shown)
        assert score.surprise == pytest.approx(expected, abs=1e-10)
        satisfied = witness.chance()
        assert score.satisfaction_probability == pytest.approx(satisfied, abs=1e-12)


def proxy_surprise(tree: PrefixTree, pivot_value: Floats, exit_chance: Floats) -> float:
    """ĥ(𝕍): the surprise as a function of pivot values."""
    value = proxy_values(tree, pivot_value, exit_chance)
    return surprise(tree, np.where(tree.chosen, value - value[tree.parent], 0.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_proxy_surprise_at_the_plans_pivot_values_is_the_surprise(seed: int) -> None:
    case = make_case(seed)
    along = case.along()
    proxy = proxy_surprise(case.tree, along.pivot_value, case.tree.exit_chance)
    assert proxy == pytest.approx(surprise(case.tree, along.log_edge), abs=1e-10)


def test_a_larger_task_never_has_a_smaller_pivot_value_and_a_larger_one_where_its_paths_pivot() -> None:
    strict = equal = 0
    for seed in SEEDS:
        case = make_case(seed)
        gained: dict[Prefix, bool] = defaultdict(bool)
        for path in enumerate_paths(case.mdp):
            word = path.word(case.mdp, merge_repeats=case.merge_repeats)
            begun = path.first(case.mdp) in case.tree.roots
            if begun and case.larger.accepts(word) and not case.task.accepts(word):
                gained[pivot_of(path, case.shown)] = True
        small, large = case.along().pivot_value, case.along(case.larger).pivot_value
        for node in range(len(case.tree)):
            prefix = (*case.tree.path_to(node), bool(case.tree.player[node] == Player.NOBODY))
            if gained[prefix]:
                assert small[node] < large[node]
                strict += 1
            elif math.isfinite(small[node]):  # no path that pivots here changed its label
                assert small[node] == pytest.approx(large[node], abs=1e-12)
                equal += 1
    assert strict > 20
    assert equal > 20


def central_differences(case: Case, pivot_value: Floats) -> Floats:
    width = 1e-4
    slope = np.zeros(len(case.tree))
    for node in np.flatnonzero(np.isfinite(pivot_value)).tolist():
        up, down = pivot_value.copy(), pivot_value.copy()
        up[node] += width
        down[node] -= width
        exits = case.tree.exit_chance
        rise = proxy_surprise(case.tree, up, exits) - proxy_surprise(case.tree, down, exits)
        slope[node] = rise / (2 * width)
    return slope


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_is_that_of_finite_differences(seed: int) -> None:
    case = make_case(seed)
    along = case.along()
    exact = gradient(case.tree, along.log_edge, along.deviation)
    np.testing.assert_allclose(exact, central_differences(case, along.pivot_value), atol=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_is_that_of_proposition_2(seed: int) -> None:
    # ∂ĥ/∂𝕍ₖ = Σ #₍ᵢ,ⱼ₎·(p_ik − p_jk) over the agent's edges, p_xy: from x, pivot at y.
    case = make_case(seed)
    tree, along = case.tree, case.along()
    reach = np.eye(len(tree))  # reach[x, y] = Pr(x ⇝ y)
    for node in np.flatnonzero(tree.parent >= 0).tolist():
        reach[:node, node] = reach[:node, tree.parent[node]] * math.exp(along.log_edge[node])
    pivoting = reach * along.deviation
    expected = np.zeros(len(tree))
    for j in np.flatnonzero(tree.chosen).tolist():
        expected += tree.count[j] * (pivoting[tree.parent[j]] - pivoting[j])
    np.testing.assert_allclose(gradient(tree, along.log_edge, along.deviation), expected, atol=1e-12)


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed >= 20])
def test_the_gradient_of_each_start_is_that_of_a_world_that_begins_there(seed: int) -> None:
    case = make_case(seed)
    along = case.along()
    found = gradient(case.tree, along.log_edge, along.deviation)
    begun = sorted({path.first(case.mdp) for path in case.shown})
    expected: dict[tuple[int, Path, int | None], float] = {}
    total = 0.0
    for state in begun:
        alone = replace(case.mdp, starts=((state, 1.0),))
        shown = tuple(replace(path, start=None) for path in case.shown if path.first(case.mdp) == state)
        there = replace(case, mdp=alone, shown=shown, tree=PrefixTree.build(alone, shown))
        own = there.along()
        slope = gradient(there.tree, own.log_edge, own.deviation)
        total += surprise(there.tree, own.log_edge)
        for node in range(len(there.tree)):
            path, chosen = there.tree.path_to(node)
            ended = bool(there.tree.player[node] == Player.NOBODY)
            expected[state, replace(path, complete=ended), chosen] = slope[node]
    assert surprise(case.tree, along.log_edge) == pytest.approx(total, abs=1e-10)
    for node in range(len(case.tree)):
        path, chosen = case.tree.path_to(node)
        ended = bool(case.tree.player[node] == Player.NOBODY)
        at = path.first(case.mdp), replace(path, complete=ended, start=None), chosen
        assert found[node] == pytest.approx(expected.pop(at), abs=1e-12)
    assert not expected


@pytest.mark.parametrize("seed", SEEDS)
def test_the_gradient_sums_to_zero(seed: int) -> None:
    # The same reward more on every way out changes nothing.
    case = make_case(seed)
    along = case.along()
    assert gradient(case.tree, along.log_edge, along.deviation).sum() == pytest.approx(0.0, abs=1e-11)


def test_the_random_trees_cover_what_a_gradient_can_go_wrong_on() -> None:
    shared = repeated = all_taken = incomplete = complete = cut_inside = several_roots = 0
    for seed in SEEDS:
        tree = make_case(seed).tree
        inner = tree.parent >= 0
        children = np.bincount(tree.parent[inner], minlength=len(tree))
        options = np.bincount(tree.choice_node, minlength=len(tree))
        agent = tree.player == Player.AGENT
        shared += int((children > 1).sum())
        repeated += int((tree.count[children == 0] > 1).sum())
        all_taken += int((agent & (options > 1) & (children == options)).sum())
        incomplete += int((agent & (children == 0)).sum())
        complete += int((tree.player == Player.NOBODY).sum())
        passed_on = np.bincount(tree.parent[inner], tree.count[inner], minlength=len(tree))
        cut_inside += int(((children > 0) & (tree.count > passed_on)).sum())
        several_roots += len(tree.roots) > 1
    assert min(shared, repeated, all_taken, incomplete, complete, cut_inside) > 0
    assert several_roots > 4


def gamble(chance: float) -> MDP:
    return MDP.build(
        [("s", "try", {"won": chance, "lost": 1 - chance}), ("s", "wait", {"lost": 1.0})],
        start="s",
        terminal=["won", "lost"],
        labels={"won": "w"},
        episode=Episode(horizon=1),
    )


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("chance", [0.75, 1.0])
def test_a_tiny_tree_by_hand(chance: float, count: int) -> None:
    # root —try→ environment —won→ end. Q(try) = chance·λ, Q(wait) = 0, π = Pr(try).
    mdp, rationality = gamble(chance), 2.0
    tree = PrefixTree.build(mdp, [Path(((0, mdp.number["won"]),), complete=True)] * count)
    monitor = make_monitor(DFA.parse(">0: w→1 | *1:"), merge_repeats=False)
    along = along_tree(tree, plan(mdp, monitor, rationality))
    policy = math.exp(chance * rationality) / (1 + math.exp(chance * rationality))
    lost = 0.0 if chance < 1 else -math.inf
    assert along.pivot_value.tolist() == pytest.approx([0.0, lost, rationality], abs=1e-12)
    assert along.deviation.tolist() == pytest.approx([1 - policy, 1 - chance, 1.0])
    assert surprise(tree, along.log_edge) == pytest.approx(-count * math.log(policy))
    assert tree.environment_surprise == pytest.approx(-count * math.log(chance))
    expected = [1 - policy, (policy - 1) * (1 - chance), (policy - 1) * chance]
    found = gradient(tree, along.log_edge, along.deviation)
    assert found.tolist() == pytest.approx([count * x for x in expected])

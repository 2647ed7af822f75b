"""The prefix tree against the set of all prefixes of the demonstrations."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from all_paths import environment_probability, pivot_of
from demospec.testing.small_worlds import (
    Prefix,
    prefixes_of,
    random_demonstrations,
    random_mdp,
    random_path,
)
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import Episode

SEEDS = range(18)  # from 12 on, episodes begin in two states


def case(seed: int) -> tuple[MDP, tuple[Path, ...]]:
    rng = np.random.default_rng([seed, 21])
    mdp = random_mdp(
        *(rng,),
        horizon=4,
        outcomes=3,
        end_probability=0.2 * (seed % 2),
        terminal=int(seed % 3 == 0),
        starts=1 + (seed >= 12),
    )
    return mdp, random_demonstrations(rng, mdp, 1 + seed)


def prefix_of(tree: PrefixTree, node: int) -> Prefix:
    return *tree.path_to(node), bool(tree.player[node] == Player.NOBODY)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_prefix_is_one_node_and_counts_its_demonstrations(seed: int) -> None:
    mdp, shown = case(seed)
    tree = PrefixTree.build(mdp, shown)
    expected = Counter(prefix for path in shown for prefix in prefixes_of(path))
    assert len(tree) == len(expected)
    assert {prefix_of(tree, node): int(tree.count[node]) for node in range(len(tree))} == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_a_node_knows_who_moves_when_and_where(seed: int) -> None:
    mdp, shown = case(seed)
    tree = PrefixTree.build(mdp, shown)
    for node in range(len(tree)):
        path, chosen, ended = prefix_of(tree, node)
        assert tree.time[node] == len(path.steps)
        assert tree.state[node] == path.states(mdp)[-1]
        assert tree.pair[node] == (-1 if chosen is None else chosen)
        player = Player.NOBODY if ended else Player.AGENT if chosen is None else Player.ENVIRONMENT
        assert tree.player[node] == player
        assert tree.chosen[node] == (player == Player.ENVIRONMENT)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_parent_is_one_move_shorter_and_comes_first(seed: int) -> None:
    tree = PrefixTree.build(*case(seed))
    assert tree.parent[0] == -1
    for node in np.flatnonzero(tree.parent >= 0).tolist():
        path, chosen, _ = prefix_of(tree, node)
        steps = path.steps
        shorter = (
            (path, None, False) if chosen is not None else (path.upto(len(steps) - 1), steps[-1][0], False)
        )
        assert tree.parent[node] < node
        assert prefix_of(tree, int(tree.parent[node])) == shorter


@pytest.mark.parametrize("seed", SEEDS)
def test_there_is_a_root_for_each_state_in_which_a_demonstration_begins(seed: int) -> None:
    mdp, shown = case(seed)
    tree = PrefixTree.build(mdp, shown)
    begun = Counter(path.first(mdp) for path in shown)
    assert len(begun) == 1 + (seed >= 12)
    assert np.flatnonzero(tree.parent < 0).tolist() == sorted(tree.roots.values())
    assert {state: int(tree.count[node]) for state, node in tree.roots.items()} == begun
    assert {state: tree.chance[node] for state, node in tree.roots.items()} == dict(mdp.starts)
    assert tree.demonstrations == len(shown)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_path_is_led_to_where_it_leaves_the_demonstrations(seed: int) -> None:
    mdp, shown = case(seed)
    tree = PrefixTree.build(mdp, shown)
    rng = np.random.default_rng(seed)
    for path in shown:
        assert [prefix_of(tree, node) for node in tree.nodes_of(path)] == prefixes_of(path)
    for _ in range(10):
        path = random_path(rng, mdp, complete=True)
        if path.first(mdp) in tree.roots:
            assert prefix_of(tree, tree.left_by(path)) == pivot_of(path, shown)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_demonstrations_does_not_matter(seed: int) -> None:
    mdp, shown = case(seed)

    def described(paths: tuple[Path, ...]) -> dict[Prefix, tuple[float, ...]]:
        tree = PrefixTree.build(mdp, paths)
        chance = np.nan_to_num(tree.chance, nan=-1.0)
        return {
            prefix_of(tree, n): (float(tree.count[n]), float(chance[n]), float(tree.exit_chance[n]))
            for n in range(len(tree))
        }

    shuffled = np.random.default_rng(seed).permutation(len(shown)).tolist()
    assert described(shown) == described(tuple(shown[k] for k in shuffled))


@pytest.mark.parametrize("seed", SEEDS)
def test_at_an_environment_node_staying_and_leaving_have_probability_one(seed: int) -> None:
    tree = PrefixTree.build(*case(seed))
    for node in np.flatnonzero(tree.player == Player.ENVIRONMENT).tolist():
        staying = tree.chance[tree.parent == node].sum()
        assert staying + tree.exit_chance[node] == pytest.approx(1.0, abs=1e-12)
        assert staying > 0
    assert not tree.exit_chance[tree.player != Player.ENVIRONMENT].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_an_agent_node_lists_all_actions_of_its_state_and_which_were_taken(seed: int) -> None:
    mdp, shown = case(seed)
    tree = PrefixTree.build(mdp, shown)
    conforming = {prefix for path in shown for prefix in prefixes_of(path)}
    listed = []
    for node, pair, child in zip(tree.choice_node, tree.choice_pair, tree.choice_child, strict=True):
        path, _, _ = prefix_of(tree, int(node))
        taken = (path, int(pair), False)
        assert (child >= 0) == (taken in conforming)
        if child >= 0:
            assert prefix_of(tree, int(child)) == taken
        listed.append((int(node), int(pair)))
    agents = np.flatnonzero(tree.player == Player.AGENT).tolist()
    assert sorted(listed) == [(node, pair) for node in agents for pair in mdp.pairs(int(tree.state[node]))]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_environments_surprise_is_that_of_outcomes_and_ends(seed: int) -> None:
    mdp, shown = case(seed)
    expected = -sum(np.log(environment_probability(mdp, path)) for path in shown)
    assert PrefixTree.build(mdp, shown).environment_surprise == pytest.approx(expected, abs=1e-12)


def test_a_demonstration_that_went_on_and_one_that_ended_there_are_two_branches() -> None:
    mdp = MDP.build(
        [("s", "stay", {"s": 1.0})],
        start="s",
        labels={"s": "a"},
        episode=Episode(horizon=3, end_probability=0.25),
    )
    ended, went_on = Path(((0, 0),), complete=True), Path(((0, 0),), complete=False)
    tree = PrefixTree.build(mdp, [ended, went_on, went_on])
    assert tree.player.tolist() == [Player.AGENT, Player.ENVIRONMENT, Player.NOBODY, Player.AGENT]
    assert tree.count.tolist() == [3, 3, 1, 2]
    assert tree.chance[2:].tolist() == [0.25, 0.75]
    assert tree.exit_chance.tolist() == [0, 0, 0, 0]
    assert tree.environment_surprise == pytest.approx(-np.log(0.25) - 2 * np.log(0.75))


def test_a_demonstration_without_a_step_is_the_root_alone() -> None:
    mdp = random_mdp(np.random.default_rng(0))
    tree = PrefixTree.build(mdp, [Path((), complete=False)] * 2)
    assert len(tree) == 1
    assert tree.count.tolist() == [2]
    assert tree.environment_surprise == 0

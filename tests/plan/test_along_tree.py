"""A plan's numbers on the prefix tree against the enumeration of all histories."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from all_paths import proxy_values
from demospec.plan.along_tree import AlongTree, along_tree
from demospec.plan.monitor import make_monitor
from demospec.plan.tabular import plan
from demospec.tasks import DFA
from demospec.testing.small_worlds import (
    ByEnumeration,
    one_step_extensions,
    random_demonstrations,
    random_dfa,
    random_mdp,
)
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.world import Episode

LETTERS = ("a", "b")
SEEDS = range(16)
RATIONALITY = 4.0


def case(seed: int, rationality: float = RATIONALITY) -> tuple[PrefixTree, AlongTree, ByEnumeration]:
    rng = np.random.default_rng([seed, 31])
    mdp = random_mdp(
        rng,
        letters=LETTERS,
        actions=2 + seed % 2,
        outcomes=2,
        end_probability=0.2 * (seed % 2),
        terminal=int(seed % 3 == 0),
    )
    tree = PrefixTree.build(mdp, random_demonstrations(rng, mdp, 1 + seed % 6))
    task, merge = random_dfa(rng, LETTERS, 3), bool(seed % 4 < 2)
    along = along_tree(tree, plan(mdp, make_monitor(task, merge_repeats=merge), rationality))
    return tree, along, ByEnumeration(mdp, task, rationality, merge_repeats=merge)


def history(tree: PrefixTree, node: int) -> Path:
    """Return the path that has been taken at a node, the action just chosen left out."""
    path, _ = tree.path_to(node)
    return replace(path, complete=bool(tree.player[node] == Player.NOBODY))


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_those_of_the_histories(seed: int) -> None:
    tree, along, witness = case(seed)
    for node in range(len(tree)):
        path = history(tree, node)
        if tree.player[node] == Player.ENVIRONMENT:
            expected = witness.action_value(path, int(tree.pair[node]))
        else:
            expected = witness.value(path)
        assert along.value[node] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_edges_are_the_policys_and_the_environments(seed: int) -> None:
    tree, along, witness = case(seed)
    assert along.log_edge[0] == 0
    for node in range(1, len(tree)):
        if tree.player[node] == Player.ENVIRONMENT:
            expected = witness.log_policy(history(tree, node), int(tree.pair[node]))
        else:
            parent = int(tree.parent[node])
            outcomes = one_step_extensions(witness.mdp, history(tree, parent), int(tree.pair[parent]))
            expected = math.log(dict(outcomes)[history(tree, node)])
        assert along.log_edge[node] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", SEEDS)
def test_deviation_is_what_the_edges_into_the_tree_leave(seed: int) -> None:
    tree, along, _ = case(seed)
    staying = np.zeros(len(tree))
    np.add.at(staying, tree.parent[1:], np.exp(along.log_edge[1:]))
    np.testing.assert_allclose(along.deviation, 1 - staying, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_pivot_values_are_those_of_the_definition(seed: int) -> None:
    tree, along, witness = case(seed)
    for node in range(len(tree)):
        path, children = history(tree, node), np.flatnonzero(tree.parent == node).tolist()
        if tree.player[node] == Player.NOBODY:
            expected = RATIONALITY * witness.has_label(path)
        elif tree.player[node] == Player.AGENT:
            taken = {int(tree.pair[child]) for child in children}
            q = [witness.action_value(path, pair) for pair in witness.pairs(path) if pair not in taken]
            expected = math.log(sum(map(math.exp, q))) if q else -math.inf
        else:
            shown = {history(tree, child) for child in children}
            left = [
                (witness.value(longer), chance)
                for longer, chance in one_step_extensions(witness.mdp, path, int(tree.pair[node]))
                if longer not in shown
            ]
            total = sum(chance for _, chance in left)
            expected = sum(value * chance for value, chance in left) / total if left else -math.inf
        assert along.pivot_value[node] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_pivot_values_alone_determine_the_values_on_the_tree(seed: int) -> None:
    tree, along, _ = case(seed)
    np.testing.assert_allclose(
        proxy_values(tree, along.pivot_value, tree.exit_chance), along.value, rtol=1e-12, atol=1e-11
    )


def test_a_way_out_has_a_finite_value_however_unlikely_it_is() -> None:
    # Losing for sure has Q = 0 beside Q = 1000: exp(−1000) is 0 in doubles, 𝕍 = ln exp 0 = 0 is not −inf.
    mdp = MDP.build(
        [("s", "win", {"won": 1.0}), ("s", "lose", {"lost": 1.0})],
        start="s",
        terminal=["won", "lost"],
        labels={"won": "w"},
        episode=Episode(horizon=1),
    )
    task = DFA.parse(">0: w→1 | *1:")
    tree = PrefixTree.build(mdp, [Path(((0, mdp.number["won"]),), complete=True)])
    along = along_tree(tree, plan(mdp, make_monitor(task, merge_repeats=False), 1000.0))
    assert along.pivot_value.tolist() == pytest.approx([0.0, -math.inf, 1000.0])


def test_the_random_cases_cover_both_players_ways_out_and_both_kinds_of_leaves() -> None:
    seen: set[str] = set()
    for seed in SEEDS:
        tree, along, _ = case(seed)
        for node in range(len(tree)):
            leaf = node not in tree.parent
            way_out = "open" if np.isfinite(along.pivot_value[node]) else "closed"
            seen.add(f"{Player(tree.player[node]).name} {'leaf' if leaf else way_out}")
    assert seen == {
        "AGENT open",
        "AGENT closed",
        "AGENT leaf",
        "ENVIRONMENT open",
        "ENVIRONMENT closed",
        "NOBODY leaf",
    }

"""The layered walk against all paths one by one: situations, moves, ends, and cheapest paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from all_paths import enumerate_paths
from demospec.errors import WorldError
from demospec.plan.monitor import make_monitor
from demospec.tasks import DFA
from demospec.tasks.side_by_side import Lockstep, Product, Stack
from demospec.testing.small_worlds import random_dfa, random_mdp
from demospec.work.stop import Stop, Stopped
from demospec.worlds import walk as module
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.walk import LetterReader, PathWalk, TooManySituations, Trails
from demospec.worlds.world import Episode, State

LETTERS = ("a", "b")


def some_world(seed: int, horizon: int = 3) -> MDP:
    """A few seeds cover all kinds of ends and of chance; every third world has two start states."""
    mdp = random_mdp(
        np.random.default_rng([seed, 9]),
        actions=2,
        horizon=horizon,
        end_probability=0.2 * (seed % 2),
        terminal=int(seed % 4 == 0),
        outcomes=1 + seed % 3,
    )
    return replace(mdp, starts=((2, 0.25), (0, 0.75))) if seed % 3 == 0 else mdp


def all_paths(mdp: MDP) -> Iterator[Path]:
    """Yield all complete paths from each of the start states."""
    for state, _ in mdp.starts:
        for path in enumerate_paths(replace(mdp, starts=((state, 1.0),))):
            yield path if len(mdp.starts) == 1 else replace(path, start=state)


def readers(seed: int) -> list[LetterReader]:
    rng = np.random.default_rng([seed, 10])
    tasks = [random_dfa(rng, LETTERS, 3).minimal for _ in range(2)]
    monitors = [make_monitor(task, merge_repeats=True) for task in tasks]
    return [
        Product.of(tasks, merge_repeats=False),
        Product.of(tasks, merge_repeats=True),
        Lockstep(Stack.of(monitors)),
        monitors[0],
    ]


def nodes_along(walk: PathWalk, states: list[int]) -> list[int]:
    """Return the node of each situation of a path."""
    if walk.reader is None:
        return [0] * len(states)
    found, node = [], np.array([walk.reader.start])
    for state in states:
        before = int(node[0])
        node = walk.reader.read(node, walk.letter[[state]])
        found.append(before if walk.unread else int(node[0]))
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("unread", [False, True])
@pytest.mark.parametrize("distinct", [False, True])
def test_situations_moves_and_ends_are_those_of_all_paths(seed: int, unread: bool, distinct: bool) -> None:
    mdp = some_world(seed, horizon=3 + seed % 2)
    for reader in (None, *readers(seed)):
        walk = PathWalk(mdp, reader, unread=unread, distinct=distinct)
        situations, moves, ends = set(), set(), set()
        for path in all_paths(mdp):
            states = path.states(mdp)
            along = list(zip(states, nodes_along(walk, states), strict=True))
            situations |= {(time, *place) for time, place in enumerate(along)}
            for time, (pair, _) in enumerate(path.steps):
                moves.add((time, along[time], None if distinct else pair, along[time + 1]))
            ends.add((len(path.steps), *along[-1]))
        layers = list(walk)
        found, moved, ended = set(), [], set()
        for layer, after in zip(layers, [*layers[1:], None], strict=True):
            places = list(zip(layer.state.tolist(), layer.node.tolist(), strict=True))
            assert places == sorted(set(places), key=lambda place: place[::-1])
            found |= {(layer.time, *place) for place in places}
            for place, chance in zip(places, layer.ends.tolist(), strict=True):
                if layer.time:
                    assert chance == mdp.end_chance(place[0], layer.time)
                if chance > 0:
                    ended.add((layer.time, *place))
            assert (after is None) == (not len(layer.source))
            if after is None:
                continue
            assert set(layer.target.tolist()) == set(range(len(after)))
            for k, (source, pair, target) in enumerate(
                zip(layer.source.tolist(), layer.pair.tolist(), layer.target.tolist(), strict=True)
            ):
                there = int(after.state[target]), int(after.node[target])
                assert layer.reached[k] == there[0]
                likely = [dict(mdp.outcomes(one)).get(there[0], 0.0) for one in mdp.pairs(places[source][0])]
                own = dict(mdp.outcomes(pair))[there[0]]
                assert layer.chance[k] == (max(likely) if distinct else own) == own
                moved.append((layer.time, places[source], None if distinct else pair, there))
        assert found == situations
        assert ended == ends
        assert Counter(moved) == Counter(moves)  # each once


@pytest.mark.parametrize("seed", range(12))
def test_chances_and_ways_are_folded_over_the_layers(seed: int) -> None:
    """A uniform agent's episodes end surely, and as many ways lead to ends as there are paths."""
    mdp = some_world(seed)
    walk = PathWalk(mdp)
    mass, ways, ended, paths = walk.begin, np.ones(len(walk.begin)), 0.0, 0.0
    for layer in walk:
        ended += float((mass * layer.ends).sum())
        paths += float(ways[layer.ends > 0].sum())
        fan = np.bincount(layer.source[layer.first], minlength=len(layer))
        assert fan.tolist() == [
            len(mdp.pairs(state)) * bool(chance < 1)
            for state, chance in zip(layer.state.tolist(), layer.ends.tolist(), strict=True)
        ]
        assert (layer.pair[layer.first][layer.choice] == layer.pair).all()
        mass = layer.gather((mass * (1 - layer.ends) / np.maximum(fan, 1))[layer.source] * layer.chance)
        ways = layer.gather(ways[layer.source])
    assert ended == pytest.approx(1)
    assert paths == len(list(all_paths(mdp)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("merge_repeats", [False, True])
def test_trails_are_paths_that_cost_least(seed: int, merge_repeats: bool) -> None:
    mdp = some_world(seed)
    reader = Product.of([random_dfa(np.random.default_rng(seed), LETTERS, 3)], merge_repeats=merge_repeats)
    walk = PathWalk(mdp, reader, distinct=True)
    trails = Trails(walk, lambda node, letter: reader.reads[node, letter].astype(np.intp)).follow()
    least: dict[tuple[int, int, int], int] = {}
    for path in all_paths(mdp):
        states = path.states(mdp)
        for time, place in enumerate(zip(states, nodes_along(walk, states), strict=True)):
            length = len(path.upto(time).word(mdp, merge_repeats=merge_repeats))
            least[time, *place] = min(length, least.get((time, *place), length))
    found = {}
    for time, layer in enumerate(trails.layers):
        for number, (state, node) in enumerate(zip(layer.state.tolist(), layer.node.tolist(), strict=True)):
            found[time, state, node] = int(layer.cost[number])
            path = trails.path(time, number, complete=False)
            assert len(path.steps) == time
            assert path.states(mdp)[-1] == state
            assert nodes_along(walk, path.states(mdp))[-1] == node
            assert len(path.word(mdp, merge_repeats=merge_repeats)) == layer.cost[number]
            for before, (pair, after) in zip(path.states(mdp), path.steps, strict=False):
                assert pair in mdp.pairs(before)
                assert after in dict(mdp.outcomes(pair))
    assert found == least


@pytest.mark.parametrize("seed", range(6))
def test_layers_that_repeat_are_not_worked_out_again_and_are_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mdp = some_world(seed, horizon=25)
    reader = readers(seed)[0]
    quick = list(PathWalk(mdp, reader))
    assert quick[-2].repeats or len(quick) < 26
    trails = Trails(PathWalk(mdp, reader), lambda node, letter: (letter < 2).astype(np.intp)).follow()
    monkeypatch.setattr(module, "LONGEST_PERIOD", 0)
    slow = list(PathWalk(mdp, reader))
    assert not any(layer.repeats for layer in slow)
    names = ("state", "node", "ends", "source", "pair", "chance", "target", "reached")
    for one, two in zip(quick, slow, strict=True):
        assert one.time == two.time
        assert all(np.array_equal(getattr(one, name), getattr(two, name)) for name in names)
    again = Trails(PathWalk(mdp, reader), lambda node, letter: (letter < 2).astype(np.intp)).follow()
    for here, there in zip(trails.layers, again.layers, strict=True):
        assert here.cost.tolist() == there.cost.tolist()
        assert here.before.tolist() == there.before.tolist()


def test_a_walk_around_a_ring_repeats_every_second_step() -> None:
    names: list[State] = ["s0", "s1", "s2", "s3"]
    mdp = MDP.build(
        [
            (names[k], move, {names[(k + by) % 4]: 1.0})
            for k in range(4)
            for move, by in (("on", 1), ("back", 3))
        ],
        start="s0",
        episode=Episode(horizon=9),
        states=names,
    )
    layers = list(PathWalk(mdp))
    assert [layer.repeats for layer in layers] == [0, 0, 0, 2, 2, 2, 2, 2, 2, 0]
    assert layers[5].source is layers[3].source is layers[1].source
    assert [layer.state.tolist() for layer in layers[:4]] == [[0], [1, 3], [0, 2], [1, 3]]


@pytest.mark.parametrize("sparse", [0, 1 << 40])
def test_situations_are_numbered_alike_by_sorting_and_by_marking(
    sparse: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SPARSE", sparse)
    codes = np.random.default_rng(0).integers(50, size=70)
    found, number = module.numbered_rising(codes)
    assert found.tolist() == sorted(set(codes.tolist()))
    assert (found[number] == codes).all()


def test_too_many_situations_and_a_stop_flag_end_a_walk() -> None:
    mdp, reader = some_world(1, horizon=9), readers(1)[0]
    walk = PathWalk(mdp, reader)
    layers = list(walk)
    assert walk.met == sum(len(layer) for layer in layers[:-1] if not layer.repeats)  # the last repeats too
    assert len(list(PathWalk(mdp, reader, most=walk.met))) == len(layers)
    with pytest.raises(TooManySituations):
        list(PathWalk(mdp, reader, most=walk.met - 1))
    with pytest.raises(TooManySituations, match="more than 5 different situations"):
        list(PathWalk(mdp, reader, most=5))
    stop = Stop()
    layers_so_far = iter(PathWalk(mdp, reader, stop=stop))
    next(layers_so_far)
    stop.set()
    with pytest.raises(Stopped):
        next(layers_so_far)


def test_a_label_that_the_reader_does_not_know_is_refused() -> None:
    mdp = some_world(1)
    with pytest.raises(WorldError, match='the label "b", which no task reads'):
        PathWalk(mdp, make_monitor(DFA.constant(("a",), True), merge_repeats=False))

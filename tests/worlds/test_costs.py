"""What actions cost: what is told, what is usual, and that every form of a world says the same."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_world import Corridor, Place

from demospec.errors import WorldError
from demospec.testing.small_worlds import random_mdp
from demospec.testing.world_checks import check_world
from demospec.worlds.factored import FactoredWorld, bit
from demospec.worlds.gridworld import gridworld
from demospec.worlds.mdp import MDP
from demospec.worlds.quotient import quotient
from demospec.worlds.simulator import Experience, WorldSimulator
from demospec.worlds.world import Episode, World, pairs_by_action

EPISODE = Episode(horizon=3)


def costs(world: World) -> dict[str, float]:
    """Return the cost of each action in the first start state, by its name."""
    return {action: world.cost(pair) for action, pair in pairs_by_action(world, world.starts[0][0]).items()}


def hall(**told: float) -> MDP:
    """Return two rooms; `wait` changes nothing, `push` changes nothing in the second room only."""
    return MDP.build(
        [
            ("hall", "go", {"door": 0.5, "hall": 0.5}),
            ("hall", "push", {"door": 1}),
            ("hall", "wait", {"hall": 1, "door": 0}),
            ("door", "push", {"door": 1}),
            ("door", "wait", {"door": 1}),
        ],
        start="hall",
        episode=EPISODE,
        labels={"door": "a"},
        costs=told,
    )


def test_every_step_costs_1_but_an_idle_action() -> None:
    assert costs(hall()) == {"go": 1, "push": 1, "wait": 0}
    assert costs(hall(wait=1, push=2.5)) == {"go": 1, "push": 2.5, "wait": 1}


def test_where_every_step_costs_1_nothing_is_stored() -> None:
    assert hall(wait=1).costs is None
    assert random_mdp(np.random.default_rng(0), states=6).costs is None


def test_a_move_against_a_wall_is_no_idling() -> None:
    corridor = gridworld(["..a"], start=(1, 1), episode=EPISODE)
    assert corridor.costs is None
    told = gridworld(["..a"], start=(1, 1), episode=EPISODE, costs={"up": 0})
    assert [told.cost(pair) for pair in told.pairs(0)] == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"wiat": 1.0}, r'"wiat" has a cost, but is not an action \(did you mean "wait"\?\); actions: go, '),
        ({"go": -1.0}, 'the cost of "go" must be at least 0, and finite; found -1'),
        ({"go": float("inf")}, "finite; found inf"),
        ({"go": float("nan")}, "finite; found nan"),
    ],
)
def test_costs_that_are_refused(told: dict[str, float], message: str) -> None:
    with pytest.raises(WorldError, match=message):
        hall(**told)


def test_stopping_is_free_and_has_no_price() -> None:
    by_choice = Episode(horizon=3, ends="by choice")
    assert costs(gridworld(["..a"], start=(1, 1), episode=by_choice))["stop"] == 0
    with pytest.raises(WorldError, match='"stop" is free where episodes end by choice; found a cost of 1'):
        gridworld(["..a"], start=(1, 1), episode=by_choice, costs={"stop": 1})


def test_costs_of_actions_are_told_again() -> None:
    world = hall(go=3)
    assert world.action_costs == {"go": 3, "push": 1, "wait": 0}
    assert hall().priced(world.action_costs).costs.tolist() == world.costs.tolist()  # type: ignore[union-attr]
    several = replace(world, costs=np.array([1.0, 1, 0, 2, 0]))
    assert [several.cost(pair) for pair in range(5)] == [1, 1, 0, 2, 0]
    with pytest.raises(WorldError, match='"push" costs 1 in one state and 2 in another'):
        assert several.action_costs


def test_another_process_gets_the_same_costs() -> None:
    assert costs(pickle.loads(pickle.dumps(hall(go=3)))) == costs(hall(go=3))


# -- other forms of a world ---------------------------------------------------------------------------


def test_actions_that_cost_differently_are_copies_only_to_whom_steps_cost_nothing() -> None:
    world = MDP.build(
        [("s", "go", {"t": 1}), ("s", "jump", {"t": 1}), ("t", "go", {"s": 1})],
        start="s",
        episode=EPISODE,
        labels={"t": "a"},
        costs={"jump": 2},
    )
    assert quotient(world).mdp.actions == ("go",)
    assert costs(quotient(world).mdp) == {"go": 1}
    assert costs(quotient(world, costs=True).mdp) == {"go": 1, "jump": 2}
    assert quotient(world.priced({}), costs=True).mdp.actions == ("go",)


@given(st.integers(0, 1000))
def test_a_pair_of_a_merged_world_costs_what_its_members_cost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = random_mdp(rng, states=4, same_actions=False)
    world = replace(world, costs=rng.integers(0, 3, len(world.pair_action)).astype(float))
    merged = quotient(world, costs=True)
    for pair, small in enumerate(merged.pair_class.tolist()):
        assert merged.mdp.cost(small) == world.cost(pair)


def test_an_estimated_world_costs_what_the_played_one_does() -> None:
    world = hall(go=3)
    experience = Experience(WorldSimulator(world, seed=0), states=world.states, actions=world.actions)
    experience.explore(np.random.default_rng(0), 100)
    found = experience.world()
    assert costs(found) == costs(world)
    assert costs(found.redrawn(np.random.default_rng(1))) == costs(world)


class Uphill(Corridor):
    """Walking to the left takes more of an effort the farther one has come."""

    def spent(self, key: Place, action: str) -> float:
        return 6.0 - key[0] if action == "left" else 1.0


def test_a_world_of_ones_own_tells_what_is_spent() -> None:
    world = Uphill()
    assert costs(world) == {"left": 3, "right": 1}
    assert costs(world.listed()) == costs(world)
    check_world(world)


def test_a_factored_world_knows_which_action_does_nothing() -> None:
    lamp = bit("lamp")

    def switch(**rest: object) -> FactoredWorld:
        return FactoredWorld(
            variables=[lamp],
            actions={"switch": {"lamp": ~lamp}, "wait": {}, "keep": {"lamp": lamp}},
            start={},
            episode=EPISODE,
            labels={"lit": lamp},
            **rest,  # type: ignore[arg-type]
        )

    assert costs(switch()) == {"switch": 1, "wait": 0, "keep": 0}
    assert costs(switch(every_step={"lamp": ~lamp})) == {"switch": 1, "wait": 1, "keep": 1}
    told = switch(costs={"wait": 0.5})
    assert costs(told) == costs(told.listed()) == {"switch": 1, "wait": 0.5, "keep": 0}
    with pytest.raises(WorldError, match='did you mean "wait"'):
        switch(costs={"wiat": 0.5})

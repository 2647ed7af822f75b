"""Worlds from Gymnasium are what the environments do, by whichever way they were read."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import pytest
from small_environments import Blurred, Corridor, Locked, Tired, Windy

import demospec
from demospec.errors import InputError, WorldError
from demospec.sources import familiar
from demospec.sources import gymnasium as exploring
from demospec.sources.environment import Labelling
from demospec.sources.gymnasium import GymnasiumWorld, has_table
from demospec.testing.world_checks import check_world
from demospec.worlds.mdp import MDP
from demospec.worlds.world import State

pytest.importorskip("minigrid")
Chances = dict[tuple[State, str], dict[State, float]]
TERMINAL = {b"H", b"G"}
USEFUL = ("left", "right", "forward", "pickup", "toggle")


def chances(world: MDP) -> Chances:
    return {
        (name, world.action(pair)): {world.name(to): chance for to, chance in world.outcomes(pair)}
        for state, name in enumerate(world.states)
        for pair in world.pairs(state)
    }


def ends(world: MDP) -> set[State]:
    return {name for state, name in enumerate(world.states) if world.ends(state)}


# -- tables --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slippery", [False, True])
def test_frozen_lake_is_what_its_rules_say(slippery: bool) -> None:
    env: Any = gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=slippery)
    world = demospec.from_gymnasium(env, horizon=30)
    desc = env.unwrapped.desc
    moves = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}
    names = list(moves)
    rules: Chances = {}
    for cell in range(64):
        if desc[divmod(cell, 8)] in TERMINAL:
            continue
        for turn, action in enumerate(names):
            found: dict[State, float] = {}
            blown = [names[(turn + by) % 4] for by in ((-1, 0, 1) if slippery else (0,))]
            for way in blown:
                row, column = (
                    min(7, max(0, at + by)) for at, by in zip(divmod(cell, 8), moves[way], strict=True)
                )
                to = str(8 * row + column)
                found[to] = found.get(to, 0.0) + 1 / len(blown)
            rules[str(cell), action] = found
    read = chances(world)
    assert read.keys() == rules.keys()
    for pair, outcomes in rules.items():
        assert read[pair] == pytest.approx(outcomes)
    assert world.source == "read from the table env.unwrapped.P: 64 states"
    assert {name: world.labels[world.number[name]] for name in ("19", "63", "1")} == {
        "19": "hole",
        "63": "goal",
        "1": None,
    }
    assert check_world(world)


def test_the_cliff_leads_back_to_the_start() -> None:
    world = demospec.from_gymnasium("CliffWalking-v1", horizon=30)
    assert chances(world)["36", "right"] == {"36": 1.0}
    assert ends(world) == {"47"}
    assert world.source.endswith("38 states, and 10 that no episode reaches were left out")


def test_a_taxi_begins_anywhere_and_ends_where_the_passenger_wants() -> None:
    world = demospec.from_gymnasium("Taxi-v4", horizon=30)
    assert len(world.starts) == 300
    assert [chance for _, chance in world.starts] == pytest.approx([1 / 300] * 300)
    assert len(ends(world)) == 4
    place = "(0, 0), passenger at R, to G"
    assert chances(world)[place, "pickup"] == {"(0, 0), passenger aboard, to G": 1.0}
    assert world.labels[world.number[place]] == "R"
    assert world.labels[world.number["(0, 0), passenger aboard, to G"]] == "R&aboard"


def test_a_fickle_passenger_is_not_in_the_table() -> None:
    env = gymnasium.make("Taxi-v4", fickle_passenger=True)
    with pytest.warns(UserWarning, match="estimated from 500 samples"):
        demospec.from_gymnasium(env, horizon=20, samples=500)
    assert not has_table(env)


def test_an_end_in_a_state_that_goes_on_elsewhere_is_a_state_of_its_own() -> None:
    world = demospec.from_gymnasium(Tired(), labels={1: "one"}, horizon=9)
    assert chances(world)["0", "0"] == {"1 (end)": 0.5, "1": 0.25, "0": 0.25}
    assert ends(world) == {"1 (end)"}
    assert world.labels[world.number["1 (end)"]] == "one"
    shares = {world.name(state): chance for state, chance in world.starts}
    assert shares == {"0": pytest.approx(0.5, abs=0.08), "1": pytest.approx(0.5, abs=0.08)}
    assert "start states by 1,000 resets" in world.source


def test_a_wrapper_that_changes_actions_is_not_left_out() -> None:
    corridor = Corridor()
    turned = gymnasium.wrappers.TransformAction(corridor, lambda action: 1 - action, corridor.action_space)
    world = demospec.from_gymnasium(turned, labels={3: "near"}, horizon=20)
    assert chances(world)["2", "0"] == {"3": 1.0}
    lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    changed = gymnasium.wrappers.TransformAction(lake, lambda action: 3 - action, lake.action_space)
    with pytest.warns(UserWarning, match="estimated"):
        world = demospec.from_gymnasium(changed, horizon=20, samples=2000)
    assert chances(world)["0", "up"] == {"0": 1.0}  # which is left
    assert chances(world)["0", "down"] == {"1": 1.0}  # which is right


# -- exploring -----------------------------------------------------------------------------------------------


def found_by(way: str, chosen: Sequence[str]) -> Any:
    env: Any = gymnasium.make("MiniGrid-DoorKey-5x5-v0").unwrapped
    reading = familiar.MiniGrid()
    keeping: Any = {
        "copies": exploring.Copies(),
        "snapshots": exploring.Snapshots(env),
        "replays": exploring.Replays(env),
    }[way]
    names = {number: name for number, name in enumerate(reading.actions) if name in chosen}
    labelling = Labelling(familiar.milestone, None, reading)
    made, said = exploring.explore_environment(
        env, reading, names, labelling, seeds=[0], max_states=1000, keeping=keeping
    )
    assert said.endswith(keeping.how)
    return made.rows, made.starts, labelling.letters(made.naming.names)


@pytest.mark.parametrize(
    ("way", "chosen"),
    [("copies", familiar.MiniGrid().actions), ("replays", USEFUL)],
    ids=["copies", "replays"],
)
def test_snapshots_find_the_same_as_slower_ways(way: str, chosen: Sequence[str]) -> None:
    assert found_by(way, chosen) == found_by("snapshots", chosen)


def test_a_grid_is_what_playing_it_shows() -> None:
    env: Any = gymnasium.make("MiniGrid-LavaGapS5-v0")
    world = demospec.from_gymnasium(env, horizon=20)
    rng, read = np.random.default_rng(0), chances(world)
    for _ in range(20):
        observation, _ = env.reset(seed=0)
        at, over = world.link.state(env, observation), False
        while not over:
            action = int(rng.integers(7))
            observation, _, ended, cut, _ = env.step(action)
            reached = world.link.state(env, observation, ended=ended)
            assert read[at, world.link.actions[action]] == {reached: 1.0}
            labels = familiar.minigrid_propositions(env.unwrapped)
            assert world.labels[world.number[reached]] == ("&".join(sorted(labels)) or None)
            at, over = reached, ended or cut
    assert {world.labels[world.number[name]] for name in ends(world)} == {"goal", "lava"}
    assert check_world(world)


def test_truncated_is_not_terminal() -> None:
    short = gymnasium.make("MiniGrid-Empty-5x5-v0", max_steps=2)
    long = gymnasium.make("MiniGrid-Empty-5x5-v0")
    assert chances(demospec.from_gymnasium(short, horizon=9)) == chances(
        demospec.from_gymnasium(long, horizon=9)
    )


def test_doors_keys_and_goals_are_labelled_out_of_the_box() -> None:
    world = demospec.from_gymnasium("MiniGrid-DoorKey-5x5-v0", horizon=20)
    assert world.letters == ("door", "door&goal", "door&goal&key", "door&key", "goal", "goal&key", "key")


def test_expressions_over_colours_and_functions_say_the_same() -> None:
    said = demospec.from_gymnasium(
        "MiniGrid-DoorKey-5x5-v0",
        features={"key": "carrying_yellow_key", "door": "yellow_door_open and not carrying_key"},
        horizon=20,
    )
    done = demospec.from_gymnasium(
        "MiniGrid-DoorKey-5x5-v0",
        features={
            "key": lambda env: env.carrying is not None,
            "door": lambda env: env.carrying is None and "door" in familiar.minigrid_propositions(env),
        },
        horizon=20,
    )
    assert said.labels == done.labels
    assert said.letters == ("door", "key")


def test_several_seeds_are_several_starts() -> None:
    one = demospec.from_gymnasium("MiniGrid-DoorKey-5x5-v0", horizon=20)
    several = demospec.from_gymnasium(
        "MiniGrid-DoorKey-5x5-v0", actions=USEFUL, horizon=20, seed=[0, 1, 2, 0]
    )
    assert len(one.starts) == 1
    assert sorted(chance for _, chance in several.starts) == [0.25, 0.25, 0.5]
    assert len(set(several.states)) == len(several.states)


def test_what_cannot_be_copied_is_replayed() -> None:
    copied = demospec.from_gymnasium(Corridor(), labels={3: "near"}, horizon=9)
    replayed = demospec.from_gymnasium(Locked(), labels={3: "near"}, horizon=9)
    assert copied.source == "explored: 5 states by cloning"
    assert replayed.source == "explored: 5 states by replaying"
    assert chances(copied) == chances(replayed)


def test_an_observation_that_does_not_tell_the_state_is_refused() -> None:
    with pytest.raises(
        WorldError,
        match=r'two situations are called the state "1", but after "0" one is in "0", the other in "1"',
    ):
        demospec.from_gymnasium(Blurred(), labels={3: "near"}, horizon=9)
    world = demospec.from_gymnasium(Blurred(), labels={3: "near"}, horizon=9, state=lambda env: env.cell)
    assert chances(world) == chances(demospec.from_gymnasium(Corridor(), labels={3: "near"}, horizon=9))


def test_too_many_states_are_refused_with_their_number() -> None:
    with pytest.raises(WorldError, match="more than 3 states were found"):
        demospec.from_gymnasium(Corridor(), labels={3: "near"}, horizon=9, max_states=3)


def test_numbers_that_never_come_back_are_refused() -> None:
    with pytest.raises(WorldError, match=r"an array of 4 numbers \(float32\); give `state`"):
        demospec.from_gymnasium("CartPole-v1", labels={0: "x"}, horizon=9)


# -- samples -------------------------------------------------------------------------------------------------


def test_chance_without_a_table_is_sampled_and_said() -> None:
    with pytest.warns(UserWarning, match="estimated from 100,000 samples: 5 states"):
        world = demospec.from_gymnasium(Windy(), labels={3: "near"}, horizon=9)
    assert chances(world)["2", "1"] == pytest.approx({"3": 0.75, "1": 0.25}, abs=0.02)
    assert ends(world) == {"4"}
    assert world.labels[world.number["3"]] == "near"


def test_several_starts_are_counted() -> None:
    with pytest.warns(UserWarning, match="estimated from 20,000 samples"):
        world = demospec.from_gymnasium(
            "Blackjack-v1", features={"high": "observation[0] >= 20"}, horizon=10, samples=20_000
        )
    assert len(world.starts) > 100
    assert sum(chance for _, chance in world.starts) == pytest.approx(1)
    high = {name for name in map(str, world.states) if int(name[1:].split(",")[0]) >= 20}
    assert {str(name) for name in world.states if world.labels[world.number[name]] == "high"} == high


@pytest.mark.slow
def test_the_table_and_a_million_samples_agree() -> None:
    exact = demospec.from_gymnasium("FrozenLake-v1", horizon=100)
    with pytest.warns(UserWarning, match="estimated from 1,000,000 samples"):
        estimated: Any = demospec.from_gymnasium("FrozenLake-v1", horizon=100, samples=1_000_000)
    assert set(estimated.states) == set(exact.states)
    assert ends(estimated) == ends(exact)
    true, shares, scores = chances(exact), chances(estimated), []
    tries = dict(zip(shares, estimated.tries, strict=True))
    for pair, outcomes in true.items():
        assert tries[pair] > 400
        assert shares[pair].keys() == outcomes.keys()
        for reached, chance in outcomes.items():
            if chance < 1:
                error = np.sqrt(chance * (1 - chance) / tries[pair])
                scores.append((shares[pair][reached] - chance) / error)
    assert np.max(np.abs(scores)) < 4.5
    assert np.mean(np.square(scores)) == pytest.approx(1, abs=0.35)


# -- what is asked for ---------------------------------------------------------------------------------------


def test_labels_by_state_and_by_function_are_the_same() -> None:
    by_state = demospec.from_gymnasium("FrozenLake-v1", labels={5: "hole", "15": "goal"}, horizon=9)
    by_observation = demospec.from_gymnasium(
        "FrozenLake-v1", labels=lambda observation: {5: "hole", 15: "goal"}.get(observation), horizon=9
    )
    by_name = demospec.from_gymnasium(
        "FrozenLake-v1", labels=lambda state: {"5": ["hole"], "15": {"goal"}}.get(state, ()), horizon=9
    )
    by_environment = demospec.from_gymnasium(
        "FrozenLake-v1", labels=lambda env: {5: "hole", 15: "goal"}.get(env.s), horizon=9
    )
    assert by_state.labels == by_observation.labels == by_name.labels == by_environment.labels


def test_labels_and_features_add_up() -> None:
    world = demospec.from_gymnasium(
        "FrozenLake-v1", labels={15: "far"}, features={"goal": "goal", "low": "row >= 3"}, horizon=9
    )
    assert world.labels[world.number["15"]] == "far&goal&low"


def test_further_states_can_end_an_episode() -> None:
    world = demospec.from_gymnasium("FrozenLake-v1", terminal=["4"], horizon=9)
    assert "4" in ends(world)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"labels": {99: "x"}}, 'labelled state "99" is not a state of this world'),
        ({"labels": lambda cell: None}, 'a function asks for "cell"; its parameters are called'),
        ({"labels": lambda state: [1]}, "expected a text, several texts, or None"),
        ({"features": {"x": "rwo == 1"}}, 'feature "x": .*variables here: state, row, column'),
        ({"features": {"a&b": "hole"}}, "cannot be the name of a feature"),
        ({"actions": ["left", "rigt"]}, r'no action "rigt" \(did you mean "right"\?\)'),
        ({"actions": {7: "x"}}, "the environment has no action 7; it has 0, 1, 2, 3"),
        ({"terminal": ["x"]}, 'terminal state "x" is not a state of this world'),
        ({"seed": []}, "give at least one seed"),
        ({"horizon": 0}, "the horizon must be at least 1"),
        ({"samples": 10, "ends": "by choice"}, "cannot end by choice"),
    ],
)
def test_what_cannot_be_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        demospec.from_gymnasium("FrozenLake-v1", **{"horizon": 9, **asked})


def test_an_environment_without_labels_or_limit_is_refused() -> None:
    with pytest.raises(InputError, match="give labels or features"):
        demospec.from_gymnasium(Corridor(), horizon=9)
    with pytest.raises(InputError, match="no limit on steps: give a horizon"):
        demospec.from_gymnasium(Corridor(), labels={3: "near"})
    assert demospec.from_gymnasium("FrozenLake-v1").horizon == 100


def test_some_of_the_actions_are_enough() -> None:
    world = demospec.from_gymnasium("FrozenLake-v1", actions=["right", "down"], horizon=9)
    assert world.actions == ("down", "right")
    named = demospec.from_gymnasium("FrozenLake-v1", actions=["w", "s", "e", "n"], horizon=9)
    assert named.actions == ("w", "s", "e", "n")


def test_a_world_can_be_sent_to_another_process() -> None:
    world = demospec.from_gymnasium(
        Corridor(), labels=lambda state: "near" if state == "3" else None, horizon=9
    )
    again = pickle.loads(pickle.dumps(world))
    assert isinstance(again, GymnasiumWorld)
    assert (again.states, again.labels, again.source) == (world.states, world.labels, world.source)
    with pytest.raises(WorldError, match="sent from another process"):
        again.link.state(Corridor(), 0)

"""Demonstrations: what the world can have produced is read, everything else is refused with its place."""

from __future__ import annotations

import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec.errors import (
    DemonstrationError,
    ImpossibleStep,
    InputError,
    PastTheEnd,
    UnavailableAction,
    UnknownState,
)
from demospec.worlds.gridworld import MOVES, Wind, gridworld, parse_map
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, file_state, read_path, word_of
from demospec.worlds.world import Episode, State

PAPER_MAP = parse_map("""
..rr..r.
........
g.....r.
......r.
..bbbbr.
......ry
..bbbbr.
y.....rg
""")


def paper_world(end_probability: float = 0) -> MDP:
    return gridworld(
        PAPER_MAP,
        start=(5, 6),
        episode=Episode(horizon=15, end_probability=end_probability),
        wind=Wind(direction="down", probability=1 / 32),
    )


def moves(start: tuple[int, int], *actions: str) -> list[str | State]:
    """Write a path in the open, where every move succeeds."""
    path: list[str | State] = []
    column, row = start
    for action in actions:
        column, row = column + MOVES[action][0], row + MOVES[action][1]
        path += [action, (column, row)]
    return path


def corridor(*, horizon: int = 3, end_probability: float = 0.0) -> MDP:
    """Five cells in a row, walls unavailable, the last one terminal; b is at 2 and 4."""
    return gridworld(
        [".b.b."],
        start=(1, 1),
        episode=Episode(horizon=horizon, end_probability=end_probability),
        blocked="unavailable",
        terminal=[(5, 1)],
    )


# -- words ----------------------------------------------------------------------------------------------

labels = st.lists(st.none() | st.sampled_from("abc"), max_size=12)


@given(labels)
def test_a_word_is_the_labels_with_white_removed_and_then_repeats_merged(seen: list[str | None]) -> None:
    coloured = [label for label in seen if label is not None]
    assert word_of(seen, merge_repeats=False) == tuple(coloured)
    assert word_of(seen, merge_repeats=True) == tuple(letter for letter, _ in itertools.groupby(coloured))


@given(labels, st.booleans(), st.data())
def test_white_states_anywhere_change_nothing(
    seen: list[str | None], merge_repeats: bool, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(seen)))
    widened = [*seen[:at], None, *seen[at:]]
    assert word_of(widened, merge_repeats=merge_repeats) == word_of(seen, merge_repeats=merge_repeats)


@pytest.mark.parametrize(
    ("seen", "merged", "plain"),
    [
        (["b", None, "b"], "b", "bb"),
        (["b", "y", "b"], "byb", "byb"),
        ([None, None], "", ""),
        ([], "", ""),
        (["b", "b", None, "b", "g", "g"], "bg", "bbbgg"),
    ],
)
def test_words_of_known_labels(seen: list[str | None], merged: str, plain: str) -> None:
    assert word_of(seen, merge_repeats=True) == tuple(merged)
    assert word_of(seen, merge_repeats=False) == tuple(plain)


def test_a_path_s_word_starts_with_the_start_state_s_label() -> None:
    mdp = gridworld(["ba"], start=(1, 1), episode=Episode(horizon=2))
    assert read_path(mdp, ["right", (2, 1)], complete=False).word(mdp, merge_repeats=True) == ("b", "a")
    assert read_path(mdp, [], complete=False).word(mdp, merge_repeats=True) == ("b",)
    stays = read_path(mdp, ["left", (1, 1)], complete=False)
    assert stays.word(mdp, merge_repeats=True) == ("b",)
    assert stays.word(mdp, merge_repeats=False) == ("b", "b")


def test_the_paper_s_two_demonstrations() -> None:
    mdp = paper_world(end_probability=1 / 32)
    straight = read_path(mdp, moves((5, 6), *["left"] * 4, *["down"] * 2), complete=True)
    assert straight.word(mdp, merge_repeats=True) == ("y",)
    slips = ["left", "left", "up", "left", "left", "up", "up", "up", "down", "down", "down", "down", "down"]
    through_water = read_path(mdp, ["left", (5, 7), *moves((5, 7), *slips)], complete=True)
    assert len(through_water.steps) == 14
    assert through_water.word(mdp, merge_repeats=True) == ("b", "g", "y")
    assert through_water.word(mdp, merge_repeats=False) == ("b", "b", "b", "g", "y")


# -- reading --------------------------------------------------------------------------------------------


@given(st.data())
def test_any_walk_in_the_world_is_read_and_written_back(data: st.DataObject) -> None:
    mdp = paper_world(end_probability=data.draw(st.sampled_from([0, 1 / 32])))
    state, written, visited = mdp.start, [], [mdp.start]
    for _ in range(data.draw(st.integers(0, 15))):
        pair = data.draw(st.sampled_from(mdp.pairs(state)))
        state = data.draw(st.sampled_from([target for target, _ in mdp.outcomes(pair)]))
        written += [mdp.actions[mdp.pair_action[pair]], mdp.states[state]]
        visited.append(state)
    path = read_path(mdp, written, complete=None)
    assert path.states(mdp) == visited
    assert path.complete == (len(visited) == 16)
    assert path.to_file(mdp) == [part if isinstance(part, str) else list(part) for part in written]
    assert read_path(mdp, written, complete=path.complete) == path


def test_the_file_keeps_names_and_writes_cells_as_lists() -> None:
    assert file_state("s0") == "s0"
    assert file_state((3, 1)) == [3, 1]


def test_a_path_cannot_be_changed() -> None:
    path = Path(steps=(), complete=False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.complete = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("steps", "horizon", "end_probability", "inferred", "allowed"),
    [
        (2, 5, 0.0, False, {False}),  # in the middle
        (2, 5, 0.1, False, {False, True}),  # an episode may end here by chance
        (3, 3, 0.0, True, {True}),  # the horizon
        (3, 3, 0.1, True, {True}),
        (4, 5, 0.0, True, {True}),  # terminal
        (0, 5, 0.0, False, {False}),
    ],
)
def test_when_a_path_can_be_complete(
    steps: int, horizon: int, end_probability: float, inferred: bool, allowed: set[bool]
) -> None:
    mdp = corridor(horizon=horizon, end_probability=end_probability)
    path = moves((1, 1), *["right"] * steps)
    assert read_path(mdp, path, complete=None).complete == inferred
    for complete in (False, True):
        if complete in allowed:
            assert read_path(mdp, path, complete=complete).complete == complete
        else:
            with pytest.raises(PastTheEnd):
                read_path(mdp, path, complete=complete)


# -- refusals -------------------------------------------------------------------------------------------


def refusal(
    mdp: MDP, path: list[str | State], *, complete: bool | None = None, demonstration: int = 7
) -> DemonstrationError:
    with pytest.raises(DemonstrationError) as caught:
        read_path(mdp, path, complete=complete, demonstration=demonstration)
    error = caught.value
    assert isinstance(error, InputError)
    assert error.demonstration == demonstration
    assert f"demonstration {demonstration}" in str(error)
    if error.step is not None:
        assert f"step {error.step}:" in str(error)
    return error


def test_an_odd_number_of_entries() -> None:
    error = refusal(corridor(), ["right", (2, 1), "right"])
    assert type(error) is DemonstrationError
    assert error.step is None
    assert "3 entries" in str(error)


def test_an_action_that_is_not_available() -> None:
    error = refusal(corridor(), ["right", (2, 1), "up", (2, 1)])
    assert isinstance(error, UnavailableAction)
    assert error.step == 2
    assert str(error) == (
        'demonstration 7, step 2: action "up" is not available in state (2, 1); available: left, right'
    )


def test_a_misspelt_action_brings_a_suggestion() -> None:
    error = refusal(corridor(), ["rigth", (2, 1)])
    assert isinstance(error, UnavailableAction)
    assert error.step == 1
    assert 'did you mean "right"' in str(error)


def test_a_state_where_an_action_should_be() -> None:
    error = refusal(corridor(), [(2, 1), "right"])
    assert isinstance(error, UnavailableAction)
    assert error.step == 1
    assert "(2, 1)" in str(error)


def test_an_unknown_state() -> None:
    error = refusal(corridor(), ["right", (2, 1), "right", (9, 9)])
    assert isinstance(error, UnknownState)
    assert error.step == 2
    assert "state (9, 9) is not in this world" in str(error)


def test_a_step_of_probability_0_names_the_possible_outcomes() -> None:
    error = refusal(paper_world(), ["left", (4, 6), "left", (4, 5)])
    assert isinstance(error, ImpossibleStep)
    assert error.step == 2
    for part in (
        '"left"',
        "state (4, 6)",
        "(4, 5) with probability 0",
        "(3, 6) with 0.96875",
        "(4, 7) with 0.03125",
    ):
        assert part in str(error)


def test_an_outcome_listed_with_probability_0_is_impossible_too() -> None:
    mdp = MDP.build(
        [("s0", "go", {"s0": 1, "s1": 0}), ("s1", "go", {"s1": 1})], start="s0", episode=Episode(horizon=2)
    )
    assert isinstance(refusal(mdp, ["go", "s1"]), ImpossibleStep)


def test_a_path_that_goes_on_after_the_horizon() -> None:
    error = refusal(corridor(horizon=2), moves((1, 1), "right", "right", "left"))
    assert isinstance(error, PastTheEnd)
    assert error.step == 3
    assert "state (3, 1) was reached at the horizon of 2 steps" in str(error)


def test_a_path_that_goes_on_after_a_terminal_state() -> None:
    error = refusal(corridor(horizon=9), moves((1, 1), *["right"] * 4, "left"))
    assert isinstance(error, PastTheEnd)
    assert error.step == 5
    assert "state (5, 1) is terminal" in str(error)


def test_complete_where_an_episode_cannot_end() -> None:
    error = refusal(corridor(horizon=3), moves((1, 1), "right", "right"), complete=True)
    assert isinstance(error, PastTheEnd)
    assert error.step == 2
    for part in ("after 2 steps", "state (3, 1)", "horizon is 3 steps", "end probability is 0"):
        assert part in str(error)


@pytest.mark.parametrize(("horizon", "steps"), [(2, 2), (9, 4)], ids=["horizon", "terminal"])
def test_incomplete_where_the_episode_is_over(horizon: int, steps: int) -> None:
    error = refusal(corridor(horizon=horizon), moves((1, 1), *["right"] * steps), complete=False)
    assert isinstance(error, PastTheEnd)
    assert error.step == steps
    assert f"over after step {steps}" in str(error)


def test_complete_without_a_step_is_refused_and_the_reason_is_true() -> None:
    # an episode ends after a step at the earliest, whatever its end probability
    error = refusal(corridor(end_probability=0.5), [], complete=True)
    assert isinstance(error, PastTheEnd)
    assert error.step is None  # steps count from 1
    assert "end probability is 0" not in str(error)


def test_the_first_of_several_faults_is_told() -> None:
    error = refusal(corridor(), ["right", (2, 1), "up", (9, 9), "right", (1, 1)], demonstration=2)
    assert (error.demonstration, error.step) == (2, 2)
    assert isinstance(error, UnavailableAction)


# -- where a path begins --------------------------------------------------------------------------------


def two_beginnings() -> MDP:
    return gridworld([".b.b."], start={(1, 1): 0.5, (4, 1): 0.5}, episode=Episode(horizon=3))


def test_a_path_says_where_it_begins_if_there_is_a_choice() -> None:
    world = two_beginnings()
    path = read_path(world, ["left", (3, 1)], complete=None, start=(4, 1))
    assert path.start == world.number[4, 1]
    assert path.states(world) == [world.number[4, 1], world.number[3, 1]]
    assert path.word(world, merge_repeats=False) == ("b",)
    assert path.upto(0) == Path((), complete=False, start=world.number[4, 1])
    assert path.upto(1) == path
    assert read_path(corridor(), [], complete=None, start=(1, 1)) == Path((), complete=False)
    with pytest.raises(DemonstrationError, match=r"several start states \(\(1, 1\), \(4, 1\)\); say where"):
        read_path(world, ["left", (3, 1)], complete=None)
    with pytest.raises(DemonstrationError, match=r"no episode begins in state \(2, 1\); start states:"):
        read_path(world, ["left", (1, 1)], complete=None, start=(2, 1))
    with pytest.raises(InputError, match="the world has 2 start states"):
        Path((), complete=False).first(world)

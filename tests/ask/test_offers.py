"""What demonstrations can be asked for: starts and edits in all worlds, ranked; scenes that they make."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from small import MAP, belief_in, corner_world, random_problem, random_tasks, two_worlds

from demospec.ask.information import LIKELIEST, of_all_paths
from demospec.ask.run_questions import (
    Edit,
    RunQuestion,
    Start,
    evenly,
    offered_edits,
    offered_starts,
    with_demonstration,
    with_letter,
)
from demospec.belief import Belief
from demospec.errors import InputError
from demospec.explain.pursuing import sample
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.work.stop import Stop, Stopped
from demospec.worlds.gridworld import GridWorld, Wind, gridworld
from demospec.worlds.paths import read_path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode

REACH = DFA.parse(">0: a→1 | *1:", "ab")
BOTH = DFA.parse(">0: a→1, b→2 | 1: b→3 | 2: a→3 | *3:", "ab")
AVOID = DFA.parse(">0: a→1, b→2 | *1: b→2 | 2:", "ab")
REACH_B = DFA.parse(">0: b→1 | *1:", "ab")


def corner_belief(problem: Problem) -> Belief:
    return belief_in(problem, [REACH, BOTH, REACH_B])


def short_corners() -> Problem:
    """The corner world with so few paths that all of them are looked at."""
    return corner_world(REACH, horizon=4)


def map_of(offer: RunQuestion) -> GridWorld:
    assert isinstance(offer.scene.original, GridWorld)
    return offer.scene.original


def test_start_states_are_ranked_by_what_a_demonstration_tells() -> None:
    problem = short_corners()
    belief = corner_belief(problem)
    found = offered_starts(belief)
    assert {one.change for one in found} == {Start(state) for state in problem.mdp.states}
    nats = [one.nats for one in found]
    assert nats == sorted(nats, reverse=True)
    assert nats[0] > nats[-1]
    for one in (found[0], found[-1]):
        assert isinstance(one.change, Start)
        elsewhere = replace(problem.mdp, starts=((problem.mdp.number[one.change.state], 1.0),))
        assert of_all_paths(belief.likeliest(LIKELIEST), elsewhere) == one.information
    again = offered_starts(belief)
    assert [(one.change, one.information) for one in again] == [
        (one.change, one.information) for one in found
    ]
    few = offered_starts(belief, most=3)
    assert len(few) == 3
    assert Start((2, 2)) in {one.change for one in few}


def test_a_start_is_offered_in_a_scene_of_its_own_but_for_the_one_that_is_there() -> None:
    problem = short_corners()
    for one in offered_starts(corner_belief(problem)):
        assert isinstance(one.change, Start)
        assert one.like == "world"
        world = map_of(one)
        assert world.rows == MAP
        assert [world.states[state] for state, _ in world.starts] == [one.change.state]
        if one.change.state == (2, 2):
            assert one.scene is problem.scene()
        else:
            assert one.scene.name == f"world from {one.change.state}"
            assert not one.scene.demonstrations


def test_edits_are_ranked_by_what_a_demonstration_tells() -> None:
    problem = short_corners()
    belief = belief_in(problem, [REACH, AVOID])
    found = offered_edits(belief)
    nats = [one.nats for one in found]
    assert nats == sorted(nats, reverse=True)
    changes = [one.change for one in found if isinstance(one.change, Edit)]
    assert all(change.cell != (2, 2) for change in changes)
    assert len({(change.cell, change.letter) for change in changes}) == len(found) == 8 * 2
    for one, change in [(found[0], changes[0]), (found[-1], changes[-1])]:
        number = problem.mdp.number[change.cell]
        assert change.before == problem.mdp.labels[number]
        assert change.letter != change.before
        world = map_of(one)
        assert [k for k in range(9) if world.labels[k] != problem.mdp.labels[k]] == [number]
        assert world.labels[number] == change.letter
        assert of_all_paths(belief.likeliest(LIKELIEST), world) == one.information
        assert one.scene.name == f"world with {change.letter or 'white'} at {change.cell}"
    # Avoidance of b is shown best where b is in the way to a.
    assert changes[0].letter == "b" or changes[0].before == "b"


def test_an_edited_map_is_the_same_world_but_for_a_letter() -> None:
    world = gridworld(
        ("a..", ".b."),
        start={(1, 1): 0.25, (2, 2): 0.75},
        episode=Episode(horizon=4, end_probability=0.1),
        wind=Wind(direction="down", probability=0.2),
        blocked="unavailable",
        terminal=[(3, 1)],
    )
    made = with_letter(world, (2, 2), "a")
    assert made.rows == ("a..", ".a.")
    assert made.labels == ("a", None, None, None, "a", None)
    back = with_letter(made, (2, 2), "b")
    for name in ("states", "actions", "starts", "labels", "episode", "rows", "wind", "blocked"):
        assert getattr(back, name) == getattr(world, name)
    for name in ("terminal", "pair_offset", "pair_action", "outcome_offset", "successor", "probability"):
        assert np.array_equal(getattr(back, name), getattr(world, name))
    assert with_letter(world, (1, 1), None).rows[0] == "..."


def test_a_world_that_makes_a_difference_tells_more() -> None:
    problem = short_corners()
    belief = belief_in(problem, [REACH, BOTH])
    one = replace(belief.likeliest(LIKELIEST), scores=belief.scores[:1], weights=np.ones(1))
    assert isinstance(problem.world, GridWorld)
    without_b = with_letter(problem.world, (3, 3), None)
    assert of_all_paths(one, without_b).nats == pytest.approx(0.0, abs=1e-9)
    best = max(offer.nats for offer in offered_starts(belief))
    assert best <= math.log(2) + 1e-9


def test_what_cannot_be_offered_is_refused() -> None:
    problem = random_problem(1)
    with pytest.raises(InputError, match="only a gridworld's map can be edited"):
        offered_edits(belief_in(problem, random_tasks(1, 3)))


def test_items_are_spread_evenly() -> None:
    assert list(evenly(range(100), 3)) == [0, 50, 99]
    assert list(evenly(range(100), 1)) == [0]
    assert list(evenly([], 3)) == []


# -- what is shown ----------------------------------------------------------------------------------------


def test_what_is_shown_makes_a_new_scene_and_the_next_run_there_joins_it() -> None:
    problem = short_corners()
    offer = next(one for one in offered_starts(corner_belief(problem)) if one.change == Start((3, 1)))
    path = read_path(offer.scene.original, ["left", (2, 1), "left", (1, 1)], complete=None)
    more = with_demonstration(problem, offer.scene, path)
    assert [scene.name for scene in more.scenes] == ["world", "world from (3, 1)"]
    assert more.scenes[1].demonstrations == (path,)
    assert more.scenes[0] is problem.scenes[0]
    again = next(one for one in offered_starts(corner_belief(more)) if one.change == Start((3, 1)))
    assert again.scene is more.scenes[1]
    twice = with_demonstration(more, again.scene, path)
    assert [len(scene.demonstrations) for scene in twice.scenes] == [1, 2]
    late = with_demonstration(twice, offer.scene, path)  # an offer from before the others were shown
    assert [len(scene.demonstrations) for scene in late.scenes] == [1, 3]


def test_worlds_that_differ_in_their_start_only_are_offered_once() -> None:
    problem = short_corners()
    offer = next(one for one in offered_starts(corner_belief(problem)) if one.change == Start((3, 1)))
    path = read_path(offer.scene.original, ["left", (2, 1), "left", (1, 1)], complete=None)
    more = with_demonstration(problem, offer.scene, path)
    found = offered_starts(corner_belief(more))
    assert len(found) == 9
    assert {one.like for one in found} == {"world"}


def test_starts_are_offered_in_every_world() -> None:
    problem = two_worlds(1)
    found = offered_starts(belief_in(problem, random_tasks(1, 4)))
    assert {one.like for one in found} == {"first", "second"}
    for one in found:
        assert isinstance(one.change, Start)
        assert one.scene.name in (one.like, f"{one.like} from {one.change.state}")
    # The second world has two start states: neither is all of what that scene is.
    assert all(one.scene.name != "second" for one in found)


def test_edits_are_offered_in_every_map_and_lead_to_scenes_that_are_there() -> None:
    problem = short_corners()
    assert isinstance(problem.world, GridWorld)
    other = with_letter(problem.world, (1, 2), "b")
    both = replace(problem, scenes=(*problem.scenes, Scene(world=other, name="yard")))
    found = offered_edits(belief_in(both, [REACH, AVOID]))
    assert {one.like for one in found} == {"world", "yard"}
    maps = [map_of(one).rows for one in found]
    assert len(set(maps)) == len(maps)  # what two edits lead to is one offer
    there = {one.scene.name: one.change for one in found if one.scene in both.scenes}
    assert there["yard"] == Edit((1, 2), None, "b")
    assert there["world"] == Edit((1, 2), "b", None)
    twice = [one for one in found if one.like == "yard" and one.scene not in both.scenes]
    assert twice
    for one in twice:  # named after what it began with
        assert isinstance(one.change, Edit)
        changes = {(1, 2): "b", one.change.cell: one.change.letter or "white"}
        told = ", ".join(f"{changes[cell]} at {cell}" for cell in sorted(changes, key=lambda c: c[::-1]))
        assert one.scene.name == f"world with {told}"


def test_in_merged_worlds_cells_are_those_of_the_map() -> None:
    problem = short_corners()
    merged = problem.merged()
    assert merged.scene().quotient is not None
    belief = corner_belief(merged)
    best = offered_edits(belief, most=2)[0]
    assert isinstance(best.change, Edit)
    assert best.change.before == problem.mdp.labels[problem.mdp.number[best.change.cell]]
    assert best.nats > 0
    assert best.scene.quotient is not None
    for start in offered_starts(belief):
        assert isinstance(start.change, Start)
        world = start.scene.original
        assert [world.name(state) for state, _ in world.starts] == [start.change.state]
        path = sample(problem, REACH, Scene(world=world))[0]
        more = with_demonstration(merged, start.scene, path)
        scene = more.scene(start.scene.name)
        assert scene.in_original(scene.demonstrations[-1]) == path
        assert belief_in(more, [REACH]).scores  # it can be scored


def test_a_stop_flag_ends_it() -> None:
    stop = Stop()
    stop.set()
    belief = corner_belief(short_corners())
    with pytest.raises(Stopped):
        offered_starts(belief, stop=stop)
    with pytest.raises(Stopped):
        offered_edits(belief, stop=stop)

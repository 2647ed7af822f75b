"""UMB files: what Storm writes is read, what is written Storm reads, and a world comes back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from small_model import EPISODE, by_hand, same
from storm_models import MODELS, stored, storm_model

import demospec
from demospec import InputError

pytest.importorskip("umbi")


@pytest.mark.parametrize("name", MODELS)
def test_what_storm_writes_is_the_world_that_it_builds(name: str, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    stormpy.io.export_to_umb(storm_model(stormpy, name), tmp_path / "model.umb")
    world = demospec.from_umb(tmp_path / "model.umb", episode=EPISODE)
    expected = demospec.from_prism(stored(name), episode=EPISODE, constants=MODELS[name])
    assert [set(one.split(", ")) for one in map(str, world.states)] == [
        set(one.split(", ")) for one in map(str, expected.states)
    ]
    assert (world.labels, world.starts, world.actions) == (expected.labels, expected.starts, expected.actions)
    assert world.successor.tolist() == expected.successor.tolist()
    assert world.probability == pytest.approx(expected.probability, abs=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_storm_reads_what_is_written(name: str, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    world = demospec.from_prism(stored(name), episode=EPISODE, constants=MODELS[name])
    demospec.to_umb(world, tmp_path / "model.umb")
    again, model = stormpy.build_model_from_umb(tmp_path / "model.umb"), storm_model(stormpy, name)
    assert (again.nr_states, again.nr_choices) == (model.nr_states, model.nr_choices)
    held = [one for one in sorted(model.labeling.get_labels()) if list(model.labeling.get_states(one))]
    for label in held:
        asked = stormpy.parse_property(f'Pmax=? [ F<=7 "{label}" ]')
        values = [
            stormpy.model_checking(one, asked, only_initial_states=False).get_value(0)
            for one in (again, model)
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_a_world_comes_back_with_its_names(tmp_path: Path) -> None:
    world = by_hand(["in the hall", "left", "right", "out"])
    demospec.to_umb(world, tmp_path / "model.umb")
    assert same(demospec.from_umb(tmp_path / "model.umb", episode=EPISODE), world)
    robot = demospec.load_example("robot-paper").mdp
    demospec.to_umb(robot, tmp_path / "robot.umb")
    again = demospec.from_umb(tmp_path / "robot.umb", episode=robot.episode)
    assert again.probability.tolist() == robot.probability.tolist()
    assert again.labels == robot.labels
    assert again.states[0] == "1, 1"


def test_the_choice_to_stop_is_no_part_of_the_file(tmp_path: Path) -> None:
    ends = demospec.Episode(horizon=6, ends="by choice")
    world = demospec.MDP.build([("a", "go", {"b": 1.0}), ("b", "back", {"a": 1.0})], start="a", episode=ends)
    demospec.to_umb(world, tmp_path / "model.umb")
    assert same(demospec.from_umb(tmp_path / "model.umb", episode=ends), world)


def test_what_is_refused_and_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stormpy = pytest.importorskip("stormpy")
    (tmp_path / "chain.prism").write_text("dtmc\nmodule m\n x : [0..1];\n [] true -> (x'=1-x);\nendmodule\n")
    chain = stormpy.build_model(stormpy.parse_prism_program(str(tmp_path / "chain.prism")))
    stormpy.io.export_to_umb(chain, tmp_path / "chain.umb")
    with pytest.raises(InputError, match=r"chain.umb: is a dtmc, a Markov chain: it has no choices"):
        demospec.from_umb(tmp_path / "chain.umb", episode=EPISODE)
    with pytest.raises(InputError, match=r"chain.prism: is no UMB file that umbi can read"):
        demospec.from_umb(tmp_path / "chain.prism", episode=EPISODE)
    with pytest.raises(InputError, match=r"nowhere.umb: cannot be read"):
        demospec.from_umb(tmp_path / "nowhere.umb", episode=EPISODE)
    uneven = demospec.MDP.build(
        [("a", "go", {"b": 1.0}), ("b", "go", {"a": 1.0})], start={"a": 0.2, "b": 0.8}, episode=EPISODE
    )
    with pytest.raises(InputError, match="does not say how likely each start is"):
        demospec.to_umb(uneven, tmp_path / "model.umb")
    monkeypatch.setitem(sys.modules, "umbi.umb", None)
    with pytest.raises(InputError, match=r'needs the package umbi: pip install "demospec\[umb\]"'):
        demospec.from_umb(tmp_path / "model.umb", episode=EPISODE)

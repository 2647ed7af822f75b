"""`[world]` with kind "gymnasium": read, refused, and written back; demonstrations by Minari."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest

import demospec
from demospec import problems
from demospec.errors import InputError
from demospec.files.toml import to_toml
from demospec.files.writing import problem_document
from demospec.report.blocks import as_text
from demospec.report.problem_report import check_document, problem_blocks

pytest.importorskip("minigrid")

LAKE = """
[world]
kind = "gymnasium"
id = "FrozenLake-v1"
kwargs = { map_name = "4x4", is_slippery = false }
labels = { 8 = "left" }
[world.features]
goal = "goal"
low = "row == 3 and not goal"
[episode]
horizon = 12
[[demonstrations]]
path = ["down", "4", "down", "8", "right", "9", "down", "13", "right", "14", "right", "15"]
"""


def loaded(tmp_path: Path, text: str) -> demospec.Problem:
    file = tmp_path / "problem.toml"
    file.write_text(text, encoding="utf-8")
    return demospec.load(file)


def same(one: Any, other: Any) -> bool:
    return all(
        list(getattr(one, name)) == list(getattr(other, name))
        for name in ("states", "actions", "labels", "starts", "successor", "probability")
    )


def test_an_environment_can_be_named(tmp_path: Path) -> None:
    problem = loaded(tmp_path, LAKE)
    env = gymnasium.make("FrozenLake-v1", map_name="4x4", is_slippery=False)
    world = demospec.from_gymnasium(
        env, labels={8: "left"}, features={"goal": "goal", "low": "row == 3 and not goal"}, horizon=12
    )
    assert same(problem.world, world)
    assert problem.words == (("left", "low", "low", "goal"),)
    again = loaded(tmp_path, to_toml(problem_document(problem)))
    assert 'id = "FrozenLake-v1"' in to_toml(problem_document(problem))
    assert same(problem.world, again.world)
    assert again.words == problem.words


def test_check_says_how_the_world_was_read(tmp_path: Path) -> None:
    told = as_text(problem_blocks(check_document(loaded(tmp_path, LAKE))))
    assert "read from the table env.unwrapped.P: 16 states" in told
    sampled = loaded(tmp_path, LAKE.replace("labels", "samples = 900\nlabels"))
    assert "estimated from 900 samples" in as_text(problem_blocks(check_document(sampled)))


def test_a_world_with_functions_is_written_out(tmp_path: Path) -> None:
    world = demospec.from_gymnasium(
        "FrozenLake-v1", labels=lambda state: {"15": "goal"}.get(state), horizon=9
    )
    text = to_toml(problem_document(demospec.Problem.of(world)))
    assert 'kind = "mdp"' in text
    assert same(loaded(tmp_path, text).world, world)


def test_a_grid_is_the_same_in_a_file_and_among_several_worlds(tmp_path: Path) -> None:
    text = """
    episode = { horizon = 9 }
    [[worlds]]
    name = "rooms"
    kind = "gymnasium"
    id = "MiniGrid-DoorKey-5x5-v0"
    seed = [0, 1]
    actions = ["left", "right", "forward", "pickup", "toggle"]
    [[worlds]]
    name = "lake"
    kind = "gymnasium"
    id = "FrozenLake-v1"
    samples = 500
    """
    problem = loaded(tmp_path, text)
    rooms, lake = (scene.world for scene in problem.scenes)
    assert len(rooms.starts) == 2
    assert lake.source.startswith("estimated from 500 samples")  # type: ignore[attr-defined]
    again = loaded(tmp_path, to_toml(problem_document(problem)))
    assert all(same(one.world, other.world) for one, other in zip(problem.scenes, again.scenes, strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("FrozenLake-v1", "os:system"), "would import a module by its name"),
        (("FrozenLake-v1", "GymV26Environment-v0"), "would import a module by its name"),
        (("FrozenLake-v1", "FrozenLeak-v1"), r'no environment with the name .*did you mean "FrozenLake-v1"'),
        (('map_name = "4x4"', 'map_name = "5x5"'), 'environment "FrozenLake-v1" cannot be made: KeyError'),
        (('map_name = "4x4"', 'render_mode = "human"'), "would open a window"),
        (("row == 3", "__import__('os')"), 'feature "low": '),
        (("labels", "lables"), "lables"),
        (("[episode]", "[episode]\nends = 3"), "ends"),
        (("8 =", "88 ="), 'labelled state "88" is not a state'),
        (("[[demonstrations]]", '[[demonstrations]]\nminari = "x-v0"'), "give minari or path, not both"),
    ],
)
def test_what_a_file_may_not_say_is_refused(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        loaded(tmp_path, LAKE.replace(*change))


def test_samples_and_paths_are_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="samples must be at least 1; found 0"):
        loaded(tmp_path, LAKE.replace("labels", "samples = 0\nlabels"))
    with pytest.raises(InputError, match='demonstration 2: the key "path" is missing'):
        loaded(tmp_path, LAKE + "[[demonstrations]]\ncomplete = true\n")


def test_a_dataset_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    problem = loaded(tmp_path, LAKE)
    world: Any = problem.world
    recorder = demospec.Recorder(gymnasium.make("FrozenLake-v1", **world.link.kwargs), world)
    recorder.play(lambda observation: 1, episodes=2)
    recorder.to_minari("lake/down-v0")
    named = LAKE[: LAKE.index("path =")] + 'minari = "lake/down-v0"\n'
    assert loaded(tmp_path, named).demonstrations == recorder.demonstrations
    assert len(loaded(tmp_path, named + "episodes = [1]\n").demonstrations) == 1
    with pytest.raises(
        InputError, match='demonstration 1: there is no Minari dataset with the name "lake/up-v0"'
    ):
        loaded(tmp_path, named.replace("down-v0", "up-v0"))
    with pytest.raises(InputError, match='needs a world of kind "gymnasium"'):
        loaded(tmp_path, problems.text("delivery") + '[[demonstrations]]\nminari = "lake/down-v0"\n')

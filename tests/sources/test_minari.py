"""Minari datasets: what the recorder writes comes back equal; what is cut or from elsewhere is refused."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import demospec
from demospec.errors import DemonstrationError, InputError
from demospec.sources import minari as minari_source

minari = pytest.importorskip("minari")
pytest.importorskip("h5py")
pytest.importorskip("minigrid")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))


def lake(**kwargs: Any) -> tuple[Any, Any]:
    env = gymnasium.make("FrozenLake-v1", **kwargs)
    return env, demospec.from_gymnasium(env, horizon=20)


def written(env: Any, **episode: Any) -> Any:
    """Return a dataset as others make it: without what the recorder adds."""
    from minari.data_collector.episode_buffer import EpisodeBuffer

    given = {
        "observations": [0, 4, 8],
        "actions": [1, 1],
        "rewards": [0.0, 0.0],
        "terminations": [False, False],
        "truncations": [False, True],
        **episode,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spaces = {"observation_space": gymnasium.spaces.Discrete(16), "action_space": env.action_space}
        return minari.create_dataset_from_buffers("test/lake-v0", [EpisodeBuffer(**given)], env=env, **spaces)


@pytest.mark.parametrize("ends", ["by chance", "by choice"])
@pytest.mark.parametrize("name", ["FrozenLake-v1", "Taxi-v4", "MiniGrid-DoorKey-5x5-v0"])
def test_what_is_recorded_comes_back_equal(name: str, ends: Any) -> None:
    actions = ["left", "right", "forward", "pickup", "toggle"] if "MiniGrid" in name else None
    env = gymnasium.make(name)
    world = demospec.from_gymnasium(env, horizon=15, ends=ends, actions=actions)
    recorder = demospec.Recorder(env, world)
    env.action_space.seed(0)
    recorder.play(lambda observation: int(env.action_space.sample()) % 3, episodes=3, seed=5)
    recorder.reset(seed=world.link.seeds[0] if world.link.seeds else 7)
    recorder.step(1)
    if ends == "by choice":
        recorder.stop()
    recorder.close()
    dataset = recorder.to_minari("test/runs-v0")
    assert tuple(demospec.from_minari(dataset, world)) == recorder.demonstrations
    assert tuple(demospec.from_minari("test/runs-v0", world)) == recorder.demonstrations
    assert demospec.from_minari(dataset, world, episodes=[1]) == [recorder.demonstrations[1]]


def test_observations_or_actions_tell_the_states_of_others_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FrozenLake-v1", "MiniGrid-Empty-5x5-v0"):
        env = gymnasium.make(name)
        world = demospec.from_gymnasium(env, horizon=15)
        recorder = demospec.Recorder(env, world)
        recorder.play(lambda observation: 2, episodes=2, seed=5)
        monkeypatch.setattr(minari_source, "infos_of", lambda run: {})
        dataset = recorder.to_minari(f"test/{name}")
        assert tuple(demospec.from_minari(dataset, world)) == recorder.demonstrations


def test_a_truncated_episode_is_an_unfinished_demonstration() -> None:
    env, world = lake()
    (path,) = demospec.from_minari(written(env), world)
    assert path.named(world) == ["down", "4", "down", "8"]
    assert not path.complete


def test_another_environment_is_refused_by_its_name() -> None:
    env, _ = lake()
    dataset = written(env)
    cliff = demospec.from_gymnasium("CliffWalking-v1", horizon=20)
    with pytest.raises(
        InputError, match=r'"test/lake-v0": .*"FrozenLake-v1", but the world is that of "Cliff'
    ):
        demospec.from_minari(dataset, cliff)
    _, dry = lake(is_slippery=False)
    with pytest.raises(
        InputError, match="recorded with is_slippery = None, but the world has is_slippery = False"
    ):
        demospec.from_minari(dataset, dry)


@pytest.mark.parametrize(
    ("episode", "message"),
    [
        ({"observations": [0, 4]}, "2 steps, 2 actions and 2 observations; .*its last step is missing"),
        ({"truncations": [False, False]}, "breaks off after 2 steps: the last one neither terminates"),
        ({"truncations": [True, True]}, "step 1: episode 0 goes on after it was over"),
        ({"observations": [0, 4, 10]}, 'step 2: action "down" in state "4" leads to "10" with probability 0'),
        ({"observations": [0, 4, 5]}, "the observation 5 is no state of the world"),
        ({"terminations": [False, True]}, "the observation 8 is no state of the world that ends an episode"),
        ({"observations": [1, 4, 8]}, 'no episode begins in state "1"'),
    ],
)
def test_what_is_cut_or_wrong_is_refused(episode: dict[str, Any], message: str) -> None:
    env, world = lake()
    with pytest.raises(DemonstrationError, match=message):
        demospec.from_minari(written(env, **episode), world)


def test_names_that_are_not_there_are_refused() -> None:
    env, world = lake()
    with pytest.raises(InputError, match='no Minari dataset with the name "test/lake-v0" on this machine'):
        demospec.from_minari("test/lake-v0", world)
    written(env)
    with pytest.raises(InputError, match=r'did you mean "test/lake-v0"'):
        demospec.from_minari("test/lakes-v0", world)
    with pytest.raises(InputError, match="there is no episode 4; there are 1"):
        demospec.from_minari("test/lake-v0", world, episodes=[4])
    recorder = demospec.Recorder(env, world)
    with pytest.raises(InputError, match="nothing was recorded yet"):
        recorder.to_minari("test/none-v0")
    recorder.play(lambda observation: 0)
    with pytest.raises(InputError, match='the dataset "test/lake-v0" cannot be written'):
        recorder.to_minari("test/lake-v0")


def test_only_worlds_of_environments_read_datasets() -> None:
    env, world = lake()
    dataset = written(env)
    with pytest.raises(InputError, match="found a GridWorld"):
        demospec.from_minari(dataset, demospec.load_example("robot").world)  # type: ignore[arg-type]
    several = replace(world, link=replace(world.link, reading=None), starts=((0, 0.5), (1, 0.5)))
    with pytest.raises(
        InputError, match="its observations do not tell the state, and episodes begin in several"
    ):
        demospec.from_minari(dataset, several)

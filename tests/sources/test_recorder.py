"""Runs that are recorded in an environment are demonstrations in its world."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import pytest
from small_environments import Corridor

import demospec
from demospec.errors import InputError, PastTheEnd, UnknownState
from demospec.worlds.world import STOP

LIMIT = 20


def corridor(**asked: Any) -> tuple[demospec.Recorder, Any]:
    env = gymnasium.wrappers.TimeLimit(Corridor(), LIMIT)
    world = demospec.from_gymnasium(env, labels={3: "near", 4: "end"}, **{"horizon": LIMIT, **asked})
    return demospec.Recorder(env, world), world


def test_what_was_done_is_what_is_recorded() -> None:
    recorder, world = corridor()
    recorder.reset()
    for action in (1, 0, 1, 1, 1, 1):
        recorder.step(action)
    (path,) = recorder.demonstrations
    assert path.named(world) == ["1", "1", "0", "0", "1", "1", "1", "2", "1", "3", "1", "4"]
    assert path.complete
    with pytest.raises(InputError, match="the episode is over: reset"):
        recorder.step(0)


def test_the_horizon_completes_a_run_and_an_earlier_limit_does_not() -> None:
    recorder, _ = corridor()
    assert [path.complete for path in recorder.play(lambda observation: 0, episodes=2)] == [True, True]
    recorder, _ = corridor(horizon=30)
    (path,) = recorder.play(lambda observation: 0)
    assert (len(path.steps), path.complete) == (LIMIT, False)
    recorder, _ = corridor(horizon=5)
    recorder.reset()
    for _ in range(6):
        recorder.step(0)
    recorder.close()
    with pytest.raises(PastTheEnd, match=r"demonstration 1, step 6: .*at the horizon of 5 steps"):
        assert recorder.demonstrations


def test_a_run_that_is_left_is_unfinished() -> None:
    recorder, _ = corridor()
    recorder.reset()
    recorder.reset()  # nothing was done
    recorder.step(1)
    recorder.reset()
    recorder.step(1)
    recorder.close()
    assert [(len(path.steps), path.complete) for path in recorder.demonstrations] == [(1, False), (1, False)]


def test_stopping_is_a_choice_where_the_world_has_it() -> None:
    recorder, world = corridor(ends="by choice")
    recorder.reset()
    with pytest.raises(InputError, match="no step was taken"):
        recorder.stop()
    recorder.step(1)
    recorder.stop()
    (path,) = recorder.demonstrations
    assert world.action(path.steps[-1][0]) == STOP
    with pytest.raises(InputError, match='ends="by choice"'):
        corridor()[0].stop()


def test_a_policy_plays_as_its_probabilities_say() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    world = demospec.from_gymnasium(env, horizon=40)
    problem = demospec.Problem.of(world)
    agent = demospec.policy(problem, demospec.load_task("reach goal", world.letters), rationality=300)
    recorder = demospec.Recorder(env, world)
    runs = recorder.play(agent, episodes=200, seed=1)
    share = sum("goal" in problem.word(path) for path in runs) / 200
    expected = agent.satisfaction()
    assert abs(share - expected) < 4 * (expected * (1 - expected) / 200) ** 0.5
    assert recorder.play(agent, episodes=3, seed=1) == runs[:3]
    again = problem.with_demonstrations(runs)
    assert again.demonstrations == runs


def test_another_layout_is_refused_with_the_seed() -> None:
    pytest.importorskip("minigrid")
    env = gymnasium.make("MiniGrid-DoorKey-5x5-v0")
    world = demospec.from_gymnasium(env, horizon=10, seed=3, actions=["left", "right", "forward"])
    recorder = demospec.Recorder(env, world)
    with pytest.raises(UnknownState, match="which the world does not have: reset it with the seed 3"):
        recorder.reset(seed=0)
    recorder.reset()
    with pytest.raises(InputError, match="the world has no action 3; it has 0 left, 1 right, 2 forward"):
        recorder.step(3)
    assert recorder.play(lambda observation: 0)[0].complete


def test_other_worlds_record_nothing() -> None:
    with pytest.raises(InputError, match="in a world that `from_gymnasium` made; found a GridWorld"):
        demospec.Recorder(Corridor(), demospec.load_example("robot").world)  # type: ignore[arg-type]


def test_the_package_is_imported_only_where_it_is_used() -> None:
    code = "import sys, demospec; assert not {'gymnasium', 'minari', 'minigrid', 'h5py'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    without = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import demospec\n"
        "for use in (lambda: demospec.Recorder, lambda: demospec.from_gymnasium('FrozenLake-v1')):\n"
        "    try:\n"
        "        use()\n"
        "    except demospec.InputError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", without], check=True, capture_output=True, text=True)
    assert done.stdout.count('needs the package gymnasium: pip install "demospec[gymnasium]"') == 2

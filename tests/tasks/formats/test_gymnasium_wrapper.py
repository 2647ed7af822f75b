"""The exported Gymnasium wrapper: Gymnasium's own check, states and rewards as the automaton's, a learner."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from handed_over import many, module_of

from demospec.tasks import DFA
from demospec.tasks.formats.gymnasium import belief_to_gymnasium
from demospec.tasks.mixture import Mixture
from demospec.worlds.paths import word_of

gymnasium = pytest.importorskip("gymnasium")
EXAMPLE = Path(__file__).parents[3] / "examples" / "q_learning_frozen_lake.py"
TASK = DFA.parse(">0: G→1, H→2 | *1: | 2:", "FGHS")


@pytest.fixture
def wrapper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The module as a file, so that Gymnasium can make the environment again from its description."""
    return from_file("task_wrapper", TASK.to_gymnasium(), monkeypatch, tmp_path)


def from_file(name: str, text: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> ModuleType:
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module(name)


def letters_of(lake: Any) -> dict[int, str]:
    return dict(enumerate(lake.unwrapped.desc.astype(str).ravel().tolist()))


def check(env: Any) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        # It advises to check without wrappers; a wrapper is what is checked here.
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("merge_repeats", [False, True])
def test_discrete_observations_pass_gymnasiums_check(wrapper: ModuleType, merge_repeats: bool) -> None:
    lake = gymnasium.make("FrozenLake-v1")
    env = wrapper.TaskWrapper(lake, letters_of(lake), merge_repeats=merge_repeats)
    assert env.observation_space == gymnasium.spaces.Discrete(16 * 3)
    check(env)


def start_label(observation: Any, info: dict[str, Any]) -> str | None:
    return "G" if observation[0] > 0.02 else None


def test_other_observations_pass_gymnasiums_check(wrapper: ModuleType) -> None:
    env = wrapper.TaskWrapper(Walk(), start_label)
    assert set(env.observation_space.spaces) == {"observation", "task"}
    check(env)
    observation, _ = env.reset(seed=1)
    own, state = env.parts(observation)
    assert own.shape == (1,)
    assert state in (0, 1)


class Walk(gymnasium.Env[Any, Any]):  # type: ignore[misc, name-defined]
    """A step to the left or right on a line."""

    observation_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-0.05, 0.05)
        return np.array([self.place], np.float32), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place = float(np.clip(self.place + (0.1 if action else -0.1), -1, 1))
        return np.array([self.place], np.float32), 5.0, False, False, {"place": self.place}


class Script(gymnasium.Env[Any, Any]):  # type: ignore[misc, name-defined]
    """Shows given observations one after the other, numbered from 7."""

    action_space = gymnasium.spaces.Discrete(1)

    def __init__(self, shown: list[int], most: int) -> None:
        self.shown, self.observation_space = shown, gymnasium.spaces.Discrete(most, start=7)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        self.at = 0
        return self.shown[0], {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.at += 1
        return self.shown[self.at], 0.5, False, self.at + 1 == len(self.shown), {}


@pytest.mark.parametrize("merge_repeats", [False, True])
def test_states_and_rewards_are_those_of_the_automaton(merge_repeats: bool) -> None:
    rng = np.random.default_rng(0)
    for dfa, _ in many(60):
        module, task = module_of(dfa.to_gymnasium()), dfa.minimal
        label: dict[int, str | None] = {7 + k: a for k, a in enumerate([*dfa.alphabet, None])}
        shown = rng.integers(7, 7 + len(label), 15).tolist()
        env = module.TaskWrapper(
            Script(shown, len(label)), label, merge_repeats=merge_repeats, end_when_settled=False
        )
        observation, info = env.reset()
        before = task.accepting[info["task"]["state"]]
        total = 0.0
        for count in range(1, len(shown)):
            assert observation in env.observation_space
            word = word_of([label[one] for one in shown[:count]], merge_repeats=merge_repeats)
            assert env.parts(observation) == (shown[count - 1], task.run(word))
            observation, reward, _, _, info = env.step(0)
            total += reward
        word = word_of([label[one] for one in shown], merge_repeats=merge_repeats)
        assert before + total == task.accepts(word)
        assert info["task"]["letter"] == label[shown[-1]]


def test_an_episode_ends_when_the_task_is_settled_unless_told_otherwise() -> None:
    module = module_of(TASK.to_gymnasium())
    for ends in (True, False):
        env = module.TaskWrapper(Script([7, 8, 7], 2), {8: "G"}, end_when_settled=ends, keep_reward=True)
        env.reset()
        _, reward, terminated, _, info = env.step(0)
        assert (reward, terminated, info["task"]["verdict"]) == (1.5, ends, "satisfied")


def test_an_unknown_letter_is_named() -> None:
    env = module_of(TASK.to_gymnasium()).TaskWrapper(Script([7, 8], 2), {8: "X"})
    env.reset()
    with pytest.raises(ValueError, match="unknown letter 'X'; the task reads F, G, H, S"):
        env.step(0)


def test_the_learner_of_the_example_reaches_the_task(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("q_learning_frozen_lake", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    assert example.main(1500, 0) == 1.0
    assert "satisfied before learning: 0.00, after 1500 episodes: 1.00" in capsys.readouterr().out


# -- a belief over several tasks --------------------------------------------------------------------------


@pytest.mark.parametrize("merge_repeats", [False, True])
def test_a_beliefs_reward_adds_up_to_the_share_that_is_satisfied(merge_repeats: bool) -> None:
    rng = np.random.default_rng(1)
    drawn = [dfa for dfa, _ in many(60)]
    for first in drawn:
        tasks = [first, *(one for one in drawn if one.alphabet == first.alphabet and one != first)][:4]
        weights = rng.uniform(0.01, 1, len(tasks)).tolist()
        mixture = Mixture.of(zip(tasks, weights, strict=True), merge_repeats=False)
        module = module_of(belief_to_gymnasium(mixture))
        label: dict[int, str | None] = {7 + k: a for k, a in enumerate([*first.alphabet, None])}
        shown = rng.integers(7, 7 + len(label), 12).tolist()
        env = module.TaskWrapper(
            Script(shown, len(label)), label, merge_repeats=merge_repeats, end_when_settled=False
        )
        observation, info = env.reset()
        total = mixture.reward[info["task"]["state"]]
        for _ in shown[1:]:
            assert observation in env.observation_space
            observation, reward, _, _, info = env.step(0)
            total += reward
        word = word_of([label[one] for one in shown], merge_repeats=merge_repeats)
        marks = [task.accepts(word) for task in tasks]
        satisfied = sum(weight for weight, mark in zip(weights, marks, strict=True) if mark) / sum(weights)
        assert total == pytest.approx(satisfied, abs=1e-12)
        by_task = dict(zip(mixture.tasks, info["task"]["satisfied"], strict=True))
        assert [by_task[task] for task in tasks] == marks


def test_a_belief_of_one_task_has_its_reward_and_ends_when_nothing_can_change() -> None:
    module = module_of(belief_to_gymnasium(Mixture.of([(TASK, 0.2)], merge_repeats=False)))
    one = module_of(TASK.to_gymnasium())
    assert (module.LETTERS, module.TABLE, module.VERDICTS) == (one.LETTERS, one.TABLE, one.VERDICTS)
    assert tuple(map(float, one.ACCEPTING)) == module.REWARD
    other = DFA.parse(">0: H→1 | *1:", "FGHS")
    both = module_of(belief_to_gymnasium(Mixture.of([(TASK, 0.7), (other, 0.3)], merge_repeats=False)))
    env = both.TaskWrapper(Script([7, 8, 7], 2), {8: "H"})
    env.reset()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (pytest.approx(0.3), True)
    assert (info["task"]["verdict"], info["task"]["satisfied"]) == ("satisfied in part", (False, True))


def test_a_beliefs_wrapper_passes_gymnasiums_check(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lake = gymnasium.make("FrozenLake-v1")
    other = DFA.parse(">0: H→1 | *1:", "FGHS")
    text = belief_to_gymnasium(Mixture.of([(TASK, 0.7), (other, 0.3)], merge_repeats=False))
    module = from_file("belief_wrapper", text, monkeypatch, tmp_path)
    env = module.TaskWrapper(lake, letters_of(lake))
    assert env.observation_space == gymnasium.spaces.Discrete(16 * module.STATES)
    check(env)

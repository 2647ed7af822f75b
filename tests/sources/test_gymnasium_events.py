"""Labels of steps in worlds from Gymnasium: a fall is an event, the start is not."""

from __future__ import annotations

import pytest

import demospec
from demospec.errors import InputError

gymnasium = pytest.importorskip("gymnasium")


def cliff() -> demospec.MDP:
    return demospec.from_gymnasium(
        "CliffWalking-v1",
        features={"goal": "goal"},
        events={"fell": lambda reward: reward <= -100},
        horizon=15,
    )


def test_a_fall_is_an_event_of_its_step() -> None:
    world = cliff()
    assert world.letters == ("fell", "goal")
    table = gymnasium.make("CliffWalking-v1").unwrapped.P
    falls = [
        (state, action)
        for state, row in table.items()
        for action, outcomes in row.items()
        if outcomes[0][2] <= -100 and (at := world.find(str(state))) is not None and not world.ends(at)
    ]
    fallen = world.find("36 · fell")
    leading = [
        (world.name(state), world.action(pair))
        for state in range(len(world.states))
        for pair in world.pairs(state)
        if fallen in dict(world.outcomes(pair)) and " · " not in str(world.name(state))
    ]
    names = {0: "up", 1: "right", 2: "down", 3: "left"}
    assert sorted((int(str(name)), action) for name, action in leading) == sorted(
        (int(state), names[action]) for state, action in falls
    )


def test_what_happens_is_told_by_state_action_and_reward() -> None:
    seen: list[tuple[object, ...]] = []

    def happens(state: object, action: object, reached: object, reward: float) -> bool:
        seen.append((state, action, reached, reward))
        return False

    world = demospec.from_gymnasium("FrozenLake-v1", events={"never": happens}, horizon=5)
    assert world.letters == ("goal", "hole")
    assert ("14", "right", "15", 1) in seen
    with pytest.raises(InputError, match="cannot have labels"):
        demospec.from_gymnasium("FrozenLake-v1", events={"never": happens}, horizon=5, samples=1000)
    with pytest.raises(InputError, match='asks for "weather"'):
        demospec.from_gymnasium("FrozenLake-v1", events={"wet": lambda weather: True}, horizon=5)


def test_an_agent_nobody_has_seen_needs_its_rationality() -> None:
    problem = demospec.Problem.of(cliff(), agent=demospec.Learned(), code="words")
    task = demospec.load_task("reach goal; never fell", problem.alphabet)
    with pytest.raises(InputError, match="nothing was shown"):
        demospec.policy(problem, task)
    assert demospec.policy(problem, task, rationality=100).satisfaction() > 0

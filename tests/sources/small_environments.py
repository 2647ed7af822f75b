"""Environments of a few states, for tests."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import gymnasium
from gymnasium import spaces


class Corridor(gymnasium.Env[Any, Any]):
    """Cells 0 to 4; back and forth; the last one ends it."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = spaces.Discrete(5), spaces.Discrete(2)
        self.cell = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.cell = 0
        return self.observed(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.cell = max(0, self.cell + (1 if action else -1))
        return self.observed(), 0.0, self.cell == 4, False, {}

    def observed(self) -> Any:
        return self.cell


class Blurred(Corridor):
    """The observation does not tell cells 1 and 2 apart."""

    def observed(self) -> Any:
        return {2: 1}.get(self.cell, self.cell)


class Locked(Corridor):
    """It holds what cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()


class Windy(Corridor):
    """Now and then the wind blows back."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return super().step(0 if self.np_random.random() < 0.25 else action)


class Tired(gymnasium.Env[Any, Any]):
    """A table in which reaching state 1 ends an episode only sometimes; state 2 is never reached."""

    P: ClassVar = {
        0: {0: [(0.5, 1, 0.0, True), (0.25, 1, 0.0, False), (0.25, 0, 0.0, False)]},
        1: {0: [(1.0, 0, 0.0, False)]},
        2: {0: [(1.0, 2, 0.0, True)]},
    }

    def __init__(self) -> None:
        self.observation_space, self.action_space = spaces.Discrete(3), spaces.Discrete(1)
        self.s = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.s = int(self.np_random.integers(2))
        return self.s, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        outcomes = self.P[self.s][int(action)]
        chosen = outcomes[int(self.np_random.choice(len(outcomes), p=[one[0] for one in outcomes]))]
        self.s = chosen[1]
        return self.s, 0.0, chosen[3], False, {}

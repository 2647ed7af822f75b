"""Who showed it: rationality, effort and haste as the belief has them, and how far they are spread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from demospec.belief.belief import Belief
from demospec.belief.tuned import HIGH, LOOKED_AT, LOW
from demospec.explain.evidence import Evidence
from demospec.explain.setup import resolve
from demospec.plan.rationality import AgentPoint, Learned
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Floats


@dataclass(frozen=True)
class Spread:
    """A number that is not known: its mean, and where nine tenths of the belief are."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Demonstrator:
    """The belief about the agent. The mean of the rationality is geometric, since its grid is."""

    rationality: Spread
    effort: Spread
    haste: Spread
    points: tuple[tuple[AgentPoint, float], ...] = field(default=(), repr=False)  # each with its probability

    def chances(self, name: Literal["rationality", "effort", "haste"]) -> dict[float, float]:
        """Return each value of one of the numbers, with how likely it is."""
        found: dict[float, float] = {}
        for point, chance in self.points:
            value: float = getattr(point, name)
            found[value] = found.get(value, 0.0) + chance
        return dict(sorted(found.items()))


def demonstrator_of(belief: Belief, stop: Stop = NEVER) -> Demonstrator | None:
    """Return who showed it, where that is learned; a flag that is set meanwhile raises `Stopped`."""
    problem, agent = belief.problem, resolve(belief.problem).agent
    if not isinstance(agent, Learned):
        return None
    evidence = Evidence(problem, resolve(problem).planner.until(stop), agent)
    chance = np.zeros(len(agent.points))
    with_agent: dict[AgentPoint, list[int]] = {}
    for number, score in enumerate(belief.scores[:LOOKED_AT]):
        with_agent.setdefault(AgentPoint(score.rationality, score.effort, score.haste), []).append(number)
    for likeliest, numbers in with_agent.items():
        tasks = [belief.scores[number].language for number in numbers]
        for number, found in zip(numbers, evidence.around(tasks, likeliest), strict=True):
            points = np.array(found.log_points)
            likely = np.exp(points - points.max())
            chance += belief.weights[number] * likely / likely.sum()
    chance /= chance.sum()
    rationality, effort, haste = (
        np.array([getattr(point, name) for point in agent.points])
        for name in ("rationality", "effort", "haste")
    )
    return Demonstrator(
        spread_of(rationality, chance, geometric=True),
        spread_of(effort, chance),
        spread_of(haste, chance),
        tuple(zip(agent.points, chance.tolist(), strict=True)),
    )


def spread_of(values: Floats, chance: Floats, *, geometric: bool = False) -> Spread:
    """Return the mean and the quantiles of a number with these probabilities.

    >>> spread_of(np.array([1.0, 2.0, 3.0]), np.array([0.25, 0.5, 0.25]))
    Spread(mean=2.0, low=1.0, high=3.0)
    """
    if geometric and (values > 0).all():
        mean = float(np.exp((chance * np.log(values)).sum()))
    else:
        mean = float((chance * values).sum())
    order = np.argsort(values, kind="stable")
    below = np.cumsum(chance[order])
    low = float(values[order][np.searchsorted(below, LOW * below[-1])])
    high = float(values[order][min(len(values) - 1, int(np.searchsorted(below, HIGH * below[-1])))])
    return Spread(mean, low, high)

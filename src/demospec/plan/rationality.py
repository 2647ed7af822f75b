"""How rational the agent is: a given λ, or the λ at which it succeeds as often as is known.

p_sat grows monotonically in λ, so a competency is met by bracketing the root.
"""

from __future__ import annotations

from dataclasses import dataclass

from demospec.errors import CompetencyUnreachable, InputError
from demospec.mdp import MDP
from demospec.monitor import Monitor
from demospec.plan.soft_bellman import Plan, plan

MOST_RATIONAL = 1000.0  # λ above which nothing is searched: the agent is as good as perfect
TOLERANCE = 1e-9  # on p_sat
RESOLUTION = 1e-3  # how near to the best that the world allows is near enough


@dataclass(frozen=True)
class Fixed:
    """A given rationality λ."""

    rationality: float

    def __post_init__(self) -> None:
        if not 0 <= self.rationality <= MOST_RATIONAL:
            raise InputError(
                f"rationality must be between 0 and {MOST_RATIONAL:g}; found {self.rationality:g}"
            )


@dataclass(frozen=True)
class Competency:
    """The λ at which the agent satisfies its task with this probability."""

    competency: float

    def __post_init__(self) -> None:
        if not 0 <= self.competency <= 1:
            raise InputError(f"competency must be between 0 and 1; found {self.competency:g}")


@dataclass(frozen=True)
class Empirical:
    """The λ at which the agent succeeds as often as the complete demonstrations do.

    A share of m demonstrations cannot show a competency above 1 − 1/(2m); where the world does not allow
    as much, the nearest competency that it allows is taken, to within `RESOLUTION`.
    """


Agent = Fixed | Competency | Empirical


def plan_for(
    mdp: MDP, monitor: Monitor, agent: Agent, accepted: int, complete: int, *, nearest: bool = False
) -> Plan:
    """Plan for an agent model; `accepted` of `complete` demonstrations satisfy the task.

    A given competency above what the world allows raises `CompetencyUnreachable`, or with `nearest` is
    met as nearly as can be: a search compares tasks that it will not keep, and must go on.
    """
    if isinstance(agent, Fixed):
        return plan(mdp, monitor, agent.rationality)
    if isinstance(agent, Competency):
        return plan_at(mdp, monitor, agent.competency, nearest=nearest)
    if complete == 0:
        raise InputError("an empirical competency needs at least one complete demonstration")
    share = min(accepted / complete, 1 - 1 / (2 * complete))
    return plan_at(mdp, monitor, share, nearest=True)


def plan_at(mdp: MDP, monitor: Monitor, competency: float, *, nearest: bool) -> Plan:
    """Find the smallest λ with p_sat(λ) ≥ competency, to within `TOLERANCE`, by a bracketing search.

    λ = 0 when even an aimless agent is that competent.
    """
    low = plan(mdp, monitor, 0.0)
    if low.satisfaction_probability >= competency - TOLERANCE:
        return low
    high = plan(mdp, monitor, 1.0)
    while high.satisfaction_probability < competency - TOLERANCE:
        if high.rationality >= MOST_RATIONAL:
            if nearest:
                return plan_at(mdp, monitor, high.satisfaction_probability - RESOLUTION, nearest=False)
            raise CompetencyUnreachable(competency, high.satisfaction_probability)
        low, high = high, plan(mdp, monitor, min(4 * high.rationality, MOST_RATIONAL))
    # Regula falsi with the Illinois weight: keeps the bracket, needs about ten plans.
    below, above = low.satisfaction_probability - competency, high.satisfaction_probability - competency
    side = 0
    while abs(high.satisfaction_probability - competency) > TOLERANCE and (
        high.rationality - low.rationality > 1e-12 * high.rationality
    ):
        guess = (low.rationality * above - high.rationality * below) / (above - below)
        if not low.rationality < guess < high.rationality:
            guess = (low.rationality + high.rationality) / 2
        middle = plan(mdp, monitor, guess)
        error = middle.satisfaction_probability - competency
        if error >= 0:
            high, above = middle, error
            below = below / 2 if side == 1 else below
            side = 1
        else:
            low, below = middle, error
            above = above / 2 if side == -1 else above
            side = -1
            if -error <= TOLERANCE:
                return middle
    return high

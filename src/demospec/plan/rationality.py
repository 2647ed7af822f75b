"""How rational the agent is: a given λ, or the λ at which it succeeds as often as is known.

p_sat grows monotonically in λ, so a competency is met by bracketing the root.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from demospec.errors import CompetencyUnreachable, InputError
from demospec.mdp import MDP
from demospec.monitor import Monitor
from demospec.plan.base import ACCEPTED, Plan, Planner
from demospec.plan.tabular import PLANNER, TabularPlanner

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
    mdp: MDP,
    monitor: Monitor,
    agent: Agent,
    accepted: int,
    complete: int,
    *,
    nearest: bool = False,
    planner: Planner = PLANNER,
) -> Plan:
    """Plan for an agent model; `accepted` of `complete` demonstrations satisfy the task.

    A given competency above what the world allows raises `CompetencyUnreachable`, or with `nearest` is
    met as nearly as can be: a search compares tasks that it will not keep, and must go on.
    """
    if isinstance(agent, Fixed):
        return planner.plan(mdp, monitor, agent.rationality)
    if isinstance(agent, Competency):
        share = agent.competency
    elif complete == 0:
        raise InputError("an empirical competency needs at least one complete demonstration")
    else:
        share = min(accepted / complete, 1 - 1 / (2 * complete))
    rationality = rationality_at(
        mdp, monitor, share, nearest=nearest or isinstance(agent, Empirical), planner=planner
    )
    return planner.plan(mdp, monitor, rationality)


LADDER = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0, MOST_RATIONAL)


def rationality_at(
    mdp: MDP, monitor: Monitor, competency: float, *, nearest: bool, planner: Planner = PLANNER
) -> float:
    """Find the smallest λ with p_sat(λ) ≥ competency, to within `TOLERANCE`, by a bracketing search.

    λ = 0 when even an aimless agent is that competent. The ladder of first guesses is one pass of the
    planner; only what p_sat needs is planned.
    """
    quick = replace(planner, labels=(ACCEPTED,)) if isinstance(planner, TabularPlanner) else planner

    def p_sat(*guesses: float) -> list[float]:
        return [plan.satisfaction_probability for plan in quick.plans(mdp, [(monitor, g) for g in guesses])]

    ladder = p_sat(*LADDER)
    if ladder[-1] < competency - TOLERANCE:
        if not nearest:
            raise CompetencyUnreachable(competency, ladder[-1])
        competency = ladder[-1] - RESOLUTION
    at = next(k for k, chance in enumerate(ladder) if chance >= competency - TOLERANCE)
    if at == 0:
        return 0.0
    low, high = LADDER[at - 1 : at + 1]
    below, above = ladder[at - 1] - competency, ladder[at] - competency
    # Regula falsi with the Illinois weight: keeps the bracket, needs few passes.
    side, error = 0, above
    while abs(error) > TOLERANCE and high - low > 1e-12 * high:
        guess = (low * above - high * below) / (above - below)
        if not low < guess < high:
            guess = (low + high) / 2
        (chance,) = p_sat(guess)
        error = chance - competency
        if error >= 0:
            high, above = guess, error
            below = below / 2 if side == 1 else below
            side = 1
        else:
            if -error <= TOLERANCE:
                return guess
            low, below = guess, error
            above = above / 2 if side == -1 else above
            side = -1
            error = above
    return high

"""How rational the agent is: a given λ, or the λ at which it succeeds as often as is known.

p_sat grows monotonically in λ, so a competency is met by bracketing the root.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import islice, product, starmap

from demospec.errors import CompetencyUnreachable, InputError
from demospec.plan.base import ACCEPTED, Plan, Planner
from demospec.plan.monitor import Monitor
from demospec.plan.tabular import PLANNER
from demospec.worlds.world import World

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


@dataclass(frozen=True)
class AgentPoint:
    """One agent that it may be: rationality λ, effort c, nats for a step that costs one unit, and haste.

    Haste is how likely it takes every step to be the last: it wants to be done soon, and to stay so.
    """

    rationality: float
    effort: float = 0.0
    haste: float = 0.0


@dataclass(frozen=True)
class Mistake:
    """How mistakes may be made: `stray` is the chance that a demonstration is not this agent's, `slip` that
    a choice is not; `prior` is how likely that is.
    """

    stray: float
    slip: float
    prior: float


RATIONALITIES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
EFFORTS = (0.0, 1.0, 3.0, 8.0)
HASTES = (0.0, 0.05, 0.2)
NO_MISTAKES = (Mistake(0.0, 0.0, 1.0),)
MISTAKES = (
    Mistake(0.0, 0.0, 0.5),
    Mistake(0.05, 0.0, 0.15),
    Mistake(0.0, 0.03, 0.15),
    Mistake(0.05, 0.1, 0.1),
    Mistake(0.25, 0.03, 0.1),
)


@dataclass(frozen=True)
class Learned:
    """An agent of whom something is not known: None is learned, over a grid with a prior.

    Every rationality of the grid is as likely as any other, and so is every effort, and every haste. Where
    all actions cost the same and none of them can end an episode sooner, effort changes nothing, and is not
    `felt`: who walks straight there is in haste. Elsewhere effort says why, and haste is not learned.
    """

    rationality: float | None = None
    effort: float | None = None
    mistakes: float | None = None  # 0: nobody makes any; None: rare ones are expected
    haste: float | None = None
    felt: bool = True

    def __post_init__(self) -> None:
        if self.rationality is not None:
            Fixed(self.rationality)
        if self.effort is not None and not 0 <= self.effort < math.inf:
            raise InputError(f"effort must be a finite number of at least 0; found {self.effort:g}")
        if self.haste is not None and not 0 <= self.haste < 1:
            raise InputError(f"haste must be at least 0 and below 1; found {self.haste:g}")
        if self.mistakes not in (None, 0):
            raise InputError(f'mistakes must be 0 or "learned"; found {self.mistakes:g}')

    @property
    def rationalities(self) -> tuple[float, ...]:
        """Return the values of λ."""
        return RATIONALITIES if self.rationality is None else (self.rationality,)

    @property
    def efforts(self) -> tuple[float, ...]:
        """Return the values of c."""
        if not self.felt:
            return (0.0,)
        return EFFORTS if self.effort is None else (self.effort,)

    @property
    def hastes(self) -> tuple[float, ...]:
        """Return the values of haste."""
        if self.haste is not None:
            return (self.haste,)
        return (0.0,) if self.felt else HASTES

    @property
    def possible_mistakes(self) -> tuple[Mistake, ...]:
        """Return how mistakes may be made."""
        return MISTAKES if self.mistakes is None else NO_MISTAKES

    @property
    def points(self) -> tuple[AgentPoint, ...]:
        """Return every (λ, c, haste)."""
        return tuple(starmap(AgentPoint, product(self.rationalities, self.efforts, self.hastes)))

    def prior(self, point: AgentPoint) -> float:
        """Return how likely a point is beforehand."""
        del point
        return 1 / len(self.points)


Agent = Fixed | Competency | Empirical | Learned
Worlds = Sequence[tuple[World, float]]  # worlds that an agent acts in, and its share of episodes in each


def satisfaction(plans: Sequence[tuple[Plan, float]]) -> float:
    """Return p_sat of an agent over its worlds: of each plan, weighted by its share of the episodes."""
    return math.fsum(share * plan.satisfaction_probability for plan, share in plans)


def rationalities_for(
    worlds: Worlds,
    monitors: Sequence[Monitor],
    agent: Agent,
    accepted: Sequence[int],
    complete: int,
    *,
    nearest: bool = False,
    planner: Planner = PLANNER,
) -> list[float]:
    """Return the λ of an agent model for each of many tasks; `accepted` of `complete` runs satisfy each.

    A given competency above what the worlds allow raises `CompetencyUnreachable`, or with `nearest` is
    met as nearly as can be: a search compares tasks that it will not keep, and must go on.
    """
    if isinstance(agent, Fixed):
        return [agent.rationality] * len(monitors)
    if isinstance(agent, Competency):
        shares = [agent.competency] * len(monitors)
    elif complete == 0:
        raise InputError("an empirical competency needs at least one complete demonstration")
    else:
        shares = [min(count / complete, 1 - 1 / (2 * complete)) for count in accepted]
    nearest = nearest or isinstance(agent, Empirical)
    return rationalities_at(worlds, monitors, shares, nearest=nearest, planner=planner)


LADDER = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0, MOST_RATIONAL)
Bracketing = Generator[tuple[float, ...], list[float], float]  # asks for p_sat at some λ; returns λ


def rationalities_at(
    worlds: Worlds,
    monitors: Sequence[Monitor],
    competencies: Sequence[float],
    *,
    nearest: bool,
    planner: Planner = PLANNER,
) -> list[float]:
    """Find the smallest λ with p_sat(λ) ≥ competency, to within `TOLERANCE`, for many tasks.

    Each search takes its own course, and each pass of the planner serves all. Only what p_sat needs is
    planned.
    """
    quick = planner.for_labels(ACCEPTED)
    searches = [bracketing(competency, nearest=nearest) for competency in competencies]
    found: dict[int, float] = {}
    asked = {number: next(search) for number, search in enumerate(searches)}
    while asked:
        tasks = [(monitors[n], guess) for n, guesses in asked.items() for guess in guesses]
        plans = [[(plan, share) for plan in quick.plans(world, tasks)] for world, share in worlds]
        chances = iter([satisfaction(of_task) for of_task in zip(*plans, strict=True)])
        answers = {n: list(islice(chances, len(guesses))) for n, guesses in asked.items()}
        asked = {}
        for number, answer in answers.items():
            try:
                asked[number] = searches[number].send(answer)
            except StopIteration as end:
                found[number] = end.value
    return [found[number] for number in range(len(searches))]


def bracketing(competency: float, *, nearest: bool) -> Bracketing:
    """Search the smallest λ with p_sat(λ) ≥ competency, to within `TOLERANCE`: ask, and be told p_sat.

    λ = 0 when even an aimless agent is that competent. The first question is a ladder of guesses.
    """
    ladder = yield LADDER
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
        (chance,) = yield (guess,)
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

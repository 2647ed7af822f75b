"""From a competency to the rationality at which the agent has it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import demospec
from demospec.errors import CompetencyUnreachable, InputError
from demospec.plan.base import Plan
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.rationality import (
    MOST_RATIONAL,
    RESOLUTION,
    Agent,
    Competency,
    Empirical,
    Fixed,
    rationalities_for,
)
from demospec.plan.tabular import plan
from demospec.tasks import DFA
from demospec.testing.small_worlds import random_dfa, random_mdp
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

LETTERS = ("a", "b")


def plan_for(
    mdp: MDP, monitor: Monitor, agent: Agent, accepted: int, complete: int, *, nearest: bool = False
) -> Plan:
    """Plan for an agent that acts in one world only."""
    (rationality,) = rationalities_for([(mdp, 1.0)], [monitor], agent, [accepted], complete, nearest=nearest)
    return plan(mdp, monitor, rationality)


def case(seed: int) -> tuple[MDP, Monitor, float, float]:
    """Return a world, a monitor, and the satisfaction probabilities at no and at the largest rationality."""
    rng = np.random.default_rng([seed, 11])
    while True:
        mdp = random_mdp(rng, states=6, letters=LETTERS, horizon=5, outcomes=3, end_probability=0.05)
        monitor = make_monitor(random_dfa(rng, LETTERS, 3), merge_repeats=True)
        low, high = (plan(mdp, monitor, x).satisfaction_probability for x in (0.0, MOST_RATIONAL))
        if high - low > 0.1:
            return mdp, monitor, low, high


def gamble(chance: float) -> tuple[MDP, Monitor]:
    """Return a world in which trying succeeds with a given chance, and waiting never does."""
    mdp = MDP.build(
        [
            ("s", "try", {"won": chance, "lost": 1 - chance}),
            ("s", "wait", {"lost": 1.0}),
        ],
        start="s",
        terminal=["won", "lost"],
        labels={"won": "w"},
        episode=Episode(horizon=3),
    )
    return mdp, make_monitor(DFA.parse(">0: w→1 | *1:"), merge_repeats=False)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_reachable_competency_is_met(seed: int, share: float) -> None:
    mdp, monitor, low, high = case(seed)
    competency = low + share * (high - low)
    made = plan_for(mdp, monitor, Competency(competency), 0, 0)
    assert made.satisfaction_probability == pytest.approx(competency, abs=1e-6)
    assert 0 < made.rationality <= MOST_RATIONAL


@pytest.mark.parametrize("seed", range(10))
def test_rationality_grows_with_competency(seed: int) -> None:
    mdp, monitor, low, high = case(seed)
    found = [
        plan_for(mdp, monitor, Competency(low + share * (high - low)), 0, 0).rationality
        for share in (0.0, 0.2, 0.4, 0.6, 0.8, 0.99)
    ]
    assert found[0] == 0
    assert all(a < b for a, b in itertools.pairwise(found))


@pytest.mark.parametrize("seed", range(5))
def test_no_rationality_where_even_an_aimless_agent_is_more_competent(seed: int) -> None:
    mdp, monitor, low, _ = case(seed)
    for competency in (0.0, low / 2, low):
        assert plan_for(mdp, monitor, Competency(competency), 0, 0).rationality == 0


def test_the_rationality_of_a_gamble_by_hand() -> None:
    # Q(try) = λ/2, Q(wait) = 0: p = ½·e^(λ/2) / (e^(λ/2) + 1), so p = 0.4 asks for e^(λ/2) = 4.
    made = plan_for(*gamble(0.5), Competency(0.4), 0, 0)
    assert made.rationality == pytest.approx(2 * np.log(4), abs=1e-6)


def test_an_unreachable_competency_says_what_could_be_reached() -> None:
    with pytest.raises(CompetencyUnreachable, match=r"0\.7") as caught:
        plan_for(*gamble(0.6), Competency(0.7), 0, 0)
    assert caught.value.competency == 0.7
    assert caught.value.supremum == pytest.approx(0.6, abs=1e-9)


def test_a_competency_at_the_supremum_is_met() -> None:
    made = plan_for(*gamble(0.6), Competency(0.6), 0, 0)
    assert made.satisfaction_probability == pytest.approx(0.6, abs=1e-6)


def test_a_task_that_nothing_satisfies_has_supremum_zero() -> None:
    mdp, _ = gamble(0.5)
    monitor = make_monitor(DFA.constant(["w"], False), merge_repeats=False)
    with pytest.raises(CompetencyUnreachable) as caught:
        plan_for(mdp, monitor, Competency(0.5), 0, 0)
    assert caught.value.supremum == 0


def test_a_fixed_rationality_is_taken_as_it_is() -> None:
    mdp, monitor = gamble(0.5)
    assert plan_for(mdp, monitor, Fixed(3.5), 0, 0).rationality == 3.5


@pytest.mark.parametrize(
    ("accepted", "complete", "share"),
    [(1, 4, 0.25), (3, 4, 0.75), (4, 4, 1 - 1 / 8), (1, 1, 0.5), (7, 7, 1 - 1 / 14)],
)
def test_an_empirical_competency_is_the_share_of_successes_kept_away_from_certainty(
    accepted: int, complete: int, share: float
) -> None:
    mdp, monitor = gamble(0.999999)
    made = plan_for(mdp, monitor, Empirical(), accepted, complete)
    aimless = plan(mdp, monitor, 0.0).satisfaction_probability
    assert made.satisfaction_probability == pytest.approx(max(share, aimless), abs=1e-6)


def test_an_empirical_competency_that_the_world_does_not_allow_becomes_the_nearest() -> None:
    mdp, monitor = gamble(0.6)
    made = plan_for(mdp, monitor, Empirical(), 9, 10)
    assert made.satisfaction_probability == pytest.approx(0.6 - RESOLUTION, abs=1e-6)
    assert made.rationality < MOST_RATIONAL


def test_a_given_competency_is_met_as_nearly_as_can_be_only_when_asked() -> None:
    mdp, monitor = gamble(0.6)
    with pytest.raises(CompetencyUnreachable):
        plan_for(mdp, monitor, Competency(0.9), 0, 0)
    made = plan_for(mdp, monitor, Competency(0.9), 0, 0, nearest=True)
    assert made.satisfaction_probability == pytest.approx(0.6 - RESOLUTION, abs=1e-6)


def test_no_success_means_no_rationality() -> None:
    mdp, monitor = gamble(0.6)
    assert plan_for(mdp, monitor, Empirical(), 0, 5).rationality == 0


def test_an_empirical_competency_needs_a_complete_demonstration() -> None:
    with pytest.raises(InputError, match="complete demonstration"):
        plan_for(*gamble(0.6), Empirical(), 0, 0)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_competency_is_a_probability(wrong: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        Competency(wrong)


@pytest.mark.parametrize("wrong", [-1.0, 1001.0, float("inf"), float("nan")])
def test_a_rationality_is_within_what_can_be_computed(wrong: float) -> None:
    with pytest.raises(InputError, match="rationality"):
        Fixed(wrong)


def test_what_score_refuses_learn_does_not_rank() -> None:
    """A competency of 1: the search may pass tasks that no agent satisfies as often, but ranks none."""
    certain = replace(demospec.load_example("robot-paper"), agent=Competency(1.0))
    result = demospec.learn(certain.with_settings(method="paper", iterations=12))
    assert not all(score.reached for row in result.trace for score in row.info.scored)
    for entry in result.ranked:
        assert demospec.score(certain, entry.score.task).satisfaction_probability == pytest.approx(1)
    assert all(score.reached for score in result.belief.scores)

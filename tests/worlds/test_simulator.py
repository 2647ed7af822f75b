"""Simulators, what playing them counts, and the worlds that counts estimate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np
import pytest

from demospec.errors import (
    DemonstrationError,
    InputError,
    PastTheEnd,
    UnavailableAction,
    UnknownState,
    WorldError,
)
from demospec.testing.small_worlds import random_mdp
from demospec.worlds import simulator
from demospec.worlds.estimated import EstimatedMDP
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import read_path
from demospec.worlds.simulator import (
    Run,
    WorldSimulator,
    estimate,
    estimates,
)
from demospec.worlds.walk import first_steps
from demospec.worlds.world import Episode, State
from paper import WORLD


class Recorded(WorldSimulator):
    """Writes down every step."""

    def __init__(self, mdp: MDP, seed: int) -> None:
        super().__init__(mdp, seed=seed)
        self.seen: Counter[tuple[State, str, State]] = Counter()
        self.episodes: list[int] = []
        self.at: State = ""

    def reset(self) -> State:
        self.episodes.append(0)
        self.at = super().reset()
        return self.at

    def step(self, action: str) -> tuple[State, bool]:
        before, (self.at, ended) = self.at, super().step(action)
        self.seen[before, action, self.at] += 1
        self.episodes[-1] += 1
        return self.at, ended


def chances(mdp: MDP) -> dict[tuple[State, str], dict[State, float]]:
    return {
        (mdp.states[s], mdp.actions[mdp.pair_action[pair]]): {
            mdp.states[reached]: chance for reached, chance in mdp.outcomes(pair)
        }
        for s in range(len(mdp.states))
        for pair in mdp.pairs(s)
    }


def assert_estimates(world: EstimatedMDP, truth: MDP, deviations: float = 5.0) -> None:
    """Every share is near the true probability of its outcome; nothing happens that cannot."""
    expected = chances(truth)
    tries = dict(zip(chances(world), world.tries, strict=True))
    for pair, outcomes in chances(world).items():
        assert set(outcomes) <= set(expected[pair])
        for state, chance in expected[pair].items():
            deviation = np.sqrt(chance * (1 - chance) / tries[pair])
            assert abs(outcomes.get(state, 0.0) - chance) <= deviations * deviation + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_counts_are_what_happened(seed: int) -> None:
    mdp = random_mdp(np.random.default_rng(seed), states=6, horizon=4, terminal=seed % 3, outcomes=3)
    simulator = Recorded(mdp, seed)
    world = estimate(simulator, steps=501, seed=seed)
    pair_name = [
        (world.states[s], world.actions[world.pair_action[pair]])
        for s in range(len(world.states))
        for pair in world.pairs(s)
    ]
    counted = {
        (*pair_name[pair], world.states[reached]): count
        for pair in range(len(pair_name))
        for (reached, _), count in zip(
            world.outcomes(pair), world.counts[slice(*world.outcome_offset[pair : pair + 2])], strict=True
        )
        if count
    }
    assert counted == simulator.seen
    assert sum(simulator.episodes) == 501
    assert max(simulator.episodes) <= mdp.horizon
    ends = {state for state, ended in zip(mdp.states, mdp.terminal, strict=True) if ended}
    assert {s for s, ended in zip(world.states, world.terminal, strict=True) if ended} <= ends
    assert [mdp.labels[mdp.number[s]] for s in world.states] == list(world.labels)
    assert world.episode == mdp.episode


def test_the_papers_world_is_found() -> None:
    world = estimate(WorldSimulator(WORLD, seed=1), steps=20_000, seed=1)
    assert set(world.states) == set(WORLD.states)
    assert_estimates(world, WORLD)
    assert world.tries.sum() == 20_000
    assert world.tries.min() >= 20  # of 78 on average


def test_a_deterministic_world_is_found_exactly() -> None:
    mdp = random_mdp(np.random.default_rng(2), states=12, actions=3, outcomes=1, horizon=6, terminal=1)
    world = estimate(WorldSimulator(mdp), steps=2_000)
    near = {mdp.states[state] for state in np.flatnonzero(first_steps(mdp) < mdp.horizon)}
    assert chances(world) == {pair: reached for pair, reached in chances(mdp).items() if pair[0] in near}
    assert len(near) > 6


def lock(length: int) -> MDP:
    """Each step one of two actions goes on, the other goes back to the beginning."""
    rows: list[tuple[State, str, dict[State, float]]] = []
    for k in range(length):
        right, wrong = ("l", "r") if k * k % 3 else ("r", "l")
        rows += [(f"{k}", right, {f"{k + 1}": 1.0}), (f"{k}", wrong, {"0": 1.0})]
    rows += [(f"{length}", action, {"0": 1.0}) for action in ("l", "r")]
    return MDP.build(rows, start="0", labels={f"{length}": "a"}, episode=Episode(horizon=length + 1))


def test_exploring_opens_locks_that_chance_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    mdp = lock(14)
    curious = estimate(WorldSimulator(mdp), steps=3_000)
    assert curious.known.all()
    assert curious.tries.min() > 10
    monkeypatch.setattr(simulator, "AT_RANDOM", 1.0)
    by_chance = estimate(WorldSimulator(mdp), steps=3_000)
    assert "14" not in by_chance.number


def test_the_same_seeds_give_the_same_world() -> None:
    worlds = [estimate(WorldSimulator(WORLD, seed=5), steps=1_000, seed=seed) for seed in (7, 7, 8)]
    assert worlds[0].states == worlds[1].states
    assert np.array_equal(worlds[0].counts, worlds[1].counts)
    assert not np.array_equal(worlds[0].counts, worlds[2].counts)


def test_estimates_come_one_by_one_and_get_better() -> None:
    simulator = Recorded(WORLD, 0)
    found = estimates(simulator, steps=500)
    assert not simulator.seen
    worlds = list(islice(found, 3))
    assert [world.tries.sum() for world in worlds] == [500, 1_000, 1_500]
    assert sum(simulator.seen.values()) == 1_500


# What was never tried, and what only demonstrations show.


def gamble(rare: float, *, end_probability: float = 0.0, terminal: bool = False) -> MDP:
    return MDP.build(
        [
            ("s", "try", {"won": rare, "s": 1 - rare}),
            ("s", "wait", {"s": 1.0}),
            ("won", "stay", {"won": 1.0}),
        ],
        start="s",
        labels={"won": "w"},
        terminal=["won"] if terminal else [],
        episode=Episode(horizon=3, end_probability=end_probability),
    )


def test_what_a_demonstration_shows_is_possible() -> None:
    mdp = gamble(1e-9)
    run = Run(["wait", "s", "try", "won"], complete=False)
    without = estimate(WorldSimulator(mdp), steps=300)
    with pytest.raises(UnknownState):
        read_path(without, run.path, complete=False)
    world = estimate(WorldSimulator(mdp), steps=300, runs=[run, run])
    path = read_path(world, run.path, complete=False)
    tries = world.tries[path.steps[1][0]]
    assert dict(world.outcomes(path.steps[1][0]))[world.number["won"]] == pytest.approx(2 / tries)
    assert world.tries.sum() == 304


def test_a_pair_that_was_never_tried_stays_put_and_is_not_known() -> None:
    world = estimate(WorldSimulator(gamble(1e-9)), steps=300, runs=[Run(["try", "won"], complete=False)])
    won = world.number["won"]
    assert world.known.tolist() == [state != won for state in range(2)]
    assert [world.outcomes(pair) for pair in world.pairs(won)] == [[(won, 1.0)]]
    assert world.tries[world.pairs(won)[0]] == 0


@pytest.mark.parametrize("rare", [0.5, 1e-9])
@pytest.mark.parametrize(
    ("end_probability", "terminal", "steps", "ends"),
    [
        (0.0, True, 1, True),  # no episode ends so early otherwise
        (0.1, True, 1, True),  # the simulator says so
        (0.1, False, 1, False),  # by chance
        (0.0, False, 3, False),  # at the horizon
    ],
)
def test_a_complete_demonstration_ends_where_the_simulator_does(
    rare: float, end_probability: float, terminal: bool, steps: int, ends: bool
) -> None:
    mdp = gamble(rare, end_probability=end_probability, terminal=terminal)
    run = Run([*["wait", "s"] * (steps - 1), "try", "won"], complete=True)
    world = estimate(WorldSimulator(mdp), steps=300, runs=[run])
    assert set(world.states) == {"s", "won"}
    assert world.terminal[world.number["won"]] == ends
    assert read_path(world, run.path, complete=True).complete


class Coin:
    """Staying may end the episode in the state in which another one goes on."""

    def __init__(self, ends: float = 0.25) -> None:
        self.ends, self.rng, self.episode = ends, np.random.default_rng(0), Episode(horizon=4)

    def reset(self) -> State:
        return (1, 1)

    def step(self, action: str) -> tuple[State, bool]:
        return (2, 2), bool(self.rng.random() < self.ends)

    def actions(self, state: State) -> Sequence[str]:
        return ("stay",)

    def label(self, state: State) -> str | None:
        return "a" if state == (2, 2) else None


def test_a_state_that_sometimes_ends_an_episode_is_two() -> None:
    world = estimate(Coin(), steps=4_000)
    assert set(world.states) == {(1, 1), (2, 2), "(2, 2) (end)"}
    ended = world.number["(2, 2) (end)"]
    assert world.terminal.tolist() == [state == ended for state in range(3)]
    assert world.labels[ended] == "a"
    for pair in range(2):
        assert dict(world.outcomes(pair))[ended] == pytest.approx(0.25, abs=0.05)
    path: list[str | State] = ["stay", (2, 2), "stay", "(2, 2) (end)"]
    again = estimate(Coin(), steps=4_000, runs=[Run(["stay", (2, 2), "stay", (2, 2)], complete=True)])
    assert read_path(again, path, complete=True).complete
    assert again.counts.sum() == 4_002


def test_a_state_must_not_be_named_as_the_end_in_another() -> None:
    class Confusing(Coin):
        def reset(self) -> State:
            return "(2, 2) (end)"

    with pytest.raises(WorldError, match=r'"\(2, 2\) \(end\)" is the name of a state, and of the end'):
        estimate(Confusing(), steps=200)


class Wrong(Coin):
    """A simulator with one thing wrong."""

    def __init__(self, wrong: str) -> None:
        super().__init__()
        self.wrong, self.resets = wrong, 0

    def reset(self) -> State:
        self.resets += 1
        return (3, 3) if self.wrong == "start" and self.resets > 2 else (1, 1)

    def actions(self, state: State) -> Sequence[str]:
        return () if self.wrong == "actions" and state == (2, 2) else ("stay",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("start", r"began in state \(1, 1\), another in \(3, 3\); a world has one start state"),
        ("actions", r"state \(2, 2\) does not end an episode, but offers no action"),
    ],
)
def test_a_simulator_that_contradicts_itself_is_refused(wrong: str, message: str) -> None:
    with pytest.raises(WorldError, match=message):
        estimate(Wrong(wrong), steps=100)


@pytest.mark.parametrize(
    ("run", "kind", "message"),
    [
        (Run(["try"], complete=True), DemonstrationError, "demonstration 2: the path has 1 entries"),
        (
            Run(["wait", "s", "tri", "won"], complete=True),
            UnavailableAction,
            r'demonstration 2, step 2: action "tri" is not available \(did you mean "try"\?\)',
        ),
        (
            Run(["try", "won", "stay", "won"], complete=True),
            PastTheEnd,
            'demonstration 2, step 1: the path does not end in state "won"',
        ),
    ],
)
def test_a_demonstration_that_cannot_be_counted_is_refused(
    run: Run, kind: type[Exception], message: str
) -> None:
    simulator = WorldSimulator(gamble(0.5, terminal=True))
    with pytest.raises(kind, match=message):
        estimate(simulator, steps=10, runs=[Run(["wait", "s"], complete=False), run])


def test_a_world_needs_steps() -> None:
    with pytest.raises(InputError, match="at least 1 step; found 0"):
        estimate(Coin(), steps=0)


# Worlds that could have given the same counts.


def drawn(world: EstimatedMDP, count: int) -> list[dict[tuple[State, str], dict[State, float]]]:
    rng = np.random.default_rng(0)
    return [chances(world.redrawn(rng)) for _ in range(count)]


def test_outcomes_are_drawn_by_dirichlet() -> None:
    # Trying led to "s" 6 times and to "won" 2 times, waiting to "s" 5 times.
    world = EstimatedMDP(
        states=("s", "won", "end"),
        actions=("try", "wait"),
        starts=((0, 1.0),),
        labels=(None, "w", None),
        terminal=np.array([False, True, True]),
        pair_offset=np.array([0, 2, 2, 2]),
        pair_action=np.array([0, 1]),
        outcome_offset=np.array([0, 2, 3]),
        successor=np.array([0, 1, 0]),
        probability=np.array([0.75, 0.25, 1.0]),
        episode=Episode(horizon=2),
        counts=np.array([6.0, 2.0, 5.0]),
    )
    draws = drawn(world, 2_000)
    # Any of the three states is drawn: "end" is new to trying, "won" and "end" are new to waiting.
    assert world.unseen == 0.5  # nothing was seen just once: 1 for two pairs
    tried = [draw["s", "try"] for draw in draws]
    new = np.array(["end" in outcomes for outcomes in tried])
    assert new.mean() == pytest.approx(1 / 3, abs=0.04)
    for total, rows in ((8.0, ~new), (8.5, new)):
        won = np.array([outcomes["won"] for outcomes, here in zip(tried, rows, strict=True) if here])
        mean = 2 / total
        deviation = np.sqrt(mean * (1 - mean) / (total + 1))
        assert won.mean() == pytest.approx(mean, abs=5 * deviation / np.sqrt(len(won)))
        assert won.std() == pytest.approx(deviation, rel=0.1)
    waited = [draw["s", "wait"] for draw in draws]
    assert {tuple(outcomes) for outcomes in waited} == {("s",), ("s", "won"), ("s", "end")}
    away = np.array([1 - outcomes["s"] for outcomes in waited if len(outcomes) == 2])
    assert away.mean() == pytest.approx(0.5 / 5.5, rel=0.1)


def test_what_was_not_seen_counts_as_what_was_seen_once() -> None:
    # The expected probability of a new outcome, after n tries of each pair, against counts of single ones.
    mdp = random_mdp(
        np.random.default_rng(6), states=40, actions=2, outcomes=12, horizon=30, same_actions=True
    )
    world = estimate(WorldSimulator(mdp), steps=1_000)
    truth, seen = chances(mdp), chances(world)
    missing = sum(1 - sum(truth[pair][state] for state in reached) for pair, reached in seen.items())
    assert (world.unseen / world.tries).sum() == pytest.approx(missing, rel=0.3)


def test_a_pair_that_was_never_tried_may_lead_anywhere() -> None:
    world = estimate(WorldSimulator(gamble(1e-9)), steps=300, runs=[Run(["try", "won"], complete=False)])
    leads = Counter(tuple(draw["won", "stay"].items()) for draw in drawn(world, 400))
    assert set(leads) == {(("s", 1.0),), (("won", 1.0),)}
    assert min(leads.values()) > 120


@pytest.mark.parametrize("seed", range(4))
def test_drawn_worlds_are_worlds(seed: int) -> None:
    mdp = random_mdp(np.random.default_rng(seed), states=6, horizon=4, terminal=seed % 3, outcomes=3)
    world = estimate(WorldSimulator(mdp, seed=seed), steps=60, seed=seed)
    for outcomes, seen in ((draw, chances(world)) for draw in drawn(world, 20)):
        assert list(outcomes) == list(seen)
        for pair, reached in outcomes.items():
            assert sum(reached.values()) == pytest.approx(1)
            assert len(set(reached) - set(seen[pair])) <= 1
    redrawn = world.redrawn(np.random.default_rng(1))
    assert len(redrawn.successor) == sum(map(len, chances(redrawn).values()))  # none is listed twice
    assert (redrawn.probability > 0).all()

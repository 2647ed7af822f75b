"""The planner on decision diagrams against all histories, the planner for listed worlds, and closed forms."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import paper
from demospec.errors import InputError, WorldError
from demospec.explain.evaluator import Evaluator
from demospec.explain.pursuing import sample
from demospec.explain.score import evaluate
from demospec.plan.base import ACCEPTED, LABELS, OPEN, REVOCABLE, Plan
from demospec.plan.diagrams import CodeTree, DiagramPlanner, symbolic_of
from demospec.plan.monitor import Monitor, make_monitor
from demospec.plan.rationality import Competency, Fixed, rationalities_at, rationalities_for
from demospec.plan.sample import Sampler, sample_path
from demospec.plan.tabular import TabularPlanner
from demospec.problem import Problem
from demospec.runs.session import learn
from demospec.search.diss import Search
from demospec.tasks import DFA
from demospec.testing.planners import check_planner
from demospec.testing.small_worlds import ByEnumeration, random_dfa
from demospec.worlds import unlisted
from demospec.worlds.factored import FactoredWorld, bit, bits, coin, integer, lift
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode, World, only_start
from factored_worlds import ListedByDiagrams, paper_world, random_world, rooms

LETTERS = ("a", "b")
PLANNER = DiagramPlanner()
KINDS = list(product([0.0, 0.25], [False, True], [False, True]))  # end probability, terminal, guarded


def where(made: Plan, path: Path) -> tuple[int, int, int]:
    """Return (time, monitor, state) of a history."""
    monitor = 0
    for state in path.states(made.world):
        monitor = made.read(monitor, state)
    return len(path.steps), monitor, path.states(made.world)[-1]


def first(made: Plan) -> int:
    """Return the monitor's state when the only start is read."""
    ((_, (_, monitor, _)),) = made.beginnings
    return monitor


def action_values(made: Plan, at: tuple[int, int, int]) -> list[float]:
    time, monitor, state = at
    pairs = np.array(made.world.pairs(state), dtype=np.intp)
    q = made.action_values(np.full_like(pairs, time), np.full_like(pairs, monitor), pairs)
    return [float(x) for x in q]


def translated(path: Path, mdp: MDP, world: FactoredWorld) -> Path:
    """Return a path of the listed world as one of the factored world."""
    steps = path.to_file(mdp)
    return read_path(world, [str(part) for part in steps], complete=path.complete)


def number(world: World, name: str) -> int:
    """Return the number of a state that the world has."""
    found = world.find(name)
    assert found is not None
    return found


def assert_agrees(made: Plan, witness: ByEnumeration) -> None:
    """Compare with all histories of the listed world."""
    assert isinstance(made.world, FactoredWorld)
    for history in witness.histories():
        at = where(made, translated(history, witness.mdp, made.world))
        assert made.value(*at) == pytest.approx(witness.value(history), rel=1e-12, abs=1e-11)
        expected = [witness.action_value(history, pair) for pair in witness.pairs(history)]
        assert action_values(made, at) == pytest.approx(expected, rel=1e-12, abs=1e-11)
        accepted, still_open, revocable = (made.chance(label, *at) for label in LABELS)
        assert accepted == pytest.approx(witness.chance(history), abs=1e-12)
        assert still_open == pytest.approx(witness.chance(history, OPEN), abs=1e-12)
        assert revocable == pytest.approx(witness.chance(history, REVOCABLE), abs=1e-12)
    assert made.satisfaction_probability == pytest.approx(witness.chance(), abs=1e-12)


def assert_same_plan(made: Plan, listed: Plan, tolerance: float = 1e-9) -> int:
    """Compare two plans wherever an episode can be; return how many places that are."""
    world, mdp = made.world, listed.world.listed()
    reached = {(first(made), only_start(world))}
    places = 0
    for time in range(world.episode.horizon):
        following = set()
        for monitor, state in sorted(reached):
            there = mdp.number[world.name(state)]
            one, other = (time, monitor, state), (time, monitor, there)
            assert made.value(*one) == pytest.approx(listed.value(*other), rel=tolerance, abs=tolerance)
            for label in LABELS:
                expected = listed.chance(label, *other)
                assert made.chance(label, *one) == pytest.approx(expected, rel=1e-7, abs=tolerance)
            places += 1
            for pair in world.pairs(state):
                following |= {
                    (made.read(monitor, to), to)
                    for to, _ in world.outcomes(pair)
                    if world.end_chance(to, time + 1) < 1
                }
        reached = following
    return places


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("end_probability", "terminal", "guarded"), KINDS)
def test_values_policy_and_labels_are_those_of_all_histories(
    seed: int, end_probability: float, terminal: bool, guarded: bool
) -> None:
    rng = np.random.default_rng([seed, 1])
    world = random_world(
        rng,
        horizon=2 if seed else 3,
        coins=1 + seed % 2,
        end_probability=end_probability,
        terminal=terminal,
        guarded=guarded,
    )
    mdp = world.listed()
    for states, rationality in [(2, 3.0), (3, 10.0)]:
        task, merge = random_dfa(rng, LETTERS, states), bool(seed % 2)
        made = PLANNER.plan(world, make_monitor(task, merge_repeats=merge), rationality)
        assert_agrees(made, ByEnumeration(mdp, task, rationality, merge_repeats=merge))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("terminal", [False, True])
def test_all_labels_are_those_of_all_histories_with_bounds(seed: int, terminal: bool) -> None:
    rng = np.random.default_rng([seed, 2])
    world = random_world(rng, horizon=2, end_probability=0.2, terminal=terminal, guarded=True)
    lower = random_dfa(rng, LETTERS, 3)
    prior = lower | random_dfa(rng, LETTERS, 2)
    task = (random_dfa(rng, LETTERS, 2) | lower) & prior
    for bounds in ({"prior": prior}, {"lower": lower}, {"prior": prior, "lower": lower}):
        made = PLANNER.plan(world, make_monitor(task, merge_repeats=True, **bounds), 4.0)
        assert_agrees(made, ByEnumeration(world.listed(), task, 4.0, merge_repeats=True, **bounds))


@pytest.mark.parametrize("actions", range(1, 8))
@pytest.mark.parametrize(("end_probability", "terminal", "guarded"), KINDS)
def test_any_number_of_actions_agrees_with_the_planner_for_listed_worlds(
    actions: int, end_probability: float, terminal: bool, guarded: bool
) -> None:
    rng = np.random.default_rng([actions, 3])
    world = random_world(
        rng, actions=actions, horizon=7, end_probability=end_probability, terminal=terminal, guarded=guarded
    )
    monitor = make_monitor(random_dfa(rng, LETTERS, 4), merge_repeats=bool(actions % 2))
    made, listed = (
        planner.plan(one, monitor, 5.0)
        for planner, one in ((PLANNER, world), (TabularPlanner(), world.listed()))
    )
    assert_same_plan(made, listed)


def test_the_random_worlds_cover_what_they_should() -> None:
    decided = stops = skipped = several = unavailable = stretched = 0
    for actions, (end_probability, terminal, guarded) in product(range(1, 8), KINDS):
        rng = np.random.default_rng([actions, 3])
        kind: dict[str, Any] = {"end_probability": end_probability, "terminal": terminal, "guarded": guarded}
        world = random_world(rng, actions=actions, horizon=7, **kind)
        monitor = make_monitor(random_dfa(rng, LETTERS, 4), merge_repeats=bool(actions % 2))
        diagram = PLANNER.plan(world, monitor, 5.0).diagram
        for layer in diagram.nodes.layers[2:]:
            decided += len(layer.decided)
            stops += len(layer.stops)
            skipped += sum(count > 1 for _, count in layer.choices)
            several += len(layer.choices) > len(layer.choosing)
        unavailable += diagram.symbolic.step(1)[1] != diagram.symbolic.manager.true()
        stretched += sum(map(len, (coins for layer in diagram.nodes.layers for coins in layer.coins)))
    assert min(decided, stops, skipped, several, unavailable, stretched) > 20


def paper_tasks() -> list[Monitor]:
    rng = np.random.default_rng(5)
    tasks = [random_dfa(rng, paper.LETTERS, states) for states in (2, 3, 3, 4, 5)]
    bounded = make_monitor(paper.BEST, merge_repeats=True, prior=paper.PRIOR)
    return [
        make_monitor(paper.BEST, merge_repeats=True),
        bounded,
        *(make_monitor(task, merge_repeats=bool(number % 2)) for number, task in enumerate(tasks)),
    ]


@pytest.mark.parametrize("number", range(7))
def test_the_papers_world_agrees_with_the_planner_for_listed_worlds(number: int) -> None:
    world, monitor = paper_world(), paper_tasks()[number]
    listed = TabularPlanner().plan(world.listed(), monitor, 10.0)
    assert_same_plan(PLANNER.plan(world, monitor, 10.0), listed)
    grid = TabularPlanner().plan(paper.WORLD, monitor, 10.0)  # the same world from its map
    assert listed.expected_value() == pytest.approx(grid.expected_value(), rel=1e-12)


def one_way(actions: int, good: int, episode: Episode, **more: Any) -> FactoredWorld:
    """Return a world in which the actions from number `good` on set a bit that stays set."""
    done = bit("done")
    return FactoredWorld(
        variables=[done],
        actions={f"m{k}": {"done": True} if k >= good else {} for k in range(actions)},
        start={},
        episode=episode,
        labels={"a": done},
        **more,
    )


EVENTUALLY = make_monitor(DFA.parse(">0: a→1 | *1:", LETTERS[:1]), merge_repeats=True)
NEVER = make_monitor(DFA.parse(">0:", LETTERS[:1]), merge_repeats=True)


@pytest.mark.parametrize("actions", [1, 2, 3, 4, 5, 7, 8, 9, 33])
@pytest.mark.parametrize("end_probability", [0.0, 0.1])
def test_an_agent_with_nothing_to_gain_still_has_all_choices(actions: int, end_probability: float) -> None:
    world = one_way(actions, actions, Episode(horizon=9, end_probability=end_probability))
    made = PLANNER.plan(world, NEVER, 10.0)
    steps = sum((1 - end_probability) ** step for step in range(9))  # expected
    assert made.expected_value() == pytest.approx(steps * math.log(actions), abs=1e-12)
    assert [made.expected_chance(label) for label in (ACCEPTED, OPEN, REVOCABLE)] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("actions", range(2, 10))
@pytest.mark.parametrize("end_probability", [0.0, 0.1])
def test_actions_that_differ_in_no_way_count_one_by_one(actions: int, end_probability: float) -> None:
    # Some bits of an action's code are skipped here: each would lose ln 2 if it did not count.
    for good in range(actions):
        world = one_way(actions, good, Episode(horizon=2, end_probability=end_probability))
        made, right = PLANNER.plan(world, EVENTUALLY, 3.0), actions - good
        last = math.log(good + right * math.exp(3))
        # Ended with success is worth λ; success decided with a step to go is worth ln(actions) more.
        done = end_probability * 3 + (1 - end_probability) * (3 + math.log(actions))
        expected = good * math.exp((1 - end_probability) * last) + right * math.exp(done)
        assert made.expected_value() == pytest.approx(math.log(expected), rel=1e-12)


@pytest.mark.parametrize("end_probability", [0.0, 0.1])
def test_a_sure_end_in_a_terminal_state_leaves_the_choices_before_it(end_probability: float) -> None:
    stage = integer("stage", 0, 3)
    world = FactoredWorld(
        variables=[stage],
        actions={name: {"stage": stage.clip(stage + 1)} for name in ("x", "y", "z")},
        start={"stage": 0},
        episode=Episode(horizon=8, end_probability=end_probability),
        labels={"a": stage > 0},
        terminal=stage == 2,
    )
    made = PLANNER.plan(world, EVENTUALLY, 3.0)
    assert made.expected_value() == pytest.approx(3 + math.log(3) * (2 - end_probability), rel=1e-12)
    assert made.satisfaction_probability == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("actions", range(1, 20))
def test_codes_of_actions_are_complete_and_short(actions: int) -> None:
    codes = list(CodeTree(actions).codes())
    assert len(set(codes)) == actions
    assert sum(2.0 ** -len(code) for code in codes) == 1  # every string of bits begins with one of them
    assert {len(code) for code in codes} <= {CodeTree(actions).bits, max(CodeTree(actions).bits - 1, 0)}


@pytest.mark.parametrize("rarest", [1e-12, 1 - 1e-12])
@pytest.mark.parametrize("rationality", [0.0, 1000.0])
def test_extreme_numbers_stay_finite_and_right(rarest: float, rationality: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng([seed, 4])
        world = random_world(rng, horizon=6, end_probability=1e-9, terminal=bool(seed % 2), rarest=rarest)
        monitor = make_monitor(random_dfa(rng, LETTERS, 3), merge_repeats=True)
        made = PLANNER.plan(world, monitor, rationality)
        assert assert_same_plan(made, TabularPlanner().plan(world.listed(), monitor, rationality)) > 5
        assert math.isfinite(made.expected_value())


def test_a_rare_coin_is_not_lost() -> None:
    done, rare = bit("done"), coin("rare", 1e-12)
    world = FactoredWorld(
        variables=[done],
        actions={"wait": {"done": done | rare}},
        start={},
        episode=Episode(horizon=1),
        labels={"a": done},
    )
    made = PLANNER.plan(world, EVENTUALLY, 1000.0)
    assert made.satisfaction_probability == pytest.approx(1e-12, rel=1e-9)
    assert made.expected_value() == pytest.approx(1e-9, rel=1e-9)


def test_a_goal_out_of_reach_and_a_dead_end() -> None:
    world = rooms(horizon=4)  # the lamp is too far away to come back to the door
    task = DFA.parse(">0: lit→1 | 1: door→2 | *2:", ("door", "lit"))
    made = PLANNER.plan(world, make_monitor(task, merge_repeats=True), 1000.0)
    assert made.expected_value() == pytest.approx(4 * math.log(3), rel=1e-12)
    assert made.satisfaction_probability == 0.0
    assert not Sampler(made, np.random.default_rng(0), ACCEPTED).finish([], first(made), only_start(world))
    # m0 leads where nothing can be won any more, m1 waits, m2 wins.
    lost, won = bit("lost"), bit("won")
    dead_end = FactoredWorld(
        variables=[lost, won],
        actions={"m0": {"lost": True}, "m1": {}, "m2": {"won": won | ~lost}},
        start={},
        episode=Episode(horizon=2),
        labels={"a": won},
    )
    made = PLANNER.plan(dead_end, EVENTUALLY, 1000.0)
    assert made.expected_value() == pytest.approx(1000 + math.log(3 + 1), rel=1e-12)
    assert made.satisfaction_probability == pytest.approx(1, abs=1e-12)
    assert made.value(1, first(made), number(dead_end, "lost")) == pytest.approx(math.log(3), rel=1e-12)
    assert made.chance(ACCEPTED, 1, first(made), number(dead_end, "lost")) == 0.0


def test_long_horizons_need_no_deep_recursion() -> None:
    world = one_way(3, 2, Episode(horizon=1500))
    made = PLANNER.plan(world, EVENTUALLY, 2.0)
    mdp = world.listed()
    listed = TabularPlanner().plan(mdp, EVENTUALLY, 2.0)
    assert made.expected_value() == pytest.approx(listed.expected_value(), rel=1e-9)


TASK = DFA.parse(">0: lit→1 | 1: door→2 | *2:", ("door", "lit"))


def test_a_world_of_more_than_2_to_the_40_states_is_planned() -> None:
    world, small = rooms(end_probability=1 / 32), rooms(end_probability=1 / 32, lamps=(4,))
    assert world.state_count > 2**45
    monitor = make_monitor(TASK, merge_repeats=True)
    made, listed = PLANNER.plan(world, monitor, 10.0), TabularPlanner().plan(small.listed(), monitor, 10.0)
    assert made.expected_value() == pytest.approx(listed.expected_value(), rel=1e-12)
    assert made.satisfaction_probability == pytest.approx(listed.satisfaction_probability, rel=1e-12)
    # Lamps that no label reads are in no diagram: lighting some changes nothing.
    lit, at = number(world, "place=3 lamp2 lamp7 lamp39"), number(world, "place=3")
    assert made.value(5, first(made), lit) == made.value(5, first(made), at)
    assert made.value(5, first(made), at) == pytest.approx(
        listed.value(5, first(listed), listed.mdp.number["place=3"]), rel=1e-12
    )
    assert len(list(world.names())) < 10  # nothing but what was asked for has been numbered


def test_a_task_is_learned_in_a_world_of_more_than_2_to_the_40_states() -> None:
    world = rooms()
    nothing_shown = Problem.of(world, merge_repeats=True, planner=PLANNER)
    shown = tuple(sample(nothing_shown, TASK, count=2, seed=0))
    problem = nothing_shown.with_demonstrations(shown)
    result = learn(problem.with_settings(iterations=30), seed=0)
    assert result.best.task == TASK
    assert result.best.energy == pytest.approx(evaluate(problem, TASK).score.energy, rel=1e-12)
    document = result.to_json()
    assert isinstance(document["best"], dict)
    assert document["best"]["states"] == 3
    again = replace(problem, scenes=(Scene(world=rooms()),))
    shown = tuple(read_path(again.world, [str(x) for x in p.to_file(world)], complete=True) for p in shown)
    again = again.with_demonstrations(shown)
    engine = Search(again, evaluator=Evaluator(again, planner=DiagramPlanner()))  # one's own
    rng, state = np.random.default_rng(0), engine.start()
    for _ in range(30):
        state, _ = engine.step(rng, state)
    assert state.best is not None
    assert state.best.task == TASK


def test_the_same_seed_draws_the_same_paths_in_a_world_made_again() -> None:
    def draws() -> list[list[object]]:
        world = rooms()
        made = PLANNER.plan(world, make_monitor(TASK, merge_repeats=True), 10.0)
        rng = np.random.default_rng(3)
        return [sample_path(made, rng).to_file(world) for _ in range(3)]

    assert draws() == draws()


def test_draws_with_a_label_have_it_and_follow_the_policy() -> None:
    world = rooms(lamps=(4,), horizon=8)
    made = PLANNER.plan(world, make_monitor(TASK, merge_repeats=True), 1.0)
    rng = np.random.default_rng(0)
    for want, label in ((ACCEPTED, True), (OPEN, False)):
        for _ in range(20):
            steps: list[tuple[int, int]] = []
            assert Sampler(made, rng, want).finish(steps, first(made), only_start(world))
            path = Path(tuple(steps), complete=True)
            assert TASK.accepts(path.word(world, merge_repeats=True)) == label
    drawn = [sample_path(made, rng) for _ in range(2000)]
    share = sum(TASK.accepts(path.word(world, merge_repeats=True)) for path in drawn) / len(drawn)
    error = math.sqrt(made.satisfaction_probability / len(drawn))
    assert abs(share - made.satisfaction_probability) < 4 * error


@pytest.mark.parametrize("competency", [0.2, 0.7])
def test_a_competency_is_met_by_the_same_rationality(competency: float) -> None:
    world, monitor = rooms(lamps=(4,), horizon=9), make_monitor(TASK, merge_repeats=True)
    mdp = world.listed()
    (found,) = rationalities_at([(world, 1.0)], [monitor], [competency], nearest=False, planner=PLANNER)
    (listed,) = rationalities_at([(mdp, 1.0)], [monitor], [competency], nearest=False)
    assert found == pytest.approx(listed, rel=1e-6)
    asked = [(world, 1.0)], [monitor], Competency(competency), [0], 0
    assert rationalities_for(*asked, planner=PLANNER) == [found]
    made = PLANNER.plan(world, monitor, found)
    assert made.satisfaction_probability == pytest.approx(competency, abs=1e-8)


def test_places_where_no_episode_can_be_have_values_too() -> None:
    world = paper_world()
    monitor = make_monitor(paper.BEST, merge_repeats=True)
    made, listed = (
        PLANNER.plan(world, monitor, 10.0),
        TabularPlanner(by_numpy=True).plan(paper.WORLD, monitor, 10.0),
    )
    cells = list(product(range(1, 9), repeat=2))
    state = np.array([number(world, f"column={column} row={row}") for column, row in cells])
    there = np.array([paper.WORLD.number[column, row] for column, row in cells])
    for time, at in product((0, 1, 9), range(monitor.states)):
        moment, reading = np.full(len(cells), time), np.full(len(cells), at)
        assert made.values(moment, reading, state) == pytest.approx(listed.values(moment, reading, there))
    earlier = PLANNER.plan(world, monitor, 10.0)
    assert earlier.expected_value() == made.expected_value()


def test_many_tasks_at_once_are_the_tasks_one_by_one() -> None:
    world, monitors = paper_world(), paper_tasks()[:3]
    made = PLANNER.plans(
        world, [(monitor, rationality) for monitor in monitors for rationality in (1.0, 9.0)]
    )
    for plan, (monitor, rationality) in zip(made, product(monitors, (1.0, 9.0)), strict=True):
        alone = DiagramPlanner().plan(paper_world(), monitor, rationality)
        assert plan.expected_value() == alone.expected_value()
        assert plan.satisfaction_probability == alone.satisfaction_probability
        assert plan.bytes > 0
    assert PLANNER.plans(world, []) == []


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oxidd.bdd", None)
    with pytest.raises(InputError, match=r'pip install "demospec\[diagrams\]"'):
        PLANNER.plan(rooms(), make_monitor(TASK, merge_repeats=True), 1.0)


def test_what_cannot_be_planned_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = make_monitor(paper.BEST, merge_repeats=True)
    with pytest.raises(WorldError, match="need a factored world"):
        PLANNER.plan(paper.WORLD, monitor, 1.0)
    monkeypatch.setattr(unlisted, "MOST_STATES", 60)
    with pytest.raises(WorldError, match=r"more than 60 states .* cannot be listed; .*DiagramPlanner"):
        TabularPlanner().plan(paper_world(), monitor, 1.0)
    with pytest.raises(WorldError, match=r"4 monitor states over 15 steps need more than 1024 nodes"):
        DiagramPlanner(most_nodes=1024).plan(paper_world(), monitor, 1.0)
    with pytest.raises(WorldError, match="need more than 16 nodes"):  # not even the world fits
        DiagramPlanner(most_nodes=16).plan(paper_world(), monitor, 1.0)
    with pytest.raises(WorldError, match='label "door", which no task reads'):
        PLANNER.plan(rooms(), monitor, 1.0)


def test_memory_is_found_by_forgetting_earlier_tasks() -> None:
    planner, world = DiagramPlanner(most_nodes=1 << 18), paper_world()
    rng = np.random.default_rng(1)
    for _ in range(4):
        monitor = make_monitor(random_dfa(rng, paper.LETTERS, 4), merge_repeats=True)
        planner.plan(world, monitor, 1.0)
    assert symbolic_of(world, 1 << 18).manager.gc_count() > 0


def test_effects_out_of_range_and_states_without_actions_are_found_before_planning() -> None:
    place = integer("place", 0, 5)
    more: dict[str, Any] = {"variables": [place], "start": {"place": 0}, "episode": Episode(horizon=2)}
    labels = {"a": place == 5}
    world = FactoredWorld(actions={"on": {"place": place + 1}}, labels=labels, **more)
    with pytest.raises(
        WorldError, match='action "on" in state "place=5": "place" becomes 6; expected a number'
    ):
        PLANNER.plan(world, EVENTUALLY, 1.0)
    world = FactoredWorld(
        actions={"on": {"place": place + 1}}, labels=labels, available={"on": place < 5}, **more
    )
    with pytest.raises(WorldError, match='in state "place=5" no action is available; is it terminal'):
        PLANNER.plan(world, EVENTUALLY, 1.0)
    world = FactoredWorld(actions={"on": {"place": place + 1}}, labels=labels, terminal=place == 5, **more)
    assert PLANNER.plan(world, EVENTUALLY, 1.0).satisfaction_probability == 0.0
    world = FactoredWorld(actions={"on": {"place": (place == 0).then(True, 2)}}, labels=labels, **more)
    with pytest.raises(WorldError, match='"place" becomes True'):
        PLANNER.plan(world, EVENTUALLY, 1.0)


def test_functions_of_too_many_values_are_refused() -> None:
    numbers = [integer(f"n{k}", 0, 63) for k in range(4)]
    total = lift(lambda *found: sum(found) % 2 == 0)(*numbers)
    world = FactoredWorld(
        variables=numbers,
        actions={"wait": {}},
        start={number.name: 0 for number in numbers},
        episode=Episode(horizon=1),
        labels={"a": total},
    )
    with pytest.raises(WorldError, match="a function of 4 expressions needs its value for 16777216 combin"):
        PLANNER.plan(world, EVENTUALLY, 1.0)


def test_an_alphabet_may_have_letters_that_the_world_does_not_have() -> None:
    task = DFA.parse(">0: a→1, z→0 | *1: z→1", ("a", "z"))
    world = one_way(2, 1, Episode(horizon=1))
    made = PLANNER.plan(world, make_monitor(task, merge_repeats=False), 1.0)
    assert made.expected_value() == pytest.approx(math.log(1 + math.e), rel=1e-12)


def test_lamps_that_flicker_by_coins_of_their_own() -> None:
    # Each lamp is lit with its own chance; the label asks for all of them.
    lamps = bits("lamp", 5)
    chances = [0.9, 0.5, 0.25, 0.99, 0.7]
    thrown = {lamp.name: coin(f"spark{k}", chances[k]) for k, lamp in enumerate(lamps)}
    bright = lamps[0] & lamps[1] & lamps[2] & lamps[3] & lamps[4]
    world = FactoredWorld(
        variables=lamps,
        actions={"wait": {}, "wait too": {}},
        every_step=thrown,
        start={},
        episode=Episode(horizon=2),
        labels={"a": bright},
    )
    made = PLANNER.plan(world, EVENTUALLY, 1.0)
    never = (1 - math.prod(chances)) ** 2
    assert made.satisfaction_probability == pytest.approx(1 - never, rel=1e-12)
    assert made.expected_value() == pytest.approx(2 * math.log(2) + (1 - never), rel=1e-12)


def test_agents_of_a_fixed_rationality_are_planned_once() -> None:
    world, monitor = rooms(), make_monitor(TASK, merge_repeats=True)
    asked = [(world, 1.0)], [monitor]
    fixed = [rationalities_for(*asked, Fixed(r), [0], 0, planner=PLANNER)[0] for r in (1.0, 2.0)]
    assert fixed == [1.0, 2.0]
    one, other = (PLANNER.plan(world, monitor, rationality) for rationality in fixed)
    assert one.diagram is other.diagram


@pytest.mark.parametrize("seed", range(3))
def test_it_passes_the_conformance_suite_of_all_planners(seed: int) -> None:
    check_planner(ListedByDiagrams(), seeds=[seed])

"""Evidence: the likelihood averaged over agents and mistakes, against the formula, choice by choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

import demospec
from demospec.explain.evaluator import Evaluator
from demospec.explain.evidence import Evidence, Read
from demospec.explain.score import evaluate
from demospec.explain.setup import is_effort_felt, resolve
from demospec.plan.along_tree import along_tree
from demospec.plan.monitor import make_monitor
from demospec.plan.rationality import MISTAKES, AgentPoint, Fixed, Learned
from demospec.plan.tabular import PLANNER, TabularPlanner
from demospec.problem import Problem
from demospec.tasks import DFA
from demospec.tasks.clauses import parse
from demospec.worlds.gridworld import Wind, gridworld
from demospec.worlds.mdp import Floats
from demospec.worlds.world import Episode

LETTERS = ("a", "b")


@pytest.fixture(scope="module")
def problem() -> Problem:
    world = gridworld(
        ["..a", ".b.", "..."],
        start=(1, 3),
        episode=Episode(horizon=6),
        wind=Wind(direction="down", probability=0.1),
        terminal=[(2, 2)],
    )
    bare = Problem.of(world, merge_repeats=True, agent=Fixed(8.0))
    drawn = demospec.sample(bare, parse("reach a", LETTERS), count=3, seed=1)
    astray = demospec.sample(bare, DFA.constant(LETTERS, True), count=1, seed=2)
    return replace(bare.with_demonstrations([*drawn, *astray]), agent=Learned())


def by_the_book(problem: Problem, task: DFA, agent: Learned) -> tuple[float, list[float]]:
    """Return −ln of the evidence and ln of each point's part, from one plan for each point."""
    scene = problem.scene()
    monitor = make_monitor(task, merge_repeats=True)
    parts = []
    for point in agent.points:
        plan = PLANNER.plan(scene.felt_by(point), monitor, point.rationality)
        log_edge = along_tree(scene.tree, plan).log_edge
        total = 0.0
        for mistake in agent.possible_mistakes:
            product = mistake.prior
            for path in scene.demonstrations:
                own = other = 1.0
                for node in scene.tree.nodes_of(path):
                    if scene.tree.chosen[node]:
                        offered = len(scene.world.pairs(int(scene.tree.state[scene.tree.parent[node]])))
                        chance = math.exp(log_edge[node])
                        own *= (1 - mistake.slip) * chance + mistake.slip / offered
                        other /= offered
                product *= (1 - mistake.stray) * own + mistake.stray * other
            total += product
        parts.append(math.log(total / len(agent.points)))
    return -math.log(math.fsum(map(math.exp, parts))), parts


@pytest.mark.parametrize("by_numpy", [False, True])
@pytest.mark.parametrize("text", ["reach a", "never b", "a, then b", "anything"])
def test_evidence_is_the_average_over_agents_and_mistakes(
    problem: Problem, text: str, by_numpy: bool
) -> None:
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    assert agent.felt
    task = parse(text, LETTERS).automaton
    (found,) = Evidence(problem, TabularPlanner(by_numpy=by_numpy), agent).everywhere([task])
    surprise, parts = by_the_book(problem, task, agent)
    assert found.surprise == pytest.approx(surprise, rel=1e-9)
    assert found.log_points == pytest.approx(parts, rel=1e-9)
    likeliest = agent.points.index(AgentPoint(found.rationality, found.effort, found.haste))
    assert parts[likeliest] == pytest.approx(max(parts), rel=1e-9)


def test_a_known_agent_without_mistakes_is_the_papers(problem: Problem) -> None:
    for text in ("reach a", "never b"):
        task = parse(text, LETTERS)
        learned = replace(problem, agent=Learned(rationality=7.0, effort=0.0, mistakes=0.0))
        fixed = replace(problem, agent=Fixed(7.0))
        assert demospec.score(learned, task).surprise == pytest.approx(demospec.score(fixed, task).surprise)


def test_numbers_do_not_depend_on_who_is_beside(problem: Problem) -> None:
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    evidence = Evidence(problem, PLANNER, agent)
    tasks = [parse(text, LETTERS).automaton for text in ("reach a", "never b", "a, then b")]
    together = evidence.everywhere(tasks)
    assert [evidence.everywhere([task])[0].surprise for task in tasks] == pytest.approx(
        [one.surprise for one in together], rel=1e-12
    )


def test_one_point_stands_for_all(problem: Problem) -> None:
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    evidence = Evidence(problem, PLANNER, agent)
    task = parse("reach a", LETTERS).automaton
    (found,) = evidence.everywhere([task])
    at = [evidence.at([task], [point])[0].surprise for point in agent.points]
    assert min(at) <= found.surprise <= min(at) + math.log(len(agent.points))
    assert evidence.at([task], [AgentPoint(found.rationality, found.effort)])[0].surprise == pytest.approx(
        min(at)
    )


@pytest.mark.parametrize("runs", [1, 40])
def test_the_part_of_the_grid_that_matters_is_all_that_counts(problem: Problem, runs: int) -> None:
    """With one run every agent is possible, with forty few are: then most of the grid is left out."""
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    bare = replace(problem, agent=Fixed(8.0)).with_demonstrations([])
    drawn = demospec.sample(bare, parse("reach a", LETTERS), count=runs, seed=3)
    evidence = Evidence(replace(bare.with_demonstrations(drawn), agent=agent), PLANNER, agent)
    tasks = [parse(text, LETTERS).automaton for text in ("reach a", "never b", "a, then b", "reach a or b")]
    whole = evidence.everywhere(tasks)
    for start in agent.points:
        for found, wanted in zip(evidence.around(tasks, start), whole, strict=True):
            assert found.surprise == pytest.approx(wanted.surprise, rel=1e-12)
            assert (found.rationality, found.effort) == (wanted.rationality, wanted.effort)
            assert found.satisfied == pytest.approx(wanted.satisfied, rel=1e-9)


def test_agents_that_cannot_have_shown_it_are_not_looked_at(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    bare = replace(problem, agent=Fixed(100.0)).with_demonstrations([])
    drawn = demospec.sample(bare, parse("reach a", LETTERS), count=40, seed=3)
    evidence = Evidence(replace(bare.with_demonstrations(drawn), agent=agent), PLANNER, agent)
    task = parse("reach a", LETTERS).automaton
    (wanted,) = evidence.everywhere([task])
    asked: list[AgentPoint] = []
    look = evidence._look

    def heard(read: Sequence[Read], point: AgentPoint) -> tuple[Floats, Floats, Floats]:
        asked.append(point)
        return look(read, point)

    monkeypatch.setattr(evidence, "_look", heard)
    (found,) = evidence.around([task], AgentPoint(wanted.rationality, wanted.effort))
    assert found.surprise == pytest.approx(wanted.surprise, rel=1e-12)
    assert len(asked) < len(agent.points)


def test_a_search_looks_closely_at_what_leads(problem: Problem) -> None:
    evaluator = Evaluator(replace(problem, code="words"))
    tasks = [parse(text, LETTERS) for text in ("reach a", "reach b", "never a", "anything", "a, then b")]
    scores = evaluator.scores(tasks)
    best = min(scores, key=lambda score: score.energy)
    alone = evaluate(replace(problem, code="words"), best.task).score
    assert (best.surprise, best.rationality, best.effort) == pytest.approx(
        (alone.surprise, alone.rationality, alone.effort)
    )


def test_the_priors_add_up() -> None:
    assert math.fsum(mistake.prior for mistake in MISTAKES) == pytest.approx(1)
    agent = Learned()
    assert math.fsum(map(agent.prior, agent.points)) == pytest.approx(1)


def test_effort_is_felt_where_it_can_be_saved() -> None:
    rows = ["..a", ".b.", "..."]
    endless = gridworld(rows, start=(1, 3), episode=Episode(horizon=6, end_probability=0.1))
    assert not is_effort_felt(endless)
    assert is_effort_felt(gridworld(rows, start=(1, 3), episode=Episode(horizon=6), terminal=[(3, 1)]))
    agent = resolve(Problem.of(endless, agent=Learned())).agent
    assert isinstance(agent, Learned)
    assert agent.efforts == (0.0,)


def test_the_stray_run_is_named() -> None:
    world = gridworld(["....a", ".....", "b...."], start=(1, 1), episode=Episode(horizon=8))
    bare = Problem.of(world, merge_repeats=True, agent=Fixed(30.0))
    good = demospec.sample(bare, parse("reach a; never b", LETTERS), count=6, seed=1)
    bad = demospec.sample(bare, parse("reach b; never a", LETTERS), count=1, seed=2)
    problem = replace(bare.with_demonstrations([*good, *bad]), agent=Learned(haste=0.0))
    agent = resolve(problem).agent
    assert isinstance(agent, Learned)
    (found,) = Evidence(problem, PLANNER, agent).everywhere([parse("reach a; never b", LETTERS).automaton])
    assert found.strays[-1] > 0.5
    assert max(found.strays[:-1]) < 0.1

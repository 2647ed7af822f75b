"""Findings about several worlds: what one of them tells is told, and work on all of them can be stopped."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from belief_cases import belief_in, divergences, some_problem, some_tasks, whole_words

from demospec.belief import findings_of
from demospec.belief.undetermined import letter_meanings
from demospec.plan.base import Planner
from demospec.plan.diagrams import DiagramPlanner
from demospec.plan.rationality import Fixed
from demospec.plan.tabular import TabularPlan, TabularPlanner
from demospec.problem import Problem
from demospec.report.answer_report import belief_blocks
from demospec.report.blocks import as_text
from demospec.report.documents import dumps
from demospec.report.result_document import belief_json
from demospec.tasks import DFA
from demospec.work.stop import Stop, Stopped
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode, State
from factored_worlds import random_world

LETTERS = ("a", "b", "c")
REACH_A = DFA.parse(">0: a→1 | *1:", LETTERS)
NEVER_B = DFA.parse(">0: a→1, b→2 | *1: b→2 | 2:", LETTERS)


def room(name: str, doors: dict[State, str], shown: int, wait: int = 2) -> Scene:
    """A hall with doors, each into a room with a letter, where the episode ends."""
    moves: dict[str, dict[State, float]] = {str(door): {door: 1.0} for door in doors}
    moves["wait"] = {"hall": 1.0}
    mdp = MDP.build(
        [("hall", move, reached) for move, reached in moves.items()],
        start="hall",
        episode=Episode(horizon=wait),
        labels=doors,
        terminal=list(doors),
    )
    first = str(next(iter(doors)))
    return Scene(
        world=mdp, name=name, demonstrations=(read_path(mdp, [first, first], complete=None),) * shown
    )


def problem_of(*scenes: Scene) -> Problem:
    return Problem(scenes=scenes, alphabet=LETTERS, agent=Fixed(6.0))


WITHOUT_B = room("without b", {"left": "a"}, 3)
WITH_B = room("with b", {"left": "a", "right": "b"}, 1)


def test_tasks_are_one_answer_only_where_no_world_tells_them_apart() -> None:
    way_out = DFA.parse(">0: a→1, b→1 | *1:", LETTERS)
    for scenes, groups in (((WITHOUT_B,), 1), ((WITH_B,), 2), ((WITHOUT_B, WITH_B), 2)):
        found = findings_of(belief_in(problem_of(*scenes), [REACH_A, way_out]))
        assert len(found.answers.all) == groups
    (difference,) = found.differences
    assert difference.word == ("b",)
    assert (difference.world, difference.shown_in) == ("with b", "with b")
    (row,) = json.loads(dumps(belief_json(found).plain()))["differences"]
    assert (row["world"], row["shown_in"]) == ("with b", "with b")
    assert "- b (with b)" in as_text(belief_blocks(found))
    told = found.sentences[-1]
    assert '"b" in world "with b" is rejected by the best, not so here' in told
    assert 'in world "with b" would tell' in told


def test_a_problem_with_one_world_does_not_name_it() -> None:
    found = findings_of(belief_in(problem_of(WITH_B), [REACH_A, DFA.parse(">0: a→1, b→1 | *1:", LETTERS)]))
    (difference,) = found.differences
    assert (difference.world, difference.shown_in) == (None, None)
    (row,) = json.loads(dumps(belief_json(found).plain()))["differences"]
    assert not {"world", "shown_in"} & set(row)
    assert "world" not in found.sentences[-1]


def test_transitions_are_possible_in_some_world_taken_on_average_and_light_in_all() -> None:
    found = {}
    for name, scenes in (("one", (WITHOUT_B,)), ("other", (WITH_B,)), ("both", (WITHOUT_B, WITH_B))):
        use = findings_of(belief_in(problem_of(*scenes), [NEVER_B])).open.use
        assert use is not None
        found[name] = use
    one, other, both = found["one"], found["other"], found["both"]
    assert (both.possible == (one.possible | other.possible)).all()
    assert both.taken == pytest.approx(0.75 * one.taken + 0.25 * other.taken)
    assert (both.light == (one.light & other.light)).all()
    assert both.possible[0].tolist() == [True, True, False]
    assert both.light[0].tolist() == [False, False, True]
    assert one.light[0].tolist() == [False, True, True]


def test_a_letter_is_unseen_only_where_no_world_shows_it() -> None:
    late = room("late", {"left": "a", "right": "c"}, 0)
    near = replace(WITHOUT_B, world=replace(WITHOUT_B.mdp, episode=Episode(horizon=1)))
    belief = belief_in(problem_of(WITHOUT_B, WITH_B), [REACH_A])
    assert [letter.seen for letter in letter_meanings(belief)] == [None, None, "no state of any world has it"]
    belief = belief_in(problem_of(WITHOUT_B, late), [REACH_A])
    assert [letter.seen for letter in letter_meanings(belief)] == [None, "no state of any world has it", None]
    corridor = MDP.build(
        [("s0", "go", {"s1": 1.0}), ("s1", "go", {"s2": 1.0}), ("s2", "go", {"s2": 1.0})],
        start="s0",
        episode=Episode(horizon=1),
        labels={"s2": "c"},
    )
    belief = belief_in(problem_of(near, Scene(world=corridor, name="corridor")), [REACH_A])
    assert letter_meanings(belief)[2].seen == "cannot be reached within the episode"
    belief = belief_in(problem_of(near, Scene(world=corridor, name="corridor"), late), [REACH_A])
    assert letter_meanings(belief)[2].seen is None


@pytest.mark.parametrize("seed", range(6))
def test_differences_name_the_worlds_of_the_definition(seed: int) -> None:
    problem = some_problem(seed, kind="worlds")
    found = findings_of(belief_in(problem, some_tasks(seed, 6)))
    words = whole_words(problem)
    best = found.answer.smallest
    for difference in found.differences:
        other = difference.other.smallest
        apart = [word for word in words if best.task.accepts(word) != other.task.accepts(word)]
        assert (difference.word is None) == (not apart)
        if difference.word is not None:
            assert len(difference.word) == min(map(len, apart))
            assert difference.world in words[difference.word]
        told = divergences(
            problem, [best.language, other.language], [best.rationality, other.rationality], 0, 1
        )
        assert difference.nats == pytest.approx(max(told), abs=1e-10)
        if not math.isclose(*told, abs_tol=1e-9):
            assert difference.shown_in == problem.scenes[int(np.argmax(told))].name
    assert json.loads(dumps(belief_json(found).plain()))["answers"]


def test_the_same_world_twice_tells_no_more_than_once() -> None:
    once, tasks = some_problem(2), some_tasks(2, 8)
    scene = once.scene()
    twice = replace(once, scenes=(scene, replace(scene, name="again", demonstrations=())))
    one, two = (findings_of(belief_in(problem, tasks)) for problem in (once, twice))
    assert [answer.share for answer in one.answers.all] == [answer.share for answer in two.answers.all]
    assert one.open.light == two.open.light
    assert [d.nats for d in one.differences] == [d.nats for d in two.differences]
    assert [d.word for d in one.differences] == [d.word for d in two.differences]


def test_worlds_that_are_not_listed_are_compared_all() -> None:
    pytest.importorskip("oxidd")
    worlds = [random_world(np.random.default_rng(seed), horizon=2) for seed in (0, 1)]
    letters = tuple(sorted({letter for world in worlds for letter in world.letters}))
    scenes = tuple(
        Scene(world=world, name=f"w{k}", demonstrations=(Path((), complete=False),))
        for k, world in enumerate(worlds)
    )
    reach = [
        DFA.build(alphabet=letters, states=2, accepting=[1], transitions=[(0, letter, 1)])
        for letter in letters
    ]
    problem = Problem(scenes=scenes, alphabet=letters, planner=DiagramPlanner(), agent=Fixed(4.0))
    found = findings_of(belief_in(problem, [DFA.constant(letters, True), *reach]))
    listed = replace(problem, planner=TabularPlanner())
    expected = findings_of(belief_in(listed, [DFA.constant(letters, True), *reach]))
    assert [len(answer.members) for answer in found.answers.all] == [
        len(answer.members) for answer in expected.answers.all
    ]
    assert [d.nats for d in found.differences] == pytest.approx([d.nats for d in expected.differences])
    assert (
        "Which transitions the worlds exercise was not worked out: there are too many paths."
        in found.sentences
    )


# -- stopping -------------------------------------------------------------------------------------------


def test_a_flag_that_is_set_ends_the_work_after_every_part() -> None:
    belief = belief_in(some_problem(1, kind="worlds"), some_tasks(1, 6))
    parts: list[int] = []
    findings_of(belief, progress=lambda done, _: parts.append(done))
    for last in [0, *parts]:
        stop = Stop()
        if not last:
            stop.set()
        told: list[int] = []

        def progress(done: int, _: int, last: int = last, stop: Stop = stop, told: list[int] = told) -> None:
            told.append(done)
            if done == last:
                stop.set()

        with pytest.raises(Stopped):
            findings_of(belief, progress=progress, stop=stop)
        assert told == [part for part in parts if part <= last]


def test_a_flag_that_is_set_between_two_plans_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    belief = belief_in(some_problem(1, kind="worlds"), some_tasks(1, 6))
    stop, passes = Stop(), 0
    plans = TabularPlanner.plans

    def counted(self: TabularPlanner, *arguments: object) -> list[TabularPlan]:
        nonlocal passes
        passes += 1
        if passes == at:
            stop.set()
        assert passes <= at
        return plans(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TabularPlanner, "plans", counted)
    at = 10**9
    findings_of(belief, stop=stop)
    every = passes
    assert every > 10
    for number in range(1, every + 1):
        stop, passes, at = Stop(), 0, number
        with pytest.raises(Stopped):
            findings_of(belief, stop=stop)


def test_planners_that_cannot_be_interrupted_are_asked_for_one_plan_at_a_time() -> None:
    class Slow(Planner):
        """A planner of one's own that knows nothing of flags."""

        def __init__(self, stop: Stop) -> None:
            self.flag, self.made = stop, 0

        def plan(self, *arguments: object) -> TabularPlan:
            assert not self.flag.is_set
            self.made += 1
            if self.made == 4:
                self.flag.set()
            return TabularPlanner().plan(*arguments)  # type: ignore[arg-type]

    stop = Stop()
    problem = some_problem(2)
    belief = belief_in(problem, some_tasks(2, 6))
    slow = Slow(stop)
    with pytest.raises(Stopped):
        findings_of(replace(belief, problem=replace(problem, planner=slow)), stop=stop)
    assert slow.made == 4

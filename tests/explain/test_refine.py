"""The prefix tree over classes that visited tasks do not tell apart: against definitions, and in a search."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path as FilePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import demospec
from all_paths import pivot_of
from demospec import problems
from demospec.cli import main
from demospec.explain.refine import (
    ClassTree,
    Continuations,
    Refinement,
    along_classes,
    first_tasks,
)
from demospec.explain.score import evaluate, gradient
from demospec.plan.along_tree import AlongTree
from demospec.plan.rationality import Fixed
from demospec.problem import Problem
from demospec.runs.result import Row
from demospec.runs.session import iterate
from demospec.search.diss import Search, next_conjecture
from demospec.search.engine import chain_generator
from demospec.tasks import DFA, Word
from demospec.testing.small_worlds import (
    ByEnumeration,
    Prefix,
    random_demonstrations,
    random_dfa,
    random_mdp,
)
from demospec.worlds.mdp import MDP, Floats, Ints
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import Player, PrefixTree
from demospec.worlds.quotient import Quotient, quotient
from world_copies import doubled_problem, leaves_by_a_copy, with_random_copies

SEEDS = st.integers(0, 2**32 - 1)
LETTERS = ("a", "b")


class Case:
    """A small world with copies, demonstrations in it, and some tasks."""

    def __init__(self, seed: int, *, tasks: int = 3) -> None:
        rng = np.random.default_rng(seed)
        plain = random_mdp(
            rng, states=4, actions=2, horizon=3, end_probability=0.3 * int(rng.integers(2)), terminal=1
        )
        # States that are alike but offer different numbers of copies have different values.
        self.mdp: MDP = with_random_copies(
            rng, quotient(plain).mdp, states=int(rng.integers(3)), actions=int(rng.integers(1, 4))
        )
        self.problem = Problem.of(
            self.mdp,
            random_demonstrations(rng, self.mdp, 3),
            alphabet=LETTERS,
            agent=Fixed(float(rng.choice([1.0, 5.0]))),
        )
        self.tasks = [random_dfa(rng, LETTERS, 3) for _ in range(tasks)]

    def along(self, task: DFA) -> AlongTree:
        return evaluate(self.problem, task).along

    def refinement(self, *first: DFA) -> Refinement:
        return Refinement(self.problem.tree, first, self.along)


def joined(classes: Continuations) -> Ints:
    return np.concatenate([classes.action, classes.node, classes.goes_on, classes.ends])


def is_finer(one: Ints, other: Ints) -> bool:
    """Say whether members of one class of `one` are always in one class of `other`."""
    return len(set(zip(one.tolist(), other.tolist(), strict=True))) == len(set(one.tolist()))


@settings(max_examples=30)
@given(SEEDS)
def test_partitions_get_only_finer(seed: int) -> None:
    case = Case(seed, tasks=5)
    refinement = case.refinement()
    before = joined(refinement.classes(()))
    assert set(before.tolist()) == {0}  # without tasks nothing is told apart
    for count in range(1, 6):
        after = joined(refinement.classes(case.tasks[:count]))
        assert is_finer(after, before)
        before = after


@settings(max_examples=30)
@given(SEEDS)
def test_classes_depend_on_the_tasks_alone(seed: int) -> None:
    case = Case(seed, tasks=4)
    used = case.refinement()
    for tasks in (case.tasks, case.tasks[:2], case.tasks[::-1]):
        fresh = joined(case.refinement().classes(tasks))
        again = joined(used.classes(tasks))
        assert is_finer(fresh, again)
        assert is_finer(again, fresh)


@settings(max_examples=30)
@given(SEEDS)
def test_actions_are_together_when_no_task_gives_them_another_value(seed: int) -> None:
    case = Case(seed)
    tree, known = case.problem.tree, case.refinement().classes(case.tasks)
    rationality = case.along(case.tasks[0]).plan.rationality
    witnesses = [ByEnumeration(case.mdp, task, rationality, merge_repeats=False) for task in case.tasks]
    for node in np.flatnonzero(tree.player == Player.AGENT).tolist():
        prefix, _ = tree.path_to(node)
        for one, other in combinations(np.flatnonzero(tree.choice_node == node).tolist(), 2):
            pairs = [int(tree.choice_pair[k]) for k in (one, other)]
            values = [[w.action_value(prefix, pair) for w in witnesses] for pair in pairs]
            same = np.allclose(values[0], values[1], rtol=0, atol=1e-8)
            assert (known.action[one] == known.action[other]) == same


@settings(max_examples=30)
@given(SEEDS)
def test_outcomes_are_together_when_no_task_gives_them_another_value(seed: int) -> None:
    case = Case(seed)
    tree, known = case.problem.tree, case.refinement().classes(case.tasks)
    rationality = case.along(case.tasks[0]).plan.rationality
    witnesses = [ByEnumeration(case.mdp, task, rationality, merge_repeats=False) for task in case.tasks]

    def values(path: Path) -> list[float]:
        return [witness.value(path) for witness in witnesses]

    for node in np.flatnonzero(tree.chosen).tolist():
        prefix, pair = tree.path_to(node)
        steps = prefix.steps
        assert pair is not None
        found: list[tuple[int, list[float]]] = []
        for child in np.flatnonzero(tree.parent == node).tolist():
            ends = bool(tree.player[child] == Player.NOBODY)
            path = Path((*steps, (pair, int(tree.state[child]))), complete=ends)
            found.append((int(known.node[child]), values(path)))
        for k in np.flatnonzero(tree.exit_node == node).tolist():
            further = (*steps, (pair, int(tree.exit_state[k])))
            if tree.exit_goes_on[k] > 0:
                found.append((int(known.goes_on[k]), values(Path(further, complete=False))))
            if tree.exit_ends[k] > 0:
                found.append((int(known.ends[k]), values(Path(further, complete=True))))
        for (one, mine), (other, theirs) in combinations(found, 2):
            assert (one == other) == np.allclose(mine, theirs, rtol=0, atol=1e-8)


def by_quotient(tree: PrefixTree, found: Quotient) -> Continuations:
    """Return the classes of true copies, from the world's structure instead of values."""
    pairs, states = found.pair_class, found.state_class
    node = np.where(tree.chosen, pairs[tree.pair], states[tree.state])
    return Continuations(pairs[tree.choice_pair], node, states[tree.exit_state], states[tree.exit_state])


@settings(max_examples=30)
@given(SEEDS)
def test_the_tree_over_true_copies_is_the_tree_of_the_merged_world(seed: int) -> None:
    case = Case(seed)
    merged = case.problem.merged()
    quotient = merged.scene().quotient
    assert quotient is not None
    tree = ClassTree.over(case.problem.tree, by_quotient(case.problem.tree, quotient))
    expected = merged.tree
    order = {tuple(tree.nodes_of(path)): path for path in case.problem.demonstrations}
    assert len(tree) == len(expected)
    for nodes, path in order.items():
        image = quotient.image(path)
        theirs = expected.nodes_of(image)
        for name in ("player", "count", "time"):
            assert getattr(tree, name)[list(nodes)].tolist() == getattr(expected, name)[theirs].tolist()
        assert tree.chance[list(nodes)] == pytest.approx(expected.chance[theirs], nan_ok=True)
        assert tree.exit_chance[list(nodes)] == pytest.approx(expected.exit_chance[theirs], abs=1e-12)


@settings(max_examples=30)
@given(SEEDS)
def test_chances_to_pivot_count_all_paths_whatever_their_names(seed: int) -> None:
    case = Case(seed)
    merged = case.problem.merged()
    quotient = merged.scene().quotient
    assert quotient is not None
    shown, task = case.problem.tree, case.tasks[0]
    tree = ClassTree.over(shown, by_quotient(shown, quotient))
    along = along_classes(tree, case.along(task))
    chance = np.exp(along.log_edge)
    for node in range(1, len(tree)):
        chance[node] *= chance[tree.parent[node]]
    pivots = chance * along.deviation

    # The pivot of each path of the agent, in the world where copies have one name, path by path.
    place: dict[int, int] = {}
    for path in case.problem.demonstrations:
        image = quotient.image(path)
        place.update(zip(merged.tree.nodes_of(image), tree.nodes_of(path), strict=True))
    prefix_node = {pivot_prefix(merged.tree, node): place[node] for node in range(len(merged.tree))}
    expected = np.zeros(len(tree))
    witness = ByEnumeration(case.mdp, task, along.plan.rationality, merge_repeats=False)
    for path, probability in witness.continuations():
        image = quotient.image(path)
        expected[prefix_node[pivot_of(image, merged.demonstrations)]] += probability
    inner = np.ones(len(tree), dtype=np.bool_)
    inner[[tree.nodes_of(path)[-1] for path in case.problem.demonstrations if not path.complete]] = False
    assert pivots[inner] == pytest.approx(expected[inner], abs=1e-9)


def pivot_prefix(tree: PrefixTree, node: int) -> Prefix:
    return *tree.path_to(node), bool(tree.player[node] == Player.NOBODY)


@settings(max_examples=30)
@given(SEEDS)
def test_the_gradient_is_that_of_the_proxy_surprise_over_classes(seed: int) -> None:
    case = Case(seed)
    merged = case.problem.merged()
    quotient = merged.scene().quotient
    assert quotient is not None
    shown = case.problem.tree
    tree = ClassTree.over(shown, by_quotient(shown, quotient))
    along = along_classes(tree, case.along(case.tasks[0]))
    assert proxy_values(tree, along.pivot_value) == pytest.approx(along.value, abs=1e-9)
    slope = gradient(tree, along.log_edge, along.deviation)

    def proxy(node: int, step: float) -> float:
        pivot = along.pivot_value.copy()
        pivot[node] += step
        value = proxy_values(tree, pivot)
        edges = np.flatnonzero(tree.chosen)
        return float(tree.count[edges] @ (value[tree.parent[edges]] - value[edges]))

    for node in np.flatnonzero(np.isfinite(along.pivot_value)).tolist():
        rise = proxy(node, 1e-5) - proxy(node, -1e-5)
        assert rise / 2e-5 == pytest.approx(slope[node], abs=1e-6)


def proxy_values(tree: PrefixTree, pivot: Floats) -> Floats:
    """Return V̂ and Q̂ from pivot values: the soft backup, where an action of k names counts k times."""
    value = np.zeros(len(tree))
    for node in reversed(range(len(tree))):
        below = np.flatnonzero(tree.parent == node)
        if tree.player[node] == Player.AGENT:
            value[node] = np.logaddexp.reduce([pivot[node], *value[below]])
        elif tree.player[node] == Player.ENVIRONMENT:
            names = np.count_nonzero(tree.choice_child == node)
            out = float(tree.exit_chance[node])
            value[node] = tree.chance[below] @ value[below] + (out * pivot[node] if out else 0.0)
            value[node] += math.log(names)
        else:
            value[node] = pivot[node]
    return value


@settings(max_examples=30)
@given(SEEDS)
def test_conjectures_never_leave_by_a_copy(seed: int) -> None:
    case = Case(seed)
    problem = case.problem.with_settings(refine=True, pivot_temperature=math.inf)
    search, merged = Search(problem), problem.merged()
    for task in case.tasks:
        made = search.conjecture(
            np.random.default_rng(seed), search.evaluator.score(task), problem.given, visited=case.tasks
        )
        if made is not None:
            assert not leaves_by_a_copy(problem, merged, made.path)
            assert pivot_prefix(problem.tree, made.pivot) == pivot_of(made.path, problem.demonstrations)
            assert task.accepts(made.word) != made.label


def test_first_tasks_tell_letters_apart_and_nothing_else() -> None:
    tasks = first_tasks("ba")
    assert len({str(task) for task in tasks}) == 4
    assert {task.accepts(("a", "b")) for task in tasks} == {True, False}


def test_nobody_pivots_where_nothing_is_told_apart() -> None:
    problem = demospec.load_example("robot-paper")
    tree = Refinement(problem.tree, (), lambda task: evaluate(problem, task).along).over(())
    assert not any(tree.leaving.values())  # all that can be done there is one class, and was done
    along = along_classes(tree, evaluate(problem, first_tasks("bgry")[0]).along)
    agent = tree.player == Player.AGENT
    assert along.deviation[agent] == pytest.approx(0.0)


def copies_of_the_robot(*, second: bool = True, **changes: object) -> Problem:
    robot = demospec.load_example("robot-paper").with_settings(method="paper", **changes)
    return doubled_problem(robot, second=second)


def leaving(problem: Problem, paths: Iterable[Path]) -> list[bool]:
    merged = problem.merged()
    return [leaves_by_a_copy(problem, merged, path) for path in paths]


def conjectures(rows: Sequence[Row]) -> list[tuple[Word, bool, Path] | None]:
    made = [next_conjecture(row.info) for row in rows]
    return [None if one is None else (one.word, one.label, one.path) for one in made]


def test_the_plain_search_leaves_by_copies_and_rejects_what_was_shown_by_them() -> None:
    problem = copies_of_the_robot(second=False)
    made = [one for one in conjectures(list(iterate(problem, seed=0))) if one]
    marks = leaving(problem, [path for _, _, path in made])
    assert sum(marks) > len(made) / 10
    assert any(
        mark and word in problem.words and not label
        for mark, (word, label, _) in zip(marks, made, strict=True)
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_the_refined_search_does_as_in_the_world_without_copies(seed: int) -> None:
    problem = copies_of_the_robot(refine=True)
    plain = demospec.load_example("robot-paper").with_settings(method="paper", refine=True)
    result, expected = demospec.learn(problem, seed=seed), demospec.learn(plain, seed=seed)
    made, theirs = conjectures(result.trace), conjectures(expected.trace)
    assert [one and one[:2] for one in made] == [one and one[:2] for one in theirs]
    assert not any(leaving(problem, [one[2] for one in made if one]))
    assert [entry.score.task for entry in result.ranked] == [entry.score.task for entry in expected.ranked]
    # Each step has two names now: ln 2 of surprise for each, whatever the task.
    steps = sum(len(path.steps) for path in plain.demonstrations)
    assert result.best.energy - expected.best.energy == pytest.approx(steps * math.log(2))


def test_copies_of_states_do_not_count_as_leaving() -> None:
    rng = np.random.default_rng(3)
    plain = random_mdp(rng, states=5, actions=3, horizon=5, letters=LETTERS)
    mdp = with_random_copies(rng, quotient(plain).mdp, states=4, actions=0)
    problem = Problem.of(mdp, random_demonstrations(rng, mdp, 4), alphabet=LETTERS).with_settings(
        method="paper", iterations=30
    )
    assert quotient(mdp).merged_states >= 4

    def by_copies(refine: bool) -> int:
        rows = list(iterate(problem.with_settings(refine=refine)))
        return sum(leaving(problem, [one[2] for one in conjectures(rows) if one]))

    assert by_copies(refine=False) > 0
    assert by_copies(refine=True) == 0


def test_nothing_but_the_state_matters_when_a_run_goes_on() -> None:
    problem = copies_of_the_robot(refine=True)
    rng, again = chain_generator(0, 0), chain_generator(0, 0)
    search = Search(problem)
    state = search.start()
    for number in range(20):
        if number == 12:
            kept = state
            again.bit_generator.state = rng.bit_generator.state
        state, _ = search.step(rng, state)
    other = Search(problem)  # knows nothing of the first twelve
    for _ in range(8):
        kept, _ = other.step(again, kept)
    assert kept == state


def test_the_command_line_and_the_file_can_ask_for_it(
    tmp_path: FilePath, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "robot.toml"
    text = problems.text("robot-paper")

    def asked(*options: str) -> object:
        with pytest.raises(SystemExit):
            main(["learn", str(file), "--method", "paper", "--iterations", "2", "--json", *options])
        return json.loads(capsys.readouterr().out)["settings"]["refine"]

    file.write_text(text, encoding="utf-8")
    assert (asked(), asked("--set", "search.paper.refine=true")) == (False, True)
    file.write_text(text.replace("[search]", "[search]\nrefine = true"), encoding="utf-8")
    assert (asked(), asked("--set", "search.refine=false")) == (True, False)


class Recording(Refinement):
    """Remembers the tasks that it was asked about last."""

    asked: frozenset[DFA] = frozenset()

    def over(self, tasks: Iterable[DFA]) -> ClassTree:
        self.asked = frozenset(tasks)
        return super().over(self.asked)


def begun_with(first: Sequence[DFA]) -> tuple[Search, Recording]:
    problem = copies_of_the_robot(refine=True)
    search = Search(problem)
    recording = Recording(problem.tree, first, lambda task: search.evaluator.evaluation(task).along)
    search.__dict__["refinements"] = [recording]
    return search, recording


def test_the_tree_is_over_what_all_visited_tasks_tell_apart() -> None:
    search, recording = begun_with(first_tasks("bgry"))
    rng, state = chain_generator(0, 0), search.start()
    for _ in range(10):
        state, info = search.step(rng, state)
        if info.accepted:
            assert recording.asked == set(state.visited)
    assert len(state.visited) > 3


def test_without_first_tasks_the_search_does_not_get_off_the_ground() -> None:
    search, _ = begun_with(())
    rng, state = chain_generator(0, 0), search.start()
    for _ in range(30):
        state, _ = search.step(rng, state)
    assert set(state.visited) == {DFA.constant("bgry", label) for label in (True, False)}

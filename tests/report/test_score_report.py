"""The folder of a score: maps and page hold the numbers of the JSON, and that holds the library's."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import demospec
from demospec.plan.policy import Policy
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.report import policy_report
from demospec.report.folder import write_score
from demospec.report.pictures.maps import BOX
from demospec.report.policy_report import MOST_MONITORS, shown_monitors, value_scale
from demospec.tasks import DFA

ROOT = Path(__file__).parent.parent.parent
BEST = DFA.parse(">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2")


class Folder:
    """What was written, read back."""

    def __init__(self, problem: Problem, task: DFA, folder: Path, time: int = 0) -> None:
        self.problem = problem
        self.policy: Policy = demospec.policy(problem, task)
        written = write_score(problem, demospec.evaluate(problem, task), folder, problem.scene(), time=time)
        self.texts = {path.name: path.read_text(encoding="utf-8") for path in written}
        self.score: dict[str, Any] = json.loads(self.texts["score.json"])
        self.states = self.score["policy"]["states"]

    def numbers(self, name: str) -> dict[tuple[int, int], str]:
        """Return the number in each cell of a map."""
        found = {}
        for group in ElementTree.fromstring(self.texts[name]).iter():
            parts = {part.get("class"): part for part in group}
            if "cell" in parts and "number" in parts:
                cell = parts["cell"]
                at = (round(float(cell.get(axis, "")) / BOX) + 1 for axis in "xy")
                column, row = at
                found[column, row] = parts["number"].text or ""
        return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(demospec.load_example("robot-paper"), BEST, tmp_path_factory.mktemp("score"))


def test_a_grid_gets_maps_for_each_state_of_the_task(folder: Folder) -> None:
    maps = {f"{kind}-{m}.svg" for kind in ("value", "success", "visits") for m in range(4)}
    assert set(folder.texts) == {"score.json", "score.html", "visits.svg", "ever.svg"} | maps
    for name in maps | {"visits.svg", "ever.svg"}:
        ElementTree.fromstring(folder.texts[name])


def test_the_json_holds_the_librarys_numbers(folder: Folder) -> None:
    policy, mdp = folder.policy, folder.problem.mdp
    worth, occupancy = policy.worth(), policy.occupancy
    assert folder.score["energy"] == demospec.score(folder.problem, BEST).energy
    assert folder.score["policy"]["expected_steps"] == occupancy.steps
    assert [entry["state"] for entry in folder.states] == [list(state) for state in mdp.states]
    assert [entry["label"] for entry in folder.states] == list(mdp.labels)
    for key, expected in (
        ("visits", occupancy.visits),
        ("ever", occupancy.ever()),
        ("ends", occupancy.ended.sum(axis=0)),
        ("visits_by_monitor", occupancy.entered.T),
        ("value", worth.value.T),
        ("satisfaction_probability", worth.satisfaction.T),
    ):
        assert np.array([entry[key] for entry in folder.states]) == pytest.approx(expected)
    for number, entry in enumerate(folder.states):
        chosen = occupancy.chosen[:, mdp.pairs(number)]
        for actions, counts in zip(
            (entry["actions"], *entry["actions_by_monitor"]), (chosen.sum(axis=0), *chosen), strict=True
        ):
            assert list(actions.values()) == pytest.approx(counts / counts.sum() if counts.any() else [])
            assert tuple(actions) == (mdp.available(number) if counts.any() else ())
    words = [state["word"] for state in folder.score["policy"]["monitor"]]
    assert [BEST.minimal.run(word) for word in words] == [0, 1, 2, 3]
    assert [state["accepting"] for state in folder.score["policy"]["monitor"]] == [False, False, False, True]


def test_what_is_done_in_a_cell_is_what_sampled_runs_do_there(folder: Folder) -> None:
    rng = np.random.default_rng(3)
    mdp, policy = folder.problem.mdp, folder.policy
    counts: dict[str, int] = dict.fromkeys(mdp.actions, 0)
    cell = mdp.number[2, 6]
    for _ in range(1500):
        path = sample_path(policy.plan, rng)
        for state, (pair, _) in zip(path.states(mdp), path.steps, strict=False):
            if state == cell:
                counts[mdp.actions[mdp.pair_action[pair]]] += 1
    total = sum(counts.values())
    entry = next(entry for entry in folder.states if entry["state"] == [2, 6])
    for action, chance in entry["actions"].items():
        assert counts[action] / total == pytest.approx(chance, abs=0.05)


def test_every_map_shows_the_numbers_of_the_json(folder: Folder) -> None:
    def shown(values: dict[tuple[int, int], float], decimals: int, hide: bool) -> dict[tuple[int, int], str]:
        texts = {cell: f"{value:.{decimals}f}" for cell, value in values.items()}
        return {cell: text for cell, text in texts.items() if not (hide and float(text) == 0)}

    def values(key: str, monitor: int | None = None) -> dict[tuple[int, int], float]:
        return {
            (e["state"][0], e["state"][1]): e[key] if monitor is None else e[key][monitor]
            for e in folder.states
        }

    decimals = value_scale(folder.score["policy"]).decimals
    assert decimals >= 1
    assert folder.numbers("visits.svg") == shown(values("visits"), 2, True)
    assert folder.numbers("ever.svg") == shown(values("ever"), 2, True)
    for m in range(4):
        assert folder.numbers(f"value-{m}.svg") == shown(values("value", m), decimals, False)
        assert folder.numbers(f"success-{m}.svg") == shown(values("satisfaction_probability", m), 2, False)
        assert folder.numbers(f"visits-{m}.svg") == shown(values("visits_by_monitor", m), 2, True)


def test_marks_tell_how_the_task_moves_on(folder: Folder) -> None:
    grid = "".join(folder.problem.scene().grid or ())
    task = BEST.minimal
    for name, monitor in [
        (f"{kind}-{m}.svg", m) for kind in ("value", "success", "visits") for m in range(4)
    ]:
        root = ElementTree.fromstring(folder.texts[name])
        marks = [part.text for part in root.iter() if part.get("class") == "mark"]
        targets = [task.run(letter, monitor) for letter in grid if letter != "."]
        assert marks == [f"→{target}" for target in targets if target != monitor]


class Balanced(HTMLParser):
    """Checks that every tag is closed in order, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def parsed(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def test_the_page_holds_every_map_once_and_is_well_formed(folder: Folder) -> None:
    page = folder.texts["score.html"]
    for name, text in folder.texts.items():
        if name.endswith(".svg"):
            assert page.count(text) == 1, name
    told = parsed(page)
    assert told.seen.count("svg") == len(folder.texts) - 2 + 1  # and the automaton
    assert told.seen.count("script") == 1  # which turns it dark
    words = "".join(told.words)
    for part in ("12.4737", "0.6601", "State 1 (after b)", "accept less", "b g y"):
        assert part in words
    assert "http" not in re.sub(r'xmlns="[^"]*"', "", page)


def test_maps_after_some_steps_say_so(tmp_path: Path) -> None:
    later = Folder(demospec.load_example("robot-paper"), BEST, tmp_path, time=9)
    worth = later.policy.worth(9)
    assert later.score["policy"]["time"] == 9
    assert [entry["value"] for entry in later.states] == worth.value.T.tolist()
    assert "in the cell after 9 steps" in later.texts["value-0.svg"]
    assert "after 9 steps" in later.texts["score.html"]
    assert "if an episode began" not in later.texts["score.html"]


def test_a_world_that_is_no_grid_gets_tables(tmp_path: Path) -> None:
    problem = demospec.load_example("delivery")
    task = DFA.parse(">0: parcel→1 | 1: home→2 | *2:", problem.alphabet)
    folder = Folder(problem, task, tmp_path)
    assert set(folder.texts) == {"score.json", "score.html"}
    told = parsed(folder.texts["score.html"])
    for entry in folder.states:
        for number in (entry["visits"], entry["ever"], entry["ends"], *entry["value"]):
            assert f"{number:.4f}" in told.words
        for actions in (entry["actions"], *entry["actions_by_monitor"]):
            for action, chance in actions.items():
                assert any(f"{action} {chance:.4f}" in words for words in told.words)
    assert "get up 1.0000" in told.words


def test_strange_names_are_escaped(tmp_path: Path) -> None:
    world = demospec.MDP.build(
        [("<s>", "a & b", {"<t>": 1.0}), ("<t>", "</p>", {"<s>": 1.0})],
        start="<s>",
        labels={"<t>": '"<l>"'},
        episode=demospec.Episode(horizon=2),
    )
    path = demospec.Path(((0, 1), (1, 0)), complete=True)
    problem = Problem.of(world, demonstrations=(path,), name="<b>")
    folder = Folder(problem, DFA.constant(problem.alphabet, True), tmp_path)
    told = parsed(folder.texts["score.html"])
    assert "s" not in told.seen
    assert "<s>" in told.words
    assert '"<l>"' in told.words


def test_only_the_states_of_the_task_that_are_reached_most_get_maps(tmp_path: Path) -> None:
    problem = demospec.load_example("robot-paper")
    letters = ("y", "b", "g")
    moves = [(k, letters[k % 3], k + 1) for k in range(11)]
    task = DFA.build(alphabet=problem.alphabet, states=12, accepting=[11], transitions=moves)
    folder = Folder(problem, task, tmp_path)
    shown = shown_monitors(folder.policy)
    entered = folder.policy.occupancy.entered.sum(axis=1)
    assert len(shown) == MOST_MONITORS < folder.policy.monitor.states
    rest = sorted(set(range(folder.policy.monitor.states)) - set(shown))
    assert entered[shown].min() >= entered[rest].max()
    assert {f"value-{m}.svg" for m in shown} <= set(folder.texts)
    assert not {f"value-{m}.svg" for m in rest} & set(folder.texts)
    assert f"{len(rest)} of {folder.policy.monitor.states} states of the task" in folder.texts["score.html"]


def test_what_would_take_too_long_is_left_out_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy_report, "MOST_WORK", 1000)
    folder = Folder(demospec.load_example("robot-paper"), BEST, tmp_path)
    assert {entry["ever"] for entry in folder.states} == {None}
    assert "ever.svg" not in folder.texts
    assert "too large" in folder.texts["score.html"]


def test_the_same_input_gives_the_same_bytes(folder: Folder, tmp_path: Path) -> None:
    assert Folder(folder.problem, BEST, tmp_path).texts == folder.texts


def test_the_picture_in_the_documents_is_the_one_that_is_drawn_today(folder: Folder) -> None:
    kept = (ROOT / "docs" / "images" / "visits.svg").read_text(encoding="utf-8")
    assert kept == folder.texts["visits.svg"]

"""The commands on good input: the keys and laws that other people's scripts rely on."""

from __future__ import annotations

import json
import math
import re
import tomllib
from typing import Any
from xml.etree import ElementTree

import pytest
from command_line import BEST, DELIVERY, INCREMENTAL, REACH, ROBOT, WITHOUT_DEMONSTRATIONS, Shell, shell

from demospec.explain.score import evaluate
from demospec.files import load
from demospec.runs.session import learn
from demospec.tasks import DFA

__all__ = ["shell"]  # the fixture

TASK_KEYS = {"kind", "alphabet", "states", "start", "accepting", "transitions"}
NUMBERS = {"size", "surprise", "energy", "satisfaction_probability"}
TRACE_KEYS = {
    "iteration",
    "chain",
    "energy",
    "size",
    "surprise",
    "accepted",
    "reset",
    "best_energy",
    "conjecture",
}


def as_dfa(document: dict[str, Any]) -> DFA:
    return DFA.from_json(document)


@pytest.fixture
def robot(shell: Shell) -> str:
    return shell.write("robot.toml", ROBOT)


# -- score -------------------------------------------------------------------------------------------


def test_score_gives_the_papers_numbers(shell: Shell, robot: str) -> None:
    found = shell.good("score", robot, BEST, "--json").json
    assert found["size"] == 51
    assert found["surprise"] == pytest.approx(11.4537, abs=5e-5)
    assert found["energy"] == pytest.approx(12.4737, abs=5e-5)
    assert found["satisfaction_probability"] == pytest.approx(0.6601, abs=5e-5)
    assert found["environment_surprise"] == pytest.approx(11.3497, abs=5e-5)
    assert found["rationality"] == 10
    assert [demo["word"] for demo in found["demonstrations"]] == [["y"], ["b", "g", "y"]]
    assert [demo["accepted"] for demo in found["demonstrations"]] == [True, True]


def test_score_of_a_task_that_nothing_satisfies(shell: Shell, robot: str) -> None:
    found = shell.good("score", robot, ">0:", "--json").json
    assert found["size"] == 7
    assert found["surprise"] == pytest.approx(27.7259, abs=5e-5)
    assert found["satisfaction_probability"] == 0


@pytest.mark.parametrize("task", [BEST, REACH, ">*0: r→1 | 1:"])
@pytest.mark.parametrize("problem", [ROBOT, INCREMENTAL])
def test_the_surprises_of_the_demonstrations_sum_to_the_total(shell: Shell, problem: str, task: str) -> None:
    found = shell.good("score", shell.write("p.toml", problem), task, "--json").json
    assert math.fsum(d["surprise"] for d in found["demonstrations"]) == pytest.approx(found["surprise"])


def test_scores_pivots_are_those_of_the_library(shell: Shell, robot: str) -> None:
    found = shell.good("score", robot, BEST, "--json").json
    problem = load(robot)
    evaluation = evaluate(problem, DFA.parse(BEST))
    nodes = [n for n in range(len(problem.tree)) if evaluation.along.deviation[n] > 0]
    assert [pivot["gradient"] for pivot in found["pivots"]] == evaluation.gradient[nodes].tolist()
    assert [p["deviation_probability"] for p in found["pivots"]] == evaluation.along.deviation[nodes].tolist()
    for pivot in found["pivots"]:
        assert pivot.keys() >= {"prefix", "player", "deviation_probability", "gradient"}
        assert pivot["player"] == (
            "environment" if len(pivot["prefix"]) % 2 or pivot["complete"] else "agent"
        )
    assert found["pivots"][0]["prefix"] == []


def test_a_pivots_prefix_is_a_path_of_the_problem_file(shell: Shell, robot: str) -> None:
    for pivot in shell.good("score", robot, BEST, "--json").json["pivots"]:
        prefix = pivot["prefix"][: len(pivot["prefix"]) // 2 * 2]
        again = (
            WITHOUT_DEMONSTRATIONS + f"[[demonstrations]]\ncomplete = false\npath = {json.dumps(prefix)}\n"
        )
        assert (
            shell.good("check", "-", "--json", stdin=again).json["demonstrations"][0]["steps"]
            == len(prefix) // 2
        )


def test_score_in_words_tells_the_same_numbers(shell: Shell, robot: str) -> None:
    out = shell.good("score", robot, BEST).out
    for part in ("51 bits", "11.4537", "12.4737", "0.6601", "11.3497", "b g y", "accept less"):
        assert part in out


# -- standard input, forms of a file -------------------------------------------------------------------


def test_a_dash_is_standard_input_wherever_a_file_is_taken(shell: Shell, robot: str) -> None:
    task = json.dumps(DFA.parse(BEST).to_json())
    expected = shell.good("score", robot, BEST, "--json").out
    assert shell.good("score", "-", BEST, "--json", stdin=ROBOT).out == expected
    assert shell.good("score", robot, "-", "--json", stdin=task).out == expected
    assert shell.good("score", robot, "-", "--json", stdin=BEST).out == expected
    words = {"alphabet": ["a", "b"], "accept": [["a"]], "reject": [[]]}
    from_file = shell.good("identify", shell.write("words.json", words), "--json").out
    assert shell.good("identify", "-", "--json", stdin=json.dumps(words)).out == from_file
    for command in ("check", "learn"):
        few = ["--iterations", "3"] if command == "learn" else []
        assert shell.good(command, "-", *few, "--json", stdin=ROBOT).json["name"] == "robot"


@pytest.mark.parametrize("text", [ROBOT, DELIVERY, INCREMENTAL], ids=["robot", "delivery", "incremental"])
def test_a_json_problem_works_like_its_toml(shell: Shell, text: str) -> None:
    toml = shell.write("p.toml", text)
    as_json = shell.write("p.json", tomllib.loads(text))
    assert shell.good("check", toml, "--json").out == shell.good("check", as_json, "--json").out
    runs = [shell.good("learn", p, "--iterations", "5", "--json").json for p in (toml, as_json)]
    assert runs[0] | {"seconds": 0} == runs[1] | {"seconds": 0}
    by_shape = shell.good("check", "-", "--json", stdin=json.dumps(tomllib.loads(text)))
    assert by_shape.out == shell.good("check", toml, "--json").out


def test_a_byte_order_mark_does_not_count(shell: Shell) -> None:
    assert shell("check", shell.write("p.toml", b"\xef\xbb\xbf" + ROBOT.encode())).code == 0


def test_a_prior_can_be_a_table_a_file_beside_the_problem_or_one_line(shell: Shell) -> None:
    line = ">0: r→2, y→1 | *1: r→2 | 2:"
    table = INCREMENTAL[INCREMENTAL.index("[task.implies]") : INCREMENTAL.index("[search]")]
    (shell.folder / "below").mkdir()
    shell.write("below/prior.json", DFA.parse(line, "bgry").to_json())
    shell.write("below/prior.txt", line)
    expected = shell.good("check", shell.write("p.toml", INCREMENTAL), "--json").json
    for implies in ("prior.json", "prior.txt", line):
        text = INCREMENTAL.replace(table, f'implies = "{implies}"\n')
        found = shell.good("check", shell.write("below/p.toml", text), "--json").json
        assert as_dfa(found["prior"]) == as_dfa(expected["prior"])
        assert found["prior"]["size"] == 33


# -- check -----------------------------------------------------------------------------------------------


def test_check_describes_what_a_file_holds(shell: Shell, robot: str) -> None:
    found = shell.good("check", robot, "--json").json
    assert found["states"] == 64
    assert found["alphabet"] == ["b", "g", "r", "y"]
    assert found["horizon"] == 15
    assert [(d["steps"], d["complete"], d["word"]) for d in found["demonstrations"]] == [
        (6, True, ["y"]),
        (14, True, ["b", "g", "y"]),
    ]
    out = shell.good("check", robot).out
    for part in ("64 states", "b, g, r, y", "15 steps", "word y", "word b g y"):
        assert part in out


def test_labels_may_have_many_characters(shell: Shell) -> None:
    found = shell.good("check", shell.write("p.toml", DELIVERY), "--json").json
    assert found["alphabet"] == ["fall", "home", "parcel"]
    assert found["demonstrations"][1]["word"] == ["parcel", "fall", "home"]
    assert found["demonstrations"][1]["complete"]


def test_a_problem_without_demonstrations_can_be_checked(shell: Shell) -> None:
    empty = shell.write("empty.toml", WITHOUT_DEMONSTRATIONS)
    assert shell.good("check", empty, "--json").json["demonstrations"] == []
    assert "64 states" in shell.good("check", empty).out


@pytest.mark.parametrize("name", ["robot", "robot-incremental", "delivery"])
def test_examples_print_problems_that_check(shell: Shell, name: str) -> None:
    text = shell.good("example", name).out
    assert shell.good("check", "-", "--json", stdin=text).json["name"] == name
    assert name in shell.good("example", "--json").json["examples"]


# -- sample ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("problem", "task"), [(ROBOT, BEST), (DELIVERY, ">0: parcel→1 | *1: fall→0")])
def test_sampled_demonstrations_go_back_into_a_problem_file(shell: Shell, problem: str, task: str) -> None:
    file = shell.write("p.toml", problem)
    drawn = shell.good("sample", file, task, "--count", "5", "--seed", "4", "--json").json["demonstrations"]
    assert len(drawn) == 5
    assert all(demo.keys() >= {"complete", "path", "word", "accepted"} for demo in drawn)
    assert len({json.dumps(demo) for demo in drawn}) > 1
    document = tomllib.loads(problem) | {"demonstrations": drawn}
    again = shell.good("check", shell.write("again.json", document), "--json").json["demonstrations"]
    assert [demo["word"] for demo in again] == [demo["word"] for demo in drawn]
    scored = shell.good("score", "again.json", task, "--json").json["demonstrations"]
    assert [demo["accepted"] for demo in scored] == [demo["accepted"] for demo in drawn]
    text = shell.good("sample", file, task, "--count", "5", "--seed", "4").out
    paths = [{k: demo[k] for k in ("complete", "path")} for demo in drawn]
    assert tomllib.loads(text)["demonstrations"] == paths
    pasted = shell.write("pasted.toml", problem.split("[[demonstrations]]")[0] + text)
    assert shell.good("check", pasted, "--json").json["demonstrations"] == again


def test_sampled_text_is_toml_whatever_the_names_are(shell: Shell) -> None:
    names = ['a"b', "c\\d", "e\nf", "g\x7fh", "ü→", "#"]
    world = {
        "kind": "mdp",
        "start": names[0],
        "labels": {name: name for name in names},
        "transitions": [[name, names[0], dict.fromkeys(names, 1 / 6)] for name in names],
    }
    file = shell.write("p.json", {"world": world, "episode": {"horizon": 9}, "demonstrations": []})
    document = json.loads((shell.folder / file).read_text())
    document["demonstrations"] = [{"path": [names[0], names[1]]}]
    text = shell.good("sample", shell.write("p.json", document), ">0:", "--count", "4").out
    drawn = tomllib.loads(text)["demonstrations"]
    as_json = shell.good("sample", file, ">0:", "--count", "4", "--json").json["demonstrations"]
    assert [demo["path"] for demo in drawn] == [demo["path"] for demo in as_json]


def test_a_problem_without_demonstrations_can_be_sampled(shell: Shell) -> None:
    empty = shell.write("empty.toml", WITHOUT_DEMONSTRATIONS)
    assert len(shell.good("sample", empty, BEST, "--json").json["demonstrations"]) == 1


# -- identify --------------------------------------------------------------------------------------------


def test_identify_lists_consistent_tasks_in_order_of_size(shell: Shell) -> None:
    words: dict[str, Any] = {"alphabet": ["b", "a"], "accept": [["a"], ["a", "b"]], "reject": [[], ["b"]]}
    tasks = shell.good("identify", shell.write("w.json", words), "--count", "15", "--json").json["tasks"]
    assert len(tasks) == 15
    sizes = [task["size"] for task in tasks]
    assert sizes == sorted(sizes)
    assert all(task.keys() == TASK_KEYS | {"size"} for task in tasks)
    found = [as_dfa(task) for task in tasks]
    assert len(set(found)) == 15
    for task in found:
        assert task.alphabet == ("a", "b")
        assert all(map(task.accepts, words["accept"]))
        assert not any(map(task.accepts, words["reject"]))
    prior = ">0: a→1 | *1:"
    inside = shell.good("identify", "w.json", "--class", f"implies:{prior}", "--json").json["tasks"]
    assert all(as_dfa(task).implies(DFA.parse(prior, "ab")) for task in inside)
    assert str(found[0]) in shell.good("identify", "w.json").out


def test_identify_keeps_to_the_classes_asked_for(shell: Shell) -> None:
    shell.write("w.json", {"alphabet": ["a", "b"], "accept": [["a"]], "reject": [["b", "b"]]})
    asked = shell.good(
        "identify", "w.json", "--class", "safety", "--class", "monotone", "--count", "5", "--json"
    )
    for task in map(as_dfa, asked.json["tasks"]):
        sinks = [q for q in range(task.states) if set(task.table[q]) == {q}]
        assert all(task.accepting[q] or q in sinks for q in range(task.states))
        assert all(target >= q for q, row in enumerate(task.minimal.table) for target in row)
    assert asked.json["tasks"] != shell.good("identify", "w.json", "--count", "5", "--json").json["tasks"]


@pytest.mark.parametrize(
    ("name", "told"),
    [("saftey", 'did you mean "safety"'), ("safety", '"b" rejected, "b a" accepted')],
)
def test_a_class_that_cannot_be_is_refused(shell: Shell, name: str, told: str) -> None:
    shell.write("w.json", {"alphabet": ["a", "b"], "accept": [["b", "a"]], "reject": [["b"]]})
    assert told in shell.refusal("identify", "w.json", "--class", name)


def test_identify_may_find_nothing(shell: Shell) -> None:
    words = shell.write("w.json", {"alphabet": ["a"], "accept": [["a"]], "reject": [[]]})
    found = shell.good("identify", words, "--max-states", "1", "--json").json
    assert (found["tasks"], found["stopped"]) == ([], False)
    assert "at most 1 state agrees" in shell.good("identify", words, "--max-states", "1").out


# -- learn -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [ROBOT, INCREMENTAL, DELIVERY], ids=["robot", "incremental", "delivery"])
@pytest.mark.parametrize("method", ["paper", "random-pivots", "enumeration"])
def test_learn_ranks_what_it_visited(shell: Shell, problem: str, method: str) -> None:
    file = shell.write("p.toml", problem + f'\n[search]\nmethod = "{method}"\n' * (problem == DELIVERY))
    found = shell.good("learn", file, "--iterations", "12", "--method", method, "--json").json
    ranked = found["ranked"]
    energies = [task["energy"] for task in ranked]
    assert energies == sorted(energies)
    assert math.fsum(task["weight"] for task in ranked) == pytest.approx(1)
    for task in ranked:
        assert task.keys() >= TASK_KEYS | NUMBERS | {"weight"}
        assert task["weight"] / ranked[0]["weight"] == pytest.approx(math.exp(energies[0] - task["energy"]))
    assert found["best"] == ranked[0]
    assert len({as_dfa(task) for task in ranked}) == len(ranked)
    assert [row["iteration"] for row in found["trace"]] == list(range(1, 13))
    assert all(row.keys() >= TRACE_KEYS for row in found["trace"])
    assert {row["energy"] for row in found["trace"]} == set(energies)
    so_far = math.inf
    for row in found["trace"]:
        so_far = min(so_far, row["energy"])
        assert row["best_energy"] == so_far
    assert found["settings"]["iterations"] == 12
    assert found["settings"]["seed"] == 0
    assert found["seconds"] > 0
    scored = shell.good("score", file, json_task(shell, found["best"]), "--json").json
    assert {key: scored[key] for key in NUMBERS} == {key: found["best"][key] for key in NUMBERS}


def json_task(shell: Shell, document: dict[str, Any]) -> str:
    return shell.write("task.json", document)


def test_a_result_of_learn_is_a_task(shell: Shell, robot: str) -> None:
    ran = shell.good("learn", robot, "--iterations", "10", "--json")
    result = shell.write("result.json", ran.out)
    energy = shell.good("score", robot, result, "--json").json["energy"]
    assert energy == pytest.approx(ran.json["best"]["energy"], abs=1e-9)
    for task in ran.json["ranked"][:3]:
        assert shell.good("score", robot, json_task(shell, task), "--json").json["size"] == task["size"]


def test_the_first_chain_does_not_depend_on_how_many_there_are(shell: Shell, robot: str) -> None:
    options = ("--method", "paper", "--iterations", "10", "--seed", "5", "--json")
    alone = shell.good("learn", robot, *options).json["trace"]
    both = shell.good("learn", robot, *options, "--chains", "2").json["trace"]
    assert both[:10] == alone
    assert [row["chain"] for row in both] == [0] * 10 + [1] * 10
    assert [row["task"] for row in both[10:]] != [row["task"] for row in alone]


def test_a_budget_ends_a_run_and_is_told(shell: Shell, robot: str) -> None:
    paper = ("learn", robot, "--method", "paper", "--max-evaluations", "7")
    found = shell.good(*paper, "--json").json
    assert (len(found["trace"]), found["ended"]) == (7, "evaluations")
    told = shell.good(*paper, "--details").out
    assert "7 iterations" in told
    assert told.replace("\n", " ").endswith("; as many tasks are scored as were allowed ")
    long = ("learn", robot, "--method", "paper", "--iterations", "1000000", "--max-seconds", "2")
    found = shell.good(*long, "--json").json
    assert found["ended"] == "seconds"
    assert len(found["trace"]) < 1000000
    none = shell.refusal("learn", robot, "--method", "paper", "--max-seconds", "1e-9")
    assert "no task was scored within 1e-09 s; allow more with max_seconds" in none
    assert shell.good("learn", robot, "--method", "paper", "--iterations", "5", "--json").json["ended"] == (
        "iterations"
    )
    assert "max_seconds must be" in shell.refusal("learn", robot, "--max-seconds", "0")


def test_parts_of_the_method_can_be_left_out(shell: Shell, robot: str) -> None:
    few = ("learn", robot, "--iterations", "1", "--without", "products", "--without", "guesses", "--json")
    assert shell.good(*few).json["settings"]["without"] == ["products", "guesses"]
    assert 'without "gueses": known are' in shell.refusal("learn", robot, "--without", "gueses")


def test_options_overrule_the_problem_file(shell: Shell, robot: str) -> None:
    options = {"iterations": 4, "chains": 2, "reset_period": 3, "candidates": 5, "max_states": 6}
    words = ["--iterations", "4", "--chains", "2"]
    for setting in ("reset_period=3", "paper.candidates=5", "max_states=6", "paper.pivot_temperature=inf"):
        words += ["--set", f"search.{setting}"]
    settings = shell.good("learn", robot, *words, "--json").json["settings"]
    assert {key: settings[key] for key in options} == options
    assert settings["pivot_temperature"] == "inf"


def test_given_examples_stay(shell: Shell) -> None:
    given = '\n[[examples]]\nword = ["b", "y"]\naccept = false\n\n[[examples]]\nword = ["y"]\naccept = true\n'
    found = shell.good("learn", shell.write("p.toml", ROBOT + given), "--iterations", "15", "--json").json
    for task in map(as_dfa, found["ranked"]):
        assert task.accepts(["y"])
        assert not task.accepts(["b", "y"])


def test_learn_in_words_shows_the_best_task(shell: Shell, robot: str) -> None:
    out = shell.good("learn", robot, "--iterations", "5", "--top", "2").out
    best = shell.good("learn", robot, "--iterations", "5", "--json").json["best"]
    assert f"{best['energy']:.4f}" in out
    assert str(as_dfa(best)) in out


def test_learn_writes_a_folder_with_pictures_and_a_page(shell: Shell, robot: str) -> None:
    ran = shell.good("learn", robot, "--iterations", "12", "--out", "a/b", "--json")
    folder = shell.folder / "a" / "b"
    names = {path.name for path in folder.iterdir()}
    assert names >= {"result.json", "best.json", "best.svg", "energy.svg", "world.svg", "report.html"}
    assert not [name for name in names if name.startswith(".")]
    assert json.loads((folder / "result.json").read_text()) == ran.json
    for picture in folder.glob("*.svg"):
        assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    page = (folder / "report.html").read_text()
    assert page.count("<script") == 2  # what was shown as data, and what walks it
    assert "import(" not in page
    assert "fetch(" not in page
    assert "@import" not in page
    assert not re.findall(r"""(?:src|href)\s*=\s*["'](?!#|data:)[^"']*""", page)
    assert not re.findall(r"url\((?!#|['\"]?#)", page)
    assert not [url for url in re.findall(r"https?://[^\s\"'<>]+", page) if "www.w3.org" not in url]
    assert shell.good("score", robot, "a/b/best.json").code == 0
    assert "a/b" in shell.good("learn", robot, "--iterations", "2", "--out", "a/b").out


def test_a_name_is_text_in_a_report_not_markup(shell: Shell) -> None:
    nasty = ROBOT.replace('"robot"', "'<script>alert(1)</script>&'")
    shell.good("learn", shell.write("p.toml", nasty), "--iterations", "2", "--out", "out")
    page = (shell.folder / "out" / "report.html").read_text()
    assert "<script>" not in page
    assert page.count("<script") == 2
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in page
    ElementTree.parse(shell.folder / "out" / "world.svg")


def test_a_world_that_is_no_grid_has_a_report_too(shell: Shell) -> None:
    shell.good("learn", shell.write("p.toml", DELIVERY), "--iterations", "3", "--out", "out")
    assert not (shell.folder / "out" / "world.svg").exists()
    assert (shell.folder / "out" / "report.html").exists()


# -- reproduce -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", ["monolithic", "incremental"])
def test_reproduce_writes_table_figure_and_automata(shell: Shell, experiment: str) -> None:
    options = ("--seeds", "0,2-3,2", "--baselines", "--iterations", "4")
    found = shell.good("reproduce", experiment, *options, "--out", "out", "--json").json
    assert found["seeds"] == [0, 2, 3]
    assert [run["method"] for run in found["methods"]] == ["paper", "random-pivots", "enumeration"]
    assert all(len(run["median"]) == 4 for run in found["methods"])
    assert json.loads((shell.folder / "out" / "result.json").read_text()) == found
    for picture in (shell.folder / "out").glob("*.svg"):
        ElementTree.parse(picture)
    assert "DISS" in (shell.folder / "out" / "README.md").read_text()


def test_without_a_command_the_help_is_shown(shell: Shell) -> None:
    ran = shell.good()
    for command in ("learn", "score", "sample", "identify", "reproduce", "check"):
        assert command in ran.out


def test_learn_says_how_likely_words_satisfy_the_task(shell: Shell, robot: str) -> None:
    options = ("learn", robot, "--iterations", "6", "--word", "y", "--word", "b b y y", "--word", "")
    told = shell.good(*options, "--json").json["words"]
    assert [one["word"] for one in told] == [["y"], ["b", "y"], []]  # repeats are merged in this problem
    problem = load(shell.folder / robot).with_settings(iterations=6)
    result = learn(problem, seed=0)
    for one in told:
        assert one["probability"] == result.belief.accepts(one["word"])
        assert one["accepted_by_best"] == result.best.task.accepts(one["word"])
        label = one["probability"] >= 0.5
        assert label in one["possible"]
    lines = [line for line in shell.good(*options).out.splitlines() if line.startswith("Word ")]
    assert [line.partition(":")[0] for line in lines] == ['Word "y"', 'Word "b y"', 'Word "ε"']
    assert "words" not in shell.good("learn", robot, "--iterations", "2", "--json").json
    message = shell.refusal("learn", robot, "--word", "b x", "--out", "out")
    assert message.strip() == 'demospec: --word: letter "x" is not in the alphabet b, g, r, y'
    assert not (shell.folder / "out").exists()

"""Bad input: exit 2, nothing on standard output, one line that names the file and the place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from command_line import (
    DELIVERY,
    INCREMENTAL,
    REACH,
    ROBOT,
    WITHOUT_DEMONSTRATIONS,
    Shell,
    changed,
    shell,
)

__all__ = ["shell"]  # the fixture

TASK: dict[str, Any] = {
    "kind": "dfa",
    "alphabet": ["b", "g", "r", "y"],
    "states": 3,
    "start": 0,
    "accepting": [1],
    "transitions": [[0, "y", 1], [0, "r", 2], [1, "r", 2]],
}
SMALL = '[world]\nkind = "gridworld"\nmap = {map}\nstart = [1, 1]\n[episode]\nhorizon = 3\n'


def implies(what: str) -> str:
    return changed(ROBOT, "merge_repeats = true", f"merge_repeats = true\nimplies = {what}")


def of_class(what: str) -> str:
    return changed(ROBOT, "merge_repeats = true", f"merge_repeats = true\nclass = {what}")


def implied_by(what: str) -> str:
    return changed(ROBOT, "merge_repeats = true", f"merge_repeats = true\nimplied_by = {what}")


def example(*words_and_labels: tuple[list[str], bool]) -> str:
    return "".join(
        f"\n[[examples]]\nword = {json.dumps(word)}\naccept = {str(label).lower()}\n"
        for word, label in words_and_labels
    )


BAD_PROBLEMS: dict[str, tuple[str, list[str]]] = {
    # -- the map
    "a row too short": (changed(ROBOT, "........\n", ".......\n"), ["world", "row 2", "7", "row 1", "8"]),
    "an empty map": (SMALL.format(map='""'), ["world", "map is empty"]),
    "a start outside": (changed(ROBOT, "[5, 6]", "[9, 6]"), ["world", "(9, 6)", "8 columns and 8 rows"]),
    "a start of three": (changed(ROBOT, "[5, 6]", "[9, 6, 1]"), ["world.start", "length 2", "[9, 6, 1]"]),
    "wind of 1.2": (changed(ROBOT, "probability = 0.03125", "probability = 1.2"), ["world", "wind", "1.2"]),
    "wind from nowhere": (
        changed(ROBOT, '"down"', '"north"'),
        ["world.wind.direction", '"down"', '"up"', 'found "north"'],
    ),
    "another way to block": (changed(ROBOT, '"stay"', '"sta"'), ["world.blocked", '"stay"', '"unavailable"']),
    # -- letters
    "a label not in the alphabet": (changed(ROBOT, '"r", ', ""), ["(3, 1)", '"r"', "b, g, y"]),
    "a letter for a longer one": (changed(ROBOT, '"r"', '"red"'), ['"r"', 'did you mean "red"']),
    "a letter twice": (changed(ROBOT, '"r", ', '"r", "y", '), ["alphabet", '"y" twice']),
    "no letters": (changed(ROBOT, '["r", "y", "b", "g"]', "[]"), ["alphabet", "no letter"]),
    "an empty letter": (changed(ROBOT, '"r", ', '"r", "", '), ["alphabet", "empty"]),
    # -- probabilities
    "a sum of 0.95": (changed(DELIVERY, "0.75", "0.7"), ["world", '"hall"', '"stairs"', "0.95", "not 1"]),
    "1.2": (changed(DELIVERY, "0.75", "1.2"), ["world", '"hall"', '"stairs"', '"depot"', "1.2"]),
    "a negative one": (changed(DELIVERY, "0.75", "-0.75"), ['"hall"', '"stairs"', '"depot"', "-0.75"]),
    "nan": (changed(DELIVERY, "0.75", "nan"), ['"hall"', '"stairs"', '"depot"', "nan"]),
    "inf": (changed(DELIVERY, "0.75", "inf"), ['"hall"', '"stairs"', '"depot"', "inf"]),
    "a string": (
        changed(DELIVERY, "0.75", '"x"'),
        ["world.transitions, entry 2, entry 3", '"depot"', "expected a number", '"x"'],
    ),
    "an end for sure": (changed(ROBOT, "end_probability = 0.03125", "end_probability = 1"), ["episode", "1"]),
    # -- the prior
    "a prior that is not there": (implies('"nofile.json"'), ["task.implies", "nofile.json", "No such file"]),
    "a prior that is a folder": (implies('"."'), ["task.implies", "Is a directory"]),
    "a prior with a NUL": (implies('"a\\u0000b"'), ["task.implies", "is not part of a formula"]),
    "a prior that is no standard input": (implies('"-"'), ["task.implies", "-", "No such file"]),
    "a prior over other letters": (
        INCREMENTAL.replace('["b", "g", "r", "y"]', '["b", "r", "y"]'),
        ["prior", "b, r, y", "b, g, r, y"],
    ),
    "a prior out of range": (changed(INCREMENTAL, '"r", 2', '"r", 7'), ["task.implies", "7", "0 to 2"]),
    # -- unknown keys
    "a key at the top": (f"nmae = 1\n{ROBOT}", ['unknown key "nmae"', 'did you mean "name"', "episode"]),
    "a key in world": (changed(ROBOT, "blocked", "bloked"), ["world", '"bloked"', '"blocked"']),
    "a key in an mdp": (changed(DELIVERY, "terminal", "teminal"), ["world", '"teminal"', '"terminal"']),
    "a key in wind": (changed(ROBOT, "direction", "dirction"), ["world.wind", '"dirction"', '"direction"']),
    "a key in episode": (changed(ROBOT, "horizon", "horizn"), ["episode", '"horizn"', '"horizon"']),
    "a key in agent": (changed(ROBOT, "rationality", "rationalty"), ["agent", '"rationalty"']),
    "a key in energy": (changed(ROBOT, "size_weight", "sizeweight"), ["energy", '"size_weight"']),
    "a key in task": (changed(ROBOT, "merge_repeats", "merge_repeat"), ["task", '"merge_repeats"']),
    # -- classes
    "a class that is not known": (of_class('"saftey"'), ["task.class", '"saftey"', 'mean "safety"']),
    "a second class that is not known": (of_class('["safety", "x"]'), ["task.class", '"x"', "known: safety"]),
    "a class that is a number": (of_class("3"), ["task.class", "a string or a list", "found 3"]),
    "a class in a list that is a number": (of_class('["safety", 3]'), ["task.class, entry 2", "found 3"]),
    "a class of other letters": (of_class('"same-effect:b,x"'), ["task.class", '"x"', "b, g, r, y"]),
    "a class of one letter": (of_class('"same-effect:b"'), ["task.class", "two letters"]),
    "a class for another key": (of_class('"safety"\nclasses = "safety"'), ["task", '"classes"', '"class"']),
    "a class that the examples contradict": (
        of_class('"safety"') + example((["b"], False), (["b", "y"], True)),
        ["examples", "class safety", '"b" rejected', '"b y" accepted'],
    ),
    "a lower bound that is not there": (implied_by('"no.json"'), ["task.implied_by", "no.json", "No such"]),
    "a lower bound of other letters": (
        implied_by('{alphabet = ["b"], states = 1, accepting = [0], transitions = []}'),
        ["task.implied_by", "reads b", "b, g, r, y"],
    ),
    "a lower bound beyond the prior": (
        implied_by('">*0:"\nimplies = ">0: y→1 | *1:"'),
        ["task", "implies and implied-by", '"ε"'],
    ),
    # -- parts
    "no parts": (of_class("[]\nall_of = 0"), ["task", "at least 1", "found 0"]),
    "parts that are no number": (of_class('[]\nall_of = "two"'), ["task.all_of", "whole number", '"two"']),
    "parts joined in two ways": (of_class("[]\nall_of = 2\nany_of = 2"), ["task", "all_of or any_of"]),
    "an identifier that is not known": (
        changed(ROBOT, "[search]", '[search]\nidentifier = "exat"'),
        ["search", '"exat"', 'mean "exact"'],
    ),
    "a key in task.implies": (changed(INCREMENTAL, "states", "sttes"), ["task.implies", '"states"']),
    "a key in search": (changed(ROBOT, "iterations", "iteratoins"), ["search", '"iterations"']),
    "a key in an example": (ROBOT + '[[examples]]\nwrd = ["b"]\n', ["example 1", '"wrd"', '"word"']),
    "a key in a demonstration": (
        changed(ROBOT, "# slips into", "\ncompleet = true # slips into"),
        ["demonstration 2", '"compleet"', '"complete"'],
    ),
    # -- missing keys
    "no world": ("[episode]\nhorizon = 3\n", ['"world" is missing']),
    "no episode": (changed(ROBOT, "[episode]", "[search2]"), ["search2"]),
    "no episode at all": (
        changed(ROBOT, "[episode]\nhorizon = 15\nend_probability = 0.03125\n", ""),
        ['"episode" is missing'],
    ),
    "no start": (changed(ROBOT, "start = [5, 6]", ""), ["world", '"start" is missing']),
    "no kind": (changed(ROBOT, 'kind = "gridworld"', ""), ["world", '"kind" is missing']),
    "an unknown kind": (
        changed(ROBOT, "gridworld", "gridwold"),
        ["world.kind", '"gridworld" or "mdp"', '"gridwold"', "did you mean"],
    ),
    # -- wrong types
    "a string for the horizon": (changed(ROBOT, "15", '"15"'), ["episode.horizon", "whole number", '"15"']),
    "a float for the horizon": (changed(ROBOT, "15", "15.5"), ["episode.horizon", "whole number", "15.5"]),
    "a bool for the horizon": (changed(ROBOT, "15", "true"), ["episode.horizon", "whole number", "true"]),
    "a bool for a number": (changed(ROBOT, "y = 10", "y = true"), ["agent.rationality", "number", "true"]),
    "a list for a map": (SMALL.format(map='["..", ".a"]'), ["world.map", "a string", '["..", ".a"]']),
    "a number for a world": ("world = 3\n[episode]\nhorizon = 1", ["world", "a table", "3"]),
    "a number for demonstrations": (f"demonstrations = 3\n{WITHOUT_DEMONSTRATIONS}", ["a list", "3"]),
    "a date for a name": (changed(ROBOT, '"robot"', "1979-05-27"), ["name", "a string", "1979-05-27"]),
    "a number for a state": (changed(ROBOT, "[4, 6]", "4"), ["demonstration 1, step 1", "4"]),
    "a string for a bool": (
        changed(ROBOT, "e = true\npath", 'e = "x"\npath'),
        ["demonstration 1", "complete"],
    ),
    # -- numbers out of range
    "no horizon to speak of": (changed(ROBOT, "horizon = 15", "horizon = 0"), ["episode", "at least 1", "0"]),
    "a horizon beyond memory": (
        changed(ROBOT, "horizon = 15", "horizon = 1_000_000_000"),
        ["episode", "1000000000", "64 states", "at most 4194304"],
    ),
    "a horizon beyond numbers": (changed(ROBOT, "= 15", f"= 1{'0' * 30}"), ["episode.horizon", "18 digits"]),
    "a horizon beyond reading": (changed(ROBOT, "= 15", f"= 1{'0' * 5000}"), ["4300 digits"]),
    "a rationality beyond reason": (changed(ROBOT, "y = 10", "y = 1e9"), ["agent", "0 and 1000", "1e+09"]),
    "a rationality beyond floats": (changed(ROBOT, "y = 10", f"y = 1{'0' * 400}"), ["agent.rationality"]),
    "a negative rationality": (changed(ROBOT, "y = 10", "y = -1"), ["agent", "-1"]),
    "both rationality and competency": (
        changed(ROBOT, "rationality = 10", "rationality = 10\ncompetency = 0.5"),
        ["agent", "rationality or competency, not both"],
    ),
    "a competency of 1.2": (changed(ROBOT, "rationality = 10", "competency = 1.2"), ["agent", "1.2"]),
    "a competency misspelt": (
        changed(ROBOT, "rationality = 10", 'competency = "emprical"'),
        ["agent.competency", 'a number or "empirical"', '"emprical"'],
    ),
    "a competency that nobody showed": (
        changed(WITHOUT_DEMONSTRATIONS, "rationality = 10", 'competency = "empirical"'),
        ["empirical", "complete demonstration"],
    ),
    "a negative weight": (changed(ROBOT, "0.02", "-0.02"), ["energy", "size_weight", "-0.02"]),
    "no iterations": (changed(ROBOT, "= 100", "= 0"), ["search", "iterations", "at least 1", "0"]),
    "a negative temperature": (changed(ROBOT, "0.002", "-1"), ["search", "pivot_temperature", "-1"]),
    "a temperature in words": (changed(ROBOT, "0.002", '"hot"'), ["search.pivot_temperature", '"inf"']),
    "a part of the search that there is not": (
        changed(ROBOT, "[search]", '[search]\nwithout = ["edit"]'),
        ["search", 'without "edit"', 'did you mean "edits"'],
    ),
    "an unknown method": (changed(ROBOT, "[search]", '[search]\nmethod = "pape"'), ["search", '"paper"']),
    # -- demonstrations
    "a step of probability 0": (
        changed(ROBOT, "[3, 6]", "[3, 5]"),
        ["demonstration 1, step 2", "(4, 6)", "(3, 5)", "probability 0", "(3, 6) with 0.96875"],
    ),
    "an unknown state": (changed(ROBOT, "[4, 6]", "[99, 6]"), ["demonstration 1, step 1", "(99, 6)"]),
    "an unavailable action": (
        changed(ROBOT, '"left"', '"lft"'),
        ["demonstration 1, step 1", '"lft"', "(5, 6)", 'did you mean "left"', "up, down, left, right"],
    ),
    "a path that goes on": (
        changed(DELIVERY, '"leave", "out"]', '"leave", "out", "go", "door"]'),
        ["demonstration 1, step 5", '"out"', "terminal"],
    ),
    "half a step": (changed(ROBOT, '"left", [4, 6], ', '"left", '), ["demonstration 1", "11 entries"]),
    # -- examples
    "a contradiction": (ROBOT + example((["b"], True), (["b"], False)), ["examples", "at once", '"b"']),
    "a contradiction after merging": (ROBOT + example((["b", "b"], True), (["b"], False)), ['"b"']),
    "an example with a foreign letter": (
        ROBOT + example((["b", "x"], True)),
        ["examples", '"b x"', '"x"', "b, g, r, y"],
    ),
    "an example outside the prior": (INCREMENTAL + example((["r"], True)), ["examples", "prior", '"r"']),
}


@pytest.mark.parametrize("case", BAD_PROBLEMS)
def test_a_bad_problem_is_refused_with_its_place(shell: Shell, case: str) -> None:
    content, told = BAD_PROBLEMS[case]
    message = shell.refusal("check", shell.write("bad.toml", content), "--json")
    assert message.startswith("demospec: bad.toml: ")
    for part in told:
        assert part in message


@pytest.mark.parametrize("case", ["a row too short", "a step of probability 0", "a key in search"])
def test_every_command_that_reads_a_problem_refuses_it_in_the_same_words(shell: Shell, case: str) -> None:
    bad = shell.write("bad.toml", BAD_PROBLEMS[case][0])
    expected = shell.refusal("check", bad)
    assert shell.refusal("learn", bad, "--json") == expected
    assert shell.refusal("score", bad, REACH) == expected
    assert shell.refusal("sample", bad, REACH) == expected
    on_stdin = shell.refusal("check", "-", stdin=BAD_PROBLEMS[case][0])
    assert on_stdin == expected.replace("bad.toml", "standard input")


FILES: dict[str, tuple[bytes | None, str]] = {
    "missing": (None, "No such file"),
    "empty": (b"", "is empty"),
    "blank": (b" \n\t\n", "is empty"),
    "binary": (bytes(range(256)), "byte 128 is 0x80"),
    "NUL": (b"\0\0\0", ""),
}


@pytest.mark.parametrize("suffix", ["toml", "json"])
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_text_is_refused_wherever_one_is_taken(
    shell: Shell, kind: str, suffix: str
) -> None:
    content, told = FILES[kind]
    name = f"file.{suffix}"
    if content is not None:
        shell.write(name, content)
    robot = shell.write("robot.toml", ROBOT)
    examples = shell.write("examples.json", {"alphabet": ["a"]})
    for command in (
        ["check", name],
        ["learn", name],
        ["score", name, REACH],
        ["score", robot, name],
        ["sample", robot, name],
        ["identify", name],
        ["identify", examples, "--class", f"implies:{name}"],
        ["identify", examples, "--class", f"implied-by:{name}"],
        ["learn", robot, "--class", f"implied-by:{name}"],
    ):
        message = shell.refusal(*command)
        assert message.startswith(f"demospec: {name}: ")
        assert told in message


def test_a_folder_is_no_file(shell: Shell) -> None:
    (shell.folder / "folder").mkdir()
    robot = shell.write("robot.toml", ROBOT)
    for command in (["check", "folder"], ["score", robot, "folder"], ["identify", "folder"]):
        assert "folder: cannot be read: Is a directory" in shell.refusal(*command)


BAD_JSON = {
    "cut": ('{"kind": "dfa", "alph', "line 1, column 17"),
    "a list": ("[1, 2]", "expected an object, found [1, 2]"),
    "nested": ('{"a": ' + "[" * 100_000, "nested too deeply"),
    "half a character": ('{"kind": "\\ud800"}', "\\ud800"),
    "a key twice": ('{"states": 1, "states": 2}', 'the key "states" is there twice'),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_bad_json_is_refused_wherever_it_is_taken(shell: Shell, case: str) -> None:
    content, told = BAD_JSON[case]
    bad, robot = shell.write("bad.json", content), shell.write("robot.toml", ROBOT)
    for command in (["check", bad], ["score", robot, bad], ["identify", bad]):
        message = shell.refusal(*command)
        assert message.startswith("demospec: bad.json: ")
        assert told in message


BAD_TASKS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "unknown kind": ({"kind": "nfa"}, ["kind", '"dfa"', '"nfa"']),
    "target out of range": ({"transitions": [[0, "y", 9]]}, ['0 -"y"→ 9', "0 to 2"]),
    "two targets": ({"transitions": [[0, "y", 1], [0, "y", 2]]}, ["state 0", '"y"', "to 1 and to 2"]),
    "other alphabet": ({"alphabet": ["b", "r", "y"]}, ["b, r, y", "b, g, r, y"]),
    "letter twice": ({"alphabet": ["b", "b", "g", "r", "y"]}, ['"b" twice']),
    "foreign letter": ({"transitions": [[0, "x", 1]]}, ['letter "x"', "b, g, r, y"]),
    "start out of range": ({"start": 3}, ["start state 3", "0 to 2"]),
    "accepting out of range": ({"accepting": [-1]}, ["accepting state -1", "0 to 2"]),
    "no states": ({"states": 0}, ["at least one state", "0"]),
    "states beyond memory": ({"states": 10**9}, ["states", "100000", "1000000000"]),
    "states in words": ({"states": "three"}, ["states", "whole number", '"three"']),
    "unknown key": ({"acepting": [1]}, ['"acepting"', 'did you mean "accepting"']),
    "transition of two": ({"transitions": [[0, "y"]]}, ["transitions, entry 1", "length 3", '[0, "y"]']),
}


@pytest.mark.parametrize("command", ["score", "sample"])
@pytest.mark.parametrize("case", BAD_TASKS)
def test_a_bad_task_is_refused_with_its_place(shell: Shell, case: str, command: str) -> None:
    changes, told = BAD_TASKS[case]
    task = shell.write("task.json", TASK | changes)
    message = shell.refusal(command, shell.write("robot.toml", ROBOT), task)
    assert message.startswith("demospec: task.json: ")
    for part in told:
        assert part in message


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (">0: y→1", "target 1"),
        (">0: q→1 | 1:", 'letter "q"'),
        ("0: y→1 | *1:", "exactly one state"),
        (">0: y→1 | >1:", "found 2"),
        (">0: y→1 | nonsense", 'part 2, "nonsense"'),
        (">0: y→1 | *1: " + "r→1, " * 100 + "q→0", 'letter "q"'),
        (">0: y→1\n1: \x1b", '"\\x1b": expected a move'),
    ],
)
def test_a_bad_one_line_task_is_refused_and_quoted(shell: Shell, line: str, told: str) -> None:
    message = shell.refusal("score", shell.write("robot.toml", ROBOT), line)
    assert told in message
    assert "0: " in message


BAD_EXAMPLES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "both labels": ({"accept": [["a", "b"]], "reject": [["a", "b"]]}, ["at once", '"a b"']),
    "both labels of nothing": ({"accept": [[]], "reject": [[]]}, ["at once", '"ε"']),
    "foreign letter": ({"accept": [["a"], ["a", "c"]]}, ["accept, entry 2", '"a c"', '"c"', "a, b"]),
    "a word as a string": ({"reject": ["ab"]}, ["reject, entry 1", "a list", '"ab"']),
    "an alphabet as a string": ({"alphabet": "ab"}, ["alphabet", "a list", '"ab"']),
    "no letters": ({"alphabet": []}, ["alphabet", "no letter"]),
    "a letter twice": ({"alphabet": ["a", "a"]}, ["alphabet", '"a" twice']),
    "an unknown key": ({"acept": []}, ['"acept"', 'did you mean "accept"']),
}


@pytest.mark.parametrize("case", BAD_EXAMPLES)
def test_bad_examples_are_refused_with_their_place(shell: Shell, case: str) -> None:
    changes, told = BAD_EXAMPLES[case]
    message = shell.refusal("identify", shell.write("words.json", {"alphabet": ["a", "b"]} | changes))
    assert message.startswith("demospec: words.json: ")
    for part in told:
        assert part in message


def test_a_prior_that_does_not_fit_the_examples_is_refused(shell: Shell) -> None:
    words = shell.write("words.json", {"alphabet": ["a", "b"], "accept": [["b"]]})
    assert 'accepts "b"' in shell.refusal("identify", words, "--class", "implies:>0: a→1 | *1:")
    other = shell.write("task.json", TASK)
    message = shell.refusal("identify", words, "--class", f"implies:{other}")
    assert "task.json" in message
    assert "b, g, r, y" in message
    assert "a, b" in message


def test_without_demonstrations_learn_and_score_refuse_by_name(shell: Shell) -> None:
    empty = shell.write("empty.toml", WITHOUT_DEMONSTRATIONS)
    for command in (["learn", empty], ["score", empty, REACH]):
        assert shell.refusal(*command) == "demospec: empty.toml: there are no demonstrations to learn from\n"


def test_a_competency_that_cannot_be_reached_is_refused_with_the_supremum(shell: Shell) -> None:
    able = shell.write("able.toml", changed(ROBOT, "rationality = 10", "competency = 0.99"))
    for command in ("score", "sample"):
        message = shell.refusal(command, able, REACH)
        assert message.startswith("demospec: able.toml: ")
        assert "0.99" in message
        assert "0.932776" in message


def test_no_task_within_max_states_is_told_by_name(shell: Shell) -> None:
    bad = shell.write("bad.toml", ROBOT + example((["y"], True), (["r"], False)))
    message = shell.refusal("learn", bad, "--set", "search.max_states=1", "--iterations", "3")
    assert message.startswith("demospec: bad.toml: no task with at most 1 state")


BAD_COMMANDS: list[tuple[list[str], list[str]]] = [
    (["learn"], ["PROBLEM", "learn --help"]),
    (["lern", "robot.toml"], ['"lern"', '"learn"']),
    (["learn", "robot.toml", "--iteratons", "3"], ["--iteratons", "--iterations"]),
    (["learn", "robot.toml", "--iterations", "0"], ["--iterations", "0"]),
    (["learn", "robot.toml", "--iterations", "1.5"], ["--iterations", "1.5"]),
    (["learn", "robot.toml", "--seed", "-1"], ["--seed", "-1"]),
    (["learn", "robot.toml", "--set", "search.paper.pivot_temperature=nan"], ["pivot_temperature", "nan"]),
    (["learn", "robot.toml", "--set", "search.paper.pivot_temperature=hot"], ["pivot_temperature", "hot"]),
    (["learn", "robot.toml", "--method", "dis"], ["--method", "dis", "enumeration"]),
    (["sample", "robot.toml", REACH, "--count", "0"], ["--count", "0"]),
    (["score", "-", "-"], ["PROBLEM and TASK", "standard input"]),
    (["score", "robot.toml", "-"], ["standard input: is empty"]),
    (["score", "robot.toml", ""], ["expected a sentence"]),
    (["example", "robt"], ['"robt"', 'did you mean "robot"']),
    (["reproduce", "mono"], ["mono", "monolithic"]),
    *(
        (["reproduce", "monolithic", f"--seeds={seeds}"], ["--seeds", f'"{told}"'])
        for seeds, told in [
            ("x", "x"),
            ("", ""),
            ("1,,2", ""),
            ("5-3", "5-3"),
            ("-1", "-1"),
            ("²", "²"),
            ("0-99999999999", "0-99999999999"),
        ]
    ),
]


@pytest.mark.parametrize(("command", "told"), BAD_COMMANDS, ids=[" ".join(c) for c, _ in BAD_COMMANDS])
def test_a_bad_command_line_is_refused_in_one_line(shell: Shell, command: list[str], told: list[str]) -> None:
    shell.write("robot.toml", ROBOT)
    message = shell.refusal(*command)
    for part in told:
        assert part in message


@pytest.mark.parametrize("out", ["afile", "afile/below", "/dev/null/below"])
@pytest.mark.parametrize("command", [["learn", "robot.toml"], ["reproduce", "monolithic"]], ids=" ".join)
def test_a_place_that_cannot_be_written_is_told_before_the_work(
    shell: Shell, command: list[str], out: str
) -> None:
    shell.write("robot.toml", ROBOT)
    shell.write("afile", "mine")
    message = shell.refusal(*command, "--out", out)
    assert out in message
    assert "cannot be written" in message
    assert (shell.folder / "afile").read_text() == "mine"


@pytest.mark.parametrize("name", ["robot", "delivery", "robot-incremental"])
def test_every_beginning_of_a_problem_file_is_a_problem_or_refused(shell: Shell, name: str) -> None:
    text = {"robot": ROBOT, "delivery": DELIVERY, "robot-incremental": INCREMENTAL}[name]
    whole = 0
    for length in range(0, len(text), 7):
        cut = shell.write("cut.toml", text[:length])
        ran = shell("check", cut, "--json")
        if ran.code == 0:
            whole += 1
            assert ran.json["states"]
        else:
            assert ran.code == 2
            assert ran.out == ""
            assert ran.err.startswith("demospec: cut.toml: ")
            assert ran.err.count("\n") == 1
    assert whole > 0


def test_every_beginning_of_a_json_file_is_refused(shell: Shell) -> None:
    text = json.dumps(TASK)
    robot = shell.write("robot.toml", ROBOT)
    for length in range(len(text)):
        message = shell.refusal("score", robot, shell.write("cut.json", text[:length]))
        assert message.startswith("demospec: cut.json: ")


def test_a_refusal_never_floods_the_terminal(shell: Shell) -> None:
    message = shell.refusal("score", shell.write("robot.toml", ROBOT), shell.write("task", "x\x07 " * 10**4))
    assert len(message) < 2100
    assert "\x07" not in message
    assert message.startswith("demospec: task: clauses of 29999 characters")

"""The ways to ask `identify` for automata: wrong labels, parts, orders, methods."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from command_line import Shell, shell

from demospec.files import load_task
from demospec.identify.classes import CoSafety
from demospec.tasks import DFA, Composite
from demospec.tasks.examples import Examples

__all__ = ["shell"]  # the fixture

ACCEPT = [["a"], ["a", "b"], ["b", "a"], ["a", "a"], ["b", "a", "b"], ["b", "b", "a"]]
REJECT: list[list[str]] = [[], ["b"], ["b", "b"], ["b", "b", "b"]]
SEES_AN_A = DFA.parse(">0: a→1 | *1:", "ab")


@pytest.fixture
def words(shell: Shell) -> str:
    """Labels of "there is an a", two of which are wrong."""
    wrong = [["a", "b", "b"], ["b", "b", "b", "b"]]
    document = {"alphabet": ["a", "b"], "accept": [*ACCEPT, wrong[1]], "reject": [*REJECT, wrong[0]]}
    return shell.write("words.json", document)


def examples(shell: Shell, file: str) -> Examples:
    document = json.loads((shell.folder / file).read_text())
    return Examples.of(document["accept"], document["reject"])


def check_flips(found: dict[str, Any], labelled: Examples) -> None:
    """Each task flips the words that it says, and no others."""
    for task in found["tasks"]:
        dfa = DFA.from_json(task)
        flipped = {tuple(one["word"]): one["label"] for one in task["flipped"]}
        assert flipped == {word: label for word, label in labelled if dfa.accepts(word) != label}
        assert task["flips"] == len(flipped)
        assert task["size"] == dfa.size


# -- labels that may be wrong ----------------------------------------------------------------------------


def test_with_flips_come_the_smallest_automata_that_are_wrong_about_few_words(
    shell: Shell, words: str
) -> None:
    found = shell.good("identify", words, "--flips", "2", "--count", "6", "--json").json
    check_flips(found, examples(shell, words))
    assert DFA.from_json(found["tasks"][0]) == SEES_AN_A
    assert all(task["flips"] <= 2 for task in found["tasks"])
    sizes = [task["size"] for task in found["tasks"]]
    assert sizes == sorted(sizes)
    assert (found["method"], found["exact"], found["stopped"]) == ("exact", True, False)
    none = shell.good("identify", words, "--flips", "0", "--count", "3", "--json").json["tasks"]
    plain = shell.good("identify", words, "--count", "3", "--json").json["tasks"]
    assert [task["size"] for task in none] == [task["size"] for task in plain]
    assert all(task["flipped"] == [] for task in none)


def test_flips_are_told_in_words(shell: Shell, words: str) -> None:
    out = shell.good("identify", words, "--flips", "2", "--count", "1").out.splitlines()
    assert out[0].split() == ["size", "flips", "cost", "in", "words", "task"]
    assert out[1].split()[:3] == ["1", "12", "2"]
    assert "Reach a." in out[1]
    assert str(SEES_AN_A) in out[1]
    assert out[2].strip() == "wrong: - a b b, + b b b b"


@pytest.mark.parametrize("bits", [0.0, 3.0, 1000.0])
def test_a_trade_off_orders_by_size_and_the_price_of_flips(shell: Shell, words: str, bits: float) -> None:
    options = ("--trade-off", "--flip-bits", str(bits), "--count", "6", "--json")
    found = shell.good("identify", words, *options).json
    check_flips(found, examples(shell, words))
    costs = [task["cost"] for task in found["tasks"]]
    assert costs == sorted(costs)
    assert costs == [task["size"] + bits * task["flips"] for task in found["tasks"]]
    if bits == 0:
        assert found["tasks"][0]["size"] == 5
    if bits == 1000:
        assert found["tasks"][0]["flips"] == 0


def test_a_trade_off_by_itself_prices_flips_by_what_it_takes_to_name_them(shell: Shell, words: str) -> None:
    found = shell.good("identify", words, "--trade-off", "--count", "4", "--json").json
    check_flips(found, examples(shell, words))
    total = len(examples(shell, words))
    for task in found["tasks"]:
        which = math.log2(math.comb(total, min(task["flips"], total // 2)))
        assert task["cost"] == pytest.approx(task["size"] + math.log2(total + 1) + which)


def test_a_class_holds_for_automata_that_flip(shell: Shell, words: str) -> None:
    options = ("--flips", "2", "--class", "co-safety", "--count", "3", "--json")
    for task in shell.good("identify", words, *options).json["tasks"]:
        assert CoSafety().holds(DFA.from_json(task))
    told = shell.refusal("identify", words, "--flips", "0", "--class", "co-safety")
    assert '"a b b" rejected' in told


def test_a_task_with_flips_is_a_task_file(shell: Shell, words: str) -> None:
    task = shell.good("identify", words, "--flips", "2", "--count", "1", "--json").json["tasks"][0]
    assert load_task(shell.write("task.json", task)) == SEES_AN_A


# -- parts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "operator"), [("--all-of", "and"), ("--any-of", "or")])
def test_parts_come_with_what_joins_them_and_their_sizes(shell: Shell, option: str, operator: str) -> None:
    # an even number of a, and (or) a b: two small automata, one large
    even, seen = DFA.parse(">*0: a→1 | 1: a→0", "ab"), DFA.parse(">0: b→1 | *1:", "ab")
    whole = even & seen if operator == "and" else even | seen
    every: list[list[str]] = [[]]
    for _ in range(5):
        every += [[*word, letter] for word in every for letter in "ab" if [*word, letter] not in every]
    labelled = {label: [word for word in every if whole.accepts(word) == label] for label in (True, False)}
    file = shell.write(
        "w.json", {"alphabet": ["a", "b"], "accept": labelled[True], "reject": labelled[False]}
    )
    found = shell.good("identify", file, option, "2", "--count", "1", "--json").json
    (task,) = found["tasks"]
    assert task["operator"] == operator
    assert {DFA.from_json(part) for part in task["parts"]} == {even, seen}
    assert [part["size"] for part in task["parts"]] == sorted(DFA.from_json(p).size for p in task["parts"])
    assert task["size"] == sum(part["size"] for part in task["parts"]) + 1
    assert DFA.from_json(task) == whole
    read = load_task(shell.write("task.json", task))
    assert isinstance(read, Composite)
    assert read.size == task["size"]
    assert f") {operator} (" in shell.good("identify", file, option, "2", "--count", "1").out
    single = shell.good("identify", file, "--count", "1", "--json").json["tasks"][0]
    assert "parts" not in single
    assert single["size"] > task["size"]


# -- orders and methods ----------------------------------------------------------------------------------


def test_by_states_fewer_states_come_first(shell: Shell, words: str) -> None:
    options = ("--order", "states", "--count", "30", "--json")
    tasks = shell.good("identify", words, *options).json["tasks"]
    keys = [(task["states"], task["size"]) for task in tasks]
    assert keys == sorted(keys)


def test_by_sat_the_same_sizes_come(shell: Shell, words: str) -> None:
    for order in ("bits", "states"):
        options = ("--order", order, "--count", "8", "--json")
        exact, sat = (
            shell.good("identify", words, "--method", method, *options).json for method in ("exact", "sat")
        )
        assert (exact["method"], sat["method"]) == ("exact", "sat")
        assert exact["exact"]
        assert sat["exact"]
        assert [task["size"] for task in exact["tasks"]] == [task["size"] for task in sat["tasks"]]


def test_merging_says_that_it_is_not_exact(shell: Shell, words: str) -> None:
    found = shell.good("identify", words, "--method", "merging", "--count", "4", "--json").json
    assert (found["method"], found["exact"]) == ("merging", False)
    assert found["tasks"]
    labelled = examples(shell, words)
    assert all(labelled.consistent(DFA.from_json(task)) for task in found["tasks"])
    smallest = shell.good("identify", words, "--count", "1", "--json").json["tasks"][0]
    assert smallest["size"] <= found["tasks"][0]["size"]
    out = shell.good("identify", words, "--method", "merging").out
    assert "by state merging: small, but not proven smallest" in out
    odd, even = ([["a"] * length for length in range(first, 8, 2)] for first in (1, 0))
    odd_words = shell.write("w.json", {"alphabet": ["a"], "accept": odd, "reject": even})
    out = shell.good("identify", odd_words, "--method", "merging", "--class", "monotone").out
    assert "state merging found no automaton; others may exist" in out
    assert "size" in shell.good("identify", odd_words, "--class", "monotone", "--count", "1").out


def test_a_class_may_leave_nothing(shell: Shell) -> None:
    document: dict[str, Any] = {
        "alphabet": ["a", "b"],
        "accept": [["a", "a", "b"]],
        "reject": [["a", "b"], ["b", "b", "a"]],
    }
    ran = shell.good("identify", shell.write("w.json", document), "--class", "reach-avoid", "--count", "50")
    assert "size" in ran.out  # and it ends
    document["reject"] += [["a", "a", "b", "a"]]
    told = shell.refusal("identify", shell.write("w.json", document), "--class", "reach-avoid")
    assert "reach-avoid" in told


# -- what does not go together ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--flips", "1", "--trade-off"], "--flips and --trade-off cannot be combined"),
        (["--all-of", "2", "--any-of", "2"], "--all-of and --any-of cannot be combined"),
        (["--flips", "1", "--all-of", "2"], "--flips and --all-of cannot be combined"),
        (["--trade-off", "--any-of", "2"], "--trade-off and --any-of cannot be combined"),
        (["--trade-off", "--method", "sat"], "--trade-off and --method sat cannot be combined"),
        (["--all-of", "2", "--method", "sat"], "--all-of and --method sat cannot be combined"),
        (["--flips", "1", "--order", "states"], "--flips and --order states cannot be combined"),
        (["--all-of", "2", "--order", "states"], "--all-of and --order states cannot be combined"),
        (["--flips", "1", "--method", "merging"], "--flips and --method merging cannot be combined"),
        (["--any-of", "2", "--method", "merging"], "--any-of and --method merging cannot be combined"),
        (["--order", "states", "--method", "merging"], "--method merging and --order states cannot be"),
        (["--max-states", "3", "--method", "merging"], "--max-states bounds the search"),
        (["--flip-bits", "2"], "--flip-bits is the price of a wrong label under --trade-off"),
        (["--flips", "-1"], "-1 is not in the range x>=0"),
        (["--all-of", "0"], "0 is not in the range x>=1"),
        (["--trade-off", "--flip-bits", "nan"], "flip"),
    ],
)
def test_what_does_not_go_together_is_refused(
    shell: Shell, words: str, options: list[str], told: str
) -> None:
    assert told in shell.refusal("identify", words, *options)

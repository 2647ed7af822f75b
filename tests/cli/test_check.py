"""The command `check`: what a problem can and cannot tell before anything is learned."""

from __future__ import annotations

import pytest
from command_line import DELIVERY, ROBOT, WITHOUT_DEMONSTRATIONS, Shell, shell

__all__ = ["shell"]


def test_it_tells_what_was_there_to_choose_and_to_read(shell: Shell) -> None:
    shell.write("robot.toml", ROBOT)
    found = shell.good("check", "robot.toml", "--json").json
    assert found["choices"] == {"steps": 20, "with_alternatives": 20}
    assert [demo["choices"] for demo in found["demonstrations"]] == [6, 14]
    assert found["letters_reachable"] == ["b", "g", "r", "y"]
    assert found["letters_shown"] == ["b", "g", "y"]
    assert found["letters_never_shown"] == ["r"]
    assert found["letters_never_reached"] == []
    assert found["reachable_states"] == 64
    assert found["aimless_steps"] == pytest.approx((1 - (31 / 32) ** 15) * 32)
    text = shell.good("check", "robot.toml").out
    for said in ("64 of 64 states", "12.1 steps on average", "20 of 20 steps", "not shown  r"):
        assert said in text


def test_steps_without_an_alternative_do_not_count(shell: Shell) -> None:
    shell.write("delivery.toml", DELIVERY)
    found = shell.good("check", "delivery.toml", "--json").json
    assert found["choices"] == {"steps": 9, "with_alternatives": 6}


def test_it_remarks_what_keeps_a_problem_from_telling(shell: Shell) -> None:
    shell.write("none.toml", WITHOUT_DEMONSTRATIONS)
    assert "nothing was demonstrated" in shell.good("check", "none.toml").out
    line = """
[world]
kind = "mdp"
start = "a"
labels = { b = "b", c = "c" }
transitions = [["a", "go", { b = 1 }], ["b", "go", { b = 1 }], ["c", "go", { b = 1 }]]
[episode]
horizon = 2
[[demonstrations]]
path = ["go", "b", "go", "b"]
"""
    shell.write("line.toml", line)
    found = shell.good("check", "line.toml", "--json").json
    assert found["letters_never_reached"] == ["c"]
    assert found["reachable_states"] == 2
    assert [one.split(":")[0] for one in found["remarks"]] == ["no step had an alternative", "no run reads c"]


def test_each_world_tells_its_own(shell: Shell) -> None:
    table = """kind = "gridworld"
map = "a..b"
start = [1, 1]
episode = { horizon = %d }
"""
    shell.write("two.toml", "".join(f'[[worlds]]\nname = "w{k}"\n{table % k}\n' for k in (1, 3)))
    found = shell.good("check", "two.toml", "--json").json
    assert [world["letters_reachable"] for world in found["worlds"]] == [["a"], ["a", "b"]]
    assert [world["reachable_states"] for world in found["worlds"]] == [2, 4]
    assert found["letters_reachable"] == ["a", "b"]
    assert "2 of 4 states" in shell.good("check", "two.toml").out


def test_it_tells_what_was_filled_in_and_what_of_a_legend_may_be_a_mistake(shell: Shell) -> None:
    text = """
[world]
kind = "gridworld"
map = "a.#b"
start = [1, 1]
legend = { k = "key" }
[episode]
horizon = 2
[[demonstrations]]
actions = ["right", "right"]
[[demonstrations]]
cells = [[1, 1], [2, 1], [1, 1]]
[[demonstrations]]
path = ["right", [2, 1], "left", [1, 1]]
"""
    shell.write("line.toml", text)
    found = shell.good("check", "line.toml", "--json").json
    filled = [demo["filled_in"] for demo in found["demonstrations"]]
    assert filled == ["where 2 actions led", "2 actions between cells", None]
    assert found["remarks"][:2] == [
        "the legend names k, which the map does not have",
        "the legend does not name #, a, b: each is its own label",
    ]
    out = shell.good("check", "line.toml").out
    assert "filled in: where 2 actions led" in out
    assert "is a wall" in shell.refusal("check", shell.write("wall.toml", text.replace("[1, 1]", "[3, 1]", 1)
        .replace("legend =", 'walls = "#"\nlegend =')))  # fmt: skip


def test_a_file_from_standard_input_is_read_once(shell: Shell) -> None:
    assert shell.good("check", "-", "--json", stdin=ROBOT).json["reachable_states"] == 64

"""Numbers that are not finite: JSON has null, and text says so."""

from __future__ import annotations

import json

import pytest
from command_line import Shell, shell

__all__ = ["shell"]  # the fixture

# The least positive number, times the probability that the episode ends there: too little for a float.
RARE = """
name = "rare"
[world]
kind = "mdp"
start = "s"
labels = { t = "y", u = "b" }
transitions = [
  ["s", "go", { t = 1.0, u = 5e-324 }],
  ["t", "go", { s = 1.0 }],
  ["u", "go", { s = 1.0 }],
]
[episode]
horizon = 4
end_probability = 0.1
[search]
iterations = 2
[[demonstrations]]
complete = true
path = ["go", "u"]
"""


@pytest.mark.parametrize("command", [("score", "rare.toml", ">0: y→1 | *1:"), ("learn", "rare.toml")])
def test_an_infinite_environment_surprise_is_null_in_json(shell: Shell, command: tuple[str, ...]) -> None:
    shell.write("rare.toml", RARE)
    assert shell.good(*command, "--json").json["environment_surprise"] is None
    shell.good(*command, "--out", "out")
    (written,) = (shell.folder / "out").glob("[rs]*.json")
    assert json.loads(written.read_text(encoding="utf-8"))["environment_surprise"] is None


def test_an_infinite_environment_surprise_is_told(shell: Shell) -> None:
    told = shell.good("score", shell.write("rare.toml", RARE), ">0: y→1 | *1:", "--out", "out")
    assert "environment surprise      infinite nats" in told.out
    assert "Warning" not in told.err
    assert "infinite nats" in (shell.folder / "out" / "score.html").read_text(encoding="utf-8")

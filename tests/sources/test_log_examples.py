"""The examples of logs run, and say what they promise."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SAID = {
    "learn_from_csv": "5 runs: never w; p, then d\n",
    "learn_from_log_alone": "8 tickets of team blue: ",
    "learn_from_xes": "south broke it: order remind ship\n",
}


@pytest.mark.parametrize("name", SAID)
def test_an_example_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = EXAMPLES / f"{name}.py"
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 30
    runpy.run_path(str(file), run_name="__main__")
    assert SAID[name] in capsys.readouterr().out

"""The example of a grid runs, and says what it should."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "grid_with_key.py"


def test_one_run_through_a_house_tells_the_task() -> None:
    result = runpy.run_path(str(EXAMPLE))["main"]()
    assert str(result.best.task) == "key, then goal"
    assert result.problem.alphabet == ("goal", "key")

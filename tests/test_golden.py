"""The golden runs: the whole search, step by step, as it was when it was last looked at."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).parent / "golden"
specification = importlib.util.spec_from_file_location("golden_make", GOLDEN / "make.py")
assert specification is not None
assert specification.loader is not None
make = importlib.util.module_from_spec(specification)
specification.loader.exec_module(make)


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_the_search_takes_the_same_steps(file: Path) -> None:
    golden: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    found, expected = make.run(golden["configuration"]), golden["expected"]
    for number, (mine, theirs) in enumerate(zip(found["trace"], expected["trace"], strict=True), start=1):
        assert mine["energy"] == pytest.approx(theirs["energy"], rel=1e-9), f"iteration {number}"
        assert {**mine, "energy": 0} == {**theirs, "energy": 0}, f"iteration {number}"
    assert found["best"].pop("task") == expected["best"].pop("task")
    assert found["best"] == pytest.approx(expected["best"], rel=1e-9)


def test_both_experiments_have_a_golden_run() -> None:
    assert {file.stem for file in GOLDEN.glob("*.json")} == set(make.CONFIGURATIONS)

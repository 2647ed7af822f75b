"""Golden runs of both experiments: configuration and expectation together in one file each.

`python tests/golden/make.py` writes them anew; say in the commit why they moved.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import demospec
from demospec.search.diss import PaperInfo, next_conjecture

FOLDER = Path(__file__).parent
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "monolithic": {"example": "robot-paper", "method": "paper", "seed": 0, "iterations": 60},
    "incremental": {"example": "robot-incremental", "method": "paper", "seed": 0, "iterations": 40},
    "explore": {"example": "robot-paper", "method": "explore", "seed": 0, "iterations": 12},
}


def run(configuration: dict[str, Any]) -> dict[str, Any]:
    """Run a configuration and return what is expected of it."""
    problem = demospec.load_example(configuration["example"]).with_settings(
        method=configuration["method"], iterations=configuration["iterations"]
    )
    result = demospec.learn(problem, seed=configuration["seed"])
    best = asdict(result.best)
    del best["reached"], best["effort"], best["haste"]
    return {
        "best": {**best, "task": str(result.best.task)},
        "trace": [
            {
                "task": str(row.info.candidate.task) if row.info.candidate else None,
                "energy": row.info.candidate.energy if row.info.candidate else None,
                "accepted": row.info.accepted,
                "reset": isinstance(row.info, PaperInfo) and row.info.reset,
                "conjecture": (made := next_conjecture(row.info)) and [list(made.word), made.label],
            }
            for row in result.trace
        ],
    }


def main() -> None:
    """Write the golden files."""
    for name, configuration in CONFIGURATIONS.items():
        golden = {"configuration": configuration, "expected": run(configuration)}
        text = json.dumps(golden, indent=1, ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

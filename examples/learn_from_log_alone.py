"""Learn a team's habit from a log of tickets: what others did in a state is what could have been done.

python examples/learn_from_log_alone.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import demospec

LOG = Path(__file__).parent / "data" / "tickets.csv"  # columns: ticket, team, state, action


def main() -> demospec.Result:
    """Count a world from all tickets, and learn from those of one team."""
    rows = list(csv.DictReader(LOG.read_text(encoding="utf-8").splitlines()))
    world = demospec.world_from_log(rows, run="ticket", labels="states", min_count=2)
    blue = [row for row in rows if row["team"] == "blue"]
    runs = demospec.demonstrations_from_log(world, blue, run="ticket")
    result = demospec.learn(demospec.Problem.of(world, runs, code="words"), seed=0)
    print(f"{len(runs)} tickets of team blue: {result.best.task}")
    print("\n".join(warning.message for warning in result.warnings))
    return result


if __name__ == "__main__":
    main()

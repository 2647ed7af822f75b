"""What it costs to say how sure a result is: `python benchmarks/belief.py [EXAMPLE]`."""

from __future__ import annotations

import sys
import time

import demospec
from demospec.belief import findings_of
from demospec.belief.answers import answers_of


def main(name: str) -> None:
    result = demospec.learn(demospec.load_example(name), seed=0)
    belief = result.belief
    for what, work in (("compare", answers_of), ("all findings", findings_of)):
        seconds = []
        for _ in range(5):
            began = time.process_time()
            work(belief, result.best)
            seconds.append(time.process_time() - began)
        compared = answers_of(belief, result.best).compared
        print(f"{name}: {what}, {compared} of {len(belief.scores)} tasks: {min(seconds):.2f} s (best of 5)")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "robot")

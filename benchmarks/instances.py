"""Example sets to identify automata from: recorded from searches, or labelled by random automata.

    python benchmarks/instances.py record

writes `data/searches.json` anew: the distinct example sets that searches on shipped problems asked about,
in order. Words are strings, a character for each letter.

The random instances follow the data set of DFAMiner (Dell'Erba, Li & Schewe, FM 2024): 50·N different
words over two letters, labelled by a random automaton with N states. The words are drawn uniformly from all
words up to a longest length, as in the Abbadingo competition. There that is 2·log₂ N + 3, too few words
for 50·N of a small N; here it is ⌈log₂ 50·N⌉ + 2, which is 10 for 4 states and 11 for 10, as in the data set.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import demospec
from demospec.identify.base import FirstAnswers
from demospec.identify.exact import ExactIdentifier
from demospec.tasks import DFA
from demospec.tasks.examples import Examples

RECORDED = Path(__file__).parent / "data" / "searches.json"
PROBLEMS = {"robot": 40, "robot-incremental": 20}  # how many of their sets are compared
SEEDS = range(5)


@dataclass(frozen=True)
class Instance:
    """Words to accept and to reject."""

    alphabet: str
    accept: tuple[str, ...]
    reject: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """What one search asked about, in order, each set once; a prior of the problem is left out."""

    problem: str
    seed: int
    sets: tuple[Instance, ...]


def asked(problem: str, seed: int) -> list[Examples]:
    """Run a search and return the distinct example sets that it asked about."""
    sets: dict[Examples, None] = {}
    original = ExactIdentifier.candidates

    def remember(self: FirstAnswers, examples: Examples, count: int) -> Sequence[DFA]:
        sets.setdefault(examples)
        return original(self, examples, count)

    ExactIdentifier.candidates = remember  # type: ignore[method-assign]
    try:
        demospec.learn(demospec.load_example(problem).with_settings(method="paper"), seed=seed)
    finally:
        ExactIdentifier.candidates = original  # type: ignore[method-assign]
    return list(sets)


def record() -> None:
    """Write the sets of all runs, each word once."""
    words: dict[str, int] = {}
    runs = []
    total = 0
    for problem in PROBLEMS:
        for seed in SEEDS:
            sets: list[tuple[list[int], list[int]]] = []
            for examples in asked(problem, seed):
                sets.append(([], []))
                for word, label in examples:
                    sets[-1][not label].append(words.setdefault("".join(word), len(words)))
            total += len(sets)
            runs.append({"problem": problem, "seed": seed, "sets": sets})
    alphabet = "".join(sorted(set("".join(words))))
    document = {"alphabet": alphabet, "words": list(words), "runs": runs}
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text(json.dumps(document, separators=(",", ":")) + "\n")
    print(f"{RECORDED}: {total} sets, {RECORDED.stat().st_size} bytes")


def recorded() -> list[Run]:
    """Read what `record` wrote."""
    document = json.loads(RECORDED.read_text())
    words = document["words"]

    def instance(accept: list[int], reject: list[int]) -> Instance:
        return Instance(
            document["alphabet"], tuple(words[w] for w in accept), tuple(words[w] for w in reject)
        )

    return [
        Run(run["problem"], run["seed"], tuple(instance(*labelled) for labelled in run["sets"]))
        for run in document["runs"]
    ]


def sample(runs: Sequence[Run], seed: int = 0) -> set[tuple[int, int]]:
    """Draw the sets to compare, as (run, position), different ones of each problem."""
    rng = np.random.default_rng(seed)
    chosen: set[tuple[int, int]] = set()
    for problem, count in PROBLEMS.items():
        first: dict[Instance, tuple[int, int]] = {}
        for r, run in enumerate(runs):
            if run.problem == problem:
                for position, instance in enumerate(run.sets):
                    first.setdefault(instance, (r, position))
        places = list(first.values())
        picks = rng.choice(len(places), size=min(count, len(places)), replace=False)
        chosen.update(places[pick] for pick in picks)
    return chosen


def random_target(states: int, rng: np.random.Generator) -> DFA:
    """Draw a table and acceptance marks until no state can be left out."""
    while True:
        table = tuple((int(a), int(b)) for a, b in rng.integers(states, size=(states, 2)))
        accepting = tuple(bool(mark) for mark in rng.integers(2, size=states))
        target = DFA(alphabet=("a", "b"), table=table, accepting=accepting).minimal
        if target.states == states:
            return target


def random_instance(states: int, number: int) -> Instance:
    """Label 50·N random words by a random automaton with N states."""
    rng = np.random.default_rng([states, number])
    target = random_target(states, rng)
    count = 50 * states
    longest = math.ceil(math.log2(count)) + 2
    # The number of a word, written in binary behind a leading one, is the word: 1 the empty one, 2 "a", …
    numbers = rng.choice(np.arange(1, 2 ** (longest + 1)), size=count, replace=False)
    words = [f"{number:b}"[1:].replace("0", "a").replace("1", "b") for number in numbers.tolist()]
    labels = [target.accepts(word) for word in words]
    accept = tuple(word for word, label in zip(words, labels, strict=True) if label)
    reject = tuple(word for word, label in zip(words, labels, strict=True) if not label)
    return Instance("ab", accept, reject)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["record"])
    parser.parse_args()
    record()


if __name__ == "__main__":
    main()

"""The witness of the planner: the paper's equations by plain recursion over histories.

    V(ξ) = λ·[ξ ∈ φ]              when ξ is complete
    Q(ξ·a) = E[V(ξ·a·s) | a, ξ]
    V(ξ) = ln Σₐ exp Q(ξ·a)       otherwise
    ln π(a | ξ) = Q(ξ·a) − V(ξ)

Slow and obvious: every history is a case of its own, and the task is asked about words of complete paths
only. It knows nothing of monitors or of layers of time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from demospec.tasks import DFA
from demospec.testing.worlds import beginnings, one_step_extensions
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path

Prefix = tuple[Path, int | None, bool]  # path that goes on, pair chosen after it; or that has ended


def prefixes(path: Path) -> list[Prefix]:
    """Return the prefixes ρ of a path from the shortest to itself, one action or one outcome longer each."""
    begun = [replace(path.upto(steps), complete=False) for steps in range(len(path.steps) + 1)]
    found: list[Prefix] = [(begun[0], None, False)]
    for number, (pair, _) in enumerate(path.steps, start=1):
        found.append((begun[number - 1], pair, False))
        found.append((begun[number], None, path.complete and number == len(path.steps)))
    return found


def pivot_of(path: Path, demonstrations: Iterable[Path]) -> Prefix:
    """Return the longest prefix of a path that conforms to the demonstrations.

    For a path that deviates it is the paper's pivot; a complete demonstration is its own.
    """
    conforming = {prefix for shown in demonstrations for prefix in prefixes(shown)}
    return next(prefix for prefix in reversed(prefixes(path)) if prefix in conforming)


class ByEnumeration:
    """The maximum-entropy agent of a task in a small world, history by history."""

    def __init__(
        self,
        mdp: MDP,
        task: DFA,
        rationality: float,
        *,
        merge_repeats: bool,
        prior: DFA | None = None,
        lower: DFA | None = None,
    ) -> None:
        self.mdp, self.task, self.rationality = mdp, task, rationality
        self.merge_repeats, self.prior, self.lower = merge_repeats, prior, lower
        self._value: dict[Path, float] = {}
        self._action_value: dict[tuple[Path, int], float] = {}

    def accepted(self, path: Path) -> bool:
        """Say whether a complete path satisfies the task: ξ ∈ φ."""
        return self.task.accepts(path.word(self.mdp, merge_repeats=self.merge_repeats))

    def open(self, path: Path) -> bool:
        """Say whether a complete path does not satisfy the task, but is allowed by the prior."""
        word = path.word(self.mdp, merge_repeats=self.merge_repeats)
        return not self.task.accepts(word) and (self.prior is None or self.prior.accepts(word))

    def revocable(self, path: Path) -> bool:
        """Say whether a complete path satisfies the task, but is not in the lower bound."""
        word = path.word(self.mdp, merge_repeats=self.merge_repeats)
        return self.task.accepts(word) and (self.lower is None or not self.lower.accepts(word))

    def pairs(self, path: Path) -> range:
        """Return the state-action pairs among which a history that goes on can choose."""
        return self.mdp.pairs(path.states(self.mdp)[-1])

    def value(self, path: Path) -> float:
        """Return V(ξ)."""
        if path not in self._value:
            if path.complete:
                self._value[path] = self.rationality * self.accepted(path)
            else:
                q = [self.action_value(path, pair) for pair in self.pairs(path)]
                top = max(q)
                self._value[path] = top + math.log(math.fsum(math.exp(x - top) for x in q))
        return self._value[path]

    def action_value(self, path: Path, pair: int) -> float:
        """Return Q(ξ·a)."""
        if (path, pair) not in self._action_value:
            self._action_value[path, pair] = math.fsum(
                chance * self.value(longer) for longer, chance in one_step_extensions(self.mdp, path, pair)
            )
        return self._action_value[path, pair]

    def log_policy(self, path: Path, pair: int) -> float:
        """Return ln π(a | ξ)."""
        return self.action_value(path, pair) - self.value(path)

    def expected_value(self) -> float:
        """Return V over all that episodes can begin with."""
        return math.fsum(chance * self.value(begin) for begin, chance in beginnings(self.mdp))

    def satisfaction_probability(self, path: Path | None = None) -> float:
        """Return how often a history that goes on as this agent does will satisfy the task."""
        return math.fsum(p for whole, p in self.continuations(path) if self.accepted(whole))

    def open_probability(self, path: Path | None = None) -> float:
        """Return how often it will not, though the prior would allow it."""
        return math.fsum(p for whole, p in self.continuations(path) if self.open(whole))

    def revocable_probability(self, path: Path | None = None) -> float:
        """Return how often it will, though the lower bound does not demand it."""
        return math.fsum(p for whole, p in self.continuations(path) if self.revocable(whole))

    def continuations(self, path: Path | None = None) -> Iterator[tuple[Path, float]]:
        """Yield every complete path that starts with `path`, and its probability given `path`.

        Without one, every complete path of the world.
        """
        if path is None:
            for begin, chance in beginnings(self.mdp):
                yield from ((whole, chance * rest) for whole, rest in self.continuations(begin))
            return
        if path.complete:
            yield path, 1.0
            return
        for pair in self.pairs(path):
            chosen = math.exp(self.log_policy(path, pair))
            for longer, chance in one_step_extensions(self.mdp, path, pair):
                for whole, rest in self.continuations(longer):
                    yield whole, chosen * chance * rest

    def histories(self, path: Path | None = None) -> Iterator[Path]:
        """Yield every history after which the agent chooses, shorter ones first along each branch."""
        if path is None:
            for begin, _ in beginnings(self.mdp):
                yield from self.histories(begin)
        elif not path.complete:
            yield path
            for pair in self.pairs(path):
                for longer, _ in one_step_extensions(self.mdp, path, pair):
                    yield from self.histories(longer)

    def log_probability(self, path: Path) -> float:
        """Return the agent's share of ln Pr(ξ): Σ ln π along the path."""
        begun = (replace(path.upto(steps), complete=False) for steps in range(len(path.steps)))
        return math.fsum(
            self.log_policy(prefix, pair) for prefix, (pair, _) in zip(begun, path.steps, strict=True)
        )

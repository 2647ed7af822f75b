"""Small random worlds, tasks and paths; all paths of a small world; and the witness of planners.

The witness is the paper's equations by plain recursion over histories:

    V(ξ) = λ·[ξ ∈ φ]              when ξ is complete
    Q(ξ·a) = E[V(ξ·a·s) | a, ξ]
    V(ξ) = ln Σₐ exp Q(ξ·a)       otherwise
    ln π(a | ξ) = Q(ξ·a) − V(ξ)

Slow and obvious: every history is a case of its own, and the task is asked about words of complete paths
only. It knows nothing of monitors or of layers of time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache

import numpy as np

from demospec.plan.base import ACCEPTED, OPEN, REVOCABLE
from demospec.tasks import DFA
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, start_of
from demospec.worlds.world import Episode, State, World


def random_mdp(
    rng: np.random.Generator,
    *,
    states: int = 4,
    actions: int = 3,
    letters: Sequence[str] = ("a", "b"),
    horizon: int = 3,
    end_probability: float = 0.0,
    terminal: int = 0,
    outcomes: int = 2,
    same_actions: bool = False,
    rarest: float = 0.0,
    starts: int = 1,
) -> MDP:
    """Make a random world.

    Every state has 1 to `actions` actions (all of them with `same_actions`), every pair 1 to `outcomes`
    outcomes; a state is white or has one of the letters, each as likely. The last `terminal` states end
    an episode. With `rarest` above 0, one outcome of every pair that has two or more is that unlikely.
    Episodes begin in the first `starts` states, with probabilities that are drawn where there are several.
    """
    names: list[State] = [f"s{k}" for k in range(states)]
    moves = [f"m{k}" for k in range(actions)]
    goes_on = states - terminal
    transitions: list[tuple[State, str, dict[State, float]]] = []
    for state in names[:goes_on]:
        fan = actions if same_actions else int(rng.integers(1, actions + 1))
        for move in sorted(rng.choice(moves, size=fan, replace=False).tolist()):
            count = int(rng.integers(1, min(outcomes, states) + 1))
            targets = rng.choice(states, size=count, replace=False).tolist()
            chances = rng.dirichlet(np.ones(count))
            if rarest > 0 and count > 1:
                chances = np.append(chances[1:] * (1 - rarest) / chances[1:].sum(), rarest)
            total = math.fsum(chances)  # 1, but for rounding
            row = {names[t]: float(p) / total for t, p in zip(targets, chances, strict=True)}
            transitions.append((state, move, row))
    labels = {
        name: letters[drawn]
        for name, drawn in zip(names, rng.integers(-1, len(letters), size=states).tolist(), strict=True)
        if drawn >= 0
    }
    begin = rng.dirichlet(np.ones(starts)).tolist() if starts > 1 else [1.0]
    return MDP.build(
        transitions,
        start=dict(zip(names[:starts], begin, strict=True)),
        episode=Episode(horizon=horizon, end_probability=end_probability),
        labels=labels,
        terminal=names[goes_on:],
        states=names,
        actions=moves,
    )


def random_dfa(rng: np.random.Generator, alphabet: Sequence[str], states: int) -> DFA:
    """Make an automaton whose transitions and acceptance marks are all drawn uniformly."""
    letters = tuple(sorted(alphabet))
    table = rng.integers(states, size=(states, len(letters))).tolist()
    marks = rng.integers(2, size=states).tolist()
    return DFA(alphabet=letters, table=tuple(map(tuple, table)), accepting=tuple(map(bool, marks)))


def random_path(rng: np.random.Generator, world: World, complete: bool) -> Path:
    """Draw a path of an agent that chooses uniformly; an incomplete one is cut at a random step."""
    steps: list[tuple[int, int]] = []
    state, ended = world.starts[0][0], False
    if len(world.starts) > 1:
        begin, shares = zip(*world.starts, strict=True)
        state = int(rng.choice(begin, p=np.array(shares) / sum(shares)))
    start = start_of(world, state)
    while not ended:
        pair = int(rng.choice(world.pairs(state)))
        reached, chances = zip(*world.outcomes(pair), strict=True)
        state = int(rng.choice(reached, p=np.array(chances) / sum(chances)))
        steps.append((pair, state))
        ended = bool(rng.random() < world.end_chance(state, len(steps)))
    if not complete:
        steps = steps[: int(rng.integers(len(steps)))]
    return Path(tuple(steps), complete=complete, start=start)


def random_demonstrations(rng: np.random.Generator, world: World, count: int) -> tuple[Path, ...]:
    """Draw demonstrations, complete ones and others, of which about a fifth repeats an earlier one."""
    shown: list[Path] = []
    while len(shown) < count:
        if shown and rng.random() < 0.2:
            shown.append(shown[int(rng.integers(len(shown)))])
        else:
            shown.append(random_path(rng, world, complete=bool(rng.random() < 0.6)))
    return tuple(shown)


def beginning_paths(world: World) -> list[tuple[Path, float]]:
    """Return the paths without a step, one for each start state, with their probabilities."""
    return [
        (Path((), complete=False, start=start_of(world, state)), chance) for state, chance in world.starts
    ]


def one_step_extensions(world: World, path: Path, pair: int) -> Iterator[tuple[Path, float]]:
    """Yield (longer path, its probability given the pair chosen) for each outcome of one more step."""
    for state, chance in world.outcomes(pair):
        steps = (*path.steps, (pair, state))
        ends = world.end_chance(state, len(steps))
        if ends > 0:
            yield Path(steps, complete=True, start=path.start), chance * ends
        if ends < 1:
            yield Path(steps, complete=False, start=path.start), chance * (1 - ends)


Prefix = tuple[Path, int | None, bool]  # path that goes on, pair chosen after it; or that has ended


def prefixes_of(path: Path) -> list[Prefix]:
    """Return the prefixes ρ of a path from the shortest to itself, one action or one outcome longer each."""
    begun = [replace(path.upto(steps), complete=False) for steps in range(len(path.steps) + 1)]
    found: list[Prefix] = [(begun[0], None, False)]
    for number, (pair, _) in enumerate(path.steps, start=1):
        found.append((begun[number - 1], pair, False))
        found.append((begun[number], None, path.complete and number == len(path.steps)))
    return found


@dataclass(eq=False)
class ByEnumeration:
    """The maximum-entropy agent of a task in a small world, history by history."""

    mdp: MDP
    task: DFA
    rationality: float
    _: KW_ONLY
    merge_repeats: bool
    prior: DFA | None = None
    lower: DFA | None = None

    def __post_init__(self) -> None:
        self.value, self.action_value = cache(self._value), cache(self._action_value)

    def has_label(self, path: Path, label: int = ACCEPTED) -> bool:
        """Say whether a complete path has a label; ACCEPTED: it satisfies the task, ξ ∈ φ.

        OPEN: it does not, but the prior allows it. REVOCABLE: it does, but is not in the lower bound.
        """
        word = path.word(self.mdp, merge_repeats=self.merge_repeats)
        if label == OPEN:
            return not self.task.accepts(word) and (self.prior is None or self.prior.accepts(word))
        sure = label == REVOCABLE and self.lower is not None and self.lower.accepts(word)
        return self.task.accepts(word) and not sure

    def pairs(self, path: Path) -> range:
        """Return the state-action pairs among which a history that goes on can choose."""
        return self.mdp.pairs(path.states(self.mdp)[-1])

    def _value(self, path: Path) -> float:  # V(ξ)
        if path.complete:
            return self.rationality * self.has_label(path)
        q = [self.action_value(path, pair) for pair in self.pairs(path)]
        top = max(q)
        return top + math.log(math.fsum(math.exp(x - top) for x in q))

    def _action_value(self, path: Path, pair: int) -> float:  # Q(ξ·a)
        return math.fsum(
            chance * self.value(longer) for longer, chance in one_step_extensions(self.mdp, path, pair)
        )

    def log_policy(self, path: Path, pair: int) -> float:
        """Return ln π(a | ξ)."""
        return self.action_value(path, pair) - self.value(path)

    def expected_value(self) -> float:
        """Return V over all that episodes can begin with."""
        return math.fsum(chance * self.value(begin) for begin, chance in beginning_paths(self.mdp))

    def chance(self, path: Path | None = None, label: int = ACCEPTED) -> float:
        """Return how often a history that goes on as this agent does will have a label: satisfy the task."""
        return math.fsum(p for whole, p in self.continuations(path) if self.has_label(whole, label))

    def continuations(self, path: Path | None = None) -> Iterator[tuple[Path, float]]:
        """Yield every complete path that starts with `path`, and its probability given `path`.

        Without one, every complete path of the world.
        """
        if path is None:
            for begin, chance in beginning_paths(self.mdp):
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
            for begin, _ in beginning_paths(self.mdp):
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

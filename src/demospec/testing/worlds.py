"""Small random worlds, tasks and paths, and all paths of a small world: what property tests draw from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

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


def beginnings(world: World) -> list[tuple[Path, float]]:
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


def enumerate_paths(world: World) -> list[Path]:
    """Return all complete paths of a small world, straight from the definition."""

    def complete_from(path: Path) -> Iterator[Path]:
        if path.complete:
            yield path
            return
        for pair in world.pairs(path.states(world)[-1]):
            for longer, _ in one_step_extensions(world, path, pair):
                yield from complete_from(longer)

    return [path for begin, _ in beginnings(world) for path in complete_from(begin)]


def environment_probability(world: World, path: Path) -> float:
    """Return the environment's share of a path's probability: where it began, outcomes, where it ended."""
    probability = dict(world.starts)[path.first(world)]
    prefix = path.upto(0)
    for number, (pair, _) in enumerate(path.steps, start=1):
        longer = path.upto(number)
        probability *= dict(one_step_extensions(world, prefix, pair))[longer]
        prefix = longer
    return probability

"""Small random worlds, tasks and paths, and all paths of a small world: what property tests draw from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from demospec.tasks import DFA
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.world import Episode, State


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
) -> MDP:
    """Make a random world.

    Every state has 1 to `actions` actions (all of them with `same_actions`), every pair 1 to `outcomes`
    outcomes; a state is white or has one of the letters, each as likely. The last `terminal` states end
    an episode. With `rarest` above 0, one outcome of every pair that has two or more is that unlikely.
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
            transitions.append(
                (state, move, {names[t]: float(p) for t, p in zip(targets, chances, strict=True)})
            )
    labels = {
        name: letters[drawn]
        for name, drawn in zip(names, rng.integers(-1, len(letters), size=states).tolist(), strict=True)
        if drawn >= 0
    }
    return MDP.build(
        transitions,
        start=names[0],
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


def random_path(rng: np.random.Generator, mdp: MDP, complete: bool) -> Path:
    """Draw a path of an agent that chooses uniformly; an incomplete one is cut at a random step."""
    steps: list[tuple[int, int]] = []
    state, ended = mdp.start, False
    while not ended:
        pair = int(rng.choice(mdp.pairs(state)))
        reached, chances = zip(*mdp.outcomes(pair), strict=True)
        state = int(rng.choice(reached, p=np.array(chances) / sum(chances)))
        steps.append((pair, state))
        ended = bool(rng.random() < mdp.end_chance(state, len(steps)))
    if not complete:
        steps = steps[: int(rng.integers(len(steps)))]
    return Path(tuple(steps), complete=complete)


def random_demonstrations(rng: np.random.Generator, mdp: MDP, count: int) -> tuple[Path, ...]:
    """Draw demonstrations, complete ones and others, of which about a fifth repeats an earlier one."""
    shown: list[Path] = []
    while len(shown) < count:
        if shown and rng.random() < 0.2:
            shown.append(shown[int(rng.integers(len(shown)))])
        else:
            shown.append(random_path(rng, mdp, complete=bool(rng.random() < 0.6)))
    return tuple(shown)


def one_step_extensions(mdp: MDP, path: Path, pair: int) -> Iterator[tuple[Path, float]]:
    """Yield (longer path, its probability given the pair chosen) for each outcome of one more step."""
    for state, chance in mdp.outcomes(pair):
        steps = (*path.steps, (pair, state))
        ends = mdp.end_chance(state, len(steps))
        if ends > 0:
            yield Path(steps, complete=True), chance * ends
        if ends < 1:
            yield Path(steps, complete=False), chance * (1 - ends)


def enumerate_paths(mdp: MDP) -> list[Path]:
    """Return all complete paths of a small world, straight from the definition."""

    def complete_from(path: Path) -> Iterator[Path]:
        if path.complete:
            yield path
            return
        for pair in mdp.pairs(path.states(mdp)[-1]):
            for longer, _ in one_step_extensions(mdp, path, pair):
                yield from complete_from(longer)

    return list(complete_from(Path((), complete=False)))


def environment_probability(mdp: MDP, path: Path) -> float:
    """Return the environment's share of a path's probability: outcomes, and where the episode ended."""
    probability = 1.0
    prefix = Path((), complete=False)
    for number, (pair, _) in enumerate(path.steps, start=1):
        longer = Path(path.steps[:number], complete=path.complete and number == len(path.steps))
        probability *= dict(one_step_extensions(mdp, prefix, pair))[longer]
        prefix = longer
    return probability

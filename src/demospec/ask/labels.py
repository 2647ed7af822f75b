"""Questions about labels: should the agent be content with this run? Those that tell most come first.

Asked are words that complete paths can have: one for each way in which tasks can label a path of a world. A
path's past matters through (time, world state, monitor state of every task) alone. So paths are followed
layer by layer of time, and of those that meet in such a place only one is kept: the one that has passed the
fewest labelled states, which is the easiest to judge. Words that no task tells apart are then one.

Where a world's states cannot be listed, paths of agents that pursue the likeliest tasks are drawn instead.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from demospec.ask.information import of_label
from demospec.belief import Belief, acceptance
from demospec.belief.episodes import Episodes
from demospec.belief.tuned import FOR_WORDS, READING
from demospec.errors import Contradiction
from demospec.explain.score import Likely, Score
from demospec.explain.setup import resolve
from demospec.plan.base import ACCEPTED
from demospec.plan.sample import sample_path
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.examples import Examples
from demospec.tasks.side_by_side import Lockstep, Stack
from demospec.wording import word_text
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import MDP, Bools
from demospec.worlds.paths import Path
from demospec.worlds.scene import Scene
from demospec.worlds.walk import TooManySituations, Trails

CORE = 0.999  # of the belief: what is less likely than all this is not asked about
FIRST = 64  # tasks that are followed beside each other; more where these do not tell many words apart
MANY_WORDS = 1000
DRAWN_FOR = 10  # tasks, likeliest first, for whose agents paths are drawn
DRAWS = 20  # paths of each of these agents, and as many of one that pursues nothing


@dataclass(frozen=True)
class LabelQuestion:
    """Should the agent be content with this path? Yes with probability `chance`; the label tells `nats`.

    The path is one of the world with the name `world`. Where paths are `drawn`, there may be better ones.
    """

    word: Word
    path: Path
    world: str
    drawn: bool
    chance: float = 0.5
    nats: float = 0.0

    def __str__(self) -> str:
        return word_text(self.word)

    @property
    def worth(self) -> float:
        """Return what the label tells, less a little for every letter: long words are hard to judge."""
        return self.nats - READING * len(self.word)

    def expected(self, given: bool | Path) -> float:
        """Return how likely a label is."""
        return self.chance if given else 1.0 - self.chance

    def apply(self, problem: Problem, given: bool | Path) -> Problem:
        """Return the problem with the label; another one than before is a contradiction."""
        return with_example(problem, self.word, bool(given))


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What the tasks of a belief say of the words that are possible in its worlds: T tasks, W words."""

    belief: Belief
    possible: tuple[LabelQuestion, ...]  # [W], what they tell is not worked out yet
    accepted: Bools  # [T, W]

    @classmethod
    def of(cls, belief: Belief, *, seed: int = 0, stop: Stop = NEVER) -> Verdicts:
        """Find the possible words and label them by every task, but for the least likely ones."""
        belief = core(belief)
        found = tuple(possible_paths(belief, seed=seed, stop=stop))
        return cls(belief, found, acceptance(belief.tasks, [one.word for one in found]))

    @property
    def drawn(self) -> bool:
        """Say whether paths were drawn in some world, so that there may be words that are not here."""
        return any(one.drawn for one in self.possible)

    def questions(self, without: Collection[Word] = ()) -> list[LabelQuestion]:
        """Return the words that are worth a question, the most informative first.

        A word whose label is certain in the problem's class is never asked about.
        """
        problem = self.belief.problem
        chances = self.belief.weights @ self.accepted
        mixed = np.asarray(self.accepted.any(axis=0) & ~self.accepted.all(axis=0))
        found = [
            replace(one, chance=chance, nats=nats)
            for one, chance, nats, open_ in zip(
                self.possible, chances.tolist(), of_label(chances).tolist(), mixed, strict=True
            )
            if open_
            and one.word not in without
            and one.word not in problem.given.mapping
            and not any(certain.accepts(one.word) for certain in resolve(problem).allowed.certain.values())
        ]
        return sorted(found, key=lambda question: (-question.worth, question.word))

    def answers(self) -> list[tuple[Score, float]]:
        """Return the answers with their probabilities, likeliest first.

        Tasks that give every possible word the same label are one answer: no path of these worlds tells them
        apart, so agents that pursue them do the same. The smallest of them gives it its name.
        """
        shares: dict[bytes, float] = {}
        names: dict[bytes, Score] = {}
        for score, weight, row in zip(
            self.belief.scores, self.belief.weights.tolist(), self.accepted, strict=True
        ):
            key = row.tobytes()
            shares[key] = shares.get(key, 0.0) + weight
            if key not in names or score.size < names[key].size:
                names[key] = score
        order = sorted(shares, key=lambda key: -shares[key])
        return [(names[key], shares[key]) for key in order]


def core(belief: Belief) -> Belief:
    """Return the likeliest tasks of a belief, up to nearly all of it: most tasks hardly count."""
    return belief.likeliest(int(np.searchsorted(np.cumsum(belief.weights), CORE)) + 1)


def with_example(problem: Problem, word: Word, label: bool) -> Problem:
    """Return the problem with one more given example; another label than before is a contradiction."""
    if problem.given.mapping.get(word, label) != label:
        raise Contradiction(f'accepted and rejected at once: "{word_text(word)}"', words=[word])
    longer = replace(problem, given=problem.given.update(word, label))
    resolve(longer)  # what contradicts the problem's class is refused here
    return longer


def with_examples(problem: Problem, examples: Examples) -> Problem:
    """Return the problem with more given examples."""
    for word, label in examples:
        problem = with_example(problem, word, label)
    return problem


# -- words of complete paths ---------------------------------------------------------------------------


def possible_paths(belief: Belief, *, seed: int = 0, stop: Stop = NEVER) -> list[LabelQuestion]:
    """Return paths of all worlds, each word once, in the order of the words.

    There is one for each way in which the tasks of the belief label complete paths, or in worlds that are
    not listed for each way in which they label the drawn ones.
    """
    problem, found = belief.problem, dict[Word, LabelQuestion]()
    for number, scene in enumerate(problem.scenes):
        listed = isinstance(scene.world, MDP)
        if listed:
            paths = followed_paths(problem, belief.tasks, scene, stop=stop)
        else:
            rng = np.random.default_rng([seed, number])
            paths = drawn_paths(problem, belief.scores, scene, rng, stop=stop)
        for path in paths:
            word = problem.word(path, scene)
            found.setdefault(word, LabelQuestion(word, path, scene.name, not listed))
    return [found[word] for word in sorted(found, key=lambda word: (len(word), word))]


def drawn_paths(
    problem: Problem, scores: Sequence[Score], scene: Scene, rng: np.random.Generator, *, stop: Stop = NEVER
) -> list[Path]:
    """Draw paths of agents that pursue the likeliest tasks, and aimless ones.

    Of those that all tasks label alike, one with the shortest word is kept.
    """
    planner = resolve(problem).planner.for_labels(ACCEPTED).until(stop)
    chosen = scores[:DRAWN_FOR]
    agents = [(score.task, Likely.of(score)) for score in chosen]
    agents.append((chosen[0].task, Likely(0.0)))
    words: dict[Word, Path] = {}
    for task, agent in agents:
        plan = planner.plan(agent.world(scene), resolve(problem).monitor(task), agent.rationality)
        for _ in range(DRAWS):
            stop.check()
            path = sample_path(plan, rng)
            words.setdefault(problem.word(path, scene), path)
    order = sorted(words, key=lambda word: (len(word), word))
    labels = acceptance([score.language for score in scores], order)
    shortest = {column.tobytes(): word for word, column in reversed([*zip(order, labels.T, strict=True)])}
    return [words[word] for word in shortest.values()]


def followed_paths(
    problem: Problem,
    tasks: Sequence[DFA],
    scene: Scene,
    *,
    first: int = FIRST,
    most_places: int = FOR_WORDS,
    stop: Stop = NEVER,
) -> list[Path]:
    """Return one path for each way in which the tasks label complete paths of a listed world.

    The first tasks matter most: they are told apart in any case, the others where the world is small enough,
    or when the first ones do not tell many words apart.
    """
    followed = min(len(tasks), first)
    paths = representatives(problem, tasks[:followed], scene, most_places, stop)
    while paths is None:
        followed //= 2
        paths = representatives(problem, tasks[:followed], scene, most_places if followed > 1 else None, stop)
    while len(paths) < MANY_WORDS and followed < len(tasks):
        followed = min(len(tasks), 2 * followed)
        more = representatives(problem, tasks[:followed], scene, most_places, stop)
        if more is None:
            break
        paths = more
    return paths


def representatives(
    problem: Problem, tasks: Sequence[DFA], scene: Scene, most: int | None, stop: Stop = NEVER
) -> list[Path] | None:
    """Return a path for each way in which tasks label complete paths; None with more places than `most`."""
    reader = Lockstep(Stack.of([resolve(problem).monitor(task) for task in tasks]))
    (walk,) = Episodes(problem, stop, most).walks(reader, [scene.mdp])
    white = len(problem.alphabet)
    trails = Trails(walk, lambda node, letter: (letter < white).astype(np.intp))
    ending: dict[int, tuple[int, int, int]] = {}  # node → labelled states passed, time, place
    try:
        for layer, passed in trails:
            if layer.repeats and np.array_equal(passed, trails.layers[-1 - layer.repeats].cost):
                continue  # what ends here, ended some steps before
            over = np.flatnonzero(layer.ends)
            over = over[np.lexsort((passed[over], layer.node[over]))]  # stable: of equals the first
            for place in over[np.diff(layer.node[over], prepend=-1) > 0].tolist():
                here = (int(passed[place]), layer.time, place)
                node = int(layer.node[place])
                ending[node] = min(ending.get(node, here), here)
    except TooManySituations:
        return None
    labels = reader.stack.accepting[reader.rows]
    easiest: dict[bytes, tuple[int, int, int]] = {}
    for node in sorted(ending):
        key = labels[node].tobytes()
        easiest[key] = min(easiest.get(key, ending[node]), ending[node])
    return [trails.path(time, place, complete=True) for _, time, place in easiest.values()]

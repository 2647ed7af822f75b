"""A problem: the world, what was shown in it, and what is assumed about agent and task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args

from demospec.errors import InputError, TaskError
from demospec.problem.settings import Settings
from demospec.tasks import DFA, Task, Word
from demospec.tasks.examples import Examples
from demospec.tasks.showing import Displayed, short
from demospec.wording import listing, nearest, word_text
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import PrefixTree
from demospec.worlds.scene import Scene
from demospec.worlds.world import World, show

if TYPE_CHECKING:  # a problem keeps them, and does nothing with them
    from demospec.identify.allowed import Parts
    from demospec.identify.classes import AutomatonClass
    from demospec.plan.base import Planner
    from demospec.plan.rationality import Agent

Code = Literal["automaton", "words"]  # what a task's size is: of the paper's code, or of a prior
CODES: tuple[Code, ...] = get_args(Code)
MOST_TOLD = 6  # demonstrations, where a problem shows itself


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Energy = size_weight · size (bits) + surprise_weight · surprise (nats).

    The belief prices a bit with `belief_size_weight` instead: see docs/weights.md. `by_rule` tells that the
    size's weight was not given, but follows from the number of demonstrations.
    """

    size_weight: float = 0.02
    surprise_weight: float = 1.0
    belief_size_weight: float = 0.3
    by_rule: bool = False

    def __post_init__(self) -> None:
        for name in ("size_weight", "surprise_weight", "belief_size_weight"):
            weight = getattr(self, name)
            if not (0 <= weight < math.inf):
                raise InputError(f"{name} must be a finite number of at least 0; found {weight:g}")

    def for_demonstrations(self, count: int, *, in_words: bool) -> Weights:
        """Return the weights for so many demonstrations; those that were given stay as they are.

        By rule a bit is 0.02·√n nats, at most ln 2. Where sizes are a prior's it is ln 2 nats.

        >>> round(Weights(by_rule=True).for_demonstrations(20, in_words=False).size_weight, 4)
        0.0894
        """
        if not self.by_rule:
            return self
        if in_words:
            return replace(self, size_weight=math.log(2), belief_size_weight=math.log(2))
        return replace(self, size_weight=min(0.02 * math.sqrt(max(1, count)), math.log(2)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(Displayed):
    """Everything that `learn` needs.

    What was shown is told in scenes: worlds over one alphabet, each with its demonstrations. The task is
    looked for among those that imply the prior and are in all of `classes`; the prior's bits are free,
    those of a class are not. With `parts`, it may be made of several automata, each of which is in all
    classes. `code` says what a task's size is: the paper's bits of its automaton, or those of a code in which
    what people say is short, and whose 2^−size is a prior. Where both code and agent are None, the method
    says: the default weighs tasks by the prior and learns the agent, the others have the paper's of both. An
    agent of None beside a code is the paper's. What it all comes to says `explain.setup.resolve`.
    """

    scenes: tuple[Scene, ...]
    name: str = "problem"
    alphabet: tuple[str, ...] = ()  # empty: the worlds' labels
    agent: Agent | None = None
    weights: Weights = field(default_factory=lambda: Weights(by_rule=True))
    merge_repeats: bool = False
    prior: DFA | None = None
    classes: tuple[AutomatonClass, ...] = ()
    parts: Parts | None = None
    given: Examples = field(default_factory=Examples)
    settings: Settings = field(default_factory=Settings)
    planner: Planner | None = None  # None: that of listed worlds
    code: Code | None = "automaton"

    @classmethod
    def of(cls, world: World, demonstrations: Sequence[Path] = (), **rest: Any) -> Problem:
        """Make the problem of one world."""
        return cls(scenes=(Scene(world=world, demonstrations=tuple(demonstrations)),), **rest)

    def __post_init__(self) -> None:
        if not self.scenes:
            raise InputError("there is no world")
        scenes = self.scenes
        if self.planner is None or self.planner.abilities.listed:
            scenes = tuple(scene.listed() for scene in scenes)
        object.__setattr__(self, "scenes", scenes)
        names = [scene.name for scene in scenes]
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError(f'there are two worlds with the name "{twice[0]}"')
        found = {letter for scene in scenes for letter in scene.world.letters}
        letters = tuple(sorted(set(self.alphabet))) or tuple(sorted(found))
        object.__setattr__(self, "alphabet", letters)
        if not letters:
            raise InputError("no state of the world has a label, so no task can be told from another")
        for scene in scenes:
            check_letters(scene.world, letters)
        if self.prior is not None and self.prior.alphabet != letters:
            raise TaskError(
                f"the prior reads the letters {listing(self.prior.alphabet)}, "
                f"but the problem's are {listing(letters)}"
            )
        object.__setattr__(self, "classes", tuple(dict.fromkeys(self.classes)))
        if self.parts is not None and (identifier := self.settings.paper.identifier) != "exact":
            raise InputError(f'the identifier "{identifier}" finds no tasks made of parts')

    def __repr__(self) -> str:
        worlds = [f"{scene.name}: {scene.world!r}" for scene in self.scenes]
        shown = [
            f"demonstration {number}: {len(path.without_stop(scene.world).steps)} steps, "
            f"{'complete' if path.complete else 'unfinished'}, word {word_text(self.word(path, scene))}"
            for number, scene, path in islice(self.shown, MOST_TOLD)
        ]
        more = len(self.demonstrations) - len(shown)
        agent = "no agent given" if self.agent is None else f"agent {self.agent!r}"
        rest = [f"and {more} more"] if more > 0 else []
        return short([f"Problem {self.name!r}, {agent}", *worlds, *shown, *rest])

    # -- what was shown -----------------------------------------------------------------------------------

    def scene(self, name: str | None = None) -> Scene:
        """Return the scene with a name, or the only one."""
        if name is None and len(self.scenes) == 1:
            return self.scenes[0]
        names = [scene.name for scene in self.scenes]
        if name is None:
            raise InputError(f"the problem has {len(names)} worlds; say which: {listing(names)}")
        if name not in names:
            raise InputError(
                f'no world has the name "{name}"{nearest(name, names)}; worlds: {listing(names)}'
            )
        return self.scenes[names.index(name)]

    @property
    def world(self) -> World:
        return self.scene().world

    @property
    def mdp(self) -> MDP:
        """Return the only world as arrays."""
        return self.scene().mdp

    @property
    def tree(self) -> PrefixTree:
        """Return the prefix tree of the only world's demonstrations."""
        return self.scene().tree

    @property
    def demonstrations(self) -> tuple[Path, ...]:
        """Return all demonstrations, world after world."""
        return tuple(path for scene in self.scenes for path in scene.demonstrations)

    @property
    def shown(self) -> Iterator[tuple[int, Scene, Path]]:
        """Yield all demonstrations: number from 1, scene, path."""
        number = 0
        for scene in self.scenes:
            for path in scene.demonstrations:
                number += 1
                yield number, scene, path

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Return the word of each demonstration."""
        return tuple(self.word(path, scene) for _, scene, path in self.shown)

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the share of the demonstrations that each scene has; equal shares without any."""
        total = len(self.demonstrations)
        if not total:
            return (1 / len(self.scenes),) * len(self.scenes)
        return tuple(len(scene.demonstrations) / total for scene in self.scenes)

    def check_shown(self) -> None:
        """Refuse a problem without demonstrations."""
        if not self.demonstrations:
            raise InputError("there are no demonstrations to learn from")

    def word(self, path: Path, scene: Scene | None = None) -> Word:
        """Return the word that a task reads along a path, in a scene or in the only one."""
        world = (self.scene() if scene is None else scene).world
        return path.word(world, merge_repeats=self.merge_repeats)

    def check_task(self, task: Task) -> Task:
        """Refuse a task over other letters."""
        return check_task_letters(task, self.alphabet)

    # -- other problems -----------------------------------------------------------------------------------

    def merged(self, *, costs: bool = True) -> Problem:
        """Return the problem in the smallest worlds that behave alike, also in what steps cost."""
        return replace(self, scenes=tuple(scene.merged(costs=costs) for scene in self.scenes))

    def with_demonstrations(self, demonstrations: Sequence[Path], name: str | None = None) -> Problem:
        """Return the problem with other demonstrations in one of its worlds."""
        changed = self.scene(name)
        return replace(
            self,
            scenes=tuple(
                replace(scene, demonstrations=tuple(demonstrations)) if scene is changed else scene
                for scene in self.scenes
            ),
        )

    def with_settings(self, **changes: object) -> Problem:
        """Return the problem with some search settings changed; None leaves a setting as it is."""
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(self, settings=self.settings.with_values(**given)) if given else self


def check_task_letters(task: Task, alphabet: tuple[str, ...]) -> Task:
    """Refuse a task over other letters than a problem's."""
    if task.alphabet != alphabet:
        raise TaskError(
            f"the task reads the letters {listing(task.alphabet)}, but the problem's are {listing(alphabet)}"
        )
    return task


def check_letters(world: World, alphabet: Sequence[str]) -> None:
    """Refuse a world with labels that the alphabet does not have."""
    for label in world.letters:
        if label not in alphabet:
            states = ((world.find(name), name) for name in world.names())
            where = (
                f"state {show(name)}"
                for state, name in states
                if state is not None and world.label(state) == label
            )
            raise InputError(
                f'{next(where, "the world")} has the label "{label}", which is not in the alphabet '
                f"{listing(alphabet)}{nearest(label, alphabet)}"
            )


def accepted_demonstrations(problem: Problem, task: Task) -> Sequence[bool]:
    """Say of each demonstration whether its word, as far as it goes, is accepted."""
    marks = {word: task.accepts(word) for word in dict.fromkeys(problem.words)}
    return [marks[word] for word in problem.words]

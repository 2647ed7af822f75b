"""What a sweep runs: which tasks, how much of them is shown, by which methods they are looked for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from demospec.bench.planted import BY_NAME, KINDS, TASKS
from demospec.errors import InputError
from demospec.problem import METHODS
from demospec.search.best_first import INGREDIENTS
from demospec.wording import listing, nearest

WITHOUT = "explore-without-"


@dataclass(frozen=True)
class Case:
    """One run: which task is planted where, how much of it is shown, who searches."""

    demonstrations: int
    task: str
    place: int  # the task's first world, its second, …
    seed: int
    method: str
    weights: str

    @property
    def world(self) -> int:
        """Return the world's number."""
        return 2 * BY_NAME[self.task] + self.place


@dataclass(frozen=True)
class Sweep:
    """What is run: every combination of these, one case each."""

    demonstrations: tuple[int, ...] = (2, 20)
    tasks: tuple[str, ...] = tuple(BY_NAME)
    worlds: int = 1
    seeds: tuple[int, ...] = (0,)
    methods: tuple[str, ...] = METHODS
    weights: str = "default"
    limit: float = 5.0  # seconds for each run

    def cases(self) -> Iterator[Case]:
        """Yield the cases; methods that see the same demonstrations come one after the other."""
        for count in self.demonstrations:
            for task in self.tasks:
                for place in range(self.worlds):
                    for seed in self.seeds:
                        for method in self.methods:
                            yield Case(count, task, place, seed, method, self.weights)

    def __len__(self) -> int:
        return len(self.demonstrations) * len(self.tasks) * self.worlds * len(self.seeds) * len(self.methods)

    @property
    def command(self) -> str:
        """Return the command that runs this."""
        words = ["--demonstrations", ",".join(map(str, self.demonstrations))]
        if self.tasks != tuple(BY_NAME):
            words += [word for name in named(self.tasks) for word in ("--tasks", name)]
        words += ["--worlds", str(self.worlds), "--seeds", ranges(self.seeds)]
        words += [
            "--methods",
            ",".join(self.methods),
            "--weights",
            self.weights,
            "--limit",
            f"{self.limit:g}",
        ]
        return shlex.join(["demospec", "bench", "recovery", *words])


def check_method(name: str) -> str:
    """Refuse a method that is not known; `explore` may come without one of its ingredients."""
    known = (*METHODS, *(f"{WITHOUT}{part}" for part in INGREDIENTS))
    if name not in known:
        raise InputError(
            f'method "{name}" is none of {listing(METHODS)}, nor {WITHOUT} with one of '
            f"{listing(INGREDIENTS)}{nearest(name, known)}"
        )
    return name


def chosen_tasks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tasks that are named, themselves or by their kind, in their order; all without a name."""
    for name in names:
        known = list(dict.fromkeys(text for one in TASKS for text in (one.kind, one.name)))
        if name not in known:
            raise InputError(
                f'no planted task or kind is called "{name}"; known are {listing(known, len(known))}'
                f"{nearest(name, known)}"
            )
    return tuple(one.name for one in TASKS if not names or one.name in names or one.kind in names)


def named(tasks: tuple[str, ...]) -> tuple[str, ...]:
    """Name tasks by their kind where all tasks of the kind are there: the inverse of `chosen_tasks`.

    >>> named(("avoid r", "avoid r and b", "avoid g", "b twice"))
    ('avoid', 'b twice')
    """
    whole = {kind for kind in KINDS if all(one.name in tasks for one in TASKS if one.kind == kind)}
    chosen = [one for one in TASKS if one.name in tasks]
    return tuple(dict.fromkeys(one.kind if one.kind in whole else one.name for one in chosen))


def ranges(numbers: tuple[int, ...]) -> str:
    """Write numbers as `--seeds` takes them.

    >>> ranges((0, 1, 2)), ranges((4, 1))
    ('0-2', '4,1')
    """
    first, last = numbers[0], numbers[-1]
    if len(numbers) > 2 and numbers == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ",".join(map(str, numbers))


def settings_of(method: str) -> dict[str, Any]:
    """Return the settings of a method: "explore-without-products" leaves one of its ingredients out."""
    _, _, ingredient = method.partition(WITHOUT)
    return {"method": "explore", "without": (ingredient,)} if ingredient else {"method": method}

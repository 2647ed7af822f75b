"""One run of a suite of laws on somebody's own part: one message for what is wrong, one report at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

import numpy as np

from demospec.errors import InputError
from demospec.wording import listing, nearest


class BrokenLaw(AssertionError):
    """A law that does not hold."""


@dataclass(frozen=True)
class LawReport:
    """What was checked: how much was compared for each law."""

    compared: Mapping[str, int]

    def __str__(self) -> str:
        return "\n".join(f"{count:>9,}  {law}" for law, count in self.compared.items())


@dataclass(kw_only=True)
class LawRun:
    """What is checked now, on what and with which random numbers, and how much has been compared."""

    seed: int | None = None
    subject: object = None  # what a message is about
    law: str = ""
    compared: Counter[str] = field(default_factory=Counter)
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def fail(self, message: str, cause: Exception | None = None) -> NoReturn:
        """Raise the one message."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        about = "" if self.subject is None else f" ({self.subject})"
        raise BrokenLaw(f'law "{self.law}"{seed}: {message}{about}') from cause

    def passed(self, count: int = 1) -> None:
        self.compared[self.law] += count


Run = TypeVar("Run", bound=LawRun)


def run_laws(
    laws: Mapping[str, Callable[[Run], None]], names: Iterable[str] | None, runs: Callable[[], Iterable[Run]]
) -> LawReport:
    """Check the laws that are named, or all, in all runs; what a law raises besides is told as its failure.

    A law draws the same random numbers whatever else is checked.
    """
    chosen, order = chosen_names("law", names, laws), list(laws)
    compared: Counter[str] = Counter()
    for law in chosen:
        for run in runs():
            run.law, run.compared = law, compared
            run.rng = np.random.default_rng([run.seed or 0, order.index(law)])
            try:
                laws[law](run)
            except BrokenLaw:
                raise
            except Exception as error:
                run.fail(f"{type(error).__name__} was raised: {error}", error)
    return LawReport({law: compared[law] for law in chosen})


def chosen_names(what: str, given: Iterable[str] | None, known: Mapping[str, object]) -> list[str]:
    """Return the names that are given, or all; refuse one that there is not."""
    chosen = list(known if given is None else given)
    for name in chosen:
        if name not in known:
            raise InputError(
                f'there is no {what} "{name}"{nearest(name, known)}; known: {listing(known, len(known))}'
            )
    return chosen

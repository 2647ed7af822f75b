"""The exception tree: every refusal says what was found, where, and the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

SHOWN = 76  # characters of a line that is quoted with a caret below it


class DemospecError(Exception):
    """Anything that demospec raises on purpose."""


class InputError(DemospecError):
    """Input that is refused; the message names the place and what was expected.

    `place` grows outwards as the error travels: a reader adds the file's name to what a parser said.
    """

    def __init__(self, message: str, *, place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place

    def within(self, place: str) -> InputError:
        """Return the same error, told from one level further out."""
        self.place = f"{place}: {self.place}" if self.place else place
        return self

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


@contextmanager
def told_within(place: str) -> Iterator[None]:
    """Tell of input errors from one level further out."""
    try:
        yield
    except InputError as error:
        raise error.within(place) from None


def missing_package(what: str, package: str, extra: str, *, place: str = "") -> InputError:
    """Return the refusal where an optional package is not installed."""
    return InputError(f'{what} needs the package {package}: pip install "demospec[{extra}]"', place=place)


class FileError(InputError):
    """A file that cannot be read, or whose text is not what its kind asks for."""


class WorldError(InputError):
    """A world that is not a finite labelled MDP."""


class DemonstrationError(InputError):
    """A demonstration that the world cannot have produced. Both numbers count from 1."""

    def __init__(self, message: str, *, demonstration: int, step: int | None = None) -> None:
        at = f"demonstration {demonstration}" + ("" if step is None else f", step {step}")
        super().__init__(message, place=at)
        self.demonstration = demonstration
        self.step = step


class UnknownState(DemonstrationError):
    """A step leads to a state that the world does not have."""


class UnavailableAction(DemonstrationError):
    """A step takes an action that its state does not offer."""


class ImpossibleStep(DemonstrationError):
    """A step has probability 0."""


class PastTheEnd(DemonstrationError):
    """A path goes on after its episode is over, or claims an end that cannot be there."""


class TaskError(InputError):
    """A task that is not a complete automaton over the alphabet in question."""


class TooLarge(TaskError):
    """A task whose automaton would need more room than it is given."""


class PointedError(TaskError):
    """A formula or a sentence that cannot be read; `at` is where, in characters from 0.

    >>> print(PointedError("expected a formula", text="F &", at=2).picture)
      F &
        ^
    """

    def __init__(self, message: str, *, text: str, at: int) -> None:
        super().__init__(message)
        self.text, self.at = text, at

    @property
    def picture(self) -> str:
        """Return the line that was read, and below it a caret at the place; a long line is cut around it."""
        line = "".join(c if c.isprintable() else " " for c in self.text)
        first = max(0, self.at - SHOWN // 2)
        before, after = "…" if first else "", "…" if first + SHOWN < len(line) else ""
        return f"  {before}{line[first : first + SHOWN]}{after}\n  {' ' * (len(before) + self.at - first)}^"


class ExamplesError(InputError):
    """Labelled words that are malformed."""


class Contradiction(ExamplesError):
    """Labelled words that no task of the class can meet; `words` are the culprits."""

    def __init__(self, message: str, *, words: Sequence[Sequence[str]]) -> None:
        super().__init__(message)
        self.words = tuple(tuple(word) for word in words)


class WorkerError(DemospecError):
    """Processes or a cluster that did not do their work."""


class CompetencyUnreachable(InputError):
    """No agent that pursues the task in this world succeeds that often."""

    def __init__(self, competency: float, supremum: float) -> None:
        super().__init__(
            f"competency {competency:g} cannot be reached: even a fully rational agent "
            f"satisfies this task with probability {supremum:.6g} only"
        )
        self.competency = competency
        self.supremum = supremum

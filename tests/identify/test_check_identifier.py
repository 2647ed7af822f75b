"""Every identifier keeps the laws of identifiers, and wrong ones are found by the law that they break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Any

import pytest

from demospec.errors import Contradiction, InputError
from demospec.identify.base import Identifier
from demospec.identify.decomposition import DecomposingIdentifier, smallest_by_sat
from demospec.identify.exact import ExactIdentifier
from demospec.identify.merging import MergingIdentifier
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.testing.identifiers import CLASSES, LAWS, check_identifier

Answer = Callable[[Examples, int], Sequence[DFA]]


class BySat:
    """Exact identification by SAT as an identifier."""

    exact = True

    def __init__(self, alphabet: Sequence[str], **known: Any) -> None:
        self.alphabet, self.known = alphabet, known

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return list(islice(smallest_by_sat(examples, self.alphabet, max_states=3, **self.known), count))


exact = partial(ExactIdentifier, max_states=3)
IDENTIFIERS: dict[str, Callable[..., Identifier]] = {
    "exact": exact,
    "exact, more states": partial(ExactIdentifier, max_states=5),
    "SAT": BySat,
    "conjunctions": partial(DecomposingIdentifier, operator="and", max_states=3),
    "disjunctions": partial(DecomposingIdentifier, operator="or", max_states=3),
    "merging": MergingIdentifier,
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_keeps_the_laws(name: str) -> None:
    report = check_identifier(IDENTIFIERS[name], seeds=range(1 if "junctions" in name else 3))
    for law, count in report.compared.items():
        assert count > 0 or ("exact" in law and name == "merging")
    assert str(report).count("\n") == len(LAWS) - 1


# -- wrong identifiers --------------------------------------------------------------------------------------


class Wrong:
    """A right identifier whose answers are changed."""

    exact = True

    def __init__(self, alphabet: Sequence[str], **known: Any) -> None:
        self.alphabet, self.known = alphabet, known
        self.right = exact(alphabet, **known)

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return self.right.candidates(examples, count)


class ForgetsAWord(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return super().candidates(Examples(examples.labels[1:]), count)


class RepeatsItself(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        *others, last = super().candidates(examples, count)
        return [*others, last, last][:count]


class LargestFirst(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return super().candidates(examples, count)[::-1]


class ForgetsTheClass(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return exact(self.alphabet).candidates(examples, count)


class ForgetsThePrior(Wrong):
    def __init__(self, alphabet: Sequence[str], *, prior: DFA | None = None, **known: Any) -> None:
        super().__init__(alphabet, **known)


class Generous(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return super().candidates(examples, count + 1)


class SkipsTheSecond(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        first, *others = super().candidates(examples, count + 1)
        return [first, *others[1:]]


class StopsEarly(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return super().candidates(examples, count)[: max(1, count - 3)]


class Tired(Wrong):
    """Finds less the more it was asked before."""

    exact = False
    asked = 0

    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        self.asked += 1
        return super().candidates(examples, max(1, count - self.asked))


class GivesAnythingForAContradiction(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        try:
            return super().candidates(examples, count)
        except Contradiction:
            return [DFA.constant(self.alphabet, True)]


class Confused(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        try:
            return super().candidates(examples, count)
        except Contradiction as error:
            raise KeyError("a") from error


class Lazy(Wrong):
    def candidates(self, examples: Examples, count: int) -> Sequence[DFA]:
        return iter(super().candidates(examples, count))  # type: ignore[return-value]


WRONG: dict[Callable[..., Identifier], str] = {
    ForgetsAWord: "every task agrees with the examples",
    RepeatsItself: "each language comes once",
    LargestFirst: "tasks come in order of size",
    ForgetsTheClass: "every task is within the class",
    ForgetsThePrior: "every task is within the class",
    Generous: "no more tasks than were asked for",
    SkipsTheSecond: "an exact answer misses nothing smaller",
    StopsEarly: "an exact answer is short only when there are no more",
    partial(ExactIdentifier, max_states=2): "an exact answer is short only when there are no more",
    Tired: "an answer does not depend on earlier questions",
    GivesAnythingForAContradiction: "a contradiction has no answer",
    Confused: "a contradiction has no answer",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_identifier_is_found_by_the_law_that_it_breaks(wrong: Callable[..., Identifier]) -> None:
    with pytest.raises(AssertionError) as failure:
        check_identifier(wrong)
    assert str(failure.value).startswith(f'law "{WRONG[wrong]}", seed ')


def test_the_message_tells_what_was_asked_and_what_is_wrong() -> None:
    with pytest.raises(AssertionError, match=r"comes before .* bits \(10 of class: any task; words: none\)"):
        check_identifier(LargestFirst)
    with pytest.raises(AssertionError, match="KeyError was raised"):
        check_identifier(Confused)
    with pytest.raises(AssertionError, match="not a sequence"):
        check_identifier(Lazy)


def test_classes_and_laws_can_be_chosen() -> None:
    (law, *_) = LAWS
    report = check_identifier(ForgetsTheClass, classes=["any task"], seeds=[5])
    assert list(report.compared) == list(LAWS)
    assert list(check_identifier(LargestFirst, laws=[law]).compared) == [law]
    assert set(CLASSES) > {"prior", "lower bound", "safety"}
    with pytest.raises(InputError, match='there is no class "safty"'):
        check_identifier(exact, classes=["safty"])
    with pytest.raises(InputError, match='there is no law "order"'):
        check_identifier(exact, laws=["order"])

"""Exact identification by SAT: for classes that only have clauses, and the witness of the other way.

Cells are visited in the order that is asked for, with one solver for each number of states. A proof that a
cell holds no more automata may not have needed its bounds, and then rules out others as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from demospec.identify.base import check_class, joined
from demospec.identify.cells import Order, cells, cells_by_states
from demospec.identify.classes import AutomatonClass
from demospec.identify.single import SingleSolver
from demospec.identify.solver import Exhausted
from demospec.identify.word_tree import WordTree
from demospec.tasks import DFA
from demospec.tasks.examples import Examples


def smallest_by_sat(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    order: Order = "bits",
) -> Iterator[DFA]:
    """Yield what `exact.smallest` yields, in another order where sizes are equal.

    It takes every class that has clauses.
    """
    letters = tuple(sorted(alphabet))
    members = joined(prior, classes)
    check_class(examples, letters, classes=members)
    tree = WordTree(letters)
    labels = tree.labels(examples)
    solvers: dict[int, SingleSolver] = {}
    proofs: dict[int, list[Exhausted]] = {}
    try:
        for n, c, m in (cells if order == "bits" else cells_by_states)(len(letters), max_states):
            known = proofs.setdefault(n, [])
            while not any(proof.covers(((c, m),)) for proof in known):
                if n not in solvers:
                    solvers[n] = SingleSolver(n, tree, labels, members)
                result = solvers[n].find(c, m)
                if isinstance(result, Exhausted):
                    known.append(result)
                else:
                    yield DFA.from_canonical(letters, *result)
    finally:
        for solver in solvers.values():
            solver.close()

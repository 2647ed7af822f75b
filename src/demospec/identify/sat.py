"""Exact identification by SAT: for classes that only have clauses, and the witness of the other way.

Cells are visited in the order that is asked for, with one solver for each number of states. A proof that a
cell holds no more automata may not have needed its bounds, and then rules out others as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from demospec.identify.base import check_class, joined
from demospec.identify.cells import Order, cells, cells_by_states
from demospec.identify.classes import AutomatonClass
from demospec.identify.counting import languages_left
from demospec.identify.single import SingleSolver
from demospec.identify.solver import Exhausted
from demospec.identify.word_tree import WordTree
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.work.stop import NEVER, Stop


def smallest_by_sat(
    examples: Examples,
    alphabet: Sequence[str],
    *,
    prior: DFA | None = None,
    classes: Sequence[AutomatonClass] = (),
    max_states: int | None = None,
    order: Order = "bits",
    stop: Stop = NEVER,
) -> Iterator[DFA]:
    """Yield what `exact.smallest` yields, in another order where sizes are equal.

    It takes every class that has clauses.
    """
    letters = tuple(sorted(alphabet))
    members = joined(prior, classes)
    check_class(examples, letters, classes=members, stop=stop)
    tree = WordTree(letters)
    labels = tree.labels(examples)
    found, most = 0, languages_left(members, letters, examples, max_states)
    solvers: dict[int, SingleSolver] = {}
    proofs: dict[int, list[Exhausted]] = {}
    try:
        for n, c, m in (cells if order == "bits" else cells_by_states)(len(letters), max_states):
            stop.check()
            known = proofs.setdefault(n, [])
            while not any(proof.covers(((c, m),)) for proof in known):
                if found == most:
                    return
                if n not in solvers:
                    solvers[n] = SingleSolver(n, tree, labels, members, stop=stop)
                result = solvers[n].find(c, m)
                if isinstance(result, Exhausted):
                    known.append(result)
                else:
                    found += 1
                    yield DFA.from_canonical(letters, *result)
    finally:
        for solver in solvers.values():
            solver.close()

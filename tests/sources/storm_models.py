"""Five small PRISM models in the manner of the public benchmarks, and what Storm says of them by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from demospec import DFA
from demospec.tasks.propositions import letter_of

FOLDER = Path(__file__).parents[2] / "examples" / "models"
MODELS: dict[str, dict[str, bool | int | float]] = {
    "die": {"bias": 0.7},
    "consensus": {"K": 1},
    "gatherer": {"B": 10},
    "grid": {},
    "mutex": {"death": 0.05},
}
HELD = {  # two propositions of each model: what is wanted, and what is better avoided
    "die": ("six", "low"),
    "consensus": ("agree", "differ"),
    "gatherer": ("gold", "robbed"),
    "grid": ("goal", "wet"),
    "mutex": ("critical_a", "critical_b"),
}


def stored(name: str) -> Path:
    return FOLDER / f"{name}.prism"


def storm_model(stormpy: Any, name: str) -> Any:
    """Build a model with Storm as its own documentation does, without anything of ours."""
    program = stormpy.parse_prism_program(str(stored(name)))
    if MODELS[name]:
        program, _ = stormpy.instantiate_constants(program, MODELS[name])
    return stormpy.build_model(program, options=stormpy.BuilderOptions(build_full=True))


Reads = Callable[[int, bool, bool], int]  # from a state, by whether a and whether b hold, to a state

TASKS: dict[str, tuple[int, set[int], Reads]] = {
    "reach a": (2, {1}, lambda q, a, b: 1 if a else q),
    "never b": (2, {0}, lambda q, a, b: 1 if b else q),
    "reach a before any b": (3, {1}, lambda q, a, b: q if q else (2 if b else int(a))),
    "a, later b": (3, {2}, lambda q, a, b: 2 if q == 1 and b else max(q, int(a))),
    "a an odd number of times, and b never twice": (
        5,
        {1, 3},
        lambda q, a, b: q if q == 4 else 4 if b and q > 1 else (q ^ int(a)) + 2 * b,
    ),
}


def task_over(letters: tuple[str, ...], name: str, task: str) -> DFA:
    """Return the automaton of a task over two propositions, for the letters of a world."""
    states, accepting, reads = TASKS[task]
    first, second = HELD[name]
    return DFA.build(
        alphabet=letters,
        states=states,
        accepting=sorted(accepting),
        transitions=[
            (q, letter, reads(q, first in letter.split("&"), second in letter.split("&")))
            for q in range(states)
            for letter in letters
        ],
    )


def storms_best(stormpy: Any, name: str, task: DFA, horizon: int) -> float:
    """Return Storm's Pmax of being accepted after so many steps, in the product with the automaton.

    The product is made of Storm's matrix and labels. Letters are read when a state is entered; an episode
    that is over stays where it is.
    """
    model = storm_model(stormpy, name)
    letters = [
        letter_of(set(model.labeling.get_labels_of_state(s)) - {"init", "deadlock"})
        for s in range(model.nr_states)
    ]
    dead = set(model.labeling.get_states("deadlock"))
    task = task.minimal
    starts = list(model.initial_states)
    met: dict[tuple[int, int], int] = {(s, 0): k for k, s in enumerate(starts)}
    nodes, groups = list(met), list[int]()
    rows: list[dict[int, float]] = []
    for s, q in nodes:  # which grows
        groups.append(len(rows))
        for action in model.states[s].actions:
            row: dict[int, float] = {}
            for entry in action.transitions:
                t = entry.column
                letter = None if s in dead else letters[t]
                node = (t, q if letter is None else task.run([letter], q))
                if node not in met:
                    met[node] = len(nodes)
                    nodes.append(node)
                row[met[node]] = row.get(met[node], 0.0) + entry.value
            rows.append(row)
    matrix = np.zeros((len(rows), len(nodes)))
    for k, row in enumerate(rows):
        matrix[k, list(row)] = list(row.values())
    labelling = stormpy.models.StateLabeling(len(nodes))
    labelling.add_label("accepting")
    for k, (_, q) in enumerate(nodes):
        if task.accepting[q]:
            labelling.add_label_to_state("accepting", k)
    product = stormpy.models.SparseMdp(
        stormpy.models.SparseModelComponents(
            transition_matrix=stormpy.datastructures.build_sparse_matrix(matrix, groups),
            state_labeling=labelling,
        )
    )
    asked = stormpy.parse_property(f'Pmax=? [ F[{horizon},{horizon}] "accepting" ]')
    found = stormpy.model_checking(product, asked, only_initial_states=False)
    return float(np.mean([found.get_value(k) for k in range(len(starts))]))

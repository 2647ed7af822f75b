"""The PRISM module beside a model of the paper's grid, checked by Storm.

The bound: at rationality λ the agent maximises λ·P + H, where P is the probability that it satisfies the task
and H the entropy of its choices. The best policy has P* and H ≥ 0, so λ·P + H ≥ λ·P*, and P* − P ≤ H/λ. With
at most T choices among |A| actions, H ≤ T·ln|A|: with T = 15, |A| = 4 and λ = 1,000, 0.0208.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from handed_over import AWKWARD

import demospec
from demospec import DFA, MDP, Fixed
from demospec.tasks import Word
from demospec.tasks.formats.prism import KEYWORDS

RATIONALITY = 1000.0
ROUNDING = 1e-6  # of Storm's iterations


def world_in_prism(world: MDP, alphabet: Word) -> str:
    """Write a world whose steps have two phases: a move, then the letter, if any, and the chance to end.

    `last` is the letter that was read last, as repeats are merged; 0 is none.
    """
    number = {letter: k for k, letter in enumerate(alphabet, start=1)}
    ((start, _),) = world.starts
    assert world.labels[start] is None
    lines = [
        "mdp",
        "module world",
        f"  cell : [0..{len(world.states) - 1}] init {start};",
        "  phase : [0..3] init 0;  // move, read, end or go on, over",
        f"  steps : [0..{world.horizon}] init 0;",
        f"  last : [0..{len(alphabet)}] init 0;",
    ]
    for state, label in enumerate(world.labels):
        for pair in world.pairs(state):
            outcomes = " + ".join(
                f"{chance!r} : (cell'={reached}) & (phase'=1)" for reached, chance in world.outcomes(pair)
            )
            lines.append(f"  [] phase=0 & cell={state} -> {outcomes};")
        if label is None:
            lines.append(f"  [] phase=1 & cell={state} -> (phase'=2);")
        else:
            k = number[label]
            lines.append(f"  [{label}] phase=1 & cell={state} & last!={k} -> (last'={k}) & (phase'=2);")
            lines.append(f"  [] phase=1 & cell={state} & last={k} -> (phase'=2);")
    ends, last = world.episode.end_probability, world.horizon - 1
    go_on = f"{1 - ends!r} : (phase'=0) & (steps'=steps+1)"
    lines += [
        f"  [] phase=2 & steps<{last} -> {ends!r} : (phase'=3) + {go_on};",
        f"  [] phase=2 & steps={last} -> (phase'=3);",
        "  [] phase=3 -> true;",
        "endmodule",
        'label "end" = phase=3;',
    ]
    return "\n".join([*lines, ""])


def best_by_hand(world: MDP, task: DFA) -> float:
    """Return the maximal probability by backward induction over cells, task states and letters read last."""
    task = task.minimal
    letters: tuple[str | None, ...] = (None, *task.alphabet)

    def read(state: int, q: int, last: str | None) -> tuple[int, str | None]:
        label = world.labels[state]
        return (q, last) if label in (None, last) else (task.run([label], q), label)

    ends = world.episode.end_probability
    nodes = [(s, q, last) for s in range(len(world.states)) for q in range(task.states) for last in letters]
    value = dict.fromkeys(nodes, 0.0)  # before a move
    for step in reversed(range(world.horizon)):
        final = step == world.horizon - 1

        def after(s: int, q: int, last: str | None, final: bool = final, value: Any = value) -> float:
            q, last = read(s, q, last)
            over = float(task.accepting[q])
            return over if final else ends * over + (1 - ends) * value[s, q, last]

        value = {
            (s, q, last): max(
                math.fsum(chance * after(t, q, last) for t, chance in world.outcomes(pair))
                for pair in world.pairs(s)
            )
            for s, q, last in nodes
        }
    return value[world.starts[0][0], 0, None]


TASKS = [
    ">0: y→1 | *1:",
    ">0: y→1, r→2 | *1: r→2 | 2:",
    ">0: b→1, r→2, y→3 | 1: g→0, r→2 | 2: | *3: r→2",
    ">*0: b→1 | 1: g→0",
    ">0: b→1 | 1: b→2 | *2:",  # counts repeats, which the world merges
]


@pytest.mark.parametrize("line", TASKS)
def test_the_planner_at_high_rationality_is_as_good_as_the_best_within_the_bound(line: str) -> None:
    problem = demospec.load_example("robot-paper")
    task = DFA.parse(line, problem.alphabet)
    best = best_by_hand(problem.mdp, task)
    check_bound(problem, task, best)


@pytest.mark.parametrize("line", TASKS)
def test_storm_finds_the_same(line: str, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    problem = demospec.load_example("robot-paper")
    task = DFA.parse(line, problem.alphabet)
    file = tmp_path / "model.prism"
    file.write_text(world_in_prism(problem.mdp, problem.alphabet) + task.to_prism(), encoding="utf-8")
    program = stormpy.parse_prism_program(str(file))
    asked = stormpy.parse_property('Pmax=? [ F "end" & "accepting" ]', program)
    model = stormpy.build_model(program, [asked])
    best = stormpy.model_checking(model, asked).get_value(model.initial_states[0])
    assert best == pytest.approx(best_by_hand(problem.mdp, task), abs=ROUNDING)
    check_bound(problem, task, best)


def test_storm_reads_modules_with_awkward_letters(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    letters = sorted({*AWKWARD, *KEYWORDS})
    task = DFA.build(
        alphabet=letters, states=2, accepting=[1], transitions=[(0, letter, 1) for letter in letters]
    )
    file = tmp_path / "model.prism"
    file.write_text(f"mdp\n{task.to_prism()}", encoding="utf-8")
    program = stormpy.parse_prism_program(str(file))
    asked = stormpy.parse_property('Pmax=? [ F "satisfied" ]', program)
    assert stormpy.model_checking(stormpy.build_model(program, [asked]), asked).get_value(0) == 1


def check_bound(problem: demospec.Problem, task: DFA, best: float) -> None:
    rational = replace(problem, agent=Fixed(RATIONALITY))
    found = demospec.score(rational, task).satisfaction_probability
    bound = problem.mdp.horizon * math.log(len(problem.mdp.actions)) / RATIONALITY
    assert -ROUNDING <= best - found <= bound + ROUNDING

"""PRISM's language, which PRISM and Storm read: a module that follows the letters of a world's model."""

from __future__ import annotations

import re

from demospec.tasks.formats.names import identifiers, printable_line, title_of, verdicts
from demospec.tasks.task import Task

MODULE, VARIABLE = "task_module", "task"
# Words of PRISM's language; those that Storm adds are among them.
KEYWORDS = re.findall(
    r"\w+",
    """A bool clock const ctmc C ceil double dtmc E endinit endinvariant endmodule endobservables endplayer
    endrewards endsystem F false filter floor formula func G global I init int invariant label log ma max mdp
    min mod module nondeterministic observable observables of P player Pmax Pmin pomdp popta pow prob
    probabilistic pta R rate rewards Rmax Rmin round S smg stochastic system true U W X""",
)


def to_prism(task: Task) -> str:
    """Write a task as a module with an action for each letter, labels, and the properties that ask for it."""
    dfa = task.automaton
    action = identifiers(dfa.alphabet, taken={*KEYWORDS, MODULE, VARIABLE})
    renamed = [f"//   [{name}] is {printable_line(a)}" for a, name in action.items() if a != name]
    lines = [
        f"// The task {title_of(task)}",
        "//",
        "// Put this below the model of a world, in one file. The world takes a step with the action of a",
        "// letter whenever that letter is read, such as",
        f"//   [{action[dfa.alphabet[0]]}] reading & here=3 -> (reading'=false);",
        "// and steps on which nothing is read have an action of their own, or none. A world that merges",
        "// repeats takes such a step where the letter is the one that was read last.",
        *(["// Letters that are no identifiers here:", *renamed] if renamed else []),
        "//",
        '// What to ask, where the world gives the label "end" to states in which an episode is over:',
        '//   Pmax=? [ F "end" & "accepting" ]   the best chance to satisfy the task when the episode ends',
        '//   Pmax=? [ F "satisfied" ]           ... to satisfy it for good, however the episode goes on',
        '//   Pmin=? [ F "violated" ]            ... the least chance to break it for good',
        "",
        f"module {MODULE}",
        f"  {VARIABLE} : [0..{dfa.states - 1}] init 0;",
        "",
    ]
    for state, row in enumerate(dfa.table):
        for letter, target in zip(dfa.alphabet, row, strict=True):
            update = "true" if target == state else f"({VARIABLE}'={target})"
            lines.append(f"  [{action[letter]}] {VARIABLE}={state} -> {update};")
    accepts = ["accepting" if mark else "" for mark in dfa.accepting]
    says = verdicts(dfa.table, zip(dfa.accepting))
    lines += ["endmodule", ""]
    for name, told in (("accepting", accepts), ("satisfied", says), ("violated", says)):
        states = " | ".join(f"{VARIABLE}={state}" for state, one in enumerate(told) if one == name)
        lines.append(f'label "{name}" = {states or "false"};')
    return "\n".join([*lines, ""])

"""One small model, in all the forms in which it can be written."""

from __future__ import annotations

from pathlib import Path

from demospec import MDP, Episode

EPISODE = Episode(horizon=6)
TRA = """4 5 7
0 0 1 0.25 go
0 0 2 0.75 go
0 1 0 1
1 0 3 1 go
2 0 0 1/3
2 0 1 2/3
3 0 3 1
"""
LAB = """0="init" 1="deadlock" 2="key" 3="door"
0: 0
1: 2
2: 2 3
3: 1
"""
STA = """(x,open)
0:(0,false)
1:(1,false)
2:(2,false)
3:(1,true)
"""
STORM_TRA = "mdp\n" + TRA.partition("\n")[2]
STORM_LAB = "#DECLARATION\ninit deadlock key door\n#END\n0 init\n1 key\n2 key door\n3 deadlock\n"
DRN = """// Exported by storm
@type: MDP
@value_type: double
@parameters

@reward_models
steps
@nr_states
4
@nr_choices
5
@model
state 0 [1] init
//[x=0\t& !open]
\taction go [2]
\t\t1 : 0.25
\t\t2 : 0.75
\taction __NOLABEL__ [0]
\t\t0 : 1
state 1 [1] key
//[x=1\t& !open]
\taction go [0]
\t\t3 : 1
state 2 [0] key door
//[x=2\t& !open]
\taction __NOLABEL__
\t\t0 : 1/3
\t\t1 : 2/3
state 3 [0] deadlock
//[x=1\t& ]
\taction 0 [0]
\t\t3 : 1
"""


def by_hand(names: list[str]) -> MDP:
    """Return the same world, written out."""
    a, b, c, d = names
    return MDP.build(
        [
            (a, "go", {b: 0.25, c: 0.75}),
            (a, "step", {a: 1}),
            (b, "go", {d: 1}),
            (c, "step", {a: 1 / 3, b: 2 / 3}),
        ],
        start=a,
        episode=EPISODE,
        labels={b: "key", c: "door&key"},
        terminal=[d],
        states=names,
    )


def same(one: MDP, other: MDP) -> bool:
    """Say whether two worlds are the same, names included."""
    return (
        (one.states, one.actions, one.labels, one.starts)
        == (other.states, other.actions, other.labels, other.starts)
        and all(
            getattr(one, name).tolist() == getattr(other, name).tolist()
            for name in ("terminal", "pair_offset", "pair_action", "outcome_offset", "successor")
        )
        and one.probability.round(12).tolist() == other.probability.round(12).tolist()
    )


def written(folder: Path, **texts: str) -> Path:
    """Write files by their endings: tra, lab, sta, drn."""
    for ending, text in texts.items():
        (folder / f"model.{ending}").write_text(text, encoding="utf-8")
    return folder

"""Valid inputs of every format, each with commands that read it: what the fuzzer begins with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from demospec import problems

LITTLE = ("--iterations", "2", "--max-evaluations", "40", "--max-seconds", "3")  # of a search
TASK = ">0: y→1, r→2 | *1: r→2 | 2:"
TEXTS = (
    TASK,
    '(>*0: r→1 | 1:) and (>0: y→1, "b"→0 | *1:)',
    "F y & G !r",
    "(!r W y) -> X[!] (b U g) | H O Y true",
    "reach y; never r; after b, no y until g",
    "(b, then g) or (y at most 3 times)",
)
GRID = """
name = "field"
[world]
kind = "gridworld"
map = '''
a.#.
.^~b
d..c
'''
starts = [{ cell = [1, 3], probability = 0.5 }, { cell = [2, 3], probability = 0.5 }]
wind = { direction = "down", probability = 0.1 }
walls = "#"
one_way = true
slippery = { probability = 0.2, characters = "~" }
teleports = [[[4, 1], [1, 1]]]
legend = { d = ["a", "c"] }
blocked = "unavailable"
moves = 8
[episode]
horizon = 6
end_probability = 0.1
[agent]
rationality = "learned"
cost = { up = 2 }
[task]
class = ["safety"]
[[examples]]
word = ["a", "b"]
accept = true
[[demonstrations]]
start = [2, 3]
complete = false
path = ["right", [3, 3], "right", [4, 3]]
"""
MDP = """
alphabet = ["home", "parcel"]
[[worlds]]
name = "house"
kind = "mdp"
start = { hall = 0.5, ramp = 0.5 }
labels = { depot = "parcel", door = ["home"] }
events = [["hall", "go", "door", "home"]]
terminal = ["out"]
transitions = [
  ["hall", "ramp", { depot = 1 }], ["hall", "go", { door = 1 }], ["ramp", "go", { hall = 1 }],
  ["depot", "return", { hall = 0.9, depot = 0.1 }], ["door", "leave", { out = 1 }],
]
merge_redundant = true
[worlds.episode]
horizon = 8
ends = "by choice"
[[worlds.demonstrations]]
start = "hall"
path = ["ramp", "depot", "return", "hall", "go", "door", "leave", "out"]
[task]
merge_repeats = true
implies = ">*0:"
any_of = 2
[energy]
size_weight = 0.02
[search]
method = "paper"
"""
EXPLICIT = """
[world]
kind = "explicit"
transitions = "{}"
labels = ["key"]
[episode]
horizon = 5
[[demonstrations]]
path = ["go", "{}", "go", "{}"]
"""
TRA = "4 5 7\n0 0 1 0.25 go\n0 0 2 0.75 go\n0 1 0 1\n1 0 3 1 go\n2 0 0 1/3\n2 0 1 2/3\n3 0 3 1\n"
LAB = '0="init" 1="deadlock" 2="key" 3="door"\n0: 0\n1: 2\n2: 2 3\n3: 1\n'
STA = "(x,open)\n0:(0,false)\n1:(1,false)\n2:(2,false)\n3:(1,true)\n"
DRN = """// Exported by storm
@type: MDP
@parameters

@reward_models
steps
@nr_states
3
@nr_choices
3
@model
state 0 [1] init
//[x=0\t& !open]
\taction go [2]
\t\t1 : 0.25
\t\t2 : 0.75
state 1 key
\taction go
\t\t2 : 1
state 2 deadlock
\taction __NOLABEL__
\t\t2 : 1
"""
LAKE = """
[world]
kind = "gymnasium"
id = "FrozenLake-v1"
kwargs = { map_name = "4x4", is_slippery = false }
labels = { 8 = "left" }
[world.features]
goal = "goal"
low = "row == 3 and not goal"
[episode]
horizon = 12
[[demonstrations]]
path = ["down", "4", "down", "8"]
"""
RUNS = "run,time,state,action\n1,1,hall,ramp\n1,2,depot,return\n1,3,hall,\n2,1,hall,go\n2,2,door,leave\n"
LOG_WORLD = """
[world]
kind = "log"
log = "{}"
labels = {{ depot = "parcel", door = "home" }}
[episode]
horizon = 6
"""
JSONL = "".join(
    json.dumps({"run": 1 + k // 3, "state": ["hall", "depot", "door"][k % 3], "action": "go"}) + "\n"
    for k in range(6)
)
XES = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0"><trace><string key="concept:name" value="case 1"/>
<event><string key="concept:name" value="y"/>
<date key="time:timestamp" value="2024-05-01T12:30:00+02:00"/></event>
<event><string key="concept:name" value="r"/><string key="lifecycle:transition" value="complete"/></event>
</trace><trace><event><string key="concept:name" value="b"/></event></trace></log>
"""
EXAMPLES = '{"alphabet": ["a", "b"], "accept": [["a"], ["a", "b"]], "reject": [[], ["b"]]}'
ABBADINGO = "4 2\n1 2 0 1\n0 0\n1 1 0\n-1 3 1 1 0\n"
WORDS = "+ a b  # first a, then b\n-\n- b b\n+ a\n"
TASK_FILE = (
    '{"kind": "dfa", "alphabet": ["b", "g", "r", "y"], "states": 3, "start": 0, "accepting": [1], '
    '"transitions": [[0, "y", 1], [0, "r", 2], [1, "r", 2]]}'
)
BELIEF = (
    '{"answers": [{"task": ">0: y→1, r→0 | *1:", "weight": 0.7}, {"task": "F y & G !r", "probability": 0.3}]}'
)


@dataclass(frozen=True)
class Seed:
    """A command that succeeds, and the files that it reads."""

    name: str
    arguments: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    weight: float = 1.0  # how often it is drawn: slow ones less


def seed(name: str, *arguments: str, weight: float = 1.0, stdin: str = "", **files: str | bytes) -> Seed:
    """Return a seed; a file's name has its dot as an underscore."""
    data = {
        key.replace("_", "."): one if isinstance(one, bytes) else one.encode() for key, one in files.items()
    }
    return Seed(name, arguments, data, stdin.encode(), weight)


@cache
def seeds() -> tuple[Seed, ...]:
    """Return all seeds that this installation can read."""
    return (*of_problems(), *of_tasks(), *of_examples(), *of_logs(), *of_runs())


def of_problems() -> Iterator[Seed]:
    """Yield problem files of every kind of world."""
    every = {name: problems.text(name) for name in ("robot", "robot-paper", "delivery", "robot-incremental")}
    for name, text in {**every, "field": GRID, "house": MDP}.items():
        yield seed(f"check {name}", "check", "p.toml", p_toml=text, weight=4)
        yield seed(f"learn {name}", "learn", "p.toml", *LITTLE, "--json", p_toml=text, weight=0.3)
    robot = every["robot-paper"]
    import tomllib

    as_json = json.dumps(tomllib.loads(robot))
    yield seed("check JSON", "check", "p.json", "--json", p_json=as_json, weight=4)
    yield seed("check from a pipe", "check", "-", stdin=robot)
    yield seed("check lamps", "check", "p.toml", p_toml=problems.text("lamps"), weight=2)
    model = {"m_tra": TRA, "m_lab": LAB, "m_sta": STA, "m_drn": DRN}
    for file, first, second in (("m.tra", "x=1, open=false", "x=1, open=true"), ("m.drn", "1", "2")):
        told = EXPLICIT.format(file, first, second)
        yield seed(f"check {file}", "check", "p.toml", p_toml=told, **model, weight=4)
    if find_spec("gymnasium"):
        yield seed("check gymnasium", "check", "p.toml", p_toml=LAKE, weight=0.3)
    bound = robot.replace("[task]", '[task]\nimplies = "t.json"')
    yield seed("check with a prior", "check", "p.toml", p_toml=bound, t_json=TASK_FILE)
    options = [
        *LITTLE,
        "--chains",
        "2",
        "--top",
        "3",
        "--seed",
        "7",
        "--out",
        "out",
        "--word",
        "b g",
        "--why",
    ]
    yield seed("learn with options", "learn", "p.toml", *LITTLE, *options, p_toml=robot, weight=0.4)
    parts = ["--method", "paper", "--all-of", "2", "--class", "safety", "--set", "search.paper.candidates=5"]
    yield seed("learn parts", "learn", "p.toml", *LITTLE, *parts, p_toml=robot, weight=0.3)
    for command in (
        ("score", "p.toml", TASK, "--pivots", "3", "--json"),
        ("score", "p.toml", TASK, "--out", "out", "--time", "2"),
        ("sample", "p.toml", TASK, "--count", "3", "--seed", "1"),
        ("policy", "p.toml", TASK, "--path", '["left", [4, 6], "left", [3, 6]]', "--time", "1"),
        ("policy", "p.toml", TASK, "--state", "(3, 6)", "--monitor", "1", "--agent", "rationality=2.5"),
        ("policy", "p.toml", "b.json", "--agent", "answers=2", "--json"),
        ("describe", "reach y", "--world", "p.toml"),
        ("diff", "reach y", "F y & G !r", "--world", "p.toml", "--json"),
    ):
        yield seed(" ".join(command[:1]), *command, p_toml=robot, b_json=BELIEF)
    few = ("--iterations", "2", "--set", "search.max_evaluations=20")
    asking = ("ask", "p.toml", *few, "--answers", "reach y", "--most", "1")
    yield seed("ask", *asking, "--out", "labels.toml", p_toml=robot, weight=0.2)
    labels = "[[examples]]\nword = ['b', 'y']\naccept = true\n"
    yield seed("ask with labels", *asking, "--out", "l.toml", p_toml=robot, l_toml=labels, weight=0.3)


def of_tasks() -> Iterator[Seed]:
    """Yield tasks in every text form, on the command line and in files."""
    from demospec.files import load_task
    from demospec.tasks.formats.dot import to_dot
    from demospec.tasks.formats.hoa import to_hoa

    task = load_task(TASK)
    read_back = {"t.hoa": to_hoa(task), "t.dot": to_dot(task)}
    for text in TEXTS:
        yield seed("describe a line", "describe", text, weight=2)
        yield seed("describe a file", "describe", "t.txt", "--json", t_txt=text, weight=2)
        yield seed("diff lines", "diff", text, TASK)
    for file, content in {**read_back, "t.json": TASK_FILE}.items():
        yield seed(f"describe {file}", "describe", file, **{file.replace(".", "_"): content}, weight=4)
    forms = ("json", "dot", "hoa", "prism", "ltlf", "regex", "python", "reward-machine", "gymnasium", "svg")
    for form in forms:
        yield seed(f"export {form}", "export", "t.json", "--format", form, t_json=TASK_FILE, weight=0.5)
    again = ("export", "t.json", "--format", "hoa", "--out", "old.hoa", "--alphabet", "b g r y z")
    yield seed("export over a file", *again, t_json=TASK_FILE, old_hoa="an earlier one\n")
    belief = ("export", "b.json", "--format", "gymnasium")
    yield seed("export a belief", *belief, b_json=BELIEF)


def of_examples() -> Iterator[Seed]:
    """Yield labelled words in every form."""
    way = ("--count", "2", "--max-states", "3", "--seconds", "2")
    yield seed("identify JSON", "identify", "e.json", *way, "--json", e_json=EXAMPLES, weight=4)
    yield seed("identify Abbadingo", "identify", "e.txt", *way, e_txt=ABBADINGO, weight=4)
    yield seed("identify words", "identify", "e.txt", *way, e_txt=WORDS, weight=4)
    ways = ("--flips 1", "--trade-off", "--all-of 2", "--class monotone", "--order states")
    for more in ways:
        yield seed("identify otherwise", "identify", "e.json", *way, *more.split(), e_json=EXAMPLES)


def of_logs() -> Iterator[Seed]:
    """Yield logs in every format, to monitor and to learn from."""
    csv = "case,event\n1,y\n1,r\n2,b\n2,y\n"
    jsonl = '["y", "r"]\n["b"]\n'
    objects = '{"case": 1, "event": "y"}\n{"case": 1, "event": "r"}\n'
    for name, options, file, content in (
        ("lines", (), "l.txt", "y r b\nb g\n\n"),
        ("CSV", ("--columns", "event=event,run=case"), "l.csv", csv),
        ("JSON lines", ("--json",), "l.jsonl", jsonl),
        ("objects", ("--columns", "event=event,run=case"), "l.jsonl", objects),
        ("XES", ("--changes", "--merge-repeats"), "l.xes", XES),
    ):
        arguments = ("monitor", "reach y; never r", file, "--alphabet", "b g r y", *options)
        yield seed(f"monitor {name}", *arguments, **{file.replace(".", "_"): content}, weight=3)
    yield seed("monitor a pipe", "monitor", TASK, "-", "--columns", "format=events", stdin="y\nr\nb\n")
    for file, data in {"l.csv": RUNS.encode(), "l.jsonl": JSONL.encode(), **parquet()}.items():
        given = {"p.toml": LOG_WORLD.format(file).encode(), file: data}
        yield Seed(f"check a world of {file}", ("check", "p.toml"), given, weight=3)
    world = MDP.replace('[[worlds]]\nname = "house"', "[world]").replace("[worlds.episode]", "[episode]")
    world = world.split("[[worlds.demonstrations]]")[0].replace("{ hall = 0.5, ramp = 0.5 }", '"hall"')
    columns = ("--log", "l.csv", "--columns", "run=run,state=state,action=action,time=time")
    yield seed("check with a log", "check", "p.toml", *columns, p_toml=world, l_csv=RUNS, weight=3)


def parquet() -> dict[str, bytes]:
    """Return a Parquet file, where it can be written."""
    if not find_spec("pyarrow"):
        return {}
    import pyarrow
    import pyarrow.parquet

    rows = [row.split(",") for row in RUNS.split()]
    table = pyarrow.table({name: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0])})
    written = BytesIO()
    pyarrow.parquet.write_table(table, written)
    return {"l.parquet": written.getvalue()}


def of_runs() -> Iterator[Seed]:
    """Yield the journal of an unfinished run."""
    yield Seed("resume", ("resume", "."), {"run.journal": journal()}, weight=2)


def journal() -> bytes:
    """Return the journal of a run that was left after a few iterations."""
    from demospec import Session, load_example
    from demospec.runs.journal import JOURNAL

    problem = load_example("robot-paper").with_settings(method="paper", iterations=6)
    with TemporaryDirectory() as folder:
        with Session(problem, folder=Path(folder)) as session:
            for _ in range(3):
                session.step()
        return (Path(folder) / JOURNAL).read_bytes()

"""Problem files with several worlds, and worlds in which episodes begin in several states."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec import evaluate, files, learn
from demospec.errors import (
    DemonstrationError,
    ImpossibleStep,
    InputError,
    UnavailableAction,
)
from demospec.explain.setup import resolve
from demospec.files import load
from demospec.report.result_document import result_document
from demospec.worlds.gridworld import GridWorld
from demospec.worlds.world import Episode

TWO = """
name = "two rooms"
[episode]
horizon = 6
[agent]
rationality = 5
[task]
merge_repeats = true
[[worlds]]
name = "kitchen"
kind = "gridworld"
map = '''
..a
b..
'''
start = [1, 1]
[[worlds.demonstrations]]
path = ["right", [2, 1], "right", [3, 1]]
[[worlds]]
name = "hall"
kind = "mdp"
start = "in"
labels = { there = "c", back = "a" }
terminal = ["back"]
transitions = [["in", "go", { there = 1 }], ["there", "go", { back = 0.5, there = 0.5 }]]
[worlds.episode]
horizon = 3
end_probability = 0.125
[[worlds.demonstrations]]
path = ["go", "there", "go", "back"]
[[worlds.demonstrations]]
path = ["go", "there"]
complete = true
"""
ONE = """
[world]
kind = "mdp"
start = START
labels = { a = "x", c = "y" }
transitions = [["a", "go", { b = 1 }], ["b", "go", { c = 0.25, a = 0.75 }], ["c", "go", { c = 1 }]]
[episode]
horizon = 3
"""
GRID = """
[world]
kind = "gridworld"
map = ".a.\\nb.."
START
[episode]
horizon = 3
"""
WORLD = '[world]\nkind = "gridworld"\nmap = ".a"\nstart = [1, 1]\n'
SHOWN = '[[demonstrations]]\npath = ["right", [2, 1]]\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "p.toml"
    path.write_text(text, encoding="utf-8")
    return path


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


# -- several worlds ---------------------------------------------------------------------------------------


def test_worlds_and_what_was_shown_in_each(tmp_path: Path) -> None:
    problem = load(written(tmp_path, TWO))
    kitchen, hall = problem.scenes
    assert (kitchen.name, hall.name) == ("kitchen", "hall")
    assert isinstance(kitchen.world, GridWorld)
    assert (kitchen.grid, hall.grid) == (("..a", "b.."), None)
    assert problem.alphabet == ("a", "b", "c")
    assert problem.words == (("a",), ("c", "a"), ("c",))
    assert [path.complete for path in problem.demonstrations] == [False, True, True]
    # Its own episode, or that of the file.
    assert kitchen.world.episode == Episode(horizon=6)
    assert hall.world.episode == Episode(horizon=3, end_probability=0.125)
    assert resolve(problem).code == "words"


def test_toml_and_json_read_the_same(tmp_path: Path) -> None:
    first, document = load(written(tmp_path, TWO)), json.dumps(tomllib.loads(TWO))
    path = tmp_path / "p.json"
    path.write_text(document, encoding="utf-8")
    second = load(path)
    assert [scene.name for scene in first.scenes] == [scene.name for scene in second.scenes]
    assert first.demonstrations == second.demonstrations
    for one, other in zip(first.scenes, second.scenes, strict=True):
        assert one.mdp.states == other.mdp.states
        assert one.mdp.probability.tobytes() == other.mdp.probability.tobytes()


def test_a_task_is_learned_from_both_worlds(tmp_path: Path) -> None:
    problem = load(written(tmp_path, TWO)).with_settings(iterations=3)
    best = learn(problem, seed=0).best
    assert best.energy == pytest.approx(evaluate(problem, best.task).score.energy)


def test_every_world_may_have_its_own_episode(tmp_path: Path) -> None:
    own = changed(TWO, "[episode]\nhorizon = 6\n", "")
    own = changed(own, "start = [1, 1]\n", "start = [1, 1]\nepisode = { horizon = 4 }\n")
    assert [scene.world.episode.horizon for scene in load(written(tmp_path, own)).scenes] == [4, 3]


def test_copies_are_merged_where_a_world_asks_for_it(tmp_path: Path) -> None:
    text = changed(TWO, "start = [1, 1]\n", "start = [1, 1]\nmerge_redundant = true\n")
    kitchen, hall = load(written(tmp_path, text)).scenes
    assert kitchen.quotient is not None
    assert kitchen.grid == ("..a", "b..")
    assert hall.quotient is None


def test_one_world_in_a_list_is_the_same_as_one_alone(tmp_path: Path) -> None:
    episode, shown = "[episode]\nhorizon = 4\n", SHOWN + '[[demonstrations]]\npath = ["left", [1, 1]]\n'
    in_a_list = WORLD.replace("[world]", '[[worlds]]\nname = "world"')
    texts = (episode + WORLD + shown, episode + in_a_list + shown.replace("[[demon", "[[worlds.demon"))
    results = []
    for text in texts:
        problem = load(written(tmp_path, text)).with_settings(method="paper", iterations=10)
        results.append(json.dumps({**result_document(learn(problem, seed=0)), "seconds": 0, "problem": None}))
    assert results[0] == results[1]


REFUSED_WORLDS: dict[str, tuple[str, str]] = {
    "both": (changed(TWO, "[[worlds]]", WORLD + "[[worlds]]"), r"give \[world\] or \[\[worlds\]\], not both"),
    "none": ("[episode]\nhorizon = 3\n", 'the key "world" is missing'),
    "an empty list": ("worlds = []\n[episode]\nhorizon = 3\n", 'the key "world" is missing'),
    "demonstrations of no world": (
        TWO + SHOWN,
        r"with \[\[worlds\]\], demonstrations belong to their world: \[\[worlds.demonstrations\]\]",
    ),
    "two of one name": (
        changed(TWO, 'name = "hall"', 'name = "kitchen"'),
        'there are two worlds with the name "kitchen"',
    ),
    "no name": (changed(TWO, 'name = "hall"\n', ""), 'world 2: the key "name" is missing'),
    "no episode": (
        changed(TWO, "[episode]\nhorizon = 6\n", ""),
        'world "kitchen": neither the world nor the file says how episodes end',
    ),
    "no episode of the only world": (WORLD, 'the key "episode" is missing'),
    "a wrong episode": (
        changed(TWO, "horizon = 3", "horizon = 0"),
        'world "hall": episode: the horizon must be at least 1 step; found 0',
    ),
    "a wrong map": (
        changed(TWO, "b..", "b."),
        """world "kitchen": world: map row 2, "b.", has 2 cells; row 1, "..a", has 3""",
    ),
    "an unknown key": (changed(TWO, "start = [1, 1]", "stat = [1, 1]"), 'world 1: unknown key "stat"'),
    "an unknown kind": (
        changed(TWO, '"mdp"', '"map"'),
        'world 2: kind: expected .*found "map"',
    ),
    "a value of the wrong kind": (
        changed(TWO, "horizon = 3", 'horizon = "3"'),
        'world 2: episode.horizon: expected a whole number, found "3"',
    ),
    "a path that is not one": (
        changed(TWO, '"go", "there"]\ncomplete', '"go", 3]\ncomplete'),
        "world 2: demonstration 2, step 1: expected .*, found 3",
    ),
    "a letter that is not in the alphabet": (
        f'alphabet = ["a", "b"]\n{TWO}',
        'state "there" has the label "c", which is not in the alphabet a, b',
    ),
}


@pytest.mark.parametrize("name", REFUSED_WORLDS)
def test_worlds_that_are_refused(tmp_path: Path, name: str) -> None:
    text, message = REFUSED_WORLDS[name]
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("shown", "kind", "place", "step"),
    [
        ('["go", "in"]', ImpossibleStep, "demonstration 2, step 1", 1),
        ('["go", "there", "stop", "back"]', UnavailableAction, "demonstration 2, step 2", 2),
        ('["go"]', DemonstrationError, "demonstration 2", None),
    ],
)
def test_an_error_in_a_demonstration_names_the_world(
    tmp_path: Path, shown: str, kind: type[DemonstrationError], place: str, step: int | None
) -> None:
    path = written(tmp_path, changed(TWO, '["go", "there"]\ncomplete', f"{shown}\ncomplete"))
    with pytest.raises(kind) as caught:
        load(path)
    assert str(caught.value).startswith(f'{path}: world "hall": {place}: ')
    assert (caught.value.demonstration, caught.value.step) == (2, step)


# -- where episodes begin -----------------------------------------------------------------------------------


def test_a_gridworld_may_begin_in_several_cells(tmp_path: Path) -> None:
    equal = load(written(tmp_path, changed(GRID, "START", "starts = [{ cell = [1, 1] }, { cell = [3, 2] }]")))
    names = {equal.mdp.states[state]: chance for state, chance in equal.mdp.starts}
    assert names == {(1, 1): 0.5, (3, 2): 0.5}
    tables = """
[[world.starts]]
cell = [1, 1]
probability = 0.25
[[world.starts]]
cell = [2, 2]
probability = 0.75
"""
    given = load(written(tmp_path, changed(GRID, "START", tables)))
    assert {given.mdp.states[s]: chance for s, chance in given.mdp.starts} == {(1, 1): 0.25, (2, 2): 0.75}


def test_an_mdp_may_begin_in_several_states(tmp_path: Path) -> None:
    problem = load(written(tmp_path, changed(ONE, "START", "{ a = 0.5, b = 0.5 }")))
    assert {problem.mdp.states[s]: chance for s, chance in problem.mdp.starts} == {"a": 0.5, "b": 0.5}


def test_a_demonstration_says_where_it_begins(tmp_path: Path) -> None:
    text = changed(ONE, "START", "{ a = 0.25, b = 0.75 }")
    shown = (
        '[[demonstrations]]\nstart = "b"\npath = ["go", "c"]\n[[demonstrations]]\nstart = "a"\npath = []\n'
    )
    problem = load(written(tmp_path, text + shown))
    assert problem.words == (("y",), ("x",))
    assert [path.first(problem.mdp) for path in problem.demonstrations] == [
        problem.mdp.number["b"],
        problem.mdp.number["a"],
    ]
    grid = changed(GRID, "START", "starts = [{ cell = [1, 1] }, { cell = [2, 1] }]")
    shown = '[[demonstrations]]\nstart = [2, 1]\npath = ["left", [1, 1]]\n'
    assert load(written(tmp_path, grid + shown)).words == (("a",),)
    only = changed(ONE, "START", '"a"') + '[[demonstrations]]\nstart = "a"\npath = ["go", "b"]\n'
    (path,) = load(written(tmp_path, only)).demonstrations  # it may be said, but need not
    assert path.start is None


SOMEWHERE = changed(ONE, "START", "{ a = 0.5, b = 0.5 }")
REFUSED_STARTS: dict[str, tuple[str, str]] = {
    "no start": (changed(GRID, "START", ""), 'world: the key "start" is missing'),
    "start and starts": (
        changed(GRID, "START", "start = [1, 1]\nstarts = [{ cell = [1, 1] }]"),
        "world: give start or starts, not both",
    ),
    "some probabilities": (
        changed(GRID, "START", "starts = [{ cell = [1, 1], probability = 0.5 }, { cell = [2, 1] }]"),
        "world: starts: give every cell a probability, or none",
    ),
    "a cell twice": (
        changed(GRID, "START", "starts = [{ cell = [1, 1] }, { cell = [1, 1] }]"),
        r"world: starts: the cell \(1, 1\) is there twice",
    ),
    "a cell outside": (
        changed(GRID, "START", "starts = [{ cell = [1, 1] }, { cell = [4, 1] }]"),
        r"world: start cell \(4, 1\) lies outside the map of 3 columns and 2 rows",
    ),
    "too little": (
        changed(GRID, "START", "starts = [{ cell = [1, 1], probability = 0.5 }]"),
        "world: start: probabilities sum to 0.5, not 1",
    ),
    "a terminal cell": (
        changed(GRID, "START", "starts = [{ cell = [1, 1] }, { cell = [2, 1] }]\nterminal = [[2, 1]]"),
        r"world: the start state \(2, 1\) is terminal: no episode could take a step",
    ),
    "an unknown key of a start": (
        changed(GRID, "START", "starts = [{ cel = [1, 1] }]"),
        r'world.starts, entry 1: unknown key "cel" \(did you mean "cell"\?\)',
    ),
    "nothing": (changed(ONE, "START", "{}"), "world: start: no outcomes"),
    "too much": (
        changed(ONE, "START", "{ a = 0.75, b = 0.75 }"),
        "world: start: probabilities sum to 1.5, not 1",
    ),
    "below nothing": (
        changed(ONE, "START", "{ a = 1.5, b = -0.5 }"),
        'world: start: the probability of "a" is 1.5, not between 0 and 1',
    ),
    "a state that is not there": (
        changed(ONE, "START", "{ a = 0.5, z = 0.5 }"),
        'world: state "z" has no actions and is not terminal',
    ),
    "a number": (changed(ONE, "START", "3"), "world.start: expected .*, found 3"),
    "a probability in words": (
        changed(ONE, "START", '{ a = "half" }'),
        'start.*expected a number, found "half"',
    ),
    "a path that begins anywhere": (
        SOMEWHERE + '[[demonstrations]]\npath = ["go", "b"]\n',
        r'demonstration 1: the world has several start states \("a", "b"\); say where the path begins',
    ),
    "a path that begins elsewhere": (
        SOMEWHERE + '[[demonstrations]]\nstart = "c"\npath = ["go", "c"]\n',
        'demonstration 1: no episode begins in state "c"; start states: "a", "b"',
    ),
    "a path that begins nowhere": (
        changed(ONE, "START", '"a"') + '[[demonstrations]]\nstart = "z"\npath = ["go", "b"]\n',
        'demonstration 1: no episode begins in state "z"; start states: "a"',
    ),
    "a path that begins in a cell": (
        SOMEWHERE + '[[demonstrations]]\nstart = [1, 1]\npath = ["go", "b"]\n',
        r'demonstration 1: no episode begins in state \(1, 1\); start states: "a", "b"',
    ),
}


@pytest.mark.parametrize("name", REFUSED_STARTS)
def test_starts_that_are_refused(tmp_path: Path, name: str) -> None:
    text, message = REFUSED_STARTS[name]
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        (ONE, '"a"', "{ a = 1 }"),
        (ONE, '"a"', "{ a = 1.0, b = 0 }"),
        (GRID, "start = [1, 1]", "starts = [{ cell = [1, 1] }]"),
        (GRID, "start = [1, 1]", "starts = [{ cell = [1, 1], probability = 1 }]"),
    ],
)
def test_one_start_of_probability_1_gives_the_same_bytes(
    tmp_path: Path, text: str, short: str, long: str
) -> None:
    shown = '[[demonstrations]]\npath = PATH\n[search]\nmethod = "paper"\niterations = 8\n'
    shown = shown.replace("PATH", '["go", "b", "go", "c"]' if text == ONE else '["right", [2, 1]]')
    results = []
    for start in (short, long):
        problem = load(written(tmp_path, changed(text, "START", start) + shown))
        assert all(path.start is None for path in problem.demonstrations)
        results.append(json.dumps({**result_document(learn(problem, seed=1)), "seconds": 0, "problem": None}))
    assert results[0] == results[1]


# -- nothing but typed refusals -----------------------------------------------------------------------------

DOCUMENTS = [
    tomllib.loads(TWO),
    tomllib.loads(SOMEWHERE + '[[demonstrations]]\nstart = "b"\npath = ["go", "c"]\n'),
    tomllib.loads(
        changed(
            GRID,
            "START",
            "starts = [{ cell = [1, 1], probability = 0.5 }, { cell = [3, 1], probability = 0.5 }]",
        )
    ),
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def places(document: object, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    inner = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    return [at, *(place for key, value in inner for place in places(value, (*at, key)))]


PLACES = [places(document)[1:] for document in DOCUMENTS]


@given(data=st.data(), number=st.integers(0, 2), value=values)
def test_any_value_at_any_place_is_a_problem_or_a_refusal(
    data: st.DataObject, number: int, value: object
) -> None:
    document = json.loads(json.dumps(DOCUMENTS[number]))
    *above, last = data.draw(st.sampled_from(PLACES[number]))
    node = document
    for key in above:
        node = node[key]
    node[last] = value
    with suppress(InputError):
        parsed = files.parse_document(json.dumps(document), "p.json")
        files.build_problem(files.convert(parsed, files.ProblemDocument, "p.json"), Path("/nowhere"))

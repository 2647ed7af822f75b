"""Problem, task and examples files as the library reads them."""

from __future__ import annotations

import json
import math
import tomllib
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demospec import files, limits, problems
from demospec.errors import (
    Contradiction,
    DemospecError,
    FileError,
    ImpossibleStep,
    InputError,
    PastTheEnd,
    UnavailableAction,
    UnknownState,
    WorldError,
)
from demospec.explain.setup import resolve
from demospec.files import load, load_example, load_examples, load_task
from demospec.files.tables import PaperTable, SearchTable
from demospec.plan.rationality import Competency, Empirical, Learned
from demospec.problem import PaperSettings, Settings, Weights
from demospec.problem.settings import table
from demospec.tasks import DFA
from demospec.tasks.examples import Examples

ROBOT = problems.text("robot-paper")
SMALL = """
[world]
kind = "mdp"
start = "s0"
labels = { s1 = "a", s3 = "b" }
terminal = ["s4"]
transitions = [
  ["s0", "go", { s1 = 0.75, s2 = 0.25 }],
  ["s1", "stop", { s4 = 1 }],
  ["s2", "on", { s3 = 1 }],
  ["s3", "stop", { s4 = 1 }],
]
[episode]
horizon = 5
"""


def written(folder: Path, text: str, name: str = "p.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_left_out_has_the_documented_default(tmp_path: Path) -> None:
    problem = load(written(tmp_path, SMALL))
    assert problem.alphabet == ("a", "b")
    assert resolve(problem).agent == Learned()
    assert resolve(problem).code == "words"
    assert resolve(problem).weights == Weights(by_rule=True).for_demonstrations(1, in_words=True)
    assert problem.settings == Settings()
    assert not problem.merge_repeats
    assert problem.prior is None
    assert problem.given == Examples()
    assert problem.demonstrations == ()
    assert problem.mdp.episode.end_probability == 0
    assert problem.scene().grid is None


def test_every_setting_of_a_file_arrives(tmp_path: Path) -> None:
    text = SMALL + (
        "[agent]\ncompetency = 0.5\n[energy]\nsize_weight = 0.5\nsurprise_weight = 2\n"
        "[task]\nmerge_repeats = true\n"
        '[search]\nmethod = "random-pivots"\nidentifier = "exact"\n'
        "iterations = 7\nchains = 2\npivot_temperature = inf\n"
        "overrule_after = 8\nreset_period = 3\ncandidates = 4\nmax_states = 5\n"
        "initial_temperature = 6\nfinal_temperature = 2\n"
        '[[examples]]\nword = ["a", "a", "b"]\naccept = false\n'
    )
    problem = load(written(tmp_path, f'name = "n"\nalphabet = ["c", "b", "a"]\n{text}'))
    assert problem.name == "n"
    assert problem.alphabet == ("a", "b", "c")
    assert resolve(problem).agent == Competency(0.5)
    assert resolve(problem).weights == Weights(size_weight=0.5, surprise_weight=2)
    assert problem.given == Examples.of(reject=[["a", "b"]])  # repeats merged
    assert problem.settings == Settings(
        method="random-pivots",
        iterations=7,
        chains=2,
        max_states=5,
        paper=PaperSettings(
            pivot_temperature=math.inf,
            overrule_after=8,
            reset_period=3,
            candidates=4,
            initial_temperature=6,
            final_temperature=2,
        ),
    )


def test_every_search_setting_can_be_written_in_a_file() -> None:
    written_ones = {field.name for field in msgspec.structs.fields(SearchTable)}
    assert written_ones == {one.name for one in table()} | {"paper"}
    papers = {field.name for field in msgspec.structs.fields(PaperTable)}
    assert papers == set(PaperSettings.__dataclass_fields__)
    assert papers | set(Settings.__dataclass_fields__) == written_ones


def test_the_paper_s_settings_stand_in_a_table_of_their_own_or_as_in_earlier_files(tmp_path: Path) -> None:
    keys = "candidates = 4\nrefine = true\n"
    theirs = load(written(tmp_path, f"{SMALL}[search.paper]\n{keys}")).settings
    assert theirs == Settings(paper=PaperSettings(candidates=4, refine=True))
    assert load(written(tmp_path, f"{SMALL}[search]\n{keys}")).settings == theirs
    assert load(written(tmp_path, f"{SMALL}[search]\n{keys}[search.paper]\n{keys}")).settings == theirs
    with pytest.raises(InputError, match=r"candidates is 5 here and 4 in \[search.paper\]"):
        load(written(tmp_path, f"{SMALL}[search]\ncandidates = 5\n[search.paper]\n{keys}"))
    with pytest.raises(InputError, match=r'search.paper.*candidate.*did you mean "candidates"'):
        load(written(tmp_path, f"{SMALL}[search.paper]\ncandidate = 5\n"))


@pytest.mark.parametrize("value", ["inf", '"inf"'])
def test_an_infinite_pivot_temperature_is_a_number_or_a_word(tmp_path: Path, value: str) -> None:
    path = written(tmp_path, f"{SMALL}[search]\npivot_temperature = {value}\n")
    assert load(path).settings.paper.pivot_temperature == math.inf


def test_an_empirical_competency_needs_what_was_shown(tmp_path: Path) -> None:
    agent = '[agent]\ncompetency = "empirical"\n'
    shown = '[[demonstrations]]\npath = ["go", "s1", "stop", "s4"]\n'
    assert load(written(tmp_path, SMALL + agent + shown)).agent == Empirical()
    with pytest.raises(InputError, match="at least one complete"):
        load(written(tmp_path, SMALL + agent))


def test_without_a_mark_a_path_is_complete_when_its_episode_is_over(tmp_path: Path) -> None:
    shown = '[[demonstrations]]\npath = ["go", "s1"]\n[[demonstrations]]\npath = ["go", "s1", "stop", "s4"]\n'
    problem = load(written(tmp_path, SMALL + shown))
    assert [path.complete for path in problem.demonstrations] == [False, True]
    assert problem.words == (("a",), ("a",))


@pytest.mark.parametrize("name", problems.names())
def test_a_shipped_problem_reads_the_same_as_toml_and_as_json(tmp_path: Path, name: str) -> None:
    text = problems.text(name)
    document = json.dumps(tomllib.loads(text))
    first, second = load(written(tmp_path, text)), load(written(tmp_path, document, "p.json"))
    unnamed = load(written(tmp_path, document, "p"))
    for one in (first, second, unnamed):
        shipped = load_example(name)
        assert one.demonstrations == shipped.demonstrations
        assert one.words == shipped.words
        assert (one.alphabet, one.agent, one.weights) == (shipped.alphabet, shipped.agent, shipped.weights)
        assert (one.prior, one.settings) == (shipped.prior, shipped.settings)
        assert one.scene().grid == shipped.scene().grid
        world, expected = one.world, shipped.world
        assert list(world.names()) == list(expected.names())
        assert (world.starts, world.actions, world.letters) == (
            expected.starts,
            expected.actions,
            expected.letters,
        )
        for place in list(world.names()):  # of a world that is not listed, those that were shown
            state = world.find(place)
            assert state is not None
            assert (world.label(state), world.pairs(state)) == (expected.label(state), expected.pairs(state))
            for pair in world.pairs(state):
                assert world.outcomes(pair) == expected.outcomes(pair)


@pytest.mark.parametrize(
    ("path", "kind", "step"),
    [
        ('["go", "s3"]', ImpossibleStep, 1),
        ('["go", "s9"]', UnknownState, 1),
        ('["go", "s1", "on", "s3"]', UnavailableAction, 2),
        ('["go", "s1", "stop", "s4", "go", "s1"]', PastTheEnd, 3),
    ],
)
def test_errors_carry_their_kind_and_place(
    tmp_path: Path, path: str, kind: type[DemospecError], step: int
) -> None:
    good = '[[demonstrations]]\npath = ["go", "s1"]\n'
    with pytest.raises(kind) as caught:
        load(written(tmp_path, f"{SMALL}{good}[[demonstrations]]\npath = {path}\n"))
    assert (caught.value.demonstration, caught.value.step) == (2, step)  # type: ignore[attr-defined]
    assert str(caught.value).startswith(f"{tmp_path / 'p.toml'}: demonstration 2, step {step}: ")


def test_a_contradiction_carries_its_words(tmp_path: Path) -> None:
    path = written(tmp_path, '{"alphabet": ["a"], "accept": [["a"], []], "reject": [[], ["a"]]}', "w.json")
    with pytest.raises(Contradiction) as caught:
        load_examples(str(path))
    assert caught.value.words == ((), ("a",))


def test_a_horizon_is_refused_where_a_plan_would_not_fit_in_memory(tmp_path: Path) -> None:
    most = limits.PLAN // 5  # of five states
    assert load(written(tmp_path, SMALL.replace("horizon = 5", f"horizon = {most}"))).mdp.horizon == most
    with pytest.raises(InputError, match=f"at most {most} steps"):
        load(written(tmp_path, SMALL.replace("horizon = 5", f"horizon = {most + 1}")))


# -- tasks -----------------------------------------------------------------------------------------------

LINE = ">0: a→1 | *1: b→0"


@pytest.mark.parametrize("form", ["line", "text file", "json", "best of a result", "task with numbers"])
def test_a_task_can_be_given_in_many_forms(tmp_path: Path, form: str) -> None:
    task = DFA.parse(LINE)
    texts = {
        "text file": (LINE, "task.txt"),
        "json": (json.dumps(task.to_json()), "task.json"),
        "best of a result": (json.dumps({"best": task.to_json() | {"energy": 1.5}, "x": 1}), "r.json"),
        "task with numbers": (json.dumps(task.to_json() | {"size": 9, "weight": 0.1}), "task"),
    }
    source = LINE if form == "line" else str(written(tmp_path, *texts[form]))
    assert load_task(source) == task


def test_a_line_takes_the_problems_alphabet() -> None:
    assert load_task(">0:", ("a", "b")) == DFA.constant("ab", False)
    assert load_task(">0: a->1 | *1:", ("a", "b", "c")).alphabet == ("a", "b", "c")


def test_a_file_that_is_named_like_a_task_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, ">0: z→1 | *1:", "a->b")
    assert load_task("a->b").alphabet == ("z",)


def test_unlisted_transitions_are_self_loops(tmp_path: Path) -> None:
    document = '{"alphabet": ["b", "a"], "states": 2, "accepting": [1], "transitions": [[0, "a", 1]]}'
    assert load_task(str(written(tmp_path, document, "t.json"))) == DFA.parse(">0: a→1 | *1:", "ab")


# -- nothing but typed refusals --------------------------------------------------------------------------


@pytest.mark.parametrize("name", problems.names())
def test_every_beginning_of_a_file_is_a_problem_or_a_refusal(name: str) -> None:
    text = problems.text(name)
    read = 0
    for length in range(len(text)):
        try:
            document = files.parse_document(text[:length], "cut.toml")
            files.build_problem(files.convert(document, files.ProblemDocument, "cut.toml"), Path())
            read += 1
        except InputError:
            pass
    assert 0 < read < len(text) / 2


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def places(document: object, at: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Return every place of a document: of its tables, lists and plain values."""
    inner = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    return [at, *(place for key, value in inner for place in places(value, (*at, key)))]


PLACES = {name: places(tomllib.loads(problems.text(name))) for name in problems.names()}


@given(data=st.data(), name=st.sampled_from(problems.names()), value=values)
def test_any_value_at_any_place_is_a_problem_or_a_refusal(
    data: st.DataObject, name: str, value: object
) -> None:
    document = tomllib.loads(problems.text(name))
    *above, last = data.draw(st.sampled_from(PLACES[name][1:]))
    node = document
    for key in above:
        node = node[key]  # type: ignore[index]
    node[last] = value  # type: ignore[index]
    with suppress(InputError):
        parsed = files.parse_document(json.dumps(document), "p.json")
        files.build_problem(files.convert(parsed, files.ProblemDocument, "p.json"), Path("/nowhere"))


@given(text=st.text())
def test_any_text_is_a_task_or_a_refusal(text: str) -> None:
    for name in ("task", "task.json"):
        with suppress(InputError):
            files.parse_task(text, name, ("a", "b"))


def test_refusals_are_of_one_family() -> None:
    assert issubclass(FileError, InputError)
    assert issubclass(WorldError, InputError)
    with pytest.raises(FileError, match=r"^nofile\.toml: cannot be read: No such file"):
        load("nofile.toml")
    with pytest.raises(InputError, match='did you mean "robot"'):
        load_example("robto")


def test_an_agent_is_learned_where_many_tasks_can_be_scored(tmp_path: Path) -> None:
    from demospec import problems

    lamps = problems.text("lamps").replace("rationality = 10", 'rationality = "learned"')
    assert "learned" in lamps
    with pytest.raises(InputError, match=r"set rationality in \[agent\]"):
        load(written(tmp_path, lamps))

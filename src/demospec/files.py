"""Problem, task and examples files: text in, checked values out; every refusal names file and place."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import Any, Literal, TypeVar

import msgspec

from demospec import problems
from demospec.demos import read_path, word_of
from demospec.domains.gridworld import Direction, Wind, gridworld, parse_map
from demospec.errors import ExamplesError, FileError, InputError, listing, nearest, word_text
from demospec.examples import Examples
from demospec.mdp import MDP, Episode, State
from demospec.plan.rationality import Agent, Competency, Empirical, Fixed
from demospec.problem import Problem, Settings, Weights
from demospec.tasks import DFA

Cell = tuple[int, int]


class WindTable(msgspec.Struct, forbid_unknown_fields=True):
    """`world.wind`."""

    direction: Direction
    probability: float


class GridTable(msgspec.Struct, forbid_unknown_fields=True, tag="gridworld", tag_field="kind"):
    """`[world]` with kind "gridworld"."""

    map: str
    start: Cell
    wind: WindTable | None = None
    blocked: Literal["stay", "unavailable"] = "stay"
    terminal: list[Cell] = []


class MdpTable(msgspec.Struct, forbid_unknown_fields=True, tag="mdp", tag_field="kind"):
    """`[world]` with kind "mdp"."""

    start: str
    transitions: list[tuple[str, str, dict[str, float]]]
    labels: dict[str, str] = {}
    terminal: list[str] = []


class EpisodeTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[episode]`."""

    horizon: int
    end_probability: float = 0.0


class AgentTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[agent]`."""

    rationality: float | None = None
    competency: float | Literal["empirical"] | None = None


class EnergyTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[energy]`."""

    size_weight: float = 0.02
    surprise_weight: float = 1.0


class TaskDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A task file; the numbers that results attach to a task are allowed and ignored."""

    kind: Literal["dfa"] = "dfa"
    alphabet: list[str]
    states: int
    start: int = 0
    accepting: list[int]
    transitions: list[tuple[int, str, int]]
    size: Any = None
    surprise: Any = None
    energy: Any = None
    rationality: Any = None
    satisfaction_probability: Any = None
    weight: Any = None


class TaskTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[task]`."""

    merge_repeats: bool = False
    implies: str | TaskDocument | None = None


class SearchTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[search]`; what is left out has the default of `Settings`."""

    method: str | None = None
    iterations: int | None = None
    chains: int | None = None
    pivot_temperature: float | Literal["inf"] | None = None
    reset_period: int | None = None
    candidates: int | None = None
    max_states: int | None = None
    initial_temperature: float | None = None
    final_temperature: float | None = None


class ExampleTable(msgspec.Struct, forbid_unknown_fields=True):
    """One of `[[examples]]`."""

    word: list[str]
    accept: bool


class DemonstrationTable(msgspec.Struct, forbid_unknown_fields=True):
    """One of `[[demonstrations]]`; `word` and `accepted` come with what `sample` prints."""

    path: list[str | Cell]
    complete: bool | None = None
    word: Any = None
    accepted: Any = None


class ProblemDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A problem file."""

    name: str = "problem"
    alphabet: list[str] | None = None
    world: GridTable | MdpTable
    episode: EpisodeTable
    agent: AgentTable = msgspec.field(default_factory=AgentTable)
    energy: EnergyTable = msgspec.field(default_factory=EnergyTable)
    task: TaskTable = msgspec.field(default_factory=TaskTable)
    search: SearchTable = msgspec.field(default_factory=SearchTable)
    examples: list[ExampleTable] = []
    demonstrations: list[DemonstrationTable] = []


class ExamplesDocument(msgspec.Struct, forbid_unknown_fields=True):
    """An examples file."""

    alphabet: list[str]
    accept: list[list[str]] = []
    reject: list[list[str]] = []


# -- text ------------------------------------------------------------------------------------------


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    try:
        data = sys.stdin.buffer.read() if source == "-" else FilePath(source).read_bytes()
        text = data.decode("utf-8")
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", place=source) from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}", place=source
        ) from None
    if not text.strip():
        raise FileError("is empty", place=source)
    return text


def parse_document(text: str, source: str) -> Mapping[str, Any]:
    """Parse TOML, or JSON when the name or the text says so."""
    as_json = source.endswith(".json") or (not source.endswith(".toml") and text.lstrip().startswith("{"))
    try:
        document = json.loads(text) if as_json else tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(
            f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}", place=source
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"not TOML: {error}", place=source) from None
    except RecursionError:
        raise FileError("is nested too deeply", place=source) from None
    if not isinstance(document, dict):
        raise FileError(f"expected an object, found {type(document).__name__}", place=source)
    return document


Document = TypeVar("Document", bound=msgspec.Struct)

_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`")
_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?P<where>.*?)`)?$", re.DOTALL)


def convert(document: Mapping[str, Any], kind: type[Document], source: str) -> Document:
    """Turn a parsed file into its structure; errors carry the path of the field."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        found = _AT.match(str(error))
        assert found is not None
        what, where = found["what"], (found["where"] or "$").removeprefix("$").removeprefix(".")
        unknown = _UNKNOWN.match(what)
        if unknown:
            known = known_keys(document, kind, where)
            key = f"{where}.{unknown[1]}" if where else unknown[1]
            what = f'unknown key "{key}"{nearest(unknown[1], known)}; known: {listing(known, 20)}'
            raise FileError(what, place=source) from None
        what = what[0].lower() + what[1:].replace("`", "")
        raise FileError(what, place=f"{source}: {where}" if where else source) from None


def known_keys(document: Mapping[str, Any], kind: type[msgspec.Struct], where: str) -> list[str]:
    """Return the keys of the table at a place such as `search` or `demonstrations[0]`."""
    tables: dict[str, type[msgspec.Struct]] = {
        "episode": EpisodeTable,
        "agent": AgentTable,
        "energy": EnergyTable,
        "task": TaskTable,
        "task.implies": TaskDocument,
        "search": SearchTable,
        "world.wind": WindTable,
        "examples[...]": ExampleTable,
        "demonstrations[...]": DemonstrationTable,
    }
    world = document.get("world")
    is_mdp = isinstance(world, dict) and world.get("kind") == "mdp"
    tables["world"] = MdpTable if is_mdp else GridTable
    place = re.sub(r"\[\d+\]", "[...]", where)
    struct = tables.get(place, kind)
    return [f.encode_name for f in msgspec.structs.fields(struct)] + (["kind"] if place == "world" else [])


# -- values ----------------------------------------------------------------------------------------


def load(source: str | FilePath) -> Problem:
    """Read a problem file (TOML or JSON; `-` is standard input) and check all of it."""
    name = str(source)
    document = convert(parse_document(read_text(name), name), ProblemDocument, name)
    folder = FilePath.cwd() if name == "-" else FilePath(name).parent
    try:
        return build_problem(document, folder)
    except InputError as error:
        raise error.within(name) from None


def load_example(name: str) -> Problem:
    """Return a problem that ships with the package (see `demospec example`)."""
    text = problems.text(name)
    return build_problem(convert(parse_document(text, f"{name}.toml"), ProblemDocument, name), FilePath.cwd())


Value = TypeVar("Value")


def build_problem(document: ProblemDocument, folder: FilePath) -> Problem:
    """Make the problem that a file describes; `folder` is where files that it names are looked up."""
    episode = placed("episode", Episode, **msgspec.structs.asdict(document.episode))
    mdp, grid = build_world(document.world, episode)
    alphabet = tuple(document.alphabet or mdp.letters)
    if len(set(alphabet)) != len(alphabet):
        twice = next(letter for letter in alphabet if alphabet.count(letter) > 1)
        raise InputError(f'the alphabet lists "{twice}" twice')
    merge = document.task.merge_repeats
    settings = {
        key: value for key, value in msgspec.structs.asdict(document.search).items() if value is not None
    }
    if settings.get("pivot_temperature") == "inf":
        settings["pivot_temperature"] = float("inf")
    return Problem(
        name=document.name,
        mdp=mdp,
        alphabet=alphabet,
        demonstrations=tuple(
            read_path(mdp, demo.path, complete=demo.complete, demonstration=number)
            for number, demo in enumerate(document.demonstrations, start=1)
        ),
        agent=placed("agent", build_agent, document.agent),
        weights=placed("energy", Weights, **msgspec.structs.asdict(document.energy)),
        merge_repeats=merge,
        prior=build_prior(document.task.implies, folder),
        given=placed("examples", given_examples, document.examples, merge),
        settings=placed("search", Settings, **settings),
        grid=grid,
    )


def placed(place: str, make: Callable[..., Value], *args: Any, **kwargs: Any) -> Value:
    """Call `make`; an input error tells the table that it came from."""
    try:
        return make(*args, **kwargs)
    except InputError as error:
        raise error.within(place) from None


def build_world(table: GridTable | MdpTable, episode: Episode) -> tuple[MDP, tuple[str, ...] | None]:
    """Make the world, and keep the map's rows for pictures."""
    try:
        if isinstance(table, MdpTable):
            labels: dict[State, str] = dict(table.labels.items())
            rows: list[tuple[State, str, dict[State, float]]] = [
                (state, action, dict(outcomes.items())) for state, action, outcomes in table.transitions
            ]
            world = MDP.build(
                rows, start=table.start, episode=episode, labels=labels, terminal=table.terminal
            )
            return world, None
        wind = None if table.wind is None else Wind(**msgspec.structs.asdict(table.wind))
        grid = parse_map(table.map)
        world = gridworld(
            grid,
            start=table.start,
            episode=episode,
            wind=wind,
            blocked=table.blocked,
            terminal=table.terminal,
        )
        return world, grid
    except InputError as error:
        raise error.within("world") from None


def build_agent(table: AgentTable) -> Agent:
    """Make the agent model; at most one of rationality and competency may be given."""
    if table.rationality is not None and table.competency is not None:
        raise InputError("give rationality or competency, not both")
    if table.competency == "empirical":
        return Empirical()
    if table.competency is not None:
        return Competency(table.competency)
    return Fixed(10.0 if table.rationality is None else table.rationality)


def build_prior(implies: str | TaskDocument | None, folder: FilePath) -> DFA | None:
    """Return the prior that `task.implies` names or writes out."""
    if implies is None:
        return None
    if isinstance(implies, TaskDocument):
        return placed("task.implies", DFA.from_json, msgspec.structs.asdict(implies))
    return placed("task.implies", load_task, str(folder / implies))


def given_examples(tables: list[ExampleTable], merge_repeats: bool) -> Examples:
    """Return the labelled words that are given; repeats are merged when the problem says so."""
    words = [(word_of(table.word, merge_repeats=merge_repeats), table.accept) for table in tables]
    return Examples.of([w for w, accept in words if accept], [w for w, accept in words if not accept])


def load_task(source: str, alphabet: tuple[str, ...] | None = None) -> DFA:
    """Read a task: a JSON file, a result of `learn` (its best task), or the one-line text form.

    `source` may also be the one-line form itself. Without its own, the text form takes `alphabet`.
    """
    inline = ":" in source and ">" in source and not FilePath(source).exists()
    text = source if inline else read_text(source)
    name = "task" if inline else source
    try:
        if not text.lstrip().startswith("{") and not name.endswith(".json"):
            return DFA.parse(text, alphabet)
        document = parse_document(text, name)
        if "best" in document and isinstance(document["best"], dict):
            document = document["best"]
        return DFA.from_json(msgspec.structs.asdict(convert(document, TaskDocument, name)))
    except FileError:
        raise
    except InputError as error:
        raise error.within(name) from None


def load_examples(source: str) -> tuple[Examples, tuple[str, ...]]:
    """Read an examples file: labelled words, and the alphabet."""
    document = convert(parse_document(read_text(source), source), ExamplesDocument, source)
    try:
        if not document.alphabet:
            raise ExamplesError("the alphabet is empty")
        if len(set(document.alphabet)) != len(document.alphabet):
            raise ExamplesError(f"the alphabet lists a letter twice: {listing(document.alphabet)}")
        for kind, words in (("accept", document.accept), ("reject", document.reject)):
            for number, word in enumerate(words):
                for letter in word:
                    if letter not in document.alphabet:
                        raise ExamplesError(
                            f'{kind}[{number}], word "{word_text(word)}": letter "{letter}" is not in the '
                            "alphabet "
                            f"{listing(document.alphabet)}{nearest(letter, document.alphabet)}"
                        )
        return Examples.of(document.accept, document.reject), tuple(sorted(document.alphabet))
    except InputError as error:
        raise error.within(source) from None

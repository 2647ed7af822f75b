"""Problem, task and examples files: text in, checked values out; every refusal names file and place."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import inspect

from demospec import problems
from demospec.demos import read_path, word_of
from demospec.domains.gridworld import Direction, Wind, gridworld, parse_map
from demospec.errors import FileError, InputError, listing, nearest
from demospec.examples import Examples
from demospec.identify.base import check_class
from demospec.mdp import MDP, Episode, State
from demospec.plan.rationality import Agent, Competency, Empirical, Fixed
from demospec.problem import Problem, Settings, Weights
from demospec.tasks import DFA

Cell = tuple[int, int]

LARGEST_PLAN = 1 << 26  # horizon × world states; a plan holds 24 bytes of it for each state of a task


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
    states: Annotated[int, msgspec.Meta(le=100_000)]  # unreached ones take memory too
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


def file_name(source: str) -> str:
    """Return what messages call a file; `-` is standard input."""
    return "standard input" if source == "-" else source or '""'


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input for `-`."""
    if source != "-":
        return read_file(FilePath(source), file_name(source))
    if sys.stdin is None or sys.stdin.closed:
        raise FileError("is closed", place=file_name(source))
    return decode(sys.stdin.buffer.read(), file_name(source))


def read_file(path: FilePath, name: str) -> str:
    """Return the text of a file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", place=name) from None
    except ValueError:  # a NUL, or half a character
        raise FileError("cannot be read: no file can have that name", place=name) from None
    return decode(data, name)


def decode(data: bytes, name: str) -> str:
    """Return bytes as text; the byte order mark that some editors write does not count."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}", place=name
        ) from None
    if not text.strip():
        raise FileError("is empty", place=name)
    return text


def parse_document(text: str, name: str) -> Mapping[str, Any]:
    """Parse TOML, or JSON when the name or the text says so."""
    as_json = name.endswith(".json") or (not name.endswith(".toml") and text.lstrip().startswith("{"))
    try:
        document = json.loads(text, object_pairs_hook=each_key_once) if as_json else tomllib.loads(text)
        json.dumps(document, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError as error:
        what = f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        raise FileError(what, place=name) from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"not TOML: {error}", place=name) from None
    except RecursionError:
        raise FileError("is nested too deeply", place=name) from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise FileError(f"{half} is half a character; its other half is missing", place=name) from None
    except ValueError as error:  # a number with thousands of digits, a key that is there twice
        raise FileError(str(error).partition(";")[0], place=name) from None
    if not isinstance(document, dict):
        raise FileError(f"expected an object, found {shown(document)}", place=name)
    return document


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object; JSON by itself would let the last of two equal keys win."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'the key "{key}" is there twice')
        found[key] = value
    return found


# -- structure -------------------------------------------------------------------------------------

Document = TypeVar("Document", bound=msgspec.Struct)

_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<where>.*?)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


def convert(document: Mapping[str, Any], kind: type[Document], name: str) -> Document:
    """Turn a parsed file into its structure; errors tell the place, what was found, what was expected."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        parts = _AT.match(str(error))
        assert parts is not None
    types, value, place = look_up(document, kind, parts["where"] or "")
    what = parts["what"].replace("`", "")
    choices = [str(choice) for t in types if isinstance(t, inspect.LiteralType) for choice in t.values]
    if key := what.partition("Object contains unknown field ")[2]:
        known = [k for t in types if isinstance(t, inspect.StructType) for k in known_keys(t)]
        what = f'unknown key "{key}"{nearest(key, known)}; known: {listing(known, 20)}'
    elif key := what.partition("Object missing required field ")[2]:
        what = f'the key "{key}" is missing'
    elif what.startswith("Invalid") and choices:
        number = "a number or " if any(isinstance(t, inspect.FloatType) for t in types) else ""
        hint = nearest(str(value), choices)
        choices = [f'"{choice}"' for choice in choices]
        what = f"expected {number}{' or '.join(choices)}, found {shown(value)}{hint}"
    elif expected := what.partition("Expected ")[2].partition(", got")[0].replace(" | null", ""):
        expected = re.sub(r"\w+", lambda word: _WORDS.get(word[0], word[0]), expected)
        what = f"expected {expected.replace(' | ', ' or ')}, found {shown(value)}"
    else:
        what = f"{what[0].lower()}{what[1:]}: {shown(value)}"
    raise FileError(what, place=f"{name}: {place}" if place else name)


def look_up(
    document: Mapping[str, Any], kind: type[msgspec.Struct], where: str
) -> tuple[Sequence[inspect.Type], Any, str]:
    """Follow a place such as `.demonstrations[0].path[3]`.

    Returns the types that fit there, the value that is there, and the place as a person would tell it.
    """
    value: Any = document
    types, place = alternatives(inspect.type_info(kind), value), ""
    for step in _STEP.finditer(where):
        key: Any = step["key"]
        (at,) = [t for t in types if isinstance(t, Container)][:1]
        if isinstance(at, inspect.StructType) and key == at.tag_field:
            tags = [t.tag for t in types if isinstance(t, inspect.StructType)]
            inner: inspect.Type = inspect.LiteralType(tuple(map(str, tags)))
        elif isinstance(at, inspect.StructType):
            inner = next(field.type for field in at.fields if field.encode_name == key)
        elif isinstance(at, inspect.DictType):  # the message does not name the key
            inner = at.value_type
            good = str if isinstance(inner, inspect.StrType) else float | int
            key = next(k for k, v in value.items() if isinstance(v, bool) or not isinstance(v, good))
        else:
            key = int(step["index"])
            inner = at.item_types[key] if isinstance(at, inspect.TupleType) else at.item_type
        place += f"[{key}]" if step["index"] else f".{key}"
        value = value.get(key) if isinstance(value, dict) else value[key]
        types = alternatives(inner, value)
    return types, value, told(place)


Container = inspect.StructType | inspect.DictType | inspect.ListType | inspect.TupleType


def alternatives(info: inspect.Type, value: object) -> Sequence[inspect.Type]:
    """Return the types of a union; of tables told apart by a tag only the one that the value names."""
    if not isinstance(info, inspect.UnionType):
        return [info]
    named = [
        t
        for t in info.types
        if isinstance(t, inspect.StructType)
        and t.tag_field
        and isinstance(value, dict)
        and value.get(t.tag_field) == t.tag
    ]
    return named or info.types


def known_keys(table: inspect.StructType) -> list[str]:
    """Return the keys of a table; numbers that results attach are allowed there, but not advertised."""
    tag = [table.tag_field] if table.tag_field else []
    return tag + [f.encode_name for f in table.fields if not isinstance(f.type, inspect.AnyType)]


def told(place: str) -> str:
    """Tell a place as the other messages do, counting from 1.

    >>> told(".demonstrations[0].path[3]"), told(".examples[2].word"), told(".world.transitions[0][1]")
    ('demonstration 1, step 2', 'example 3: word', 'world.transitions, entry 1, entry 2')
    """
    place = re.sub(
        r"^\.demonstrations\[(\d+)\](?:\.path\[(\d+)\])?",
        lambda at: f"demonstration {int(at[1]) + 1}" + (f", step {int(at[2]) // 2 + 1}" if at[2] else ""),
        place,
    )
    place = re.sub(r"^\.examples\[(\d+)\]", lambda at: f"example {int(at[1]) + 1}", place)
    place = re.sub(r"\[(\d+)\]", lambda at: f", entry {int(at[1]) + 1}", place).removeprefix(".")
    place = re.sub(r"\[(.*)\]$", r', "\1"', place)
    return re.sub(r"^((?:demonstration|example) \d+)\.", r"\1: ", place)


def shown(value: object) -> str:
    """Write a value that was found, cut where it gets long.

    >>> shown("15"), shown(True), len(shown("long " * 100))
    ('"15"', 'true', 60)
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = str(value)  # a date or time of TOML
    return text if len(text) <= 60 else f"{text[:59]}…"


# -- values ----------------------------------------------------------------------------------------


def load(source: str | FilePath) -> Problem:
    """Read a problem file (TOML or JSON; `-` is standard input) and check all of it."""
    name = file_name(str(source))
    document = convert(parse_document(read_text(str(source)), name), ProblemDocument, name)
    folder = FilePath.cwd() if source == "-" else FilePath(source).parent
    return placed(name, build_problem, document, folder)


def load_example(name: str) -> Problem:
    """Return a problem that ships with the package (see `demospec example`)."""
    text = problems.text(name)
    return build_problem(convert(parse_document(text, f"{name}.toml"), ProblemDocument, name), FilePath.cwd())


Value = TypeVar("Value")


def build_problem(document: ProblemDocument, folder: FilePath) -> Problem:
    """Make the problem that a file describes; `folder` is where files that it names are looked up."""
    episode = placed("episode", Episode, **msgspec.structs.asdict(document.episode))
    mdp, grid = placed("world", build_world, document.world, episode)
    if episode.horizon * len(mdp.states) > LARGEST_PLAN:
        raise InputError(
            f"a horizon of {shown(episode.horizon)} steps is too long for {len(mdp.states)} states; "
            f"at most {LARGEST_PLAN // len(mdp.states)} steps can be planned",
            place="episode",
        )
    alphabet = mdp.letters
    if document.alphabet is not None:
        alphabet = placed("alphabet", check_letters, document.alphabet)
    merge = document.task.merge_repeats
    prior = placed("task.implies", build_prior, document.task.implies, folder, alphabet)
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
        prior=prior,
        given=placed("examples", given_examples, document.examples, merge, alphabet, prior),
        settings=placed("search", Settings, **settings),
        grid=grid,
    )


def placed(place: str, make: Callable[..., Value], *args: Any, **kwargs: Any) -> Value:
    """Call `make`; an input error tells the table that it came from."""
    try:
        return make(*args, **kwargs)
    except InputError as error:
        raise error.within(place) from None


def check_letters(alphabet: Sequence[str]) -> tuple[str, ...]:
    """Return an alphabet, sorted; refuse one that is empty or lists a letter twice."""
    if not alphabet:
        raise InputError("lists no letter")
    for letter in alphabet:
        if not letter:
            raise InputError("a letter is empty")
        if alphabet.count(letter) > 1:
            raise InputError(f'lists "{letter}" twice')
    return tuple(sorted(alphabet))


def build_world(table: GridTable | MdpTable, episode: Episode) -> tuple[MDP, tuple[str, ...] | None]:
    """Make the world, and keep the map's rows for pictures."""
    if isinstance(table, MdpTable):
        labels: dict[State, str] = dict(table.labels.items())
        rows: list[tuple[State, str, dict[State, float]]] = [
            (state, action, dict(outcomes.items())) for state, action, outcomes in table.transitions
        ]
        world = MDP.build(rows, start=table.start, episode=episode, labels=labels, terminal=table.terminal)
        return world, None
    wind = None if table.wind is None else Wind(**msgspec.structs.asdict(table.wind))
    grid = parse_map(table.map)
    world = gridworld(
        grid, start=table.start, episode=episode, wind=wind, blocked=table.blocked, terminal=table.terminal
    )
    return world, grid


def build_agent(table: AgentTable) -> Agent:
    """Make the agent model; at most one of rationality and competency may be given."""
    if table.rationality is not None and table.competency is not None:
        raise InputError("give rationality or competency, not both")
    if table.competency == "empirical":
        return Empirical()
    if table.competency is not None:
        return Competency(table.competency)
    return Fixed(10.0 if table.rationality is None else table.rationality)


def build_prior(
    implies: str | TaskDocument | None, folder: FilePath, alphabet: tuple[str, ...]
) -> DFA | None:
    """Return the prior that `task.implies` names or writes out."""
    if implies is None:
        return None
    if isinstance(implies, TaskDocument):
        return DFA.from_json(msgspec.structs.asdict(implies))
    if is_text_form(implies):
        return DFA.parse(implies, alphabet)
    return parse_task(read_file(folder / implies, str(folder / implies)), str(folder / implies), alphabet)


def given_examples(
    tables: list[ExampleTable], merge_repeats: bool, alphabet: tuple[str, ...], prior: DFA | None
) -> Examples:
    """Return the labelled words that are given; repeats are merged when the problem says so."""
    words = [(word_of(table.word, merge_repeats=merge_repeats), table.accept) for table in tables]
    given = Examples.of([w for w, accept in words if accept], [w for w, accept in words if not accept])
    check_class(given, alphabet, prior if prior is not None and prior.alphabet == alphabet else None)
    return given


def load_task(source: str, alphabet: tuple[str, ...] | None = None) -> DFA:
    """Read a task: a JSON file, a result of `learn` (its best task), or the one-line text form.

    `source` may also be the one-line form itself. Without its own, the text form takes `alphabet`.
    """
    if is_text_form(source) and not os.path.exists(source):
        return placed(f'"{source}"', DFA.parse, source, alphabet)
    return parse_task(read_text(source), file_name(source), alphabet)


def is_text_form(text: str) -> bool:
    """Say whether a string is meant as a task's one-line text form, not as a file's name.

    >>> is_text_form(">0: y→1 | *1:"), is_text_form("0: y->1"), is_text_form("tasks/dry.json")
    (True, True, False)
    """
    return "→" in text or "->" in text or re.match(r"[>*\s]*\d+\s*:", text) is not None


def parse_task(text: str, name: str, alphabet: tuple[str, ...] | None) -> DFA:
    """Make the task that a file's text describes."""
    if not text.lstrip().startswith("{") and not name.endswith(".json"):
        return placed(name, DFA.parse, text, alphabet)
    document = parse_document(text, name)
    if isinstance(document.get("best"), dict):
        document = document["best"]
    task = convert(document, TaskDocument, name)
    return placed(name, DFA.from_json, msgspec.structs.asdict(task))


def load_examples(source: str) -> tuple[Examples, tuple[str, ...]]:
    """Read an examples file: labelled words, and the alphabet."""
    name = file_name(source)
    document = convert(parse_document(read_text(source), name), ExamplesDocument, name)
    return placed(name, build_examples, document)


def build_examples(document: ExamplesDocument) -> tuple[Examples, tuple[str, ...]]:
    """Make the labelled words that an examples file describes."""
    alphabet = placed("alphabet", check_letters, document.alphabet)
    for kind, words in (("accept", document.accept), ("reject", document.reject)):
        for number, word in enumerate(words, start=1):
            placed(f"{kind}, entry {number}", check_class, Examples.of([word]), alphabet, None)
    return Examples.of(document.accept, document.reject), alphabet

"""From tables to checked values: problems, tasks, examples."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath
from typing import Any, TypeVar

import msgspec

from demospec import problems
from demospec.errors import InputError
from demospec.files.reading import convert, file_name, parse_document, read_file, read_text, shown
from demospec.files.tables import (
    AgentTable,
    EnergyTable,
    ExamplesDocument,
    ExampleTable,
    GridTable,
    MdpTable,
    ProblemDocument,
    TaskDocument,
    TaskTable,
)
from demospec.files.word_lists import is_abbadingo, is_word_list, parse_abbadingo, parse_word_list
from demospec.identify import AutomatonClass, ImpliedBy, by_name, check_class
from demospec.plan.rationality import Agent, Competency, Empirical, Fixed
from demospec.problem import Parts, Problem, Settings, Weights
from demospec.search.best_first import check_ingredients
from demospec.tasks import DFA, Composite
from demospec.tasks.examples import Examples
from demospec.worlds.gridworld import Wind, gridworld, parse_map
from demospec.worlds.mdp import MDP, Episode, State
from demospec.worlds.paths import read_path, word_of

LARGEST_PLAN = 1 << 28  # horizon × world states; beyond, one plan takes minutes


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
    prior = placed("task.implies", build_bound, document.task.implies, folder, alphabet)
    known = prior if prior is not None and prior.alphabet == alphabet else None
    classes = build_classes(document.task, folder, alphabet)
    placed("task", check_class, Examples(), alphabet, known, classes)
    settings = {
        key: value for key, value in msgspec.structs.asdict(document.search).items() if value is not None
    }
    if settings.get("pivot_temperature") == "inf":
        settings["pivot_temperature"] = float("inf")
    placed("search", check_ingredients, document.search.without or ())
    problem = Problem(
        name=document.name,
        mdp=mdp,
        alphabet=alphabet,
        demonstrations=tuple(
            read_path(mdp, demo.path, complete=demo.complete, demonstration=number)
            for number, demo in enumerate(document.demonstrations, start=1)
        ),
        agent=placed("agent", build_agent, document.agent),
        weights=placed("energy", build_weights, document.energy),
        merge_repeats=merge,
        prior=prior,
        classes=classes,
        parts=placed("task", Parts.of, document.task.all_of, document.task.any_of),
        given=placed("examples", given_examples, document.examples, merge, alphabet, known, classes),
        settings=placed("search", Settings, **settings),
        grid=grid,
    )
    return problem.merged() if document.world.merge_redundant else problem


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


def build_weights(table: EnergyTable) -> Weights:
    """Make the weights; the size's follows from the number of demonstrations where it is not given."""
    given = {name: value for name, value in msgspec.structs.asdict(table).items() if value is not None}
    return Weights(**given, by_rule="size_weight" not in given)


def build_bound(task: str | TaskDocument | None, folder: FilePath, alphabet: tuple[str, ...]) -> DFA | None:
    """Return the task that `task.implies` or `task.implied_by` names or writes out."""
    if task is None:
        return None
    if isinstance(task, TaskDocument):
        return Composite.from_json(msgspec.to_builtins(task))
    if is_text_form(task):
        return Composite.parse(task, alphabet)
    return parse_task(read_file(folder / task, str(folder / task)), str(folder / task), alphabet)


def build_classes(
    table: TaskTable, folder: FilePath, alphabet: tuple[str, ...]
) -> tuple[AutomatonClass, ...]:
    """Return the classes that `task.class` and `task.implied_by` name, checked for their letters."""
    names = [table.classes] if isinstance(table.classes, str) else table.classes
    classes = [("task.class", placed("task.class", by_name, name)) for name in names]
    lower = placed("task.implied_by", build_bound, table.implied_by, folder, alphabet)
    if lower is not None:
        classes.append(("task.implied_by", ImpliedBy(lower)))
    for place, one in classes:
        placed(place, one.check_letters, alphabet)
    return tuple(one for _, one in classes)


def given_examples(
    tables: list[ExampleTable],
    merge_repeats: bool,
    alphabet: tuple[str, ...],
    prior: DFA | None,
    classes: Sequence[AutomatonClass],
) -> Examples:
    """Return the labelled words that are given; repeats are merged when the problem says so."""
    words = [(word_of(table.word, merge_repeats=merge_repeats), table.accept) for table in tables]
    given = Examples.of([w for w, accept in words if accept], [w for w, accept in words if not accept])
    check_class(given, alphabet, prior, classes)
    return given


def load_task(source: str, alphabet: tuple[str, ...] | None = None) -> DFA:
    """Read a task: a JSON file, a result of `learn` (its best task), or the one-line text form.

    `source` may also be the one-line form itself. Without its own, the text form takes `alphabet`.
    """
    if is_text_form(source) and not os.path.exists(source):
        return placed(f'"{source}"', Composite.parse, source, alphabet)
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
        return placed(name, Composite.parse, text, alphabet)
    document = parse_document(text, name)
    if isinstance(document.get("best"), dict):
        document = document["best"]
    task = convert(document, TaskDocument, name)
    return placed(name, Composite.from_json, msgspec.to_builtins(task))


def load_examples(source: str) -> tuple[Examples, tuple[str, ...]]:
    """Read labelled words and their alphabet: JSON, an Abbadingo file, or one word on each line."""
    name, text = file_name(source), read_text(source)
    if is_abbadingo(text):
        document = parse_abbadingo(text, name)
    elif is_word_list(text):
        document = parse_word_list(text, name)
    else:
        document = convert(parse_document(text, name), ExamplesDocument, name)
    return placed(name, build_examples, document)


def build_examples(document: ExamplesDocument) -> tuple[Examples, tuple[str, ...]]:
    """Make the labelled words that an examples file describes."""
    alphabet = placed("alphabet", check_letters, document.alphabet)
    for kind, words in (("accept", document.accept), ("reject", document.reject)):
        for number, word in enumerate(words, start=1):
            placed(f"{kind}, entry {number}", check_class, Examples.of([word]), alphabet, None)
    return Examples.of(document.accept, document.reject), alphabet

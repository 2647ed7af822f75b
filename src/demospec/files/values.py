"""From tables to checked values: problems, tasks, examples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, TypeVar

import msgspec

from demospec import problems
from demospec.errors import InputError, TaskError
from demospec.explain.setup import resolve
from demospec.files.log_table import (
    DemonstrationTable,
    LogTable,
    build_demonstrations,
    build_log_world,
    paths_of,
    seen_from,
)
from demospec.files.reading import convert, parse_document, read_file, read_text
from demospec.files.tables import (
    AgentTable,
    EnergyTable,
    EpisodeTable,
    ExamplesDocument,
    ExampleTable,
    FactoredTable,
    GridTable,
    GymnasiumTable,
    MdpTable,
    ModelTable,
    ProblemDocument,
    TaskDocument,
    TaskTable,
    WorldTable,
    build_planner,
)
from demospec.files.task_text import (
    is_abbadingo,
    is_file_name,
    is_word_list,
    parse_abbadingo,
    parse_word_list,
    read_task_line,
)
from demospec.files.worlds import build_grid, build_gymnasium, build_model, located
from demospec.identify.allowed import Parts
from demospec.identify.base import check_class
from demospec.identify.classes import AutomatonClass, ImpliedBy, by_name
from demospec.limits import LETTERS, PARTS, PLAN, check_count
from demospec.plan.rationality import Agent, Competency, Empirical, Fixed, Learned
from demospec.problem import Code, Problem, Settings, Weights
from demospec.search.best_first import check_ingredients
from demospec.tasks import DFA, Composite, Task, clauses, task_from_json
from demospec.tasks.examples import Examples
from demospec.wording import file_name, shown_value, word_text
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import word_of
from demospec.worlds.scene import Scene
from demospec.worlds.world import Episode, Event, Labels, World, check_costs


def load(source: str | FilePath, *, log: DemonstrationTable | None = None) -> Problem:
    """Read a problem file (TOML or JSON; `-` is standard input) and check all of it.

    The runs of a log come on top of the file's own demonstrations.
    """
    return load_with_document(source, log=log)[0]


def load_with_document(
    source: str | FilePath, *, log: DemonstrationTable | None = None
) -> tuple[Problem, ProblemDocument]:
    """Read a problem file, and return what it says too."""
    name = file_name(str(source))
    document = convert(parse_document(read_text(str(source)), name), ProblemDocument, name)
    folder = FilePath("" if source == "-" else FilePath(source).parent)
    if log is not None:
        document.demonstrations = [*document.demonstrations, seen_from(log, folder)]
    return placed(name, build_problem, document, folder), document


def load_example(name: str) -> Problem:
    """Return a problem that ships with the package (see `demospec example`)."""
    text = problems.text(name)
    return build_problem(convert(parse_document(text, f"{name}.toml"), ProblemDocument, name), FilePath.cwd())


Value = TypeVar("Value")


def build_problem(document: ProblemDocument, folder: FilePath) -> Problem:
    """Make the problem that a file describes; `folder` is where files that it names are looked up."""
    scenes = build_scenes(located(document, folder), folder)
    alphabet = tuple(sorted({letter for scene in scenes for letter in scene.world.letters}))
    planner = placed("agent.planner", build_planner, document.agent.planner, [one.world for one in scenes])
    if document.alphabet is not None:
        alphabet = placed("alphabet", check_alphabet, document.alphabet)
    merge = document.task.merge_repeats
    prior = placed("task.implies", build_bound, document.task.implies, folder, alphabet)
    known = prior if prior is not None and prior.alphabet == alphabet else None
    classes = build_classes(document.task, folder, alphabet)
    placed("task", check_class, Examples(), alphabet, known, classes)
    settings = placed("search", build_settings, document.search)
    # A prior over what people say weighs tasks, but where a file has weights or parts, or tasks take long.
    parts = document.task.all_of is not None or document.task.any_of is not None
    energy = is_weighed(document) or parts or not planner.abilities.many
    code = document.task.code or ("automaton" if energy else None)
    problem = Problem(
        name=document.name,
        scenes=scenes,
        alphabet=alphabet,
        agent=placed("agent", build_agent, document.agent, code),
        weights=placed("energy", build_weights, document.energy),
        merge_repeats=merge,
        prior=prior,
        classes=classes,
        parts=placed("task", build_parts, document.task),
        given=placed("examples", given_examples, document.examples, merge, alphabet, known, classes),
        settings=settings,
        planner=planner,
        code=code,
    )
    resolve(problem)  # what contradicts the rest of the file is refused here
    return problem


def build_settings(table: Any) -> Settings:
    """Make the settings of the search, of `[search]` and `[search.paper]`."""
    given = {name: value for name, value in msgspec.structs.asdict(table).items() if value is not None}
    paper = {} if table.paper is None else msgspec.structs.asdict(given.pop("paper"))
    for name, value in paper.items():
        if value is not None and given.setdefault(name, value) != value:
            raise InputError(
                f"{name} is {shown_value(given[name])} here and {shown_value(value)} in [search.paper]"
            )
    if given.get("pivot_temperature") == "inf":
        given["pivot_temperature"] = float("inf")
    check_ingredients(given.get("without", ()))
    return Settings().with_values(**given)


def build_parts(table: TaskTable) -> Parts | None:
    """Return what the task is made of, where the file says that it is made of several automata."""
    for name, count in (("all_of", table.all_of), ("any_of", table.any_of)):
        if count is not None and count > PARTS:
            raise InputError(f"{name} must be at most {PARTS}; found {shown_value(count)}")
    return Parts.of(table.all_of, table.any_of)


def is_weighed(document: ProblemDocument) -> bool:
    """Say whether a file has weights of its own."""
    return any(value is not None for value in msgspec.structs.asdict(document.energy).values())


def build_scenes(document: ProblemDocument, folder: FilePath) -> tuple[Scene, ...]:
    """Make the worlds of `[world]` or `[[worlds]]`, with what was shown in each."""
    costs = document.agent.cost
    endings = [document.episode, *(world.episode for world in document.worlds)]
    by_choice = any(one is not None and one.ends == "by choice" for one in endings)
    placed("agent.cost", check_costs, costs, costs, by_choice=by_choice)
    scenes = tuple(each_scene(document, folder))
    actions = dict.fromkeys(action for scene in scenes for action in scene.original.actions)
    placed("agent.cost", check_costs, costs, actions, by_choice=by_choice)
    return scenes


def each_scene(document: ProblemDocument, folder: FilePath) -> Iterator[Scene]:
    """Yield the scenes; what an action costs is told to every world that has it."""
    costs = document.agent.cost
    if document.world is not None and document.worlds:
        raise InputError("give [world] or [[worlds]], not both")
    if document.world is not None:
        made = build_scene(document.world, document.episode, document.demonstrations, costs, folder)
        yield merged_copies(made, document.world, document)
        return
    if not document.worlds:
        raise InputError('the key "world" is missing')
    if document.demonstrations:
        raise InputError("with [[worlds]], demonstrations belong to their world: [[worlds.demonstrations]]")
    for table in document.worlds:
        place, episode = f'world "{table.name}"', table.episode or document.episode
        if episode is None and not isinstance(table, LogTable):
            raise InputError("neither the world nor the file says how episodes end", place=place)
        made = placed(place, build_scene, table, episode, table.demonstrations, costs, folder, table.name)
        yield merged_copies(made, table, document)


def build_scene(
    table: WorldTable,
    ending: EpisodeTable | None,
    demonstrations: Sequence[DemonstrationTable],
    costs: Mapping[str, float],
    folder: FilePath,
    name: str = "world",
) -> Scene:
    """Make a world, and read what was shown in it; in the world of a log these are its runs unless told."""
    given = None if ending is None else placed("episode", Episode, **msgspec.structs.asdict(ending))
    runs = None
    if isinstance(table, LogTable):
        counted, runs = placed("world", build_log_world, table, folder, given)
        world: World = with_costs(counted, costs)
    elif given is None:
        raise InputError('the key "episode" is missing')
    else:
        world = build_world(table, given, costs)
    episode = world.episode
    states = len(list(world.names()))
    if episode.horizon * states > PLAN:
        raise InputError(
            f"a horizon of {shown_value(episode.horizon)} steps is too long for {states} states; "
            f"at most {PLAN // states} steps can be planned",
            place="episode",
        )
    if runs is not None and not demonstrations:
        paths = paths_of(world, runs)
    else:
        paths = build_demonstrations(world, demonstrations, folder)
    return Scene(world=world, demonstrations=paths, name=name)


def merged_copies(scene: Scene, table: WorldTable, document: ProblemDocument) -> Scene:
    """Merge copies in a scene's world, where its table says so.

    Actions that cost differently are no copies, unless nobody pays: the paper's agent does not.
    """
    if not getattr(table, "merge_redundant", False):
        return scene
    agent = document.agent
    known = isinstance(agent.rationality, float | int) or agent.competency is not None or is_weighed(document)
    free = known and not agent.cost and agent.effort in (None, 0)
    return scene.merged(costs=not free)


def placed(place: str, make: Callable[..., Value], *args: Any, **kwargs: Any) -> Value:
    """Call `make`; an input error tells the table that it came from."""
    try:
        return make(*args, **kwargs)
    except InputError as error:
        raise error.within(place) from None


def check_alphabet(alphabet: Sequence[str]) -> tuple[str, ...]:
    """Return an alphabet, sorted; refuse one that is empty or lists a letter twice."""
    if not alphabet:
        raise InputError("lists no letter")
    check_count(alphabet, LETTERS, "letters")
    for at, letter in enumerate(alphabet):
        if not letter:
            raise InputError("a letter is empty")
        if letter in alphabet[:at]:
            raise InputError(f'lists "{letter}" twice')
    return tuple(sorted(alphabet))


def build_world(
    table: GridTable | MdpTable | FactoredTable | ModelTable | GymnasiumTable,
    episode: Episode,
    costs: Mapping[str, float],
) -> World:
    """Make the world that a table describes, with the costs of those actions that it has."""
    if isinstance(table, FactoredTable):
        told = {action: cost for action, cost in costs.items() if action in table.actions}
        from demospec.files.factored_table import build_factored

        return build_factored(table, episode, told)
    return with_costs(placed("world", build_listed, table, episode), costs)


def with_costs(world: MDP, costs: Mapping[str, float]) -> MDP:
    """Return a world with the costs of those actions that it has."""
    return world.priced({action: cost for action, cost in costs.items() if action in world.actions})


def build_listed(table: GridTable | MdpTable | ModelTable | GymnasiumTable, episode: Episode) -> MDP:
    """Make a world that is written out, drawn as a map, a model of another tool, or an environment."""
    if isinstance(table, ModelTable):
        return build_model(table, episode)
    if isinstance(table, GymnasiumTable):
        return build_gymnasium(table, episode)
    if isinstance(table, GridTable):
        return build_grid(table, episode)
    events: dict[Event, Labels] = {}
    for number, (state, action, to, label) in enumerate(table.events, start=1):
        if (state, action, to) in events:
            raise InputError(
                f"events, entry {number}: this step is listed twice; write its labels as one list"
            )
        events[state, action, to] = label
    return MDP.build(
        [(state, action, dict(outcomes.items())) for state, action, outcomes in table.transitions],
        start=dict(table.start.items()) if isinstance(table.start, dict) else table.start,
        episode=episode,
        labels=dict(table.labels.items()),
        terminal=table.terminal,
        states=table.states,
        actions=table.actions,
        events=events,
    )


def build_agent(table: AgentTable, code: Code | None) -> Agent | None:
    """Make the agent model; where nothing is set, it follows from the code, or as that does from the rest.

    With a rationality that is set, what else is not set is 0: the paper's agent.
    """
    given = [
        name for name in ("rationality", "effort", "haste", "mistakes") if getattr(table, name) is not None
    ]
    if table.competency is not None:
        if given:
            raise InputError(f"give {given[0]} or competency, not both")
        return Empirical() if table.competency == "empirical" else Competency(table.competency)
    if not given:
        return Learned() if code == "words" else None
    told = isinstance(table.rationality, float | int)

    def value(of: float | str | None) -> float | None:
        return (0.0 if told else None) if of is None else None if isinstance(of, str) else float(of)

    rationality = None if isinstance(table.rationality, str) else table.rationality
    agent = Learned(rationality, value(table.effort), value(table.mistakes), value(table.haste))
    if rationality is not None and agent.effort == agent.haste == agent.mistakes == 0:
        return Fixed(rationality)
    return agent


def build_weights(table: EnergyTable) -> Weights:
    """Make the weights; the size's follows from the number of demonstrations where it is not given."""
    given = {name: value for name, value in msgspec.structs.asdict(table).items() if value is not None}
    return Weights(**given, by_rule="size_weight" not in given)


def build_bound(task: str | TaskDocument | None, folder: FilePath, alphabet: tuple[str, ...]) -> DFA | None:
    """Return the task that `task.implies` or `task.implied_by` names or writes out."""
    if task is None:
        return None
    if isinstance(task, TaskDocument):
        return build_task(task).as_dfa()
    if not is_file_name(task) and not os.path.exists(folder / task):
        return read_task_line(task, alphabet).as_dfa()
    return parse_task(read_file(folder / task, str(folder / task)), str(folder / task), alphabet).as_dfa()


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


def load_task(source: str, alphabet: tuple[str, ...] | None = None) -> Task:
    """Read a task: a JSON file, a result of `learn` (its best task), HOA, DOT, or text.

    Text is an automaton's line, a formula or clauses, in a file or as `source` itself. Without letters of its
    own, text takes `alphabet`.
    """
    if not is_file_name(source) and not os.path.exists(source):
        try:
            return read_task_line(source, alphabet)
        except InputError as error:
            if " " not in source.strip():
                error.message += "; and there is no file of this name"
            raise error.within(f'"{source}"') from None
    return parse_task(read_text(source), file_name(source), alphabet)


def parse_task(text: str, name: str, alphabet: tuple[str, ...] | None) -> Task:
    """Make the task that a file's text describes."""
    from demospec.tasks.formats import reader_of  # which is loaded where a file is read

    reads = reader_of(text, name)
    if reads is not None:
        return placed(name, reads, text)
    if not text.lstrip().startswith("{") and not name.endswith(".json"):
        return placed(name, read_task_line, text.strip(), alphabet)
    document = parse_document(text, name)
    if isinstance(document.get("best"), dict):
        document = document["best"]
    return task_of(document, name)


def task_of(document: Mapping[str, Any], name: str) -> Task:
    """Make the task of a task file's object."""
    if document.get("kind", "dfa") != "dfa":
        return placed(name, task_from_json, document)
    return placed(name, build_task, convert(document, TaskDocument, name))


def build_task(document: TaskDocument) -> Task:
    """Make the task of a task file: its clauses, where it has them, must say the same as its automaton."""
    whole = Composite.from_json({**msgspec.to_builtins(document), "clauses": None})
    if document.clauses is None:
        return whole
    said = clauses.parse(document.clauses, whole.alphabet)
    if (word := said.automaton.separating_word(whole)) is not None:
        says = "accepted" if whole.accepts(word) else "rejected"
        raise TaskError(f'the word "{word_text(word)}" is {says}, but its clauses say otherwise')
    return said


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
    alphabet = placed("alphabet", check_alphabet, document.alphabet)
    for kind, words in (("accept", document.accept), ("reject", document.reject)):
        for number, word in enumerate(words, start=1):
            placed(f"{kind}, entry {number}", check_class, Examples.of([word]), alphabet, None)
    return Examples.of(document.accept, document.reject), alphabet

"""What several commands share: options, how their values are read, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import click

from demospec import limits
from demospec.belief.acting import acting_in
from demospec.cli.streams import say
from demospec.errors import DemospecError, InputError, WorkerError
from demospec.explain.pursuing import acting_agent, belief_policy
from demospec.explain.pursuing import policy as policy_of
from demospec.explain.setup import resolve
from demospec.files import convert, file_name, load, load_task
from demospec.files.belief_file import load_believed
from demospec.files.log_table import COLUMNS, DemonstrationTable
from demospec.identify.classes import AutomatonClass, ImpliedBy, Implies, by_name
from demospec.plan.policy import Policy
from demospec.plan.rationality import MOST_RATIONAL, Learned
from demospec.problem import CODES, Problem
from demospec.problem.settings import Setting, read_setting, table
from demospec.search.best_first import INGREDIENTS, check_ingredients
from demospec.search.moves.shortening import shortest_way
from demospec.tasks import DFA, Task
from demospec.tasks.mixture import MOST_TASKS, by_weight
from demospec.wording import listing, nearest, shown_value
from demospec.worlds.scene import Scene


class Count(click.IntRange):
    """A whole number from `least` on; help tells that alone, since nobody comes near the limit."""

    def __init__(self, least: int | None, most: int = limits.COUNT) -> None:
        super().__init__(least)
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        found = super().convert(value, param, ctx)
        if found > self.most:
            self.fail(f"{shown_value(found)} is more than {self.most:,}", param, ctx)
        return found


SEED = Count(0, limits.SEED)


# -- Options of several commands -------------------------------------------------------------------------

Command = TypeVar("Command", bound=Callable[..., Any])


def together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return what adds several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."
)
details_options = together(
    click.option(
        "--details", is_flag=True, help="Print everything: other answers, shares, how the search went."
    ),
    click.option("--top", type=Count(1), metavar="N", help="Print a table of the N likeliest answers."),
    click.option("--why", "with_why", is_flag=True, help="Explain what was surprising and what helped."),
)
world_option = click.option(
    "--world", "world_name", metavar="NAME", help="Which world, if PROBLEM has several."
)
class_options = together(
    click.option(
        "--class",
        "class_names",
        metavar="NAME",
        multiple=True,
        help="Only tasks of every class given: safety, co-safety, reach-avoid, monotone, "
        "ignores-repeats, same-effect:a,b, implies:TASK, implied-by:TASK.",
    ),
    click.option(
        "--all-of", type=Count(1, limits.PARTS), metavar="K", help="Up to K automata, all of which accept."
    ),
    click.option(
        "--any-of", type=Count(1, limits.PARTS), metavar="K", help="Up to K automata, one of which accepts."
    ),
)
jobs_options = together(
    click.option(
        "--jobs", type=Count(1, limits.JOBS), metavar="N", help="Use this many processes.  [default: 1]"
    ),
    click.option(
        "--cluster", metavar="ADDRESS", help="Use the Dask cluster with its scheduler at tcp://host:port."
    ),
)


def scene_of(problem: Problem, name: str | None) -> Scene:
    """Return the scene that `--world` names, or the only one."""
    try:
        return problem.scene(name)
    except InputError as error:
        raise error.within("--world") from None


def read_settings(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, Any]:
    """Read settings of the search, and what a task's size is; each is told once."""
    found: dict[str, Any] = {}
    with about("--set"):
        for text in given:
            key, _, value = text.partition("=")
            name, found_value = ("code", value) if key == CODE else read_setting(text)
            if name in found:
                raise InputError(f'"{key}" is set twice')
            found[name] = found_value
        if (code := found.get("code", CODES[0])) not in CODES:
            raise InputError(f'{CODE} "{code}" is none of {listing(CODES)}{nearest(code, CODES)}')
        check_ingredients(found.get("without", ()))
    return found


CODE = "task.code"  # the only key outside [search] that can be set
set_option = click.option(
    "--set",
    "changed",
    metavar="KEY=VALUE",
    multiple=True,
    callback=read_settings,
    help="A key of the file's [search], as search.paper.candidates=40; or task.code.",
)


def setting_options(*names: str) -> Callable[[Command], Command]:
    """Add options for some settings of the search, and `--set` for all; else the file's value holds."""
    return together(*(setting_option(one) for one in table() if one.name in names), set_option)


def setting_option(one: Setting) -> Callable[[Command], Command]:
    """Return the option of a setting."""
    name = f"--{one.name.replace('_', '-')}"
    if one.kind is tuple:
        parts = "\n\n".join(f"{part}: {reason}" for part, reason in INGREDIENTS.items())
        told = f"{one.told}\n\n{parts}"
        return click.option(name, metavar="NAME", multiple=True, help=told)
    kind: Any = Count(one.least, one.most) if one.kind is int else one.kind
    told = one.told if one.default is None else f"{one.told}  [default: {one.default}]"
    if one.choices:
        return click.option(name, type=click.Choice(one.choices), metavar="NAME", default=None, help=told)
    return click.option(name, type=kind, default=None, help=told)


def with_changes(problem: Problem, given: Mapping[str, Any], changed: Mapping[str, Any]) -> Problem:
    """Return a problem with the settings that options give, by themselves or with `--set`."""
    given = {name: value for name, value in given.items() if value not in (None, ())}
    with about("options"):
        check_ingredients(given.get("without", ()))
        for name in given.keys() & changed.keys():
            check_one_of({f"--{name.replace('_', '-')}": given[name], f"--set search.{name}": True})
        settings = {name: value for name, value in changed.items() if name != "code"}
        problem = problem.with_settings(**given, **settings)
        if (code := changed.get("code")) is None:
            return problem
        return replace(problem, code=code, agent=resolve(problem).agent)  # the agent stays the file's


def check_jobs(jobs: int | None, cluster: str | None) -> int:
    """Refuse both, and return the number of processes."""
    check_one_of({"--jobs": jobs, "--cluster": cluster})
    return jobs or 1


def tell_one_chain(chains: int, jobs: int | None, cluster: str | None, advice: str = "") -> None:
    """Say that work which cannot be shared is not: each chain is worked on in one place."""
    if chains > 1:
        return
    if jobs is not None and jobs > 1:
        say(f"1 chain: --jobs {jobs} changes nothing{advice}", err=True)
    if cluster is not None:
        say(f"1 chain: one worker of --cluster {cluster} does all of it{advice}", err=True)


@contextmanager
def about(source: str) -> Iterator[None]:
    """Tell of which file an error in what has been read from it is."""
    try:
        yield
    except WorkerError:  # it is about no file
        raise
    except DemospecError as error:
        refused = error if isinstance(error, InputError) else InputError(str(error))
        raise refused.within(file_name(source)) from None


def check_standard_input(sources: Mapping[str, str | None]) -> None:
    """Refuse to read two things from standard input."""
    twice = [name for name, source in sources.items() if source == "-"]
    if len(twice) > 1:
        raise InputError(f"{' and '.join(twice)} cannot both be standard input")


def check_one_of(options: Mapping[str, object]) -> None:
    """Refuse options of which only one can be given; None and False are not given."""
    chosen = [name for name, given in options.items() if given is not None and given is not False]
    if len(chosen) > 1:
        raise InputError(f"{chosen[0]} and {chosen[1]} cannot be combined")


def read_letters(text: str | None) -> tuple[str, ...] | None:
    """Read the letters of an alphabet, with spaces between."""
    if text is None:
        return None
    letters = text.split()
    if not letters:
        raise InputError('expected letters with spaces between, such as "b g r y"', place="--alphabet")
    if twice := [letter for letter in letters if letters.count(letter) > 1]:
        raise InputError(f'the letter "{twice[0]}" is there twice', place="--alphabet")
    return tuple(sorted(letters))


BOUNDS: dict[str, Callable[[DFA], AutomatonClass]] = {"implies": Implies, "implied-by": ImpliedBy}


def read_classes(names: Sequence[str], alphabet: tuple[str, ...], whose: str) -> list[AutomatonClass]:
    """Return the classes that options name."""
    found: list[AutomatonClass] = []
    for name in names:
        kind, colon, source = name.partition(":")
        if not colon or kind not in BOUNDS:
            found.append(by_name(name))
            continue
        task = load_task(source := source.strip(), alphabet)
        if task.alphabet != alphabet:
            told = f"reads the letters {listing(task.alphabet)}, but the {whose} are {listing(alphabet)}"
            raise InputError(told, place=file_name(source))
        found.append(BOUNDS[kind](task.as_dfa()))
    return found


def task_sources(names: Sequence[str]) -> dict[str, str]:
    """Return where the tasks come from that classes speak of, by what was typed before it."""
    parts = [name.partition(":") for name in names]
    return {f"--class {kind}:": source.strip() for kind, _, source in parts if kind in BOUNDS}


def seed_range(context: click.Context, parameter: click.Parameter, given: str) -> list[int]:
    """Read seeds such as `0-9` or `0,3,5-7`; each counts once."""
    seeds: dict[int, None] = {}
    for part in given.split(","):
        found = re.fullmatch(r"\s*([0-9]{1,18})(?:-([0-9]{1,18}))?\s*", part)
        if found is None:
            raise click.BadParameter(f'"{part}" is not a seed or a range such as 0-9')
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise click.BadParameter(f'"{part}" names no seed: {last} is below {first}')
        if last >= first + limits.SEEDS:
            raise click.BadParameter(
                f'"{part}" is a range of {last - first + 1} seeds, not 1 to {limits.SEEDS}'
            )
        seeds |= dict.fromkeys(range(first, last + 1))
    return list(seeds)


def load_both(problem_file: str, task_file: str) -> tuple[Problem, Task]:
    """Read a problem, and a task over its letters."""
    check_standard_input({"PROBLEM": problem_file, "TASK": task_file})
    problem = load(problem_file)
    task = load_task(task_file, problem.alphabet)
    with about(task_file):
        return problem, shortest_way(problem, problem.check_task(task))


# -- The options `--log` and `--columns` -----------------------------------------------------------------

KEYS = (*COLUMNS, "complete", "only")
LISTS = ("state", "only")  # keys that may be given more than once
NUMBERS = ("last",)


log_options = together(
    click.option(
        "--log",
        "log_file",
        metavar="FILE",
        help="More demonstrations: runs of a CSV, JSON lines, Parquet or XES file.",
    ),
    click.option(
        "--columns",
        metavar="KEY=NAME,…",
        help="Which columns of the log tell what: run=episode,time=t,state=s,action=a,complete=done; "
        "also rows=outcomes, last=2, only=NAME, format=csv.",
    ),
)


def read_log_options(log_file: str | None, columns: str | None) -> DemonstrationTable | None:
    """Return the entry of `[[demonstrations]]` that the options stand for."""
    if log_file is None:
        if columns is not None:
            raise InputError("--columns needs --log")
        return None
    table = {} if columns is None else read_columns(columns)
    return convert({"log": log_file, **table}, DemonstrationTable, "--columns")


def read_columns(text: str) -> dict[str, Any]:
    """Read `run=episode,state=x,state=y,complete=true`.

    >>> read_columns("run=episode,state=x,state=y,complete=true,last=2")
    {'run': 'episode', 'state': ['x', 'y'], 'complete': True, 'last': 2}
    """
    found: dict[str, Any] = {}
    for key, value in read_pairs(text, KEYS, "--columns", more=LISTS):
        if key in found or key == "only":
            before = found.get(key, [])
            found[key] = [*(before if isinstance(before, list) else [before]), value]
        elif key == "complete" and value in ("true", "false"):
            found[key] = value == "true"
        else:
            found[key] = int(value) if key in NUMBERS and value.isdecimal() else value
    return found


def read_pairs(
    text: str, known: Sequence[str], option: str, *, more: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Read `KEY=VALUE,KEY=VALUE`; each key is there once, but for those that may be there more than once."""
    seen: set[str] = set()
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not value:
            raise InputError(f'expected KEY=VALUE, found "{part}"', place=option)
        if key not in known:
            told = f'unknown key "{key}"{nearest(key, known)}; known: {listing(known)}'
            raise InputError(told, place=option)
        if key in seen and key not in more:
            raise InputError(f'"{key}" is there twice', place=option)
        seen.add(key)
        yield key, value


# -- What commands share that act: the options `--task-only` and `--agent` -------------------------------


@dataclass(frozen=True)
class AgentOptions:
    """What is said of the agent on the command line; what is not is the problem's."""

    rationality: float | None = None
    effort: float | None = None
    answers: int | None = None  # of a belief, to act on

    def check(self, belief: bool) -> None:
        """Refuse answers without a belief."""
        if self.answers is not None and not belief:
            raise InputError("answers= needs a result of learn, without --task-only", place="--agent")


def read_agent(context: click.Context, parameter: click.Parameter, text: str | None) -> AgentOptions:
    """Read `rationality=50,effort=0.5`; refuse what no agent has."""
    found: dict[str, Any] = {}
    for key, value in read_pairs(text, ("rationality", "effort", "answers"), "--agent") if text else ():
        with about("--agent"):
            kind = int if key == "answers" else float
            try:
                found[key] = kind(value)
            except ValueError:
                told = "a whole number" if kind is int else "a number"
                raise InputError(f'{key} must be {told}; found "{value}"') from None
            if key == "answers" and found[key] < 1:
                raise InputError(f"answers must be at least 1; found {value}")
            if key != "answers":
                Learned(**{key: found[key]})
    return AgentOptions(**found)


acting_options = together(
    click.option(
        "--task-only",
        is_flag=True,
        help="Of a result of learn: act on its answer and all that costs nothing beside it, made anew for "
        "this world, not on its belief.",
    ),
    click.option(
        "--agent",
        metavar="KEY=VALUE,…",
        callback=read_agent,
        help="Another agent than PROBLEM's: rationality=λ, effort=NATS that a step costs; of a result, "
        f"answers=N to act on at most (usually {MOST_TASKS}), and rationality is 1000 where it is not said: "
        "it acts as well as it can.",
    ),
)


@dataclass(frozen=True, eq=False)
class ToAct:
    """Who acts where: on a task that was given, or on a result, its belief or with `--task-only` one task."""

    problem: Problem
    scene: Scene
    policy: Policy
    given: Task | None = None
    act_on: DFA | None = None  # of a result, made for this world
    added: int = 0  # answers that it keeps to beside the first


def load_to_act(
    problem_file: str,
    task_file: str,
    world_name: str | None,
    agent: AgentOptions,
    *,
    task_only: bool,
    whole: bool = False,
) -> ToAct:
    """Read a problem, and a task or what is believed, and plan; with `whole` also tell what to act on."""
    check_standard_input({"PROBLEM": problem_file, "TASK": task_file})
    problem = load(problem_file)
    scene, found = (
        scene_of(problem, world_name),
        load_believed(task_file, problem.alphabet, to_act_on=task_only),
    )
    agent.check(isinstance(found, list) and not task_only)
    if not isinstance(found, list):
        with about(task_file):
            task = shortest_way(problem, problem.check_task(found))
        with about(problem_file):
            own = policy_of(problem, task, scene, rationality=agent.rationality, effort=agent.effort)
        return ToAct(problem, scene, own, task)
    with about(task_file):
        weighted = [(problem.check_task(task), weight) for task, weight in by_weight(found)]
    act_on, added = None, list[int]()
    with about(problem_file):
        effort = agent.effort
        if task_only or whole:
            rationality = MOST_RATIONAL if agent.rationality is None else agent.rationality
            effort = acting_agent(problem, weighted[0][0], rationality, effort).effort
            act_on, added = acting_in(problem, scene, [task.automaton for task, _ in weighted], effort)
        if task_only:
            assert act_on is not None
            policy = policy_of(problem, act_on, scene, rationality=rationality, effort=effort)
        else:
            most = agent.answers or MOST_TASKS
            policy = belief_policy(
                problem, weighted, scene, rationality=agent.rationality, effort=agent.effort, most_tasks=most
            )
    return ToAct(problem, scene, policy, None, act_on, len(added))

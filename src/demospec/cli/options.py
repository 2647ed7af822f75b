"""Whole numbers on the command line: none is larger than what `limits` allows.

What several commands share: options, and how they are read.

The options `--log` and `--columns`: runs of a log, as demonstrations on top of a problem's own.

What commands share that act on a belief: options, and how they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from demospec import limits
from demospec.cli.streams import say
from demospec.errors import DemospecError, InputError, WorkerError
from demospec.explain.acting import belief_policy
from demospec.files import convert, file_name, load, load_belief, load_task
from demospec.files.log_table import COLUMNS, DemonstrationTable
from demospec.identify import AutomatonClass, ImpliedBy, by_name
from demospec.plan.policy import MixturePolicy
from demospec.plan.rationality import Learned
from demospec.problem import Problem
from demospec.problem.settings import Setting, table
from demospec.search.best_first import INGREDIENTS, check_ingredients
from demospec.search.moves.shortening import shortest_way
from demospec.tasks import DFA, Task
from demospec.tasks.mixture import MOST_TASKS, Weighted, by_weight
from demospec.wording import listing, nearest, shown
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
            self.fail(f"{shown(found)} is more than {self.most:,}", param, ctx)
        return found


SEED = Count(0, limits.SEED)


# -- What several commands share -------------------------------------------------------------------------

Command = TypeVar("Command", bound=Callable[..., Any])


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."
    )(command)


def details_options(command: Command) -> Command:
    """Add options for what is told of a result beside what one screen holds."""
    for option in (
        click.option("--why", "with_why", is_flag=True, help="Explain what was surprising and what helped."),
        click.option("--top", type=Count(1), metavar="N", help="Print a table of the N likeliest answers."),
        click.option(
            "--details", is_flag=True, help="Print everything: other answers, shares, how the search went."
        ),
    ):
        command = option(command)
    return command


def world_option(command: Command) -> Command:
    """Add `--world`, for problems with several."""
    return click.option("--world", "world_name", metavar="NAME", help="Which world, if PROBLEM has several.")(
        command
    )


def scene_of(problem: Problem, name: str | None) -> Scene:
    """Return the scene that `--world` names, or the only one."""
    try:
        return problem.scene(name)
    except InputError as error:
        raise error.within("--world") from None


def class_options(command: Command) -> Command:
    """Add options for what is known about the task beforehand."""
    count = Count(1, limits.PARTS)
    for option in (
        click.option("--any-of", type=count, metavar="K", help="Up to K automata, one of which accepts."),
        click.option("--all-of", type=count, metavar="K", help="Up to K automata, all of which accept."),
        click.option(
            "--implied-by", metavar="TASK", help="Only automata whose language contains this task's."
        ),
        click.option(
            "--class",
            "class_names",
            metavar="NAME",
            multiple=True,
            help="Only automata of this class, and of every other one given: "
            "safety, co-safety, reach-avoid, monotone, ignores-repeats, same-effect:a,b.",
        ),
    ):
        command = option(command)
    return command


def left_out(
    context: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Read the parts of the search to leave out; where none is given, it is as the file says."""
    with about("options"):
        check_ingredients(names)
    return names or None


def setting_options(command: Command) -> Command:
    """Add an option for every search setting; the problem file's value holds where none is given."""
    for one in reversed([*table()]):
        command = setting_option(one)(command)
    return command


def setting_option(one: Setting) -> Callable[[Command], Command]:
    """Return the option of a setting."""
    name = one.name.replace("_", "-")
    if one.kind is tuple:
        parts = "\n\n".join(f"{part}: {reason}" for part, reason in INGREDIENTS.items())
        told = f"{one.told.rstrip('.')}:\n\n{parts}"
        return click.option(f"--{name}", metavar="NAME", multiple=True, callback=left_out, help=told)
    if one.kind is bool:
        return click.option(f"--{name}/--no-{name}", default=None, help=one.told)
    kind: Any = one.kind
    if one.choices:
        kind = click.Choice(one.choices)
    elif one.kind is int:
        kind = Count(one.least, one.most)
    default = f"{one.default:g}" if isinstance(one.default, float) else one.default
    told = one.told if default is None else f"{one.told}  [default: {default}]"
    return click.option(f"--{name}", type=kind, default=None, help=told)


def jobs_options(command: Command) -> Command:
    """Add `--jobs` and `--cluster`, for who does the work; `check_jobs` reads them."""
    for option in (
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Send the work to the Dask cluster whose scheduler is at tcp://host:port.",
        ),
        click.option(
            "--jobs",
            type=Count(1, limits.JOBS),
            metavar="N",
            help="Use this many processes.  [default: 1]",
        ),
    ):
        command = option(command)
    return command


def check_jobs(jobs: int | None, cluster: str | None) -> int:
    """Refuse both, and return the number of processes."""
    check_one_of([name for name, given in (("--jobs", jobs), ("--cluster", cluster)) if given is not None])
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


def check_one_of(chosen: Sequence[str]) -> None:
    """Refuse options of which only one can be given."""
    if len(chosen) > 1:
        raise InputError(f"{chosen[0]} and {chosen[1]} cannot be combined")


def read_bound(source: str, alphabet: tuple[str, ...], whose: str) -> DFA:
    """Read a task over the letters of what is asked about."""
    task = load_task(source, alphabet)
    if task.alphabet != alphabet:
        raise InputError(
            f"reads the letters {listing(task.alphabet)}, but the {whose} are {listing(alphabet)}",
            place=file_name(source),
        )
    return task.as_dfa()


def read_classes(
    names: Sequence[str], implied_by: str | None, alphabet: tuple[str, ...], whose: str
) -> list[AutomatonClass]:
    """Return the classes that options name."""
    classes = [by_name(name) for name in names]
    return classes if implied_by is None else [*classes, ImpliedBy(read_bound(implied_by, alphabet, whose))]


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


def log_options(command: Command) -> Command:
    """Add `--log` and `--columns`."""
    for option in (
        click.option(
            "--columns",
            metavar="KEY=NAME,…",
            help="Which columns of the log tell what: run=episode,time=t,state=s,action=a,complete=done; "
            "also rows=outcomes, last=2, only=NAME, format=csv.  [default: columns with these names]",
        ),
        click.option(
            "--log",
            "log_file",
            metavar="FILE",
            help="Demonstrations beside PROBLEM's own: the runs of a CSV, JSON lines, Parquet or XES file.",
        ),
    ):
        command = option(command)
    return command


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
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not value:
            raise InputError(f'expected KEY=NAME, found "{part}"', place="--columns")
        if key not in KEYS:
            told = f'unknown key "{key}"{nearest(key, KEYS)}; known: {listing(KEYS)}'
            raise InputError(told, place="--columns")
        if key in found and key not in LISTS:
            raise InputError(f'"{key}" is there twice', place="--columns")
        if key in found or key == "only":
            before = found.get(key, [])
            found[key] = [*(before if isinstance(before, list) else [before]), value]
        elif key == "complete" and value in ("true", "false"):
            found[key] = value == "true"
        else:
            found[key] = int(value) if key in NUMBERS and value.isdecimal() else value
    return found


# -- What commands share that act on a belief ------------------------------------------------------------

belief_option = click.option(
    "--belief", is_flag=True, help="Act on all leading answers at once: TASK is a result of learn."
)
answers_option = click.option(
    "--answers",
    type=Count(1),
    metavar="N",
    help=f"With --belief: act on at most this many answers.  [default: {MOST_TASKS}]",
)


def check_agent(context: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse a rationality or an effort that no agent has."""
    with about(f"--{parameter.name}"):
        Learned(value) if parameter.name == "rationality" else Learned(effort=value)
    return value


def acting_options(command: Command) -> Command:
    """Add `--belief`, `--answers`, `--rationality` and `--effort`."""
    effort = click.option(
        "--effort",
        type=float,
        callback=check_agent,
        metavar="NATS",
        help="What a step costs the agent.  [default: PROBLEM's]",
    )
    rationality = click.option(
        "--rationality",
        type=float,
        callback=check_agent,
        metavar="λ",
        help="How rational the agent is.  [default: PROBLEM's; with --belief 1000, to act as well as it can]",
    )
    for option in (effort, rationality, answers_option, belief_option):
        command = option(command)
    return command


def check_answers(belief: bool, answers: int | None) -> int:
    """Return how many answers to act on."""
    if answers is not None and not belief:
        raise InputError("--answers needs --belief")
    return MOST_TASKS if answers is None else answers


def load_with_belief(problem_file: str, belief_file: str) -> tuple[Problem, list[Weighted]]:
    """Read a problem, and what is believed about its task."""
    check_standard_input({"PROBLEM": problem_file, "TASK": belief_file})
    problem = load(problem_file)
    weighted = load_belief(belief_file, problem.alphabet)
    with about(belief_file):
        return problem, [(problem.check_task(task), weight) for task, weight in by_weight(weighted)]


def acting_on(
    problem_file: str,
    belief_file: str,
    world_name: str | None,
    answers: int,
    rationality: float | None,
    effort: float | None,
) -> tuple[Problem, Scene, MixturePolicy]:
    """Read both, and plan for the leading answers together in one of the problem's worlds."""
    problem, weighted = load_with_belief(problem_file, belief_file)
    scene = scene_of(problem, world_name)
    with about(problem_file):
        policy = belief_policy(
            problem, weighted, scene, rationality=rationality, effort=effort, most_tasks=answers
        )
    return problem, scene, policy

"""What several commands share: options, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from demospec import limits
from demospec.cli.counts import Count
from demospec.cli.streams import say
from demospec.errors import DemospecError, InputError, WorkerError, listing
from demospec.files import file_name, load, load_task
from demospec.identify import AutomatonClass, ImpliedBy, by_name
from demospec.problem import Problem
from demospec.problem.settings import Setting, table
from demospec.search.best_first import INGREDIENTS, check_ingredients
from demospec.tasks import DFA, Task
from demospec.worlds.scene import Scene

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
    return click.option(f"--{name}", type=kind, default=None, help=one.told)


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
        return problem, problem.shortest_way(problem.check_task(task))

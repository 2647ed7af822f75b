"""The commands: each reads, calls the library, and prints."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import click

from demospec import problems
from demospec.cli import text
from demospec.cli.progress import Progress
from demospec.errors import InputError
from demospec.files import load, load_examples, load_task
from demospec.identify import smallest
from demospec.learn import Result, Row, iterate, sample
from demospec.problem import METHODS, Problem
from demospec.report.documents import (
    check_document,
    dumps,
    path_document,
    result_document,
    score_document,
    task_document,
)
from demospec.report.folder import make_folder, write_result
from demospec.score import evaluate

Command = TypeVar("Command", bound=Callable[..., Any])


class Interrupted(Exception):
    """The run was stopped by Ctrl-C or a signal, and what it had has been saved."""


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."
    )(command)


SETTINGS: tuple[tuple[str, Any, str], ...] = (
    ("method", click.Choice(METHODS), "How to search: the paper's method, or one of its baselines."),
    ("iterations", click.IntRange(1), "Iterations of each chain."),
    ("chains", click.IntRange(1), "Independent chains, one after the other."),
    ("pivot-temperature", float, "β: how sharply large gradients are preferred; inf = random pivots."),
    ("reset-period", click.IntRange(1), "Restart from a good visited task every so many iterations."),
    ("candidates", click.IntRange(1), "Draw each task from the first so many consistent ones, by size."),
    ("max-states", click.IntRange(1), "Largest automaton considered."),
    ("initial-temperature", float, "Annealing temperature that is cooled away."),
    ("final-temperature", float, "Annealing temperature that is left at the end."),
)


def setting_options(command: Command) -> Command:
    """Add an option for every search setting; the problem file's value holds where none is given."""
    for name, kind, told in reversed(SETTINGS):
        command = click.option(f"--{name}", type=kind, default=None, help=told)(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="demospec")
def cli() -> None:
    """Learn the task behind a demonstration.

    Someone shows one or two runs in a Markov decision process, without labels, maybe unfinished; demospec
    finds the automata that explain them, ranked.

    Try:  demospec example robot > robot.toml  and  demospec learn robot.toml
    """


@cli.command()
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="One seed, one result.")
@click.option("--out", type=click.Path(path_type=Path), help="Write result.json, pictures and a page here.")
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="Tasks to print.")
@setting_options
@json_option
def learn(problem_file: str, seed: int, out: Path | None, top: int, as_json: bool, **settings: Any) -> None:
    """Search for the tasks that explain the demonstrations of PROBLEM, and rank them.

    PROBLEM is a TOML or JSON file; - is standard input.
    """
    problem = with_settings(load(problem_file), settings)
    if out is not None:
        make_folder(out)  # a folder that cannot be written is told before the work, not after
    result, interrupted = run(problem, seed)
    if out is not None:
        write_result(result, out)
    if as_json:
        click.echo(dumps(result_document(result)))
    else:
        click.echo(text.result_text(result, top))
        if out is not None:
            click.echo(f"written to {out / 'result.json'}; pictures: {out / 'report.html'}")
    if interrupted:
        raise Interrupted


def with_settings(problem: Problem, settings: dict[str, Any]) -> Problem:
    """Apply command-line options, telling which one is wrong."""
    try:
        return problem.with_settings(**settings)
    except InputError as error:
        raise error.within("options") from None


def run(problem: Problem, seed: int) -> tuple[Result, bool]:
    """Learn with progress; Ctrl-C or a termination signal stops after the current iteration.

    Returns what was found so far and whether it was interrupted.
    """
    trace: list[Row] = []
    stop = False

    def on_signal(*_: object) -> None:
        nonlocal stop
        if stop:  # a second Ctrl-C does not wait
            raise KeyboardInterrupt
        stop = True

    problem.tree  # noqa: B018  refuse a problem without demonstrations before anything is shown
    began = time.perf_counter()
    old = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with Progress(problem.settings.iterations * problem.settings.chains) as progress:
            for row in iterate(problem, seed=seed):
                trace.append(row)
                progress(row)
                if stop:
                    break
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
    return Result.of(problem, seed, trace, time.perf_counter() - began), stop


@cli.command()
@click.argument("problem_file", metavar="PROBLEM")
@click.argument("task_file", metavar="TASK")
@click.option("--pivots", type=click.IntRange(0), default=8, show_default=True, help="Pivots to print.")
@json_option
def score(problem_file: str, task_file: str, pivots: int, as_json: bool) -> None:
    """Say how well TASK explains the demonstrations of PROBLEM, and what the gradient says.

    TASK is a task file, a result of learn (its best task), or one line such as ">0: y→1 | *1:".
    """
    problem = load(problem_file)
    task = problem.check_task(load_task(task_file, problem.alphabet))
    document = score_document(problem, evaluate(problem, task))
    click.echo(dumps(document) if as_json else text.score_text(problem, document, pivots))


@cli.command("sample")
@click.argument("problem_file", metavar="PROBLEM")
@click.argument("task_file", metavar="TASK")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="How many to draw.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="One seed, one result.")
@json_option
def sample_command(problem_file: str, task_file: str, count: int, seed: int, as_json: bool) -> None:
    """Draw demonstrations from the maximum-entropy agent that pursues TASK in the world of PROBLEM."""
    problem = load(problem_file)
    task = problem.check_task(load_task(task_file, problem.alphabet))
    drawn = [path_document(problem, path, task) for path in sample(problem, task, count=count, seed=seed)]
    if as_json:
        click.echo(dumps({"demonstrations": drawn}))
    else:
        click.echo("\n".join(text.demonstration_toml(document) for document in drawn), nl=False)


@cli.command()
@click.argument("examples_file", metavar="EXAMPLES")
@click.option("--count", type=click.IntRange(1), default=20, show_default=True, help="How many automata.")
@click.option("--max-states", type=click.IntRange(1), default=None, help="Largest automaton considered.")
@click.option("--implies", metavar="TASK", help="Only automata whose language is inside this task's.")
@json_option
def identify(
    examples_file: str, count: int, max_states: int | None, implies: str | None, as_json: bool
) -> None:
    """List the smallest automata consistent with labelled words, by size in bits."""
    examples, alphabet = load_examples(examples_file)
    prior = None if implies is None else load_task(implies, alphabet)
    found = list(islice(smallest(examples, alphabet, prior=prior, max_states=max_states), count))
    if as_json:
        click.echo(dumps({"tasks": [task_document(task, size=task.size) for task in found]}))
    elif not found:
        click.echo(f"no automaton with at most {max_states} states agrees with the examples")
    else:
        rows = [(str(k), str(task.size), str(task)) for k, task in enumerate(found, start=1)]
        click.echo(text.table(("", "size", "task"), rows))


@cli.command()
@click.argument("problem_file", metavar="PROBLEM")
@json_option
def check(problem_file: str, as_json: bool) -> None:
    """Validate PROBLEM and describe what it holds."""
    document = check_document(load(problem_file))
    click.echo(dumps(document) if as_json else text.check_text(document))


@cli.command()
@click.argument("name", required=False)
@json_option
def example(name: str | None, as_json: bool) -> None:
    """Print a problem file that ships with demospec; without a NAME, list them."""
    if name is None:
        click.echo(dumps({"examples": problems.names()}) if as_json else "\n".join(problems.names()))
    else:
        content = problems.text(name)
        click.echo(dumps({"name": name, "text": content}) if as_json else content, nl=as_json)


def seed_range(context: click.Context, parameter: click.Parameter, given: str) -> list[int]:
    """Read seeds such as `0-9` or `0,3,5-7`."""
    seeds: list[int] = []
    for part in given.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise click.BadParameter(f'"{part}" is not a seed or a range such as 0-9')
        seeds += range(int(first), int(last if dash else first) + 1)
    if not seeds:
        raise click.BadParameter(f'"{given}" names no seed')
    return seeds


@cli.command()
@click.argument("experiment", type=click.Choice(["monolithic", "incremental"]))
@click.option(
    "--seeds", callback=seed_range, default="0-9", show_default=True, help="For example 0-9 or 1,4."
)
@click.option("--baselines", is_flag=True, help="Run random pivots and enumeration too.")
@click.option("--iterations", type=click.IntRange(1), default=100, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Write table, figure and automata here.")
@json_option
def reproduce(
    experiment: str, seeds: list[int], baselines: bool, iterations: int, out: Path | None, as_json: bool
) -> None:
    """Run the paper's experiment: minimum energy by iteration, the learned automata, wall times."""
    from demospec import reproduce as paper

    if out is not None:
        make_folder(out)
    methods = METHODS if baselines else METHODS[:1]
    total = iterations * sum(1 if method == "enumeration" else len(seeds) for method in methods)
    with Progress(total) as progress:
        report = paper.reproduce(
            experiment,
            seeds,
            methods,
            iterations=iterations,
            progress=lambda label, row: progress(row, label=f"{label}: "),
        )
    if out is not None:
        paper.write(report, out)
    if as_json:
        click.echo(dumps(paper.document(report)))
    else:
        click.echo(paper.table_text(report))
        if out is not None:
            click.echo(f"\nwritten to {out / 'README.md'}")

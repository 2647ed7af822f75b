"""The commands `learn` and `resume`, and the group of all: each reads, calls the library, and prints.

What only some runs need, as pages and documents do, is loaded by them alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from demospec.cli.counts import SEED, Count
from demospec.cli.group import Commands
from demospec.cli.interrupt import Interrupted, interruptible
from demospec.cli.log_options import log_options, read_log_options
from demospec.cli.options import (
    about,
    check_jobs,
    check_one_of,
    check_standard_input,
    class_options,
    jobs_options,
    json_option,
    read_classes,
    setting_options,
    tell_one_chain,
)
from demospec.cli.progress import Progress, telling
from demospec.cli.streams import say
from demospec.errors import InputError
from demospec.files import load
from demospec.identify.allowed import Parts
from demospec.problem import CODES, Code
from demospec.report.as_text import as_text
from demospec.report.result_blocks import result_blocks
from demospec.runs.result import Result
from demospec.runs.session import Session
from demospec.tasks import Word
from demospec.work import open_workers
from demospec.work.base import threads_allowed
from demospec.work.stop import Stop

TOLD = 5  # conjectures, where --why asks for them


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="demospec")
@click.pass_context
def cli(context: click.Context) -> None:
    """Learn the task behind a demonstration.

    Someone shows one or two runs in a Markov decision process, without labels, maybe unfinished; demospec
    finds the automata that explain them, ranked.

    Try:  demospec example robot > robot.toml  and  demospec learn robot.toml
    """
    threads_allowed()  # what the environment says wrongly is told before anything is done
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@click.option("--out", type=click.Path(path_type=Path), help="Write result.json, pictures and a page here.")
@click.option("--top", type=Count(1), default=5, show_default=True, help="Tasks to print.")
@click.option(
    "--why", "with_why", is_flag=True, help="Tell what was surprising, and which conjectures helped."
)
@click.option(
    "--word",
    "words",
    multiple=True,
    help='Say how likely it is that this word satisfies the task: letters with spaces between, "b g y".',
)
@click.option(
    "--code",
    type=click.Choice(CODES),
    help="What a task's size is: bits of its automaton as in the paper, or of a prior over clauses.",
)
@log_options
@class_options
@setting_options
@jobs_options
@json_option
def learn(
    problem_file: str,
    seed: int,
    out: Path | None,
    top: int,
    with_why: bool,
    words: tuple[str, ...],
    code: Code | None,
    log_file: str | None,
    columns: str | None,
    class_names: tuple[str, ...],
    implied_by: str | None,
    all_of: int | None,
    any_of: int | None,
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Search for the tasks that explain the demonstrations of PROBLEM, and rank them.

    PROBLEM is a TOML or JSON file; - is standard input. Classes come on top of the file's own.
    """
    processes = check_jobs(jobs, cluster)
    check_standard_input({"PROBLEM": problem_file, "--implied-by": implied_by, "--log": log_file})
    check_one_of([name for name, k in (("--all-of", all_of), ("--any-of", any_of)) if k is not None])
    problem = load(problem_file, log=read_log_options(log_file, columns))
    classes = read_classes(class_names, implied_by, problem.alphabet, "problem's")
    with about("options"):
        problem = replace(
            problem.with_settings(**settings),
            classes=(*problem.classes, *classes),
            parts=Parts.of(all_of, any_of) or problem.parts,
            code=code or problem.code,
        )
    asked = [tuple(word.split()) for word in words]
    with about("--word"):
        for word in asked:
            problem.allowed.certain[True].run(word)  # refuse other letters before the work, not after
    with about(problem_file):
        problem.check_shown()  # before anything is written
    with open_workers(min(processes, problem.settings.chains), cluster) as workers:
        if out is not None:
            from demospec.report.folder import make_folder

            make_folder(out)  # a folder that cannot be written is told before the work, not after
        tell_one_chain(problem.settings.chains, jobs, cluster, "; use --chains 2 or more")
        with about(problem_file), Session(problem, seed=seed, folder=out, workers=workers) as session:
            result = run(session)
            show_result(result, out, top, words=asked, with_why=with_why, as_json=as_json)
    leave(result, out)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--top", type=Count(1), default=5, show_default=True, help="Tasks to print.")
@click.option(
    "--why", "with_why", is_flag=True, help="Tell what was surprising, and which conjectures helped."
)
@jobs_options
@json_option
def resume(
    folder: Path, top: int, with_why: bool, jobs: int | None, cluster: str | None, as_json: bool
) -> None:
    """Go on with a run of `learn --out FOLDER` that was interrupted or killed.

    The result is the one that the run would have had, whoever does the rest of the work.
    """
    processes = check_jobs(jobs, cluster)
    with open_workers(processes, cluster) as workers, Session.resume(folder, workers=workers) as session:
        tell_one_chain(session.problem.settings.chains, jobs, cluster)
        result = run(session)
        show_result(result, folder, top, with_why=with_why, as_json=as_json)
    leave(result, folder)


def show_result(
    result: Result,
    out: Path | None,
    top: int,
    *,
    words: Sequence[Word] = (),
    with_why: bool,
    as_json: bool,
) -> None:
    """Write a result to a folder, if any, and print it.

    The journal goes when the session is closed, after the result is written, not before.
    """
    with Progress(None) as progress:
        result.work_out(lambda done, total: progress.part("working out how sure it is", done, total))
    if out is not None:
        from demospec.report.folder import write_result

        with telling("drawing"):
            write_result(result, out)
    if as_json:
        from demospec.report.documents import dumps, result_document, words_document

        asked = {"words": words_document(result, words)} if words else {}
        click.echo(dumps({**result_document(result), **asked}))
    else:
        conjectures = TOLD if with_why else None
        say(as_text(result_blocks(result, shown=top, words=words, conjectures=conjectures)))
        if out is not None:
            say(f"written to {out / 'result.json'}; pictures: {out / 'report.html'}")


def leave(result: Result, out: Path | None) -> None:
    """Tell how to go on with an interrupted run, and leave with its exit code."""
    if result.ended == "interrupted":
        if out is not None:
            say(f"go on with: demospec resume {out}", err=True)
        raise Interrupted


def run(session: Session) -> Result:
    """Learn with progress; Ctrl-C or a termination signal ends it, and what was found so far is returned."""
    settings = session.problem.settings
    total = None if settings.method == "explore" else settings.iterations * settings.chains
    with Progress(total) as progress:

        def work(stop: Stop) -> None:
            with stop.calling(session.cancel):
                for row in session:
                    progress(row, before=len(session.trace) <= session.resumed)

        interruptible(work)
    if not any(row.info.candidate for row in session.trace):
        if session.ended == "seconds":
            raise InputError(
                f"no task was scored within {settings.max_seconds:g} s; allow more with max_seconds"
            )
        if session.ended in (None, "interrupted"):
            raise Interrupted  # before the first task was found: there is nothing to save
    return session.result()

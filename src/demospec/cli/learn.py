"""The commands `learn` and `resume`: search for what explains the demonstrations, and tell it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from demospec.cli import Interrupted
from demospec.cli.group import cli
from demospec.cli.options import (
    CODE,
    SEED,
    about,
    check_jobs,
    check_one_of,
    check_standard_input,
    class_options,
    details_options,
    jobs_options,
    json_option,
    log_options,
    read_classes,
    read_log_options,
    setting_options,
    task_sources,
    tell_one_chain,
    with_changes,
)
from demospec.cli.streams import say, show_report
from demospec.cli.termination import search_with_progress
from demospec.explain.setup import resolve
from demospec.files import load
from demospec.identify.allowed import Parts
from demospec.problem.settings import table
from demospec.report.answer_report import SHOWN, details_blocks, ranking_section, screen_blocks, why
from demospec.report.blocks import Paragraph, Together
from demospec.report.told import Told
from demospec.runs.progress_line import Progress, telling
from demospec.runs.result import Result, Source
from demospec.runs.session import Session
from demospec.tasks import Word
from demospec.work import open_workers

TOLD = 5  # conjectures, where --why asks for them
MORE = "With --details: the other answers, how likely each part is, how the search went."
# Options that `ask` does not have: what it learns is another problem's answer.
NARROWING = ("class_names", "all_of", "any_of", "log_file", "columns")


@cli.command("learn")
@click.argument("problem_file", metavar="PROBLEM")
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@click.option("--out", type=click.Path(path_type=Path), help="Write result.json, pictures and a page here.")
@details_options
@click.option(
    "--word", "words", multiple=True, help='Say how likely it is that the task accepts this word: "b g y".'
)
@log_options
@class_options
@setting_options("method", "without", "iterations", "chains", "max_evaluations", "max_seconds")
@jobs_options
@json_option
def learn_problem(
    problem_file: str,
    seed: int,
    out: Path | None,
    details: bool,
    top: int | None,
    with_why: bool,
    words: tuple[str, ...],
    log_file: str | None,
    columns: str | None,
    class_names: tuple[str, ...],
    all_of: int | None,
    any_of: int | None,
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
    changed: dict[str, Any],
    **settings: Any,
) -> None:
    """Search for the tasks that explain the demonstrations of PROBLEM, a TOML or JSON file, and rank them."""
    processes = check_jobs(jobs, cluster)
    check_standard_input({"PROBLEM": problem_file, **task_sources(class_names), "--log": log_file})
    check_one_of({"--all-of": all_of, "--any-of": any_of})
    problem = load(problem_file, log=read_log_options(log_file, columns))
    classes = read_classes(class_names, problem.alphabet, "problem's")
    problem = with_changes(problem, settings, changed)
    with about("options"):
        problem = replace(
            problem, classes=(*problem.classes, *classes), parts=Parts.of(all_of, any_of) or problem.parts
        )
        allowed = resolve(problem).allowed
    asked = [tuple(word.split()) for word in words]
    with about("--word"):
        for word in asked:
            allowed.certain[True].run(word)  # refuse other letters before the work, not after
    with about(problem_file):
        problem.check_shown()  # before anything is written
    with open_workers(min(processes, problem.settings.chains), cluster) as workers:
        if out is not None:
            from demospec.report.folder import make_folder

            make_folder(out)  # a folder that cannot be written is told before the work, not after
        tell_one_chain(problem.settings.chains, jobs, cluster, "; use --chains 2 or more")
        source = Source(problem_file, None if out is None else str(out), *given_options())
        with (
            about(problem_file),
            Session(problem, seed=seed, folder=out, source=source, workers=workers) as session,
        ):
            result = search_with_progress(session)
            print_result(
                result, out, source, asked, details=details, top=top, with_why=with_why, as_json=as_json
            )
    leave_with(result, out)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path))
@details_options
@jobs_options
@json_option
def resume(
    folder: Path,
    details: bool,
    top: int | None,
    with_why: bool,
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Go on with a run of `learn --out FOLDER` that was interrupted or killed.

    The result is the one that the run would have had, whoever does the rest of the work.
    """
    processes = check_jobs(jobs, cluster)
    with open_workers(processes, cluster) as workers, Session.resume(folder, workers=workers) as session:
        tell_one_chain(session.problem.settings.chains, jobs, cluster)
        result = search_with_progress(session)
        source = replace(session.source, folder=str(folder))
        print_result(result, folder, source, details=details, top=top, with_why=with_why, as_json=as_json)
    leave_with(result, folder)


def given_options() -> tuple[tuple[str, ...], bool]:
    """Return the options of this call that `ask` knows too, and whether others narrow what is learned."""
    context = click.get_current_context()
    typed = [
        one.name or ""
        for one in context.command.params
        if context.get_parameter_source(one.name or "") == ParameterSource.COMMANDLINE
    ]
    given = ["--seed", str(context.params["seed"])] if "seed" in typed else []
    values = {name: context.params[name] for name in typed} | context.params["changed"]
    for name, key in (*((one.name, one.key) for one in table()), ("code", CODE)):
        if (value := values.get(name)) is not None:
            text = ",".join(value) if isinstance(value, tuple) else str(value)
            text = text.lower() if isinstance(value, bool) else text
            given += ["--iterations", text] if name == "iterations" else ["--set", f"{key}={text}"]
    return tuple(given), not {*NARROWING}.isdisjoint(typed)


def print_result(
    result: Result,
    out: Path | None,
    source: Source,
    words: Sequence[Word] = (),
    *,
    details: bool,
    top: int | None,
    with_why: bool,
    as_json: bool,
) -> None:
    """Write a result to a folder, if any, and print it, with what was asked for besides.

    The journal goes when the session is closed, after the result is written, not before.
    """
    with Progress(None) as progress:
        result.work_out(lambda done, total: progress.part("working out how sure it is", done, total))
    if out is not None:
        from demospec.report.folder import write_result

        with telling("drawing"):
            write_result(result, out, source)
    if as_json:
        from demospec.report.documents import dumps
        from demospec.report.result_document import result_document, words_document

        asked = {"words": words_document(result, words)} if words else {}
        click.echo(dumps({**result_document(result), **asked}))
        return
    blocks = screen_blocks(Told(result, source), words=words)
    conjectures = TOLD if with_why else None
    if details:
        blocks += details_blocks(result, shown=top or SHOWN, conjectures=conjectures)
    else:
        blocks += [] if top is None else [ranking_section(result, top)]
        blocks += [] if conjectures is None else why(result, conjectures)
        blocks.append(Paragraph(MORE, "faint"))
    if out is not None:
        written = f"written to {out / 'result.json'}; pictures: {out / 'report.html'}"
        blocks[-1:] = [Together([*blocks[-1:], Paragraph(written)])]
    show_report(blocks)


def leave_with(result: Result, out: Path | None) -> None:
    """Tell how to go on with an interrupted run, and leave with its exit code."""
    if result.ended == "interrupted":
        if out is not None:
            say(f"go on with: demospec resume {out}", err=True)
        raise Interrupted

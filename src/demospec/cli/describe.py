"""The commands `describe` and `diff`: a task in words, and how two tasks differ."""

from __future__ import annotations

from dataclasses import replace

import click

from demospec.belief.episodes import describe_here
from demospec.cli.group import cli
from demospec.cli.options import about, check_one_of, check_standard_input, json_option, read_letters
from demospec.cli.streams import say
from demospec.files import load, load_task
from demospec.files.belief_file import MADE_FOR, load_act_on
from demospec.problem import Problem
from demospec.report.documents import Document, dumps
from demospec.report.task_forms import told_apart
from demospec.tasks import Task, Word
from demospec.tasks.words import Description, compare, describe, missing, over
from demospec.wording import word_text

EXACT = {"always": "exactly this, always", "here": "exactly this in this world, not always"}
NOT_EXACT = "not all of it: every word of the task satisfies this, but not the other way round"
NOT_FOLLOWED = "the world has too many paths to follow: what is exact in it is not told"


@cli.command("describe")
@click.argument("task_file", metavar="TASK")
@click.option("--world", "problem_file", metavar="PROBLEM", help="Say what is exact in its world.")
@click.option("--alphabet", metavar="LETTERS", help='All letters, spaces between: "b g r y".')
@click.option("--act-on", is_flag=True, help="Of a result of learn: what to act on, not its answer.")
@json_option
def describe_command(
    task_file: str, problem_file: str | None, alphabet: str | None, act_on: bool, as_json: bool
) -> None:
    """Say TASK in words: a sentence, its clauses, a formula where a short one is found, the automaton.

    TASK is whatever the other commands take: a file, or the text of a task. Where clauses do not say all of
    it, they are what the task implies, and the rest is told state by state.
    """
    check_standard_input({"TASK": task_file, "--world": problem_file})
    problem, letters = read_world(problem_file, alphabet)
    task = load_act_on(task_file) if act_on else load_task(task_file, letters)
    if act_on:
        say(MADE_FOR, err=True)
    if problem is None:
        found, followed = describe(task), True
    else:
        if set(task.alphabet) < set(problem.alphabet):  # what it does not read changes nothing in it
            task = over(task, problem.alphabet)
        with about(task_file):
            task = problem.check_task(task)
        found, followed = describe_here(problem, task)
    if not followed:
        say(NOT_FOLLOWED, err=True)
    if as_json:
        click.echo(dumps(found.to_json()))
    else:
        say("\n".join(description_lines(found)))


@cli.command("diff")
@click.argument("first_file", metavar="TASK")
@click.argument("second_file", metavar="TASK")
@click.option("--world", "problem_file", metavar="PROBLEM", help="Say whether any run there could tell.")
@click.option("--alphabet", metavar="LETTERS", help='All letters, spaces between: "b g r y".')
@json_option
def diff_command(
    first_file: str, second_file: str, problem_file: str | None, alphabet: str | None, as_json: bool
) -> None:
    """Say how two tasks differ: which implies which, and shortest words that only one accepts.

    Where they read different letters, both are taken over all of them; a letter that an automaton does not
    read changes nothing there.
    """
    files = {"the first TASK": first_file, "the second TASK": second_file, "--world": problem_file}
    check_standard_input(files)
    problem, letters = read_world(problem_file, alphabet)
    first, second = load_task(first_file, letters), load_task(second_file, letters)
    every = tuple(sorted({*first.alphabet, *second.alphabet, *(problem.alphabet if problem else ())}))
    unknown = missing(first, every), missing(second, every)
    first, second = (over_more_letters(*one, every) for one in ((first_file, first), (second_file, second)))
    found = replace(compare(first, second), unknown=unknown)
    document = found.to_json()
    if problem is not None:
        document |= told_apart(problem, found)
    if as_json:
        click.echo(dumps(document))
    else:
        say("\n".join(difference_lines(document)))


def read_world(problem_file: str | None, alphabet: str | None) -> tuple[Problem | None, Word | None]:
    """Read a problem, which has letters, or the letters alone."""
    check_one_of({"--world": problem_file, "--alphabet": alphabet})
    problem = None if problem_file is None else load(problem_file)
    return problem, read_letters(alphabet) if problem is None else problem.alphabet


def over_more_letters(source: str, task: Task, letters: tuple[str, ...]) -> Task:
    """Return a task over more letters: read again, since formulas and clauses are about all of them.

    A pipe is read once; a file with an alphabet of its own keeps it.
    """
    if task.alphabet != letters and source != "-":
        task = load_task(source, letters)
    return task if task.alphabet == letters else over(task, letters)


def description_lines(found: Description) -> list[str]:
    """Write a description for a terminal."""
    lines = [found.sentence, "", NOT_EXACT if found.exact is False else EXACT[found.exact]]
    if found.clauses:
        lines += ["", "clauses"]
        width = max(len(clause.sentence) for clause in found.clauses)
        lines += [f"  {one.sentence:<{width}}  {one.formula or ''}".rstrip() for one in found.clauses]
    if found.rest:
        lines += ["", "state by state", *(f"  {line}" for line in found.rest)]
    if found.formula is not None:
        lines += ["", "formula", f"  {found.formula}"]
    automaton = found.task.automaton
    return [*lines, "", "automaton", *(f"  {line}" for line in [*automaton.pretty().split("\n"), automaton])]


def difference_lines(document: Document) -> list[str]:
    """Write a comparison for a terminal."""
    lines = [document["sentence"]]
    if document["note"]:
        lines.append(document["note"])
    if "told_apart" in document:
        where = f'in the world "{document["told_apart_in"]}"' if document.get("told_apart_in") else "here"
        if document["told_apart"] is None:
            lines.append(f"{NOT_FOLLOWED[0].upper()}{NOT_FOLLOWED[1:]}.")
        elif document["told_apart"]:
            word = word_text(document["told_apart_by"])
            lines.append(f"A run {where} can tell them apart: one with the word {word}.")
        else:
            lines.append("No run here can tell them apart.")
    return lines

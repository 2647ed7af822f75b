"""The command `sample`: runs of an agent, ready to paste into a problem file."""

from __future__ import annotations

import click

from demospec import limits
from demospec.cli.group import cli
from demospec.cli.options import (
    SEED,
    AgentOptions,
    Count,
    about,
    acting_options,
    json_option,
    load_both,
    load_with_belief,
    scene_of,
    world_option,
)
from demospec.cli.streams import say
from demospec.explain.acting import draw_in_file, policy, sample_in_file
from demospec.files.toml import toml_entry
from demospec.report.documents import Document, dumps
from demospec.report.policy_document import drawn_document, mixture_document
from demospec.wording import listing, word_text


@cli.command("sample")
@click.argument("problem_file", metavar="PROBLEM")
@click.argument("task_file", metavar="TASK")
@click.option("--count", type=Count(1, limits.DRAWN), default=1, show_default=True, help="How many to draw.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="One seed, one result.")
@acting_options
@world_option
@json_option
def sample_command(
    problem_file: str,
    task_file: str,
    count: int,
    seed: int,
    belief: bool,
    agent: AgentOptions,
    world_name: str | None,
    as_json: bool,
) -> None:
    """Draw demonstrations from the maximum-entropy agent that pursues TASK in the world of PROBLEM.

    With --belief, TASK is a result of learn, and the agent acts on its leading answers, all at once.
    """
    agent.check(belief)
    about_all = {}
    if belief:
        problem, scene, acting = load_with_belief(problem_file, task_file, world_name, agent)
        paths = draw_in_file(acting.plan, scene, count=count, seed=seed)
        drawn = [drawn_document(problem, scene, path, acting.mixture) for path in paths]
        about_all = {"belief": mixture_document(acting)}
    else:
        problem, task = load_both(problem_file, task_file)
        scene = scene_of(problem, world_name)
        with about(problem_file):
            if agent == AgentOptions():
                paths = sample_in_file(problem, task, scene, count=count, seed=seed)
            else:
                plan = policy(problem, task, scene, rationality=agent.rationality, effort=agent.effort).plan
                paths = draw_in_file(plan, scene, count=count, seed=seed)
        drawn = [drawn_document(problem, scene, path, task) for path in paths]
    if as_json:
        click.echo(dumps({**about_all, "demonstrations": drawn}))
    else:
        say("\n".join(demonstration_toml(document) for document in drawn), nl=False)


def demonstration_toml(document: Document) -> str:
    """Write a drawn demonstration as a problem file's table."""
    if "satisfied" in document:  # of several tasks
        numbers = [number for number, one in enumerate(document["satisfied"], start=1) if one]
        verdict = f"satisfies answers {listing(numbers, 100)} of {len(document['satisfied'])}"
    else:
        verdict = "accepted" if document["accepted"] else "rejected"
    table: Document = {key: document[key] for key in ("start", "complete", "path") if key in document}
    where = "worlds.demonstrations" if "world" in document else "demonstrations"
    return toml_entry(where, table, f"{verdict}: {word_text(document['word'])}")

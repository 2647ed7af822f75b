"""The commands `policy` and `sample`: what an agent does, at the start, along a run, anywhere; runs of it."""

from __future__ import annotations

import re

import click

from demospec import limits
from demospec.cli.group import cli
from demospec.cli.options import (
    SEED,
    AgentOptions,
    Count,
    about,
    acting_options,
    check_one_of,
    json_option,
    load_to_act,
    world_option,
)
from demospec.cli.streams import say, show_report
from demospec.errors import DemonstrationError, FileError, InputError
from demospec.explain.pursuing import draw_in_file
from demospec.explain.score import plan_task
from demospec.files.reading import parse_document
from demospec.files.toml import toml_entry
from demospec.plan.policy import MixturePolicy, Policy, Situation
from demospec.report.documents import Document, dumps
from demospec.report.policy_report import (
    drawn_document,
    mixture_document,
    policy_blocks,
    policy_document,
    situation_document,
)
from demospec.wording import count as counted
from demospec.wording import listing, nearest, shown_value, word_text
from demospec.worlds.mdp import MDP
from demospec.worlds.paths import Path, read_path, start_of
from demospec.worlds.scene import Scene
from demospec.worlds.world import STOPPED, State, World

EXAMPLE = """["left", [4, 6], "left", [3, 6]]"""


@cli.command("policy")
@click.argument("problem_file", metavar="PROBLEM")
@click.argument("task_file", metavar="TASK")
@click.option(
    "--path",
    "path_text",
    metavar="PATH",
    help=f"Along this run, written as in a problem file: {EXAMPLE}; or N, for demonstration N of PROBLEM.",
)
@click.option("--state", "state_name", metavar="STATE", help="In this state, as if the agent were there.")
@click.option("--monitor", type=Count(0), help="With --state: the state that the task is in.")
@click.option("--time", type=Count(0), help="Only after this many steps.")
@acting_options
@world_option
@json_option
def policy_command(
    problem_file: str,
    task_file: str,
    path_text: str | None,
    state_name: str | None,
    monitor: int | None,
    time: int | None,
    task_only: bool,
    agent: AgentOptions,
    world_name: str | None,
    as_json: bool,
) -> None:
    """Say what the agent that pursues TASK does: the probability of each action.

    At the start, or at each step of a run (--path), or in any situation (--state, --time,
    --monitor). A state of the task is told by its number in the automaton that is printed.

    With a result of learn the agent does not pick one task: it maximises the satisfaction to be
    expected over the leading answers, in one plan. The chance to satisfy each is told. PROBLEM may be
    another world with the same letters, without demonstrations.
    """
    check_one_of({"--path": path_text, "--state": state_name})
    if monitor is not None and state_name is None:
        raise InputError("--monitor needs --state")
    found = load_to_act(problem_file, task_file, world_name, agent, task_only=task_only, whole=as_json)
    problem, scene, policy = found.problem, found.scene, found.policy
    if path_text is not None:
        situations = along(policy, read_run(policy, scene, path_text), time)
    elif state_name is None and not time:
        world = policy.world
        begins = [Path((), complete=False, start=start_of(world, state)) for state, _ in world.starts]
        situations = [one for begin in begins for one in along(policy, begin, 0)]
    else:
        situations = [in_situation(policy, scene, state_name, monitor, time)]
    document = policy_document(policy, situations, found.act_on, found.added)
    if as_json:
        click.echo(dumps(document))
    else:
        show_report(policy_blocks(problem, document))


def read_run(policy: Policy, scene: Scene, text: str) -> Path:
    """Return the run that is asked about: a demonstration by its number, or one that is written out."""
    try:
        if re.fullmatch(r"\s*-?[0-9]+\s*", text):
            if not 1 <= int(text) <= len(scene.demonstrations):
                held = counted(len(scene.demonstrations), "demonstration")
                raise InputError(f"the problem has {held} here; found {text.strip()}")
            return scene.demonstrations[int(text) - 1]
        world = policy.world if scene.quotient is None else scene.original
        path = read_path(world, read_entries(text), complete=None)
        return path if scene.quotient is None else scene.from_original(path)
    except DemonstrationError as error:
        raise InputError(error.message, place=f"--path: step {error.step}") from None
    except InputError as error:
        raise error.within("--path") from None


def read_entries(text: str) -> list[str | State]:
    """Read action, state, action, state, … as a problem file writes them, with or without the brackets.

    >>> read_entries('["left", [4, 6]]'), read_entries("'go', 'hall'")
    (['left', (4, 6)], ['go', 'hall'])
    """
    text = text.strip()
    wanted = f"expected a list such as {EXAMPLE}; found {shown_value(text)}"
    try:
        document = parse_document(f"path = {text if text.startswith('[') else f'[{text}]'}", "path.toml")
    except FileError as error:
        raise InputError(f"{wanted}: {error.message}") from None
    entries = document["path"]
    if len(document) > 1 or not isinstance(entries, list):
        raise InputError(wanted)
    if len(entries) % 2:
        raise InputError(f"has {len(entries)} entries; it must alternate action, state, and end with a state")
    found: list[str | State] = []
    for number, entry in enumerate(entries):
        chosen = number % 2 == 0
        cell = isinstance(entry, list) and [type(part) for part in entry] == [int, int]
        if not isinstance(entry, str) and (chosen or not cell):
            kind = "the name of an action" if chosen else "a state's name or [column, row]"
            place = f"step {number // 2 + 1}"
            raise InputError(f"expected {kind}, found {shown_value(entry)}", place=place)
        found.append(entry if isinstance(entry, str) else (entry[0], entry[1]))
    return found


def along(policy: Policy, run: Path, time: int | None) -> list[Document]:
    """Return the situations of a run, each with the action that was taken there; with `time` only one."""
    found = []
    for at in policy.situations(run):
        if policy.world.episode.by_choice and at.state == STOPPED:
            break  # the choice to stop was the last situation
        whole = at.time == len(run.steps)
        prefix = run if whole else run.upto(at.time)
        taken = None if whole else policy.world.action(run.steps[at.time][0])
        found.append({**situation_document(policy, at, prefix), "taken": taken})
    if time is None:
        return found
    if time >= len(found):
        raise InputError(f"the run has {len(found) - 1} steps; found {time}", place="--time")
    return [found[time]]


def in_situation(
    policy: Policy, scene: Scene, state_name: str | None, monitor: int | None, time: int | None
) -> Document:
    """Return one situation: the start's without a state, a fresh task's without a monitor state."""
    if not isinstance(policy.world, MDP):
        raise InputError(
            "a situation of one's own needs a world whose states can be listed; ask along a run instead, "
            "with --path"
        )
    number = policy.world.starts[0][0]
    if state_name is not None:
        number = read_state(scene.original, state_name)
        number = number if scene.quotient is None else scene.quotient.state_class.item(number)
    state = policy.world.name(number)
    read = policy.plan.read(0, number) if monitor is None else monitor
    at = Situation(0 if time is None else time, read, state)
    try:
        return {**situation_document(policy, at, at), "taken": None}
    except InputError as error:
        raise error.within("options") from None


def read_state(world: World, text: str) -> int:
    """Read the name of a state; a cell is written 4,6 or (4, 6) or [4, 6]."""
    cell = re.fullmatch(r"\s*[\[(]?\s*(\d{1,9})\s*,\s*(\d{1,9})\s*[\])]?\s*", text)
    for state in (text, (int(cell[1]), int(cell[2])) if cell else text):
        if (number := world.find(state)) is not None:
            return number
    hint = nearest(text, map(str, world.names()))
    raise InputError(f"{shown_value(text)} is not a state of this world{hint}", place="--state")


# -- The command `sample` --------------------------------------------------------------------------------


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
    task_only: bool,
    agent: AgentOptions,
    world_name: str | None,
    as_json: bool,
) -> None:
    """Draw demonstrations from the maximum-entropy agent that pursues TASK in the world of PROBLEM.

    With a result of learn the agent acts on its leading answers, all at once.
    """
    about_all = {}
    found = load_to_act(problem_file, task_file, world_name, agent, task_only=task_only)
    problem, scene, policy = found.problem, found.scene, found.policy
    task = policy.mixture if isinstance(policy, MixturePolicy) else found.given or found.act_on
    assert task is not None
    if isinstance(policy, MixturePolicy):
        about_all = {"belief": mixture_document(policy)}
    with about(problem_file):
        if found.given is not None and agent == AgentOptions():
            plan = plan_task(problem, found.given, scene)
        else:
            plan = policy.plan
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

"""What a problem holds, and what it can tell before anything is learned: where runs get, what to choose."""

from __future__ import annotations

from collections.abc import Iterator

from demospec.identify import by_name
from demospec.report.blocks import Block, Facts, Heading, Section
from demospec.report.documents import Document
from demospec.report.words import sentence, state_text
from demospec.tasks import DFA
from demospec.wording import count, word_text

MOST = 100  # demonstrations that are told one by one


def problem_blocks(document: Document) -> list[Block]:
    """Tell the result of `check`."""
    if "worlds" not in document:
        heading = f"{document['name']}: {size_text(document)}"
        facts = [*letter_facts(document), *world_facts(document), *agent_facts(document)]
        return [
            Heading(heading),
            Facts([*facts, *task_facts(document)]),
            Facts(list(telling_facts(document))),
            Facts(list(shown_facts(document))),
        ]
    worlds = document["worlds"]
    return [
        Heading(f"{document['name']}: {count(len(worlds), 'world')}"),
        Facts([*letter_facts(document), *agent_facts(document), *task_facts(document)]),
        *(
            Section(f"{world['name']}: {size_text(world)}", [Facts(list(world_facts(world)))])
            for world in worlds
        ),
        Facts(list(telling_facts(document))),
        Facts(list(shown_facts(document))),
    ]


def size_text(document: Document) -> str:
    """Tell the size of a world."""
    return f"{count(document['states'], 'state')}, actions {', '.join(document['actions'])}"


def letter_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell the letters, and those that no state has."""
    unseen = document["letters_never_seen"]
    nowhere = f" (in no state: {', '.join(unseen)})" if unseen else ""
    yield "letters", ", ".join(document["alphabet"]) + nowhere


def agent_facts(document: Document) -> Iterator[tuple[str, str]]:
    yield "agent", ", ".join(f"{key} {value}" for key, value in document["agent"].items())


def world_facts(document: Document) -> Iterator[tuple[str, str]]:
    ends = document["end_probability"]
    if origin := document.get("origin"):
        yield "world", origin
    if isinstance(document["start"], list) and isinstance(document["start"][0], (list, tuple, str)):
        yield "starts", ", ".join(map(state_text, document["start"]))
    yield (
        "episodes",
        f"at most {count(document['horizon'], 'step')}"
        + (f", each step ends one with probability {ends:g}" if ends else "")
        + (", or until the agent stops" if document["ends"] == "by choice" else "")
        + (
            f", {count(document['terminal_states'], 'terminal state')}" if document["terminal_states"] else ""
        ),
    )
    if costs := document["costs"]:
        others = ", other actions 1" if len(costs) < len(document["actions"]) else ""
        yield "costs", ", ".join(f"{action} {cost:g}" for action, cost in costs.items()) + others
    if merged := document["merged"]:
        gone = f"{count(merged['states'], 'state')} and {count(merged['actions_of_states'], 'action')}"
        yield "merged", f"{gone} of states, copies of those that are left"
    for caution in document.get("cautions", ()):
        yield "caution", caution
    yield from reach_facts(document)


def task_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell what is known of the task beforehand."""
    if document["merge_repeats"]:
        yield "words", "a letter read twice in a row counts once"
    if prior := document["prior"]:
        yield "prior", f"{bound(prior)} ({count(prior['states'], 'state')}, {prior['size']} bits)"
    for key, told in (("all_of", "all of which must accept"), ("any_of", "one of which must accept")):
        if document[key]:
            yield "parts", f"up to {document[key]} automata, {told}"
    for name in document["class"]:
        yield "class", f"{name} – {by_name(name).sentence}"
    if lower := document["implied_by"]:
        yield "contains", f"{bound(lower)} ({count(lower['states'], 'state')}, {lower['size']} bits)"
    for example in document["examples"]:
        yield "given", f"{'accept' if example['accept'] else 'reject'} {word_text(example['word'])}"


def bound(document: Document) -> str:
    """Say in words what a task file's object says."""
    return sentence(DFA.from_json(document))


def shown_facts(document: Document) -> Iterator[tuple[str, str]]:
    shown = document["demonstrations"]
    for number, demo in enumerate(shown[:MOST], start=1):
        kind = "complete" if demo["complete"] else "unfinished"
        kind = "then stopped" if demo.get("stopped") else kind
        where = f" in world {demo['world']}" if "world" in demo else ""
        told = f"{count(demo['steps'], 'step')}, {kind}, word {word_text(demo['word'])}"
        filled = f"; filled in: {demo['filled_in']}" if demo.get("filled_in") else ""
        yield f"demonstration {number}{where}", told + filled
    if len(shown) > MOST:
        yield "demonstrations", f"{len(shown) - MOST} more, {len(shown)} in all"


def reach_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell where runs can get in a world."""
    if (reached := document["reachable_states"]) is not None:
        yield "reachable", f"{reached} of {count(document['states'], 'state')}"
    if (steps := document["aimless_steps"]) is not None:
        yield "aimless", f"a run that takes any action as likely as another has {steps:.1f} steps on average"


def telling_facts(document: Document) -> Iterator[tuple[str, str]]:
    """Tell what was there to choose, and what follows."""
    choices, without = document["choices"], document["letters_never_shown"]
    if choices["steps"]:
        yield (
            "choices",
            f"{choices['with_alternatives']} of {count(choices['steps'], 'step')} had an alternative",
        )
        yield "shown", ", ".join(document["letters_shown"]) or "no letter"
        if without:
            yield "not shown", ", ".join(without)
    for remark in document["remarks"]:
        yield "remark", remark

"""What the commands print for people."""

from __future__ import annotations

import json
from collections.abc import Sequence

from demospec.belief.letters import percent
from demospec.cli.belief_text import belief_text
from demospec.errors import listing, word_text
from demospec.identify import by_name
from demospec.identify.noise import Noisy
from demospec.problem import Problem
from demospec.report.documents import Document, words_document
from demospec.runs.result import Result
from demospec.tasks import DFA, Word

ENDED = {
    "iterations": "all iterations are made",
    "patience": "nothing better was found for a while",
    "agreement": "the chains agree",
    "evaluations": "as many tasks are scored as were allowed",
    "seconds": "the time is up",
    "interrupted": "interrupted",
}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns: all but the last to the right."""
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    return "\n".join(
        "  ".join(
            [*(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1]]
        ).rstrip()
        for row in [header, *rows]
    )


def result_text(result: Result, shown: int, words: Sequence[Word] = ()) -> str:
    """Tell the result of `learn`."""
    best, problem = result.best, result.problem
    rows = [
        (
            str(number),
            f"{entry.score.energy:.4f}",
            str(entry.score.size),
            f"{entry.score.surprise:.4f}",
            f"{entry.score.satisfaction_probability:.4f}",
            f"{entry.weight:.4f}",
            str(entry.score.task),
        )
        for number, entry in enumerate(result.ranked[:shown], start=1)
    ]
    shown_runs = count(len(problem.demonstrations), "demonstration")
    weights, bits = problem.weights, best.size - problem.prior_size
    relative = "" if problem.prior is None else f" beyond the prior's {problem.prior_size}"
    return "\n".join(
        [
            f"{problem.name}: the task that explains {shown_runs} best",
            "",
            best.task.pretty(),
            "",
            f"energy {best.energy:.4f} = {weights.size_weight:g} × {bits} bits"
            f"{relative} + {weights.surprise_weight:g} × {best.surprise:.4f} nats of surprise; "
            f"satisfied with probability {best.satisfaction_probability:.4f}",
            "",
            table(("", "energy", "size", "surprise", "satisfied", "weight", "task"), rows),
            "",
            belief_text(result.findings, table),
            *map(word_line, words_document(result, words)),
            "",
            f"{count(result.evaluations, 'task')} scored in {count(len(result.trace), 'iteration')}, "
            f"{result.seconds:.2f} s, seed {result.seed}; {ENDED[result.ended]}",
        ]
    )


def word_line(document: Document) -> str:
    """Tell how likely it is that a word satisfies the task.

    >>> word_line({"word": ["b"], "probability": 0.25, "possible": [True, False]})
    'Word "b": satisfies the task with 25 %'
    """
    told = f'Word "{word_text(document["word"])}": satisfies the task with {percent(document["probability"])}'
    if document["possible"] == [True, False]:
        return told
    (only,) = document["possible"]
    return f"{told}; the demonstrations exclude that it does{' not' if only else ''}"


def identified_text(answers: Sequence[DFA | Noisy]) -> str:
    """Tell the automata that `identify` found, each with the labels that it takes to be wrong."""
    rows: list[tuple[str, ...]] = []
    noisy = False
    for number, answer in enumerate(answers, start=1):
        if isinstance(answer, DFA):
            rows.append((str(number), str(answer.size), str(answer)))
            continue
        noisy = True
        task, flips = answer.task, len(answer.flipped)
        rows.append((str(number), str(task.size), str(flips), f"{answer.cost:.1f}", str(task)))
        if flips:
            signs = [f"{'+' if label else '-'} {word_text(word)}" for word, label in answer.flipped]
            rows.append(("", "", "", "", f"  wrong: {listing(signs)}"))
    return table(("", "size", "flips", "cost", "task") if noisy else ("", "size", "task"), rows)


def count(number: int, noun: str) -> str:
    """Write a number with its noun.

    >>> count(1, "task"), count(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{number} {noun}" + ("" if number == 1 else "s")


def path_text(prefix: Sequence[object]) -> str:
    """Write a path of a problem file on one line."""
    parts = ["start"]
    for part in prefix:
        parts.append(f"({part[0]},{part[1]})" if isinstance(part, list) else str(part))
    return " ".join(parts)


def score_text(problem: Problem, document: Document, pivots: int) -> str:
    """Tell the result of `score`."""
    lines = [
        f"size                      {document['size']} bits"
        + (f" ({document['size'] - problem.prior_size} beyond the prior)" if problem.prior else ""),
        f"surprise                  {document['surprise']:.4f} nats",
        f"energy                    {document['energy']:.4f}",
        f"environment surprise      {document['environment_surprise']:.4f} nats, the same for every task",
        f"rationality               {document['rationality']:g}",
        f"satisfaction probability  {document['satisfaction_probability']:.4f}",
        "",
    ]
    rows = [
        (
            str(number),
            f"{demo['surprise']:.4f}",
            "accepted" if demo["accepted"] else "rejected",
            "complete" if demo["complete"] else "unfinished",
            word_text(demo["word"]),
        )
        for number, demo in enumerate(document["demonstrations"], start=1)
    ]
    lines += [table(("demonstration", "surprise", "word is", "", "word"), rows), ""]
    loud = sorted(document["pivots"], key=lambda pivot: -abs(pivot["gradient"]))[:pivots]
    rows = [
        (
            f"{pivot['gradient']:+.4f}",
            f"{pivot['deviation_probability']:.4f}",
            pivot["player"],
            "accept less" if pivot["gradient"] > 0 else "accept more",
            path_text(pivot["prefix"]) + (" (end)" if pivot["complete"] else ""),
        )
        for pivot in loud
    ]
    lines += [
        "Pivots with the largest gradients: to be less surprised, accept less or more of what leaves there",
        table(("gradient", "leaves", "player", "", "after"), rows),
    ]
    return "\n".join(lines)


def check_text(document: Document) -> str:
    """Tell the result of `check`."""
    ends = document["end_probability"]
    lines = [
        f"{document['name']}: {count(document['states'], 'state')}, actions {', '.join(document['actions'])}",
        f"letters   {', '.join(document['alphabet'])}"
        + (
            f" (in no state: {', '.join(document['letters_never_seen'])})"
            if document["letters_never_seen"]
            else ""
        ),
        f"episodes  at most {count(document['horizon'], 'step')}"
        + (f", each step ends one with probability {ends:g}" if ends else "")
        + (
            f", {count(document['terminal_states'], 'terminal state')}" if document["terminal_states"] else ""
        ),
        "agent     " + ", ".join(f"{key} {value}" for key, value in document["agent"].items()),
    ]
    if merged := document["merged"]:
        gone = f"{count(merged['states'], 'state')} and {count(merged['actions_of_states'], 'action')}"
        lines.append(f"merged    {gone} of states, copies of those that are left")
    if document["merge_repeats"]:
        lines.append("words     a letter read twice in a row counts once")
    if document["prior"]:
        lines.append(f"prior     {document['prior']['states']} states, {document['prior']['size']} bits")
    for key, told in (("all_of", "all of which must accept"), ("any_of", "one of which must accept")):
        if document[key]:
            lines.append(f"parts     up to {document[key]} automata, {told}")
    for name in document["class"]:
        lines.append(f"class     {name} – {by_name(name).sentence}")
    if lower := document["implied_by"]:
        lines.append(f"contains  {count(lower['states'], 'state')}, {lower['size']} bits")
    for example in document["examples"]:
        lines.append(f"given     {'accept' if example['accept'] else 'reject'} {word_text(example['word'])}")
    for number, demo in enumerate(document["demonstrations"], start=1):
        kind = "complete" if demo["complete"] else "unfinished"
        lines.append(
            f"demonstration {number}: {count(demo['steps'], 'step')}, {kind}, word {word_text(demo['word'])}"
        )
    return "\n".join(lines)


def demonstration_toml(document: Document) -> str:
    """Write a drawn demonstration as a problem file's table."""

    def value(part: object) -> str:  # TOML's strings and lists are JSON's, but for one character
        return json.dumps(part, ensure_ascii=False).replace("\x7f", "\\u007f")

    verdict = "accepted" if document["accepted"] else "rejected"
    word = "".join(c if c.isprintable() else "?" for c in word_text(document["word"]))
    return (
        f"[[demonstrations]] # {verdict}: {word}\n"
        f"complete = {str(document['complete']).lower()}\n"
        f"path = [{', '.join(map(value, document['path']))}]\n"
    )

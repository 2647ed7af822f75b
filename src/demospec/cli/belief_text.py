"""How sure a result is, told for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from demospec.belief import Findings
from demospec.belief.differences import Difference
from demospec.belief.findings import how_sure, undetermined
from demospec.belief.letters import percent
from demospec.errors import word_text

Table = Callable[[Sequence[str], Sequence[Sequence[str]]], str]


def belief_text(found: Findings, table: Table) -> str:
    """Tell how sure the best task is, which answers there are beside it, and what is not determined."""
    differences = {difference.other: difference for difference in found.differences}
    shown = [answer for answer in found.answers.all if answer.holds_best or answer in differences]
    rows = [
        (
            percent(answer.share),
            str(len(answer.members)),
            *told(differences.get(answer)),
            str(answer.name.task.minimal),
        )
        for answer in shown
    ]
    lines = ["How sure is it?", *how_sure(found), ""]
    lines.append(table(("share", "tasks", "best says", "to tell", "answer"), rows))
    if found.differences:
        lines.append(
            "(best says: + accepts, - rejects a word, and this answer does not; "
            "to tell: about so many demonstrations)"
        )
    lines += ["", f"Agreement with the best task: {agreement(found)}"]
    lines += [f"Letter {letter.sentence}" for letter in found.letters if letter.seen is None]
    lines += undetermined(found)
    return "\n".join(lines)


def told(difference: Difference | None) -> tuple[str, str]:
    """Write what tells an answer from the best, and how many demonstrations would."""
    if difference is None:
        return "", ""
    word = "?" if not difference.searched else "the same"
    if difference.word is not None:
        word = f"{'+' if difference.accepted else '-'} {word_text(difference.word)}"
        word += "" if difference.world is None else f" ({difference.world})"
    return word, "never" if difference.demonstrations is None else str(difference.demonstrations)


def agreement(found: Findings) -> str:
    """Write how much of the belief shares each drawn transition and each mark."""
    shares, task = found.shares, found.shares.task
    changes = [
        f"{q} –{letter}→ {target} {percent(float(shares.transitions[q, task.column[letter]]))}"
        for q, letter, target in task.changes()
    ]
    marks = [
        f"{q} {'accepts' if mark else 'rejects'} {percent(float(share))}"
        for q, (mark, share) in enumerate(zip(task.accepting, shares.marks.tolist(), strict=True))
    ]
    return ", ".join([*changes, *marks])

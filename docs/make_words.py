"""Write the vocabulary's table in docs/words.md; a test checks that it is current."""

from __future__ import annotations

from pathlib import Path

from demospec.tasks.clauses import Clause, Kind, kinds
from demospec.tasks.clauses.kind import CHAIN, LETTERS, SEVERAL, TIMES

DOCUMENT = Path(__file__).parent / "words.md"
BEGIN, END = "<!-- vocabulary -->\n", "<!-- end of the vocabulary -->"


def example(kind: Kind) -> Clause:
    """Return the clause whose letters are those of the kind's places."""
    several = {LETTERS: ("a", "b"), CHAIN: ("b", "c")}.get(kind.several or "", ())
    if kind.several == CHAIN and not kind.places:
        several = ("a", "b")
    number = 2 if kind.several in SEVERAL and kind.several not in (LETTERS, CHAIN) else 0
    return Clause(kind, (*kind.places, *several), number)


def table() -> str:
    """Return the rows."""
    rows = ["| sentence | formula | also |", "|---|---|---|"]
    for kind in kinds():
        clause = example(kind)
        also = ", ".join(one.format(**places(kind)) for one in kind.also)
        formula = "" if clause.formula is None else f"`{clause.formula}`".replace("|", "\\|")
        rows.append(f"| {clause.sentence} | {formula} | {also} |")
    return "\n".join(rows) + "\n"


def places(kind: Kind) -> dict[str, str]:
    """Return what stands in the places of a kind's other sentences."""
    chain = "b, then c" if kind.places else "a, then b"
    return {LETTERS: "a or b", CHAIN: chain, TIMES: "twice", **{place: place for place in kind.places}}


def text() -> str:
    """Return the document with a table that is current."""
    old = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = old.partition(BEGIN)
    return f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    DOCUMENT.write_text(text(), encoding="utf-8")

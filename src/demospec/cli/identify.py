"""The command `identify`: labelled words in, automata out, by one of several ways to ask for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import click

from demospec import limits
from demospec.cli import Interrupted
from demospec.cli.group import cli
from demospec.cli.options import (
    Count,
    about,
    check_one_of,
    check_standard_input,
    class_options,
    json_option,
    read_classes,
    task_sources,
)
from demospec.cli.streams import say, show_report
from demospec.cli.termination import interruptible
from demospec.errors import InputError
from demospec.files import load_examples
from demospec.identify.allowed import Parts
from demospec.identify.classes import AutomatonClass
from demospec.identify.counting import ORDERS, Order
from demospec.identify.decomposition import smallest_by_sat, smallest_decompositions
from demospec.identify.exact import smallest
from demospec.identify.merging import MergingIdentifier
from demospec.identify.noise import Noisy, trade_off, with_flips
from demospec.report.documents import dumps
from demospec.report.task_forms import identified_blocks, identified_document
from demospec.tasks import DFA
from demospec.tasks.examples import Examples
from demospec.wording import count as counted
from demospec.work.stop import Stop

METHODS = ("exact", "sat", "merging")


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to ask for automata; at most one of the options that choose one is given."""

    max_states: int | None
    flips: int | None
    trade_off: bool
    flip_bits: float | None
    all_of: int | None
    any_of: int | None
    method: str
    order: Order

    def __post_init__(self) -> None:
        chosen = {
            "--flips": self.flips,
            "--trade-off": self.trade_off,
            "--all-of": self.all_of,
            "--any-of": self.any_of,
            f"--method {self.method}": self.method != "exact",
            "--order states": self.order == "states" and self.method != "sat",
        }
        check_one_of(chosen)
        if self.method == "merging" and self.max_states is not None:
            raise InputError("--max-states bounds the search; --method merging finds what it finds")
        if self.flip_bits is not None and not self.trade_off:
            raise InputError("--flip-bits is the price of a wrong label under --trade-off, which is missing")

    def answers(
        self, examples: Examples, alphabet: Sequence[str], classes: Sequence[AutomatonClass], count: int
    ) -> Iterator[DFA | Noisy]:
        """Yield the answers, best first."""
        known: dict[str, Any] = {"classes": classes, "max_states": self.max_states}
        parts = Parts.of(self.all_of, self.any_of)
        if self.flips is not None:
            return with_flips(examples, alphabet, self.flips, **known)
        if self.trade_off:
            return trade_off(examples, alphabet, flip_bits=self.flip_bits, **known)
        if parts is not None:
            known |= {"operator": parts.operator, "most_parts": parts.most}
            return smallest_decompositions(examples, alphabet, **known)
        if self.method == "merging":
            merging = MergingIdentifier(alphabet, classes=classes)
            return iter(merging.candidates(examples, count))
        if self.method == "sat":
            return smallest_by_sat(examples, alphabet, order=self.order, **known)
        return smallest(examples, alphabet, order=self.order, **known)


@cli.command()
@click.argument("examples_file", metavar="EXAMPLES")
@click.option(
    "--count", type=Count(1, limits.DRAWN), default=20, show_default=True, help="How many automata."
)
@click.option(
    "--max-states",
    type=Count(1, limits.STATES_LOOKED_FOR),
    default=None,
    help="Largest automaton considered.  [default: no limit]",
)
@class_options
@click.option("--flips", type=Count(0), metavar="N", help="Up to N labels may be wrong.")
@click.option("--trade-off", is_flag=True, help="Labels may be wrong at a price: order by size and price.")
@click.option(
    "--flip-bits",
    type=click.FloatRange(0),
    metavar="B",
    help="The price of each wrong label in bits; without it, the bits that tell which ones are wrong.",
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default="bits",
    show_default=True,
    help="Smallest first in bits, or those with fewer states first.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="exact",
    show_default=True,
    help="Exact search; the same by SAT; or state merging: quick on many words, but not exact.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    help="Stop after this many seconds and return the automata found so far.",
)
@json_option
def identify(
    examples_file: str,
    count: int,
    class_names: tuple[str, ...],
    seconds: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List the smallest automata consistent with labelled words, by size in bits.

    EXAMPLES is a JSON file, an Abbadingo file, or text with one word on each line: "+ a b" accepted,
    "- b" rejected. - is standard input.
    """
    way = Way(**options)
    check_standard_input({"EXAMPLES": examples_file, **task_sources(class_names)})
    examples, alphabet = load_examples(examples_file)
    classes = read_classes(class_names, alphabet, "examples'")
    found: list[DFA | Noisy] = []
    finished = threading.Event()

    def work(stop: Stop) -> None:
        for answer in islice(way.answers(examples, alphabet, classes, count), count):
            found.append(answer)
            if stop.is_set:
                return
        finished.set()

    with about(examples_file):
        interrupted = interruptible(work, seconds)
    kept, stopped = list(found), not finished.is_set()
    if as_json:
        click.echo(dumps(identified_document(kept, way.method, stopped=stopped)))
    elif kept:
        show_report(identified_blocks(kept))
        if way.method == "merging":
            say("by state merging: small, but not proven smallest")
    elif not stopped:
        within = "" if way.max_states is None else f" with at most {counted(way.max_states, 'state')}"
        if way.method == "merging":
            say("state merging found no automaton; others may exist")
        else:
            say(f"no automaton{within} agrees with the examples")
    if stopped and not interrupted:
        say(f"stopped after {seconds:g} s; automata found: {len(kept)}", err=True)
    if interrupted:
        raise Interrupted

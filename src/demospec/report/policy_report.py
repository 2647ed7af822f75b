"""What an agent does in some situations."""

from __future__ import annotations

import math
from collections.abc import Iterator

from demospec.plan.policy import Policy
from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Heading, Paragraph, Table
from demospec.report.documents import Document
from demospec.report.drawings import cell_of
from demospec.report.pictures.maps import Cell, Layer, Scale, number_map
from demospec.report.words import actions_text, decimal, state_text
from demospec.wording import word_text
from demospec.worlds.scene import Scene

HEADER = ("time", "state", "task in", "satisfied", "value", "taken", "what the agent does")
TAKEN = HEADER.index("taken")


def policy_blocks(problem: Problem, document: Document) -> list[Block]:
    """Tell the result of `policy`."""
    return [
        Heading(
            f"{problem.name}: an agent of rationality {document['rationality']:.6g} that succeeds with "
            f"probability {decimal(document['satisfaction_probability'])}"
        ),
        Facts([("task", document["reads"])]),
        situations_table(document["situations"]),
    ]


def situations_table(situations: list[Document]) -> Table:
    """Return what is done in each situation; what was taken, where a run says so."""
    rows = [
        (
            str(found["time"]),
            state_text(found["state"]),
            str(found["monitor"]),
            decimal(found["satisfaction_probability"]),
            decimal(found["value"]),
            found["taken"] or "",
            actions_text(found["actions"]) if not found["over"] else "the episode is over",
        )
        for found in situations
    ]
    if any(row[TAKEN] for row in rows):
        return Table(HEADER, rows)
    return Table(without(HEADER), [without(row) for row in rows])


def without(row: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what was taken."""
    return row[:TAKEN] + row[TAKEN + 1 :]


# -- What an agent that acts on a belief does in some situations, and how often it satisfies each answer.


def mixture_policy_blocks(problem: Problem, document: Document) -> list[Block]:
    """Tell the result of `policy --belief`."""
    belief = document["belief"]
    count = len(belief["answers"])
    return [
        Heading(
            f"{problem.name}: an agent of rationality {document['rationality']:.6g} that acts on "
            f"{count} answer{'' if count == 1 else 's'} at once"
        ),
        Facts(
            [
                ("expected satisfaction", decimal(document["satisfaction_probability"])),
                ("weight in the belief", decimal(belief["weight"])),
            ]
        ),
        answers_table(belief["answers"]),
        *left_out_blocks(belief["left_out"]),
        situations_table(document["situations"]),
    ]


def answers_table(answers: list[Document]) -> Table:
    """Return each answer with its weight and the chance that it is satisfied."""
    rows = [
        (
            decimal(answer["weight"]),
            decimal(answer["satisfaction_probability"]),
            answer["sentence"],
            answer["one_line"],
        )
        for answer in answers
    ]
    return Table(("weight", "satisfied", "answer", "automaton"), rows, align="rrlc")


def left_out_blocks(answers: list[Document]) -> list[Paragraph]:
    """Tell what the plan does not look at."""
    if not answers:
        return []
    weight = decimal(math.fsum(answer["weight"] for answer in answers))
    few = "1 answer" if len(answers) == 1 else f"{len(answers)} answers"
    return [Paragraph(f"Not acted on: {few} with a weight of {weight} together.")]


# -- The maps of a policy on a grid: where the agent goes, and what each cell is worth to it.
#
# A map for one state of the task is about visits that find the task in that state, before the cell is read.


MOST_MONITORS = 8  # states of the task that get maps of their own: those in which the agent is most often
PROBABILITIES = Scale(0.0, 1.0)


def shown_monitors(policy: Policy) -> list[int]:
    """Return the states of the task that are shown, in order."""
    entered = policy.occupancy.entered.sum(axis=1).tolist()
    often = sorted(range(len(entered)), key=lambda m: -entered[m])
    return sorted(often[:MOST_MONITORS])


def monitor_name(overview: Document, monitor: int) -> str:
    """Return how a state of the task is named: its number, and how it is reached."""
    word = overview["monitor"][monitor]["word"]
    return f"state {monitor} (after {word_text(word)})" if word else f"state {monitor} (at first)"


def value_scale(overview: Document) -> Scale:
    """Return one scale for all values, so that their maps can be compared."""
    values = [value for entry in overview["states"] for value in entry["value"]]
    least, greatest = min(values), max(values)
    spread = greatest - least
    decimals = min(3, max(0, 2 - math.floor(math.log10(spread)))) if spread > 1e-9 else 2
    return Scale(least, greatest if spread > 1e-9 else least, decimals=decimals)


def policy_maps(problem: Problem, scene: Scene, policy: Policy, overview: Document) -> dict[str, str]:
    """Return the maps of a scene by file name; none where the world is not a grid."""
    return {} if scene.grid is None else dict(_Maps(problem, scene, policy, overview).files())


class _Maps:
    def __init__(self, problem: Problem, scene: Scene, policy: Policy, overview: Document) -> None:
        self.problem, self.policy, self.overview = problem, policy, overview
        self.rows, self.terrain = scene.grid or (), scene.terrain
        self.states: dict[Cell, Document] = {
            (entry["state"][0], entry["state"][1]): entry for entry in overview["states"]
        }
        self.start = cell_of(policy.world, policy.world.starts[0][0])
        self.visits = Scale(0.0, max(entry["visits"] for entry in overview["states"]), root=True)
        self.values = value_scale(overview)
        self.rare = f"no number: below {0.5 * 10**-self.visits.decimals:g}"
        self.stops = ("■ the agent stops",) if policy.world.episode.by_choice else ()

    def files(self) -> Iterator[tuple[str, str]]:
        yield "visits.svg", self.all_visits()
        if all(entry["ever"] is not None for entry in self.states.values()):
            yield "ever.svg", self.ever()
        for monitor in shown_monitors(self.policy):
            yield f"value-{monitor}.svg", self.worth(monitor, "value", "value", self.values)
            yield (
                f"success-{monitor}.svg",
                self.worth(monitor, "satisfaction_probability", "success", PROBABILITIES),
            )
            yield f"visits-{monitor}.svg", self.visits_of(monitor)

    def drawn(self, layer: Layer, title: str) -> str:
        return number_map(self.rows, layer, start=self.start, title=title, terrain=self.terrain)

    def all_visits(self) -> str:
        layer = Layer(
            numbers={cell: entry["visits"] for cell, entry in self.states.items()},
            scale=self.visits,
            caption="expected visits in one episode",
            moves={cell: entry["actions"] for cell, entry in self.states.items()},
            told={cell: hover(cell, entry, entry["actions"]) for cell, entry in self.states.items()},
            notes=(*self.stops, self.rare),
            hide_zero=True,
        )
        return self.drawn(layer, f"{self.problem.name}: where the agent goes")

    def ever(self) -> str:
        layer = Layer(
            numbers={cell: entry["ever"] for cell, entry in self.states.items()},
            scale=PROBABILITIES,
            caption="probability that an episode visits the cell at all",
            told={cell: hover(cell, entry, {}) for cell, entry in self.states.items()},
            notes=(self.rare,),
            hide_zero=True,
        )
        return self.drawn(layer, f"{self.problem.name}: where the agent goes at all")

    def worth(self, monitor: int, key: str, name: str, scale: Scale) -> str:
        time = self.overview["time"]
        where = "if an episode began in the cell" if time == 0 else f"in the cell after {time} steps"
        what = "V, the value" if key == "value" else "probability of satisfying the task"
        marks = self.marks(monitor)
        layer = Layer(
            numbers={cell: entry[key][monitor] for cell, entry in self.states.items()},
            scale=scale,
            caption=f"{what} {where}",
            marks=marks,
            told={
                cell: f"{cell}: value {entry['value'][monitor]:.4f}, "
                f"success {entry['satisfaction_probability'][monitor]:.4f}"
                for cell, entry in self.states.items()
            },
            notes=self.mark_notes(marks),
        )
        return self.drawn(layer, f"{name}, task in {monitor_name(self.overview, monitor)}")

    def visits_of(self, monitor: int) -> str:
        marks = self.marks(monitor)
        layer = Layer(
            numbers={cell: entry["visits_by_monitor"][monitor] for cell, entry in self.states.items()},
            scale=self.visits,
            caption="expected visits that find the task in this state",
            moves={cell: entry["actions_by_monitor"][monitor] for cell, entry in self.states.items()},
            marks=marks,
            told={
                cell: hover(cell, entry, entry["actions_by_monitor"][monitor])
                for cell, entry in self.states.items()
            },
            notes=(*self.stops, *self.mark_notes(marks), self.rare),
            hide_zero=True,
        )
        return self.drawn(layer, f"visits, task in {monitor_name(self.overview, monitor)}")

    def marks(self, monitor: int) -> dict[Cell, str]:
        """Return where the task moves on to another state, and to which."""
        number, read = self.policy.world.listed().number, self.policy.plan.read
        after = {cell: read(monitor, number[cell]) for cell in self.states}
        return {cell: f"→{state}" for cell, state in after.items() if state != monitor}

    def mark_notes(self, marks: dict[Cell, str]) -> tuple[str, ...]:
        return ("→ in a corner: the task's state after the cell is read",) if marks else ()


def hover(cell: Cell, entry: Document, moves: dict[str, float]) -> str:
    """Return what is told when the pointer rests on a cell."""
    ever = "" if entry["ever"] is None else f", visited with probability {entry['ever']:.4f}"
    made = "".join(f", {move} {chance:.4f}" for move, chance in moves.items())
    return f"{cell}: {entry['visits']:.4f} visits{ever}, ends here with {entry['ends']:.4f}{made}"

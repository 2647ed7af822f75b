"""What the files hold, as tables: the keys, their types and their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from demospec.errors import InputError
from demospec.files.log_table import Cell, DemonstrationTable, LogTable
from demospec.limits import STATES
from demospec.plan.base import Planner
from demospec.plan.tabular import PLANNER
from demospec.problem import Code
from demospec.problem.settings import PaperSettings, Setting, rows_of, table
from demospec.tasks import Operator
from demospec.worlds.gridworld import Direction
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Ends, World


class GymnasiumTable(msgspec.Struct, forbid_unknown_fields=True, tag="gymnasium", tag_field="kind"):
    """`[world]` with kind "gymnasium". Nothing of it is executed: features are formulas, and `id` a name."""

    id: str
    kwargs: dict[str, Any] = {}
    labels: dict[str, str] = {}
    features: dict[str, str] = {}
    terminal: list[str] = []
    actions: list[str] = []
    seed: int | list[int] = 0
    max_states: int | None = None
    samples: int | None = None
    merge_redundant: bool = False


# -- `[world]` tables that name a model of another tool --------------------------------------------------

LabelsKey = list[str] | dict[str, str] | None  # those to keep, or { the model's = "ours" }


class ExplicitTable(msgspec.Struct, forbid_unknown_fields=True, tag="explicit", tag_field="kind"):
    """`[world]` with kind "explicit": .tra, .lab and .sta files, or one .drn file."""

    transitions: str
    labelling: str | None = None  # the .lab file; by default the one beside the transitions, if there is one
    states: str | None = None  # the .sta file, likewise
    labels: LabelsKey = None
    merge_redundant: bool = False


class PrismTable(msgspec.Struct, forbid_unknown_fields=True, tag="prism", tag_field="kind"):
    """`[world]` with kind "prism"."""

    file: str
    constants: dict[str, bool | int | float] = {}
    labels: LabelsKey = None
    merge_redundant: bool = False


class JaniTable(PrismTable, forbid_unknown_fields=True, tag="jani", tag_field="kind"):
    """`[world]` with kind "jani"."""


class UmbTable(msgspec.Struct, forbid_unknown_fields=True, tag="umb", tag_field="kind"):
    """`[world]` with kind "umb"."""

    file: str
    labels: LabelsKey = None
    merge_redundant: bool = False


ModelTable = ExplicitTable | PrismTable | JaniTable | UmbTable


# -- `agent.planner` -------------------------------------------------------------------------------------

Nodes = Annotated[int, msgspec.Meta(ge=1, le=1 << 30)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class TabularTable(msgspec.Struct, forbid_unknown_fields=True, tag="tabular", tag_field="kind"):
    """The planner for worlds whose states are listed."""


class DiagramsTable(msgspec.Struct, forbid_unknown_fields=True, tag="diagrams", tag_field="kind"):
    """The planner on decision diagrams, for factored worlds."""

    most_nodes: Nodes | UnsetType = UNSET


class SampledTable(msgspec.Struct, forbid_unknown_fields=True, tag="sampled", tag_field="kind"):
    """The planner that plays the world first."""

    steps: Count | UnsetType = UNSET
    draws: Count | UnsetType = UNSET
    seed: Count | UnsetType = UNSET


PlannerTable = Literal["tabular", "diagrams", "sampled"] | TabularTable | DiagramsTable | SampledTable


def build_planner(table: PlannerTable | None, worlds: Sequence[World]) -> Planner:
    """Return the planner for some worlds.

    Left out, it is the one for listed worlds, or on decision diagrams where a world is factored.
    """
    kind = table if isinstance(table, str) else table and table.__struct_config__.tag
    told = msgspec.structs.asdict(table) if isinstance(table, msgspec.Struct) else {}
    given = {
        key: value for key, value in told.items() if value is not UNSET
    }  # the others are the planner's own
    if kind == "sampled":
        from demospec.plan.sampled import SampledPlanner

        return SampledPlanner(**given)
    if kind == "diagrams" or (kind is None and any(map(is_factored, worlds))):
        if not all(map(is_factored, worlds)) and kind is not None:
            raise InputError('"diagrams" plans worlds of the kind "factored" only')
        from demospec.plan.diagrams import DiagramPlanner

        return DiagramPlanner(**given)
    return PLANNER


def is_factored(world: World) -> bool:
    """Say whether a world is factored."""
    if isinstance(world, MDP):
        return False  # so that nothing else needs to be loaded
    from demospec.worlds.factored import FactoredWorld

    return isinstance(world, FactoredWorld)


# -- What the files hold, as tables ----------------------------------------------------------------------


class WindTable(msgspec.Struct, forbid_unknown_fields=True):
    """`world.wind`."""

    direction: Direction
    probability: float


class StartTable(msgspec.Struct, forbid_unknown_fields=True):
    """One of `world.starts`: a cell in which episodes may begin; without a probability all are as likely."""

    cell: Cell
    probability: float | None = None


class SlipperyTable(msgspec.Struct, forbid_unknown_fields=True):
    """`world.slippery`, or one of them: where moves go sideways, and how often."""

    probability: float
    characters: str = ""
    cells: list[Cell] = []


class GridTable(msgspec.Struct, forbid_unknown_fields=True, tag="gridworld", tag_field="kind"):
    """`[world]` with kind "gridworld"."""

    map: str | None = None
    map_file: str | None = None  # beside the problem file, in the place of `map`
    map_picture: str | None = None  # the same, a picture of which each pixel is a cell
    palette: dict[str, str] = {}  # by colour, the character of a picture's cells
    start: Cell | None = None
    starts: list[StartTable] = []
    wind: WindTable | None = None
    blocked: Literal["stay", "unavailable"] = "stay"
    terminal: list[Cell] = []
    walls: str = ""  # characters
    one_way: bool = False  # whether ^v<> are
    slippery: SlipperyTable | list[SlipperyTable] = []
    teleports: list[tuple[Cell, Cell]] = []
    moves: Literal[4, 8] = 4
    legend: dict[str, str | list[str]] = {}
    merge_redundant: bool = False


class MdpTable(msgspec.Struct, forbid_unknown_fields=True, tag="mdp", tag_field="kind"):
    """`[world]` with kind "mdp"."""

    start: str | dict[str, float]
    transitions: list[tuple[str, str, dict[str, float]]]
    labels: dict[str, str | list[str]] = {}
    events: list[tuple[str, str, str, str | list[str]]] = []  # state, action, state that it led to, label
    terminal: list[str] = []
    states: list[str] = []  # in the order in which they are numbered; others follow as they occur
    actions: list[str] = []
    merge_redundant: bool = False


class FactoredTable(msgspec.Struct, forbid_unknown_fields=True, tag="factored", tag_field="kind"):
    """`[world]` with kind "factored". Effects are tables: what changes, and the formula of its new value."""

    variables: dict[str, str]
    start: dict[str, Any]
    labels: dict[str, str]
    actions: dict[str, Any]
    coins: dict[str, float] = {}
    every_step: dict[str, Any] = {}
    available: dict[str, str] = {}
    terminal: str | None = None


class EpisodeTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[episode]`."""

    horizon: int
    end_probability: float = 0.0
    ends: Ends = "by chance"


class AgentTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[agent]`."""

    rationality: float | Literal["learned"] | None = None
    effort: float | Literal["learned"] | None = None
    haste: float | Literal["learned"] | None = None
    mistakes: float | Literal["learned"] | None = None
    competency: float | Literal["empirical"] | None = None
    planner: PlannerTable | None = None
    cost: dict[str, float] = {}  # by action, in units of the effort


class EnergyTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[energy]`."""

    size_weight: float | None = None
    surprise_weight: float | None = None
    belief_size_weight: float | None = None


class AutomatonDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """An automaton; the numbers that results attach to a task are allowed and ignored."""

    kind: Literal["dfa"] = "dfa"
    alphabet: list[str]
    states: Annotated[int, msgspec.Meta(le=STATES)]  # unreached ones take memory too
    start: int = 0
    accepting: list[int]
    transitions: list[tuple[int, str, int]]
    size: Any = None
    surprise: Any = None
    energy: Any = None
    rationality: Any = None
    satisfaction_probability: Any = None
    weight: Any = None
    flips: Any = None
    cost: Any = None
    flipped: Any = None


class TaskDocument(AutomatonDocument, forbid_unknown_fields=True, kw_only=True):
    """A task file: an automaton, and where it is made of parts or said in clauses, these."""

    operator: Operator | None = None
    parts: list[AutomatonDocument] | None = None
    clauses: str | None = None


class TaskTable(msgspec.Struct, forbid_unknown_fields=True):
    """`[task]`."""

    merge_repeats: bool = False
    implies: str | TaskDocument | None = None
    implied_by: str | TaskDocument | None = None
    classes: str | list[str] = msgspec.field(default_factory=list, name="class")
    all_of: int | None = None
    any_of: int | None = None
    code: Code | None = None


def _search_key(one: Setting) -> tuple[str, Any, None]:
    kind: Any = list[str] if one.kind is tuple else one.kind
    if one.name == "pivot_temperature":
        kind = float | Literal["inf"]
    return one.name, kind | None, None


# `[search.paper]` and `[search]`; what is left out has its default. The paper's keys stood in `[search]` in
# earlier files, and are read there as well.
PaperTable = msgspec.defstruct(
    "PaperTable", map(_search_key, rows_of(PaperSettings)), forbid_unknown_fields=True
)
SearchTable = msgspec.defstruct(
    "SearchTable",
    [*map(_search_key, table()), ("paper", PaperTable | None, None)],
    forbid_unknown_fields=True,
)


class ExampleTable(msgspec.Struct, forbid_unknown_fields=True):
    """One of `[[examples]]`."""

    word: list[str]
    accept: bool


class GridScene(GridTable, forbid_unknown_fields=True, kw_only=True, tag="gridworld", tag_field="kind"):
    """One of `[[worlds]]` with kind "gridworld"."""

    name: str
    episode: EpisodeTable | None = None
    demonstrations: list[DemonstrationTable] = []


WorldTable = GridTable | MdpTable | FactoredTable | ModelTable | LogTable | GymnasiumTable


def _scene(table: type[msgspec.Struct]) -> Any:
    """Return one of `[[worlds]]` with the kind of a world's table: its keys, and those of `GridScene`."""
    return msgspec.defstruct(
        table.__name__.replace("Table", "Scene"),
        [
            ("name", str),
            ("episode", EpisodeTable | None, None),
            ("demonstrations", list[DemonstrationTable], msgspec.field(default_factory=list)),
        ],
        bases=(table,),
        forbid_unknown_fields=True,
        kw_only=True,
        tag=table.__struct_config__.tag,
        tag_field="kind",
    )


if TYPE_CHECKING:
    SceneTable = GridScene  # what all of them have
else:
    SceneTable = reduce(or_, map(_scene, get_args(WorldTable)[1:]), GridScene)


class ProblemDocument(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A problem file."""

    name: str = "problem"
    alphabet: list[str] | None = None
    world: WorldTable | None = None
    worlds: list[SceneTable] = []
    episode: EpisodeTable | None = None
    agent: AgentTable = msgspec.field(default_factory=AgentTable)
    energy: EnergyTable = msgspec.field(default_factory=EnergyTable)
    task: TaskTable = msgspec.field(default_factory=TaskTable)
    search: SearchTable = msgspec.field(default_factory=SearchTable)  # type: ignore[valid-type]
    examples: list[ExampleTable] = []
    demonstrations: list[DemonstrationTable] = msgspec.field(default_factory=list)


class ExamplesDocument(msgspec.Struct, forbid_unknown_fields=True):
    """An examples file."""

    alphabet: list[str]
    accept: list[list[str]] = []
    reject: list[list[str]] = []

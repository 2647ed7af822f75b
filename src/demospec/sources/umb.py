"""UMB, the unified Markov binary: models that Storm, PRISM and others exchange, read and written by umbi."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any

from demospec.errors import FileError, InputError, missing_package, told_within
from demospec.sources.model import (
    DEADLOCK,
    Choice,
    FileName,
    Labels,
    Model,
    kind_refusal,
    valuation_name,
)
from demospec.tasks.propositions import JOIN
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode, World, is_stopped

PROPOSITIONS, STATES = "aps", "states"
NAMES = "demospec/state-names.json"  # a file of ours in the archive: names that are no values of variables


def from_umb(path: FileName, *, episode: Episode, labels: Labels = None) -> MDP:
    """Read a UMB file that holds an MDP, and return its world.

    States are named by their variables, else by their numbers; actions by the names of choices, or step.
    Deadlocks end the episode. `labels` are those to keep (by default all), or {the model's name: ours}.
    """
    file = FilePath(path)
    needs_umbi()
    with umb_errors(file):
        model = model_from_umb(decoded_umb(file), file)
    with told_within(str(file)):
        return model.world(episode=episode, labels=labels, origin=f"read from {file.name}")


def needs_umbi() -> None:
    """Refuse where the package umbi is not installed."""
    try:
        import umbi.umb  # noqa: F401
    except ImportError:
        raise missing_package("a UMB file", "umbi", "umb") from None


@contextmanager
def umb_errors(path: FilePath) -> Iterator[None]:
    """Turn whatever umbi raises into an error that names the file."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", place=str(path)) from None
    except Exception as error:  # umbi checks by assertions, and passes on what its parts raise
        told = str(error).partition("\n")[0].rstrip(":")
        raise FileError(f"is no UMB file that umbi can read: {told}", place=str(path)) from None


def decoded_umb(path: FilePath) -> Any:
    """Return umbi's ExplicitUmb, with the values of states' variables read here.

    umbi leaves out their offsets, and with version 5 of bitstring cannot read them at all.
    """
    from umbi.umb.umb_to_tar import UmbDecoder

    class Decoder(UmbDecoder):  # type: ignore[misc]
        def read_valuation_files(self, umb: Any) -> None:
            umb.valuations = {}
            found = (umb.index.valuations or {}).get(STATES)
            if found is not None and len(found.classes) == 1 and not found.num_strings:
                packed = self.read_file(f"valuations/{STATES}/valuations.bin", optional=False)
                umb.valuations[STATES] = unpacked(packed, found.classes[0].fields)
            umb.valuations[NAMES] = self.read_json(NAMES, optional=True)

        def list_unread_files(self, strict: bool = False) -> None:
            """What is not needed need not be read."""

    return Decoder(path).decode()


def unpacked(packed: bytes, fields: Sequence[Any]) -> list[dict[str, object]]:
    """Return the values of each state: its variables lie bit by bit behind each other, the lowest first."""
    widths = [
        field.padding if hasattr(field, "padding") else field.sized_type.size_bits + bool(field.is_optional)
        for field in fields
    ]
    size = math.ceil(sum(widths) / 8)
    found: list[dict[str, object]] = []
    for first in range(0, len(packed), size):
        bits = int.from_bytes(packed[first : first + size], "little")
        values: dict[str, object] = {}
        for field, width in zip(fields, widths, strict=True):
            if not hasattr(field, "padding"):
                value = number_of(field, bits & ((1 << width) - 1))
                if value is not None:
                    values[field.name] = value
            bits >>= width
        found.append(values)
    return found


def number_of(field: Any, bits: int) -> bool | int | None:
    """Return the value of a variable; None where it has none, or is of a type that does not name states."""
    if field.is_optional:
        if not bits & 1:
            return None
        bits >>= 1
    kind, size = field.sized_type.type.value, field.sized_type.size_bits
    if kind == "bool":
        return bool(bits)
    if kind not in ("int", "uint"):
        return None
    signed = bits - (1 << size) if kind == "int" and bits >> (size - 1) else bits
    return int(signed + (field.offset or 0))


def model_from_umb(umb: Any, path: FilePath) -> Model:
    """Take what umbi read apart; refuse what is no MDP."""
    system = umb.index.transition_system
    if system.num_players == 0:
        raise FileError(kind_refusal("dtmc" if system.time == "discrete" else "ctmc"), place=str(path))
    if system.time != "discrete" or system.num_players > 1 or system.num_observations:
        players = f"{system.num_players} player" + "s" * (system.num_players > 1)
        seen = ", observations" if system.num_observations else ""
        raise FileError(kind_refusal(f"{system.time} time, {players}{seen}"), place=str(path))
    number, target = system.num_states, umb.branch_to_target or []
    chances = [1.0] * len(target) if umb.branch_to_probability is None else umb.branch_to_probability
    actions, names = umb.choice_to_choice_action, umb.choice_action_to_string or []
    first_choice = umb.state_to_choices or range(number + 1)
    first_branch = umb.choice_to_branches or range(system.num_choices + 1)

    def choice(one: int) -> Choice:
        outcomes: dict[int, float] = {}
        for branch in range(first_branch[one], first_branch[one + 1]):
            outcomes[target[branch]] = outcomes.get(target[branch], 0.0) + float(chances[branch])
        return (names[actions[one]] if actions and names else ""), outcomes

    groups = umb.annotations or {}
    if ours := umb.valuations.get(NAMES):  # as `to_umb` named them, else by their variables
        own_names = list(map(str, ours))
    else:
        values_of = umb.valuations.get(STATES) or [{}] * number
        own_names = [valuation_name(one) or str(state) for state, one in enumerate(values_of)]
    return Model(
        names=own_names,
        choices=[list(map(choice, range(first_choice[s], first_choice[s + 1]))) for s in range(number)],
        propositions={
            (umb.index.annotations[PROPOSITIONS][name].alias or name): numbers_where(values[STATES])
            for name, values in groups.get(PROPOSITIONS, {}).items()
            if STATES in values
        },
        starts=numbers_where(umb.state_is_initial),
    )


def numbers_where(holds: Sequence[bool]) -> list[int]:
    """Return the numbers at which a list says yes."""
    return [number for number, held in enumerate(holds) if held]


def to_umb(world: World, path: FileName) -> None:
    """Write a world as a UMB file: states with their names, propositions, and the names of actions.

    A terminal state is written as tools write deadlocks: with a loop and the label. How episodes end is no
    part of a model, nor how likely each start is: several starts must be equally likely.
    """
    needs_umbi()
    import umbi.ats
    from umbi.umb.umb_to_tar import UmbEncoder

    mdp = world.listed()
    if len({round(chance, 9) for _, chance in mdp.starts}) > 1:
        raise InputError("UMB does not say how likely each start is: they would become equally likely")
    states = [state for state in range(len(mdp.states)) if not is_stopped(mdp, state)]
    ats = umbi.ats.ExplicitAts(num_players=1)
    for _ in states:
        ats.add_state()
    ats.set_initial_states([state for state, _ in mdp.starts])
    ats.choice_action_to_name = [*mdp.actions, ""]  # the last is that of loops
    ats.num_choice_actions = len(ats.choice_action_to_name)
    for state in states:
        if mdp.ends(state):
            loop = ats.add_state_choice(state)
            loop.action = len(mdp.actions)
            loop.add_branch(state, 1.0)
        for pair in mdp.pairs(state):
            outcomes = mdp.outcomes(pair)
            if any(is_stopped(mdp, target) for target, _ in outcomes):
                continue
            choice = ats.add_state_choice(state)
            choice.action = mdp.pair_action.item(pair)
            for target, chance in outcomes:
                choice.add_branch(target, chance)
    letters = [set((mdp.label(state) or "").split(JOIN)) - {""} for state in states]
    for name in sorted(set().union(*letters)):
        ats.add_ap_annotation(name).set_state_values([name in held for held in letters])
    if any(mdp.ends(state) for state in states):
        ats.add_ap_annotation(DEADLOCK).set_state_values([mdp.ends(state) for state in states])
    with umb_errors(FilePath(path)):
        encoder = UmbEncoder()
        encoder.encode(umbi.ats.explicit_ats_to_explicit_umb(ats))
        names = [at if isinstance(at := mdp.name(s), str) else f"{at[0]}, {at[1]}" for s in states]
        encoder.add_json(NAMES, names)
        encoder.write(FilePath(path))

"""PRISM and JANI models, built by Storm: variables, modules and labels in, a world out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path as FilePath
from typing import Any

from demospec.errors import FileError, InputError, missing_package, told_within
from demospec.sources.model import (
    INIT,
    Choice,
    FileName,
    Labels,
    Model,
    ModelLines,
    kind_refusal,
    plain,
    valuation_name,
)
from demospec.wording import listing, nearest
from demospec.worlds.mdp import MDP
from demospec.worlds.world import Episode

Constants = Mapping[str, bool | int | float] | None

PARSING = re.compile(r"Parsing error at (\d+):(\d+):\s*(.*?)(?:, here:.*)?$", re.DOTALL)
LOCATION = "_loc_"  # how Storm names the variable in which it keeps an automaton's location


def from_prism(
    path: FileName, *, episode: Episode, constants: Constants = None, labels: Labels = None
) -> MDP:
    """Read a PRISM model of the kind mdp, build it with Storm, and return its world.

    States are named by the values of the variables ("x=1, y=2"), actions by the labels of commands; commands
    without a label are called step. Deadlocks end the episode. `labels` are those of the model to keep (by
    default all), or {the model's name: ours}; where several hold, the letter is their set.
    """
    storm = stormpy_package("PRISM")
    parse = partial(storm.parse_prism_program, simplify=False)  # else what never changes is a constant
    return built(storm, FilePath(path), parse, episode, constants, labels)


def from_jani(path: FileName, *, episode: Episode, constants: Constants = None, labels: Labels = None) -> MDP:
    """Read a JANI model of the kind mdp, build it with Storm, and return its world, as `from_prism` does.

    Labels are the model's Boolean transient variables.
    """
    storm = stormpy_package("JANI")
    return built(
        storm, FilePath(path), lambda name: storm.parse_jani_model(name)[0], episode, constants, labels
    )


def built(
    storm: Any,
    path: FilePath,
    parse: Callable[[str], Any],
    episode: Episode,
    constants: Constants,
    labels: Labels,
) -> MDP:
    """Parse a model, give its constants values, build it, and return its world."""
    given = dict(constants or {})
    text = "\n".join(ModelLines(path))
    with storm_errors(storm, path):
        description = parse(str(path))
        kind = description.model_type.name.lower()
        if kind != "mdp":
            raise FileError(kind_refusal(kind), place=str(path))
        values = constant_values(description, given, path)
        description, _ = storm.instantiate_constants(description, values)
        options = storm.BuilderOptions()
        options.set_build_all_labels()
        options.set_build_choice_labels()
        options.set_build_state_valuations()
        options.set_exploration_checks()  # else a value outside of its range becomes another one
        # Transient variables of a JANI model are labels, and no part of a state.
        every = getattr(description, "global_variables", ())
        hidden = {variable.name for variable in every if getattr(variable, "is_transient", False)}
        model = model_from_storm(storm.build_model(description, options=options), text, hidden)
    told = listing(f"{name} = {plain(value)}" for name, value in given.items())
    origin = f"built by Storm {storm.__version__} from {path.name}" + (f" with {told}" if given else "")
    with told_within(str(path)):
        return model.world(episode=episode, labels=labels, origin=origin)


def stormpy_package(language: str) -> Any:
    """Return the package stormpy; refuse where it is not installed."""
    try:
        import stormpy
    except ImportError:
        raise missing_package(f"a {language} model", "stormpy", "storm") from None
    return stormpy


@contextmanager
def storm_errors(storm: Any, path: FilePath) -> Iterator[None]:
    """Turn Storm's errors into ours; its own are printed to standard output, where results belong."""
    developer = storm.developer
    level = developer.get_log_level()
    developer.set_log_level(developer.LogLevel.OFF)
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # RuntimeError of Storm, StormError of stormpy
        message = re.sub(r"^\w+Exception: ", "", str(error)).strip()
        if found := PARSING.match(message):
            place = f"{path}: line {found[1]}, column {found[2]}"
            raise FileError(found[3].strip() or "cannot be read", place=place) from None
        raise FileError(f"Storm refuses it: {message}", place=str(path)) from None
    finally:
        developer.set_log_level(level)


def constant_values(description: Any, given: Mapping[str, float], path: FilePath) -> dict[str, float]:
    """Return the values of open constants; refuse those that are missing, and those that nobody asked for."""
    needs = {constant.name: constant for constant in description.constants if not constant.defined}
    if unknown := [name for name in given if name not in needs]:
        hint = nearest(unknown[0], needs)
        told = f'no constant "{unknown[0]}" is left open{hint}; open: {listing(needs)}'
        raise FileError(told, place=str(path))
    if missing := [name for name in needs if name not in given]:
        example = ", ".join(f"{name} = …" for name in missing)
        told = f"the constants {listing(missing)} have no value: constants = {{ {example} }}"
        raise FileError(told, place=str(path))
    return {name: float(value) if needs[name].type.is_rational else value for name, value in given.items()}


def model_from_storm(model: Any, text: str, hidden: Collection[str]) -> Model:
    """Take a model of Storm apart; hidden variables do not name states."""
    labelling, start_of = model.choice_labeling, model.get_choice_index
    choices: list[list[Choice]] = [[] for _ in model.states]
    for state, own in zip(model.states, choices, strict=True):
        for number, action in enumerate(state.actions, start_of(state.id, 0)):
            told = " ".join(sorted(labelling.get_labels_of_choice(number)))
            own.append((told, {entry.column: entry.value for entry in action.transitions}))
    held = {label: list(model.labeling.get_states(label)) for label in model.labeling.get_labels()}
    return Model(
        names=storm_state_names(model.state_valuations, model.nr_states, text, hidden),
        choices=choices,
        propositions=held,
        starts=held[INIT],
    )


def storm_state_names(valuations: Any, states: int, text: str, hidden: Collection[str]) -> Sequence[str]:
    """Name states by the values of their variables, in the order in which the model's text declares them.

    A location that never changes is left out.
    """
    every = [json.loads(str(valuations.to_json(state))) or {} for state in range(states)]
    variables = sorted(every[0], key=lambda name: (declared(name, text), name))
    told = [
        name
        for name in variables
        if name not in hidden
        and (not name.startswith(LOCATION) or any(values[name] != every[0][name] for values in every))
    ]
    if not told:
        return [str(state) for state in range(states)]
    return [valuation_name({name.removeprefix("_"): values[name] for name in told}) for values in every]


def declared(name: str, text: str) -> int:
    """Return where a variable is declared: in a module, in one that renames another, or in a JANI object.

    >>> declared("y", "guard y; x : [0..1]; y : bool;"), declared("z", "module b = a [x=z] endmodule")
    (21, 15)
    """
    one = re.escape(name)
    in_module, renamed = rf"\b{one}\s*:\s*(?:\[|bool|int|clock)", rf"=\s*{one}\s*[,\]]"
    found = (re.search(form, text) for form in (in_module, renamed, rf'"name"\s*:\s*"{one}"'))
    return next((match.start() for match in found if match), len(text))

"""Models that are written out: PRISM's .tra, .lab and .sta, Storm's forms of them, and .drn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_model import DRN, EPISODE, LAB, STA, STORM_LAB, STORM_TRA, TRA, by_hand, same, written
from storm_models import MODELS, stored, storm_model

import demospec
from demospec import InputError

NAMED = ["x=0, open=false", "x=1, open=false", "x=2, open=false", "x=1, open=true"]
NUMBERS = ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ({"tra": TRA, "lab": LAB, "sta": STA}, NAMED),
        ({"tra": TRA, "lab": LAB}, NUMBERS),
        ({"tra": STORM_TRA, "lab": STORM_LAB}, NUMBERS),
        ({"drn": DRN}, ["x=0, !open", "x=1, !open", "x=2, !open", "x=1"]),
    ],
)
def test_every_form_is_the_same_world(texts: dict[str, str], names: list[str], tmp_path: Path) -> None:
    folder = written(tmp_path, **texts)
    files = [folder / f"model.{ending}" for ending in texts]
    for source in (folder, str(folder), files[0], files):
        world = demospec.from_explicit(source, episode=EPISODE)
        assert same(world, by_hand(names))
        told = ", ".join(file.name for file in files)
        assert world.origin == f"read from {told}: 4 states, 1 deadlock where episodes end"


def test_without_labels_episodes_begin_in_the_first_state(tmp_path: Path) -> None:
    world = demospec.from_explicit(written(tmp_path, tra=TRA), episode=EPISODE)
    assert world.starts == ((0, 1.0),)
    assert world.letters == ()
    assert not world.terminal.any()  # nobody said that the loop is a deadlock


def test_a_state_without_choices_is_terminal(tmp_path: Path) -> None:
    text = TRA.replace("4 5 7", "4 4 6").replace("3 0 3 1\n", "")
    world = demospec.from_explicit(written(tmp_path, tra=text), episode=EPISODE)
    assert world.terminal.tolist() == [False, False, False, True]


def test_labels_are_chosen_and_renamed(tmp_path: Path) -> None:
    folder = written(tmp_path, tra=TRA, lab=LAB)
    assert demospec.from_explicit(folder, episode=EPISODE, labels=["door"]).letters == ("door",)
    renamed = demospec.from_explicit(folder, episode=EPISODE, labels={"door": "d", "key": "k"})
    assert renamed.letters == ("d&k", "k")


REFUSED: list[tuple[dict[str, str], str]] = [
    ({"tra": "3 4\n0 1 1\n"}, r"model.tra: line 1: is a dtmc, a Markov chain: it has no choices"),
    ({"tra": "dtmc\n0 1 1\n"}, r"model.tra: line 1: is a dtmc, a Markov chain"),
    ({"tra": "ma\n0 1 1\n"}, r"line 1: is of the kind ma; only mdp"),
    ({"tra": "states: 4\n"}, 'line 1: expected "states choices transitions"'),
    ({"tra": ""}, "model.tra: is empty"),
    (
        {"tra": TRA.replace("1 0 3 1 go", "1 0 3")},
        "line 5: expected .state choice target",
    ),
    ({"tra": TRA.replace("1 0 3 1 go", "1 0 4 1 go")}, r"line 5: there is no state 4: .* from 0 to 3"),
    ({"tra": TRA.replace("1 0 3 1 go", "1 x 3 1 go")}, r'line 5: expected the number of a choice, found "x"'),
    (
        {"tra": TRA.replace("1 0 3 1 go", "1 0 3 1.5 go")},
        "line 5: the probability 1.5 is not",
    ),
    ({"tra": TRA.replace("1 0 3 1 go", "1 0 3 p go")}, r'line 5: expected a probability, found "p"'),
    ({"tra": TRA.replace("1 0 3 1 go", "1 0 3 [0.1,1] go")}, r"line 5: .* is an interval"),
    (
        {"tra": TRA.replace("0 0 2 0.75 go", "0 0 2 0.75 stop")},
        "line 3: .* the action .go. before",
    ),
    ({"tra": TRA.replace("0 0 2 0.75 go", "0 0 1 0.75 go")}, "line 3: .* leads to state 1 twice"),
    ({"tra": TRA.replace("0 0 2 0.75 go\n", "")}, "has 6 transitions, but its first line says 7"),
    ({"tra": TRA.replace("0.75", "0.5")}, r'model.tra: state "0", action "go": probabilities sum to 0.75'),
    (
        {"tra": TRA, "lab": LAB.replace("2: 2 3", "2: 2 4")},
        "model.lab: line 4: .* is not declared",
    ),
    ({"tra": TRA, "lab": LAB.replace("3: 1", "4: 1")}, r"model.lab: line 5: there is no state 4"),
    ({"tra": TRA, "lab": "init\n0: 0\n"}, r"model.lab: line 1: expected 0="),
    ({"tra": TRA, "lab": "#DECLARATION\ninit\n0 init\n"}, "#END is missing"),
    ({"tra": TRA, "lab": LAB.replace("0: 0\n", "")}, 'no state has the label "init"'),
    ({"tra": TRA, "sta": STA.replace("2:(2,false)", "2:(2)")}, r"model.sta: line 4: expected 2 values"),
    ({"tra": TRA, "sta": STA.replace("2:(2,false)\n", "")}, r"names 3 of 4 states; state 2 is missing"),
    ({"tra": TRA, "sta": STA.replace("2:(2", "1:(2")}, r"line 4: state 1 is there twice"),
    ({"tra": TRA, "sta": STA.replace("2:(", "2 (")}, r'line 4: expected "state:\(values\)"'),
    ({"drn": DRN.replace("MDP", "CTMC")}, r"model.drn: line 2: is a ctmc, a Markov chain"),
    ({"drn": DRN.replace("@parameters\n", "@parameters\np q")}, r"line 5: the model has parameters \(p q\)"),
    ({"drn": DRN.replace("0.75", "[0.5, 0.75]")}, "line 17: .* is an interval"),
    ({"drn": DRN.replace("state 2", "state 5")}, "line 24: there is no state 5"),
    ({"drn": DRN.replace("@nr_states\n4", "@nr_states\n5")}, "has 4 states, but says 5"),
    ({"drn": DRN.partition("@model")[0]}, "@model is missing"),
    ({"lab": LAB}, "a model is one .tra file, or one .drn file"),
    ({"tra": TRA, "drn": DRN}, "a model is one .tra file, or one .drn file"),
]


@pytest.mark.parametrize(("texts", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_is_refused_names_the_file_and_the_line(
    texts: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        demospec.from_explicit(written(tmp_path, **texts), episode=EPISODE)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.tra: cannot be read: No such file"):
        demospec.from_explicit(tmp_path / "nowhere.tra", episode=EPISODE)
    with pytest.raises(InputError, match=r'end in .tra, .lab, .sta or .drn, this one in ".txt"'):
        demospec.from_explicit([tmp_path / "a.txt"], episode=EPISODE)
    with pytest.raises(InputError, match=r"is a second \.tra file"):
        demospec.from_explicit([tmp_path / "a.tra", tmp_path / "b.tra"], episode=EPISODE)
    (tmp_path / "latin.tra").write_bytes(b"mdp\n0 0 0 1 \xe9\n")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        demospec.from_explicit(tmp_path / "latin.tra", episode=EPISODE)


def in_prisms_form(model: Any, folder: Path) -> Path:
    """Write a model of Storm's as PRISM does."""
    number = {label: k for k, label in enumerate(["init", "deadlock"])}
    for label in sorted(set(model.labeling.get_labels()) - set(number)):
        number[label] = len(number)
    rows, labelled, named = [], [], []
    variables = [variable.name for variable in model.state_valuations.get_all_variables()]
    for state in model.states:
        first = model.get_choice_index(state.id, 0)
        for k, action in enumerate(state.actions):
            label = " ".join(model.choice_labeling.get_labels_of_choice(first + k))
            rows += [f"{state.id} {k} {e.column} {e.value!r} {label}".strip() for e in action.transitions]
        labelled.append(f"{state.id}: {' '.join(str(number[label]) for label in state.labels)}")
        values = [str(model.state_valuations.get_value(state.id, v)).lower() for v in variables_of(model)]
        named.append(f"{state.id}:({','.join(values)})")
    header = f"{model.nr_states} {model.nr_choices} {model.nr_transitions}"
    declared = " ".join(f'{k}="{label}"' for label, k in number.items())
    return written(
        folder,
        tra="\n".join([header, *rows, ""]),
        lab="\n".join([declared, *labelled, ""]),
        sta="\n".join([f"({','.join(variables)})", *named, ""]),
    )


def variables_of(model: Any) -> list[Any]:
    return list(model.state_valuations.get_all_variables())


@pytest.mark.parametrize("name", MODELS)
def test_files_of_storms_model_are_the_world_that_storm_builds(name: str, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    model = storm_model(stormpy, name)
    expected = demospec.from_prism(stored(name), episode=EPISODE, constants=MODELS[name])
    files, drn = tmp_path / "files", tmp_path / "model.drn"
    files.mkdir()
    stormpy.io.export_to_drn(model, str(drn))
    for source in (in_prisms_form(model, files), drn):
        world = demospec.from_explicit(source, episode=EPISODE)
        names = dict(zip(world.states, expected.states, strict=True))
        assert len(names) == len(set(names.values()))
        if source == files:
            assert all(
                set(str(one).split(", ")) == set(str(other).split(", ")) for one, other in names.items()
            )
        assert (world.labels, world.starts, world.actions) == (
            expected.labels,
            expected.starts,
            expected.actions,
        )
        assert world.successor.tolist() == expected.successor.tolist()
        assert world.probability == pytest.approx(expected.probability, abs=1e-12)

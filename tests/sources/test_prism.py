"""PRISM and JANI models: as many states as Storm has, and the same best probabilities of tasks.

At rationality λ the agent maximises λ·P + H, so its P is at most H/λ ≤ T·ln|A|/λ below the best.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from storm_models import HELD, MODELS, TASKS, stored, storm_model, storms_best, task_over

import demospec
from demospec import DFA, Episode, Fixed, InputError, Problem
from demospec.testing.world_checks import check_world

stormpy = pytest.importorskip("stormpy")

HORIZON, RATIONALITY, ROUNDING = 14, 1000.0, 1e-6
EPISODE = Episode(horizon=HORIZON)


def world_of(name: str) -> demospec.MDP:
    return demospec.from_prism(stored(name), episode=EPISODE, constants=MODELS[name])


def satisfaction(world: demospec.MDP, task: DFA, rationality: float) -> float:
    problem = Problem.of(world, agent=Fixed(rationality))
    return demospec.policy(problem, task).plan.satisfaction_probability


@pytest.mark.parametrize("name", MODELS)
def test_storm_has_as_many_states_choices_and_transitions(name: str) -> None:
    world, model = world_of(name), storm_model(stormpy, name)
    dead = set(model.labeling.get_states("deadlock"))
    assert len(world.states) == model.nr_states
    assert len(world.pair_action) == model.nr_choices - len(dead)
    assert len(world.successor) == model.nr_transitions - len(dead)
    assert set(world.terminal.nonzero()[0].tolist()) == dead
    assert [state for state, _ in world.starts] == sorted(model.initial_states)
    check_world(world)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", MODELS)
def test_the_best_probability_is_storms_within_the_bound(name: str, task: str) -> None:
    world = world_of(name)
    automaton = task_over(world.letters, name, task)
    best = storms_best(stormpy, name, automaton, HORIZON)
    found = satisfaction(world, automaton, RATIONALITY)
    most = max(len(world.pairs(state)) for state in range(len(world.states)))
    assert -ROUNDING <= best - found <= HORIZON * math.log(most) / RATIONALITY + ROUNDING


@pytest.mark.parametrize("name", MODELS)
def test_plain_properties_of_storm_agree_with_the_product(name: str) -> None:
    """The witness's own product, checked by formulas that need none."""
    first, second = HELD[name]
    model, letters = storm_model(stormpy, name), world_of(name).letters
    for task, formula in [
        ("reach a", f'Pmax=? [ F<={HORIZON} "{first}" ]'),
        ("never b", f'Pmin=? [ F<={HORIZON} "{second}" ]'),
        ("reach a before any b", f'Pmax=? [ !"{second}" U<={HORIZON} ("{first}" & !"{second}") ]'),
    ]:
        found = stormpy.model_checking(model, stormpy.parse_property(formula), only_initial_states=False)
        values = [found.get_value(state) for state in model.initial_states]
        product = storms_best(stormpy, name, task_over(letters, name, task), HORIZON)
        mean = sum(values) / len(values)
        assert product == pytest.approx(1 - mean if "Pmin" in formula else mean, abs=ROUNDING)


def test_names_letters_and_origin_can_be_read() -> None:
    world = world_of("mutex")
    assert world.states[0] == "a=0, b=0"
    assert world.label(world.number["a=2, b=2"]) == "clash&critical_a&critical_b"
    assert world.label(world.number["a=0, b=0"]) is None
    assert world.available(0) == ("ask_a", "ask_b")
    told = f"built by Storm {stormpy.__version__} from mutex.prism with death = 0.05: 16 states"
    assert world.origin == f"{told}, 1 deadlock where episodes end"
    assert {"step 1", "step 2"} <= set(world_of("consensus").actions)
    assert dict(world_of("grid").starts) == {0: 0.5, 1: 0.5}


def test_labels_are_chosen_and_renamed() -> None:
    def letters(labels: list[str] | dict[str, str]) -> tuple[str, ...]:
        file = stored("mutex")
        return demospec.from_prism(file, episode=EPISODE, constants={"death": 0.1}, labels=labels).letters

    assert letters(["clash"]) == ("clash",)
    assert letters({"critical_a": "busy", "critical_b": "busy", "clash": "c"}) == ("busy", "busy&c")
    assert letters(["deadlock"]) == ("deadlock",)
    with pytest.raises(InputError, match=r'no label "crash" \(did you mean "clash"\?\)'):
        letters(["crash"])
    with pytest.raises(InputError, match='cannot be called "a&b"'):
        letters({"clash": "a&b"})


@pytest.mark.parametrize("name", MODELS)
def test_a_jani_model_is_the_same_world(name: str, tmp_path: Path) -> None:
    program = stormpy.parse_prism_program(str(stored(name)))
    stormpy.io.export_jani_to_file(tmp_path / "model.jani", program.to_jani([])[0])
    again = demospec.from_jani(tmp_path / "model.jani", episode=EPISODE, constants=MODELS[name])
    world = world_of(name)
    assert len(again.states) == len(world.states)
    assert again.letters == world.letters
    automaton = task_over(world.letters, name, "a, later b")
    assert satisfaction(again, automaton, 30.0) == pytest.approx(
        satisfaction(world, automaton, 30.0), abs=1e-9
    )


REFUSED = {
    "dtmc\nmodule m\n x : [0..1];\n [] true -> true;\nendmodule": "is a dtmc, a Markov chain: it has no",
    "ctmc\nmodule m\n x : [0..1];\n <> true -> 1 : (x'=0);\nendmodule": "is a ctmc, a Markov chain",
    "mdp\nmodule m\n x : [0..1;\nendmodule": r"model.prism: line 3, column \d+: expecting",
    "mdp\nconst int N;\nmodule m\n x : [0..N];\n [] true -> true;\nendmodule": "constants N have no value",
    "mdp\nmodule m\n x : [0..1];\n [] x=0 -> 0.5 : true;\nendmodule": "Storm refuses it",
    "mdp\nmodule m\n x : [0..1];\n [] x=0 -> (x'=2);\nendmodule": "Storm refuses it",
    "mdp\nmodule m\n x : [0..1];\n [] x=1 -> true;\nendmodule": 'start state "x=0" is terminal',
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_and_why(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "model.prism"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=REFUSED[text]):
        demospec.from_prism(file, episode=EPISODE)
    assert capfd.readouterr() == ("", "")  # Storm's own log is not ours to print


def test_constants_and_files_that_are_not_there() -> None:
    with pytest.raises(InputError, match=r'no constant "biass" is left open \(did you mean "bias"\?\)'):
        demospec.from_prism(stored("die"), episode=EPISODE, constants={"biass": 0.5})
    with pytest.raises(InputError, match=r"nowhere\.prism: cannot be read: No such file"):
        demospec.from_prism("nowhere.prism", episode=EPISODE)
    assert demospec.from_prism(stored("die"), episode=EPISODE, constants={"bias": 1}).states


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stormpy", None)
    with pytest.raises(
        InputError, match=r'PRISM model needs the package stormpy: pip install "demospec\[storm\]"'
    ):
        demospec.from_prism(stored("die"), episode=EPISODE)

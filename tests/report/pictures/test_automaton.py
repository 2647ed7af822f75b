"""Pictures of automata are judged from their SVG text alone: parsed, measured, counted."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from itertools import combinations

import pytest
from drawn import Picture, number_of

from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.svg import bezier
from demospec.tasks.dfa import DFA

PAPER_AUTOMATA = [
    DFA.parse(line, "rybg")
    for line in (
        ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2",
        ">0: b→3, r→2, y→1 | *1: g→0, r→2 | 2: | 3: g→0, r→2",
        ">0: r→2, y→1 | *1: b→3, r→2 | 2: | 3: g→4, r→2 | 4: y→1, r→2, b→3",
    )
]
PAPER_AUTOMATA += [dfa.minimal for dfa in PAPER_AUTOMATA]


def random_dfa(seed: int, states: int, letters: str = "rybg") -> DFA:
    rng = random.Random(seed)
    return DFA.build(
        alphabet=letters,
        states=states,
        accepting=[s for s in range(states) if rng.random() < 0.4],
        transitions=[
            (s, a, rng.randrange(states)) for s in range(states) for a in letters if rng.random() < 0.7
        ],
    )


RANDOM_AUTOMATA = [random_dfa(seed, 2 + seed % 5) for seed in range(40)]


@pytest.mark.parametrize("dfa", [*PAPER_AUTOMATA, *RANDOM_AUTOMATA[:20], random_dfa(1, 30)])
def test_every_pair_of_ends_has_one_arrow_and_every_letter_one_chip(dfa: DFA) -> None:
    picture = Picture(automaton_svg(dfa))
    pairs = {(source, target) for source, _, target in dfa.changes()}
    assert set(picture.edges) == pairs
    assert len(picture.all("edge")) == len(picture.all("head")) == len(picture.labels) == len(pairs)
    assert len(picture.all("chip")) == len(list(dfa.changes()))
    assert len(picture.all("state")) == dfa.states
    assert len(picture.all("accepting")) == sum(dfa.accepting)
    assert len(picture.all("start")) == 1


@pytest.mark.parametrize("dfa", PAPER_AUTOMATA)
def test_arrows_touch_their_own_states(dfa: DFA) -> None:
    picture = Picture(automaton_svg(dfa))
    for (source, target), curve in picture.edges.items():
        x, y, r = picture.circles[source]
        assert math.dist((x, y), curve[0]) == pytest.approx(r, abs=0.1)
        x, y, r = picture.circles[target]
        assert r < math.dist((x, y), curve[3]) < r + 15  # the head fills the rest


@pytest.mark.parametrize("dfa", PAPER_AUTOMATA)
def test_the_papers_automata_are_drawn_without_collisions(dfa: DFA) -> None:
    picture = Picture(automaton_svg(dfa))
    assert picture.pierced() == []
    assert picture.overlapping_labels() == 0
    assert picture.labels_on_circles() == 0


def test_random_automata_are_drawn_without_collisions() -> None:
    pictures = [Picture(automaton_svg(dfa)) for dfa in RANDOM_AUTOMATA]
    assert [picture.pierced() for picture in pictures if picture.pierced()] == []
    assert sum(picture.labels_on_circles() for picture in pictures) == 0
    assert sum(picture.overlapping_labels() for picture in pictures) == 0


def test_the_measurement_sees_a_collision() -> None:
    picture = Picture(automaton_svg(PAPER_AUTOMATA[0]))
    middle = picture.circles[2][:2]
    picture.edges[0, 1] = ((middle[0] - 60, middle[1]), middle, middle, (middle[0] + 60, middle[1]))
    assert ((0, 1), 2) in picture.pierced()
    picture.labels.append(picture.labels[0])
    assert picture.overlapping_labels() == 1


@pytest.mark.parametrize("states", [1, 2, 6, 12, 30])
def test_states_do_not_overlap_and_everything_is_on_the_page(states: int) -> None:
    picture = Picture(automaton_svg(random_dfa(states, states), title="t"))
    for (x, y, r), (u, v, s) in combinations(picture.circles, 2):
        assert math.dist((x, y), (u, v)) > r + s + 20
    left, top, width, height = map(float, picture.root.get("viewBox", "").split())
    points = [bezier(curve, k / 50) for curve in picture.edges.values() for k in range(51)]
    points += [corner for box in picture.labels for corner in (box[:2], box[2:])]
    points += [(x + side * r, y + side * r) for x, y, r in picture.circles for side in (-1, 1)]
    for x, y in points:
        assert left <= x <= left + width
        assert top <= y <= top + height


def test_layers_go_from_left_to_right() -> None:
    chain = DFA.parse(">0: a→1 | 1: a→2, b→0 | *2: b→0", "ab")
    (x0, *_), (x1, *_), (x2, *_) = Picture(automaton_svg(chain)).circles
    assert x0 < x1 < x2


def test_arrows_there_and_back_bend_apart() -> None:
    picture = Picture(automaton_svg(DFA.parse(">0: a→1 | *1: b→0", "ab")))
    there, back = bezier(picture.edges[0, 1], 0.5), bezier(picture.edges[1, 0], 0.5)
    assert math.dist(there, back) > 20


def test_many_letters_are_wrapped_and_long_letters_widen_their_chip() -> None:
    six = Picture(automaton_svg(DFA.parse(">0: a→1, b→1, c→1, d→1, e→1, f→1 | *1:", "abcdef")))
    assert len({chip.get("y") for chip in six.all("chip")}) == 2
    four = Picture(automaton_svg(DFA.parse(">0: a→1, b→1, c→1, d→1 | *1:", "abcd")))
    assert len({chip.get("y") for chip in four.all("chip")}) == 1
    long = Picture(automaton_svg(DFA.parse(">0: coffee_machine→1 | *1: x→0", ["coffee_machine", "x"])))
    widths = [number_of(chip, "width") for chip in long.all("chip")]
    assert widths[0] > 80 > 30 > widths[1]
    assert long.labels_on_circles() == 0


def test_light_transitions_are_dashed_and_only_they() -> None:
    dfa = DFA.parse(">0: a→1, b→1, c→2 | *1: | 2:", "abc")
    picture = Picture(automaton_svg(dfa, light=[(0, "b", 1), (0, "c", 2)]))
    dashed = {e.get("data-target") for e in picture.all("edge") if e.get("stroke-dasharray")}
    assert dashed == {"2"}, "the arrow to 1 keeps a letter that is not light"
    assert [bool(chip.get("stroke-dasharray")) for chip in picture.all("chip")] == [False, True, True]
    assert not [e for e in Picture(automaton_svg(dfa)).all("edge") if e.get("stroke-dasharray")]


def test_names_and_titles_are_escaped() -> None:
    letters = ["<&", '"', "a'b", "\x07"]
    dfa = DFA.build(alphabet=letters, states=2, accepting=[1], transitions=[(0, a, 1) for a in letters])
    texts = Picture(automaton_svg(dfa, title="<b> & co")).texts()
    assert {"<b> & co", "<&", '"', "a'b", "�"} <= set(texts)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_pictures_do_not_depend_on_the_process(hash_seed: str) -> None:
    program = (
        "import sys; from demospec.tasks.dfa import DFA; "
        "from demospec.report.pictures.automaton import automaton_svg; "
        "sys.stdout.buffer.write(automaton_svg(DFA.parse(sys.argv[1], 'rybg'), title='t').encode())"
    )
    dfa = RANDOM_AUTOMATA[4]
    done = subprocess.run(
        [sys.executable, "-c", program, str(dfa)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == automaton_svg(dfa, title="t")

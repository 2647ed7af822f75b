"""The pictures are judged from their SVG text alone: parsed, measured, counted."""

from __future__ import annotations

import math
import random
import re
import string
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import pytest

from demospec.report.automaton_svg import automaton_svg
from demospec.report.chart_svg import Band, band_chart
from demospec.report.colours import contrast, letter_colour, text_colour
from demospec.report.grid_svg import grid_svg
from demospec.report.svg import bezier, escape, number
from demospec.tasks.dfa import DFA

Box = tuple[float, float, float, float]
PAPER_AUTOMATA = [
    DFA.parse(line, "rybg")
    for line in (
        ">0: b→3, r→2, y→1 | *1: r→2 | 2: | 3: g→0, r→2",
        ">0: b→3, r→2, y→1 | *1: g→0, r→2 | 2: | 3: g→0, r→2",
        ">0: r→2, y→1 | *1: b→3, r→2 | 2: | 3: g→4, r→2 | 4: y→1, r→2, b→3",
    )
]
PAPER_AUTOMATA += [dfa.minimal for dfa in PAPER_AUTOMATA]
ROWS = ["..rr..r.", "........", "g.....r.", "......r.", "..bbbbr.", "......ry", "..bbbbr.", "y.....rg"]
PATH_A = [(5, 6), (4, 6), (3, 6), (2, 6), (1, 6), (1, 7), (1, 8)]
PATH_B = [(5, 6), (5, 7), (4, 7), (3, 7), (3, 6), (2, 6), (1, 6), (1, 5), (1, 4), (1, 3), (1, 4)]


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


class Picture:
    """What a drawn automaton shows, read back from its text."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        self.circles = [
            (number_of(c, "cx"), number_of(c, "cy"), number_of(c, "r")) for c in self.all("state")
        ]
        self.edges = {}
        for edge in self.all("edge"):
            x = [float(part) for part in re.findall(r"-?[\d.]+", edge.get("d", ""))]
            curve = ((x[0], x[1]), (x[2], x[3]), (x[4], x[5]), (x[6], x[7]))
            self.edges[int(number_of(edge, "data-source")), int(number_of(edge, "data-target"))] = curve
        self.labels = [box_of(label) for label in self.all("label")]

    def all(self, name: str) -> list[ElementTree.Element]:
        return [found for found in self.root.iter() if found.get("class") == name]

    def texts(self) -> list[str]:
        return [found.text or "" for found in self.root.iter() if found.tag.endswith("text")]

    def pierced(self) -> list[tuple[tuple[int, int], int]]:
        """Return the edges that touch a state which is not their end, with that state."""
        return [
            (ends, state)
            for ends, curve in self.edges.items()
            for state, (x, y, r) in enumerate(self.circles)
            if state not in ends
            and min(math.dist((x, y), bezier(curve, k / 100)) for k in range(101)) < r + 1
        ]

    def overlapping_labels(self) -> int:
        return sum(overlap(a, b) for a, b in combinations(self.labels, 2))

    def labels_on_circles(self) -> int:
        def distance(box: Box, x: float, y: float) -> float:
            return math.hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))

        return sum(distance(box, x, y) < r for box in self.labels for x, y, r in self.circles)


def number_of(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "nan"))


def box_of(rect: ElementTree.Element) -> Box:
    x, y, width, height = (number_of(rect, name) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


# -- automata ---------------------------------------------------------------------------------------


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
    letters = ["<&>", '"', "a'b", "\x07"]
    dfa = DFA.build(alphabet=letters, states=2, accepting=[1], transitions=[(0, a, 1) for a in letters])
    texts = Picture(automaton_svg(dfa, title="<b> & co")).texts()
    assert {"<b> & co", "<&>", '"', "a'b", "�"} <= set(texts)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_pictures_do_not_depend_on_the_process(hash_seed: str) -> None:
    program = (
        "import sys; from demospec.tasks.dfa import DFA; "
        "from demospec.report.automaton_svg import automaton_svg; "
        "sys.stdout.buffer.write(automaton_svg(DFA.parse(sys.argv[1], 'rybg'), title='t').encode())"
    )
    dfa = RANDOM_AUTOMATA[4]
    done = subprocess.run(
        [sys.executable, "-c", program, str(dfa)],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == automaton_svg(dfa, title="t")


# -- colours and text ---------------------------------------------------------------------------------


def test_text_on_letter_colours_can_be_read() -> None:
    for letter in [*string.printable, "coffee_machine", "office", "mail", "Ω", "茶"]:
        colour = letter_colour(letter)
        assert contrast(colour, text_colour(colour)) >= 4.5, letter


def test_small_letters_have_different_colours() -> None:
    assert len({letter_colour(letter) for letter in string.ascii_lowercase}) == 26


def test_grid_letters_differ_without_colour_vision() -> None:
    for one, other in combinations("rybg", 2):
        if {one, other} != {"b", "g"}:  # blue and brown are told apart by every kind of colour vision
            assert contrast(letter_colour(one), letter_colour(other)) > 1.45


def test_black_on_white_has_the_contrast_that_the_standard_names() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_numbers_and_escapes() -> None:
    assert [number(x) for x in (1.0, 1.005, -0.004, 12.3456, 100.0)] == ["1", "1", "0", "12.35", "100"]
    assert escape('<a href="x">&\ud800') == "&lt;a href=&quot;x&quot;&gt;&amp;�"


# -- charts -------------------------------------------------------------------------------------------


def chart(*bands: Band) -> Picture:
    return Picture(band_chart(bands, title="a < b", x_label="iteration", y_label="energy"))


def points_of(element: ElementTree.Element) -> list[tuple[float, float]]:
    pairs = [pair.split(",") for pair in element.get("points", "").split()]
    return [(float(x), float(y)) for x, y in pairs]


def test_a_chart_has_a_line_an_area_and_a_name_for_each_band() -> None:
    picture = chart(Band("one", [3, 2, 1], [2, 1, 0], [4, 3, 2]), Band("two & more", [5, 5], [4, 4], [6, 6]))
    one, two = (points_of(line) for line in picture.all("median"))
    assert (len(one), len(two)) == (3, 2)
    assert one[0][1] < one[1][1] < one[2][1], "smaller values lie lower"
    assert one[0][0] == two[0][0], "both begin with iteration 1"
    assert two[0][1] < one[0][1]
    assert len(picture.all("area")) == 2
    assert {"one", "two & more", "a < b", "iteration", "energy"} <= set(picture.texts())


def test_areas_enclose_their_median() -> None:
    picture = chart(Band("one", [3, 2], [1, 0], [4, 3]))
    (line,), (area,) = picture.all("median"), picture.all("area")
    upper, lower = points_of(area)[:2], points_of(area)[:1:-1]
    for (x, y), (u, high), (v, low) in zip(points_of(line), upper, lower, strict=True):
        assert x == u == v
        assert high < y < low


def test_infinite_medians_are_skipped_and_infinite_quartiles_reach_the_frame() -> None:
    inf = math.inf
    picture = chart(Band("late", [inf, inf, 5, 4, 4], [inf, 6, 4, 3, 3], [inf, inf, inf, 5, 5]))
    (line,) = picture.all("median")
    (area,) = picture.all("area")
    assert len(points_of(line)) == 3
    frame_top = min(number_of(grid, "y1") for grid in picture.all("grid"))
    assert points_of(area)[0][1] == pytest.approx(frame_top)
    assert "nan" not in ElementTree.tostring(picture.root, "unicode")


@pytest.mark.parametrize("value", [0.0, 3.0, -1e6, 1e-12])
@pytest.mark.parametrize("length", [1, 2, 40])
def test_equal_values_and_single_points_are_drawn(value: float, length: int) -> None:
    picture = chart(Band("flat", [value] * length, [value] * length, [value] * length))
    assert len(picture.all("point" if length == 1 else "median")) == 1
    top, *_, bottom = sorted(number_of(grid, "y1") for grid in picture.all("grid"))
    shown = picture.all("point")[0].get("cy") if length == 1 else points_of(picture.all("median")[0])[0][1]
    assert top < float(shown or "nan") < bottom


def test_a_chart_without_any_finite_value_says_so() -> None:
    assert "no finite values" in chart(Band("none", [math.inf], [math.inf], [math.inf])).texts()


def test_charts_refuse_what_they_cannot_draw() -> None:
    with pytest.raises(ValueError, match="at least one band"):
        chart()
    with pytest.raises(ValueError, match="found 2, 1 and 2"):
        Band("odd", [1, 2], [1], [2, 3])
    with pytest.raises(ValueError, match=r'band "empty".*at least 1'):
        Band("empty", [], [], [])


# -- grids --------------------------------------------------------------------------------------------


def test_a_grid_shows_its_cells_start_and_paths() -> None:
    picture = Picture(grid_svg(ROWS, start=(5, 6), paths=[PATH_A, PATH_B], title="x < y"))
    cells = picture.all("cell")
    fills = [cell.get("fill") for cell in cells]
    assert fills == ["#ffffff" if letter == "." else letter_colour(letter) for row in ROWS for letter in row]
    side = number_of(cells[0], "width")
    mark = picture.all("start")[0]
    assert (number_of(mark, "cx"), number_of(mark, "cy")) == (4.5 * side, 5.5 * side)
    assert len(picture.all("path")) == len(picture.all("head")) == 2
    assert picture.texts().count("r") == sum(row.count("r") for row in ROWS)
    assert {"x < y", "demonstration 1 (6 steps)", "demonstration 2 (10 steps)"} <= set(picture.texts())


def test_equal_paths_and_ways_back_stay_apart() -> None:
    there = [(1, 1), (2, 1), (3, 1)]
    picture = Picture(grid_svg(["..."], start=(1, 1), paths=[there, there, there[::-1]]))
    heights = [float(re.findall(r"-?[\d.]+", path.get("d", ""))[1]) for path in picture.all("path")]
    assert min(abs(a - b) for a, b in combinations(heights, 2)) >= 4
    colours = {path.get("stroke") for path in picture.all("path")}
    assert len(colours) == 3


def test_paths_stay_inside_the_cells_they_visit() -> None:
    picture = Picture(grid_svg(["....."], start=(1, 1), paths=[[(1, 1), (5, 1)]] * 12))
    side = number_of(picture.all("cell")[0], "height")
    for path in picture.all("path"):
        assert 0 < float(re.findall(r"-?[\d.]+", path.get("d", ""))[1]) < side


@pytest.mark.parametrize(
    "path", [[], [(1, 1)], [(1, 1), (1, 1)], [(1, 1), (2, 2), (1, 1)], [(2, 2), (1, 1)] * 3]
)
def test_odd_paths_are_drawn(path: list[tuple[int, int]]) -> None:
    picture = Picture(grid_svg(["a<", "&."], start=(1, 1), paths=[path]))
    assert len(picture.all("path")) == (len(set(path)) > 1)
    assert {"<", "&"} <= set(picture.texts())


def test_grids_refuse_what_is_not_on_the_map() -> None:
    with pytest.raises(
        ValueError, match=r"the start: cell \(9, 6\) is not on the map of 8 columns and 8 rows"
    ):
        grid_svg(ROWS, start=(9, 6))
    with pytest.raises(ValueError, match=r"demonstration 2, step 1: cell \(0, 6\)"):
        grid_svg(ROWS, start=(5, 6), paths=[PATH_A, [(1, 6), (0, 6)]])
    with pytest.raises(ValueError, match="map row 2 has 1 cells where row 1 has 2"):
        grid_svg(["..", "."], start=(1, 1))

"""What a picture shows, read back from its SVG text."""

from __future__ import annotations

import math
import re
from itertools import combinations
from xml.etree import ElementTree

from demospec.report.pictures.svg import bezier

Box = tuple[float, float, float, float]


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


def points_of(element: ElementTree.Element) -> list[tuple[float, float]]:
    pairs = [pair.split(",") for pair in element.get("points", "").split()]
    return [(float(x), float(y)) for x, y in pairs]

"""Bars: surprise by step, how likely each value is. Lines: medians with quartiles, iteration by iteration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from demospec.report.pictures.colours import Paint, paint
from demospec.report.pictures.svg import (
    Look,
    Point,
    area,
    chip,
    chip_width,
    element,
    number,
    page,
    path_to,
    polygon,
    text,
    text_width,
)

HEIGHT = 130.0  # of the highest bar
SLOT, BAR = 34.0, 20.0  # a step's room, and its bar
LEFT, BAR_MARGIN = 46.0, 10.0
BAR_TEXT = 11.0


@dataclass(frozen=True)
class StepBar:
    """A step of a run: its surprise in nats under the task, and without it; the letter that is read."""

    surprise: float
    without: float
    letter: str | None = None


def step_bars(steps: Sequence[StepBar], *, run: int, title: str, top: float = 0.0) -> str:
    """Draw the surprise of each step, from step 1; a line marks what it is without the task.

    `top` is the highest value of the scale, the same for all runs of a page. It is a live picture: each step
    has `data-run` and `data-step`.
    """
    look = paint(live=True)
    finite = [value for step in steps for value in (step.surprise, step.without) if math.isfinite(value)]
    most = max(top, 0.1, *finite)
    ticks = nice_ticks(most)
    scale = HEIGHT / ticks[-1]
    slot = max([SLOT, *(chip_width(step.letter) + 4 for step in steps if step.letter)])
    right = LEFT + slot * len(steps)
    bottom = 16 + HEIGHT
    body = []
    for tick in ticks:
        y = bottom - scale * tick
        body.append(element("line", x1=LEFT, x2=right, y1=y, y2=y, stroke=look.faint))
        body.append(text(LEFT - 7, y, f"{tick:g}", size=BAR_TEXT, fill=look.muted, text_anchor="end"))
    for k, step in enumerate(steps, start=1):
        middle = LEFT + slot * (k - 0.5)
        height = scale * min(step.surprise, ticks[-1])
        level = bottom - scale * min(step.without, ticks[-1])
        ends: Look = {"x1": middle - BAR / 2 - 4, "x2": middle + BAR / 2 + 4}
        bar = area(middle - BAR / 2, bottom - max(height, 1.5), BAR, max(height, 1.5))
        parts = [
            element("rect", class_="bar", **bar, rx=2, fill=look.line(0)),
            element("line", class_="without", **ends, y1=level, y2=level, stroke=look.ink, stroke_width=2),
            text(middle, bottom + 12, str(k), size=BAR_TEXT, fill=look.muted),
        ]
        if not math.isfinite(step.surprise):
            parts.append(text(middle, bottom - height - 8, "∞", size=14, fill=look.ink))
        if step.letter:
            parts.append(chip(middle - chip_width(step.letter) / 2, bottom + 32, step.letter, paint=look))
        hit = element("rect", class_="hit", x=middle - slot / 2, width=slot, height=bottom + 40, opacity=0)
        body.append(element("g", *parts, hit, class_="step", data_run=run, data_step=k))
    width = right + BAR_MARGIN
    return page(body, width=width, height=bottom + 48, title=title, paint=look, kind="chart")


def nice_ticks(most: float) -> list[float]:
    """Return 0 and a few round numbers, the last of them at least `most`.

    >>> nice_ticks(1.4), nice_ticks(7)
    ([0.0, 0.5, 1.0, 1.5], [0.0, 2.0, 4.0, 6.0, 8.0])
    """
    unit = 10.0 ** math.floor(math.log10(most))
    step = next(unit * part for part in (0.2, 0.5, 1, 2, 5, 10) if most <= 4 * unit * part + 1e-9)
    return [round(step * k, 10) for k in range(math.ceil(most / step - 1e-9) + 1)]


def share_bars(values: Sequence[tuple[str, float]], *, title: str) -> str:
    """Draw how likely each value is, as a bar with its percentage on top. It is a live picture."""
    look = paint(live=True)
    most = max(share for _, share in values)
    slot = max(44.0, *(text_width(name, BAR_TEXT) + 12 for name, _ in values))
    bottom = 22 + HEIGHT * 0.7
    right = BAR_MARGIN + slot * len(values)
    body = [element("line", x1=BAR_MARGIN, x2=right, y1=bottom, y2=bottom, stroke=look.muted)]
    for k, (name, share) in enumerate(values):
        middle = BAR_MARGIN + slot * (k + 0.5)
        height = max(1.0, HEIGHT * 0.7 * share / most)
        bar = area(middle - BAR / 2 - 3, bottom - height, BAR + 6, height)
        label = f"{100 * share:.0f} %" if share >= 0.005 else ""  # what rounds to nothing is not written
        body.append(element("rect", **bar, rx=2, fill=look.line(0)))
        body.append(text(middle, bottom - height - 8, label, size=BAR_TEXT, fill=look.ink))
        body.append(text(middle, bottom + 12, name, size=BAR_TEXT, fill=look.muted))
    width = right + BAR_MARGIN
    return page(body, width=width, height=bottom + 24, title=title, paint=look, kind="chart")


# -- Line charts of a median with its quartile range, iteration by iteration -----------------------------

WIDTH, PLOT_HEIGHT = 640.0, 260.0
MARGIN = 20.0
LINE_HEIGHT = 22.0
SMALL, NORMAL, LARGE = 11.0, 12.0, 14.0  # font sizes


@dataclass(frozen=True)
class Band:
    """One line of a chart: entry k of each sequence belongs to iteration k + 1."""

    name: str
    median: Sequence[float]
    low: Sequence[float]  # the lower quartile
    high: Sequence[float]  # the upper quartile

    def __post_init__(self) -> None:
        one, two, three = len(self.median), len(self.low), len(self.high)
        if not 0 < one == two == three:
            must = "median, low and high must have one length, at least 1"
            raise ValueError(f'band "{self.name}": {must}; found {one}, {two} and {three}')


@dataclass(frozen=True)
class _Frame:
    """The plotting area and the range of values that it shows."""

    left: float
    top: float
    right: float
    bottom: float
    iterations: int
    least: float
    greatest: float

    def x(self, iteration: int) -> float:
        if self.iterations == 1:
            return (self.left + self.right) / 2
        return self.left + (iteration - 1) / (self.iterations - 1) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the height of a value; what lies beyond the range is put on the frame."""
        value = min(self.greatest, max(self.least, value))
        return self.bottom - (value - self.least) / (self.greatest - self.least) * (self.bottom - self.top)


def band_chart(bands: Sequence[Band], *, title: str, x_label: str, y_label: str, live: bool = False) -> str:
    """Draw each band's median as a line and its quartile range as an area, against iterations 1, 2, ….

    Where a median is not finite, nothing has been found yet: the point is skipped. A quartile that is
    infinite beside a finite median reaches the frame.
    """
    if not bands:
        raise ValueError("a chart needs at least one band; found none")
    values = [
        v for band in bands for row in (band.median, band.low, band.high) for v in row if math.isfinite(v)
    ]
    ticks = _ticks(min(values, default=0.0), max(values, default=1.0))
    decimals = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9))
    tick_names = [f"{tick:.{decimals}f}" for tick in ticks]

    left = MARGIN + LINE_HEIGHT + 8 + max(text_width(name, SMALL) for name in tick_names)
    longest_name = max(text_width(band.name, NORMAL) for band in bands)
    width = max(WIDTH, text_width(title, LARGE) + 2 * MARGIN, left + 30 + longest_name + MARGIN)
    right = width - MARGIN - 6
    entries = list(_legend_places(bands, left, right))
    top = MARGIN + (LINE_HEIGHT if title else 0) + LINE_HEIGHT * (entries[-1][1] + 1) + 4
    iterations, look = max(len(band.median) for band in bands), paint(live)
    frame = _Frame(left, top, right, top + PLOT_HEIGHT, iterations, ticks[0], ticks[-1])

    head = text(width / 2, MARGIN + 4, title, size=LARGE, font_weight="bold", fill=look.ink)
    body = [head] if title else []
    legend_top = top - 4 - LINE_HEIGHT * (entries[-1][1] + 0.5)
    for k, (band, (x, row)) in enumerate(zip(bands, entries, strict=True)):
        body += _legend_entry(band.name, k, x, legend_top + row * LINE_HEIGHT, look)
    body += _axes(frame, ticks, tick_names, look)
    body.append(text((left + right) / 2, frame.bottom + 38, x_label, size=NORMAL, fill=look.muted))
    middle = (frame.top + frame.bottom) / 2
    turn = f"rotate(-90 {number(MARGIN + 2)} {number(middle)})"
    body.append(text(MARGIN + 2, middle, y_label, size=NORMAL, fill=look.muted, transform=turn))
    if not values:
        body.append(text((left + right) / 2, middle, "no finite values", size=NORMAL, fill=look.muted))
    body += [_area(band, frame, look.line(k)) for k, band in enumerate(bands)]
    body += [_line(band, frame, look.line(k)) for k, band in enumerate(bands)]
    return page(body, width=width, height=frame.bottom + 38 + MARGIN, title=title, paint=look, kind="chart")


def _ticks(least: float, greatest: float, count: int = 6) -> list[float]:
    """Return about `count` round values, at equal steps of 1, 2 or 5 · 10ᵏ, that enclose the range."""
    if greatest - least <= 1e-9 * max(abs(least), abs(greatest)):
        room = 0.5 if abs(least) < 10 else abs(least) / 20
        least, greatest = least - room, greatest + room
    rough = (greatest - least) / count
    power: float = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(least / step + 1e-9), math.ceil(greatest / step - 1e-9)
    return [k * step for k in range(first, last + 1)]


def _iteration_ticks(iterations: int) -> list[int]:
    """Return 1 and round numbers up to the last iteration."""
    if iterations <= 10:
        return list(range(1, iterations + 1))
    step = max(1, round((ticks := _ticks(0, iterations, 8))[1] - ticks[0]))
    return [1, *(k for k in range(step, iterations + 1, step) if k > 1 + step / 3)]


def _axes(frame: _Frame, ticks: Sequence[float], names: Sequence[str], look: Paint) -> list[str]:
    parts = []
    for tick, name in zip(ticks, names, strict=True):
        y = frame.y(tick)
        ends: Look = {"x1": frame.left, "x2": frame.right, "y1": y, "y2": y}
        parts.append(element("line", class_="grid", **ends, stroke=look.faint))
        parts.append(text(frame.left - 8, y, name, size=SMALL, fill=look.muted, text_anchor="end"))
    for tick in _iteration_ticks(frame.iterations):
        x = frame.x(tick)
        parts.append(element("line", x1=x, x2=x, y1=frame.bottom, y2=frame.bottom + 4, stroke=look.ink))
        parts.append(text(x, frame.bottom + 14, str(tick), size=SMALL, fill=look.muted))
    corner = f"{path_to('M', (frame.left, frame.top))}V{number(frame.bottom)}H{number(frame.right)}"
    return [*parts, element("path", class_="axes", d=corner, fill="none", stroke=look.ink, stroke_width=1.2)]


def _legend_places(bands: Sequence[Band], left: float, right: float) -> Iterator[tuple[float, int]]:
    """Yield the x and the row of each legend entry; a full row is followed by another."""
    x, row = left, 0
    for band in bands:
        width = 30 + text_width(band.name, NORMAL) + 18
        if x > left and x + width > right + 18:
            x, row = left, row + 1
        yield x, row
        x += width


def _legend_entry(name: str, k: int, x: float, y: float, look: Paint) -> list[str]:
    colour = look.line(k)
    return [
        element("rect", x=x, y=y - 6, width=22, height=12, rx=2, fill=colour, fill_opacity=0.18),
        element("line", x1=x, x2=x + 22, y1=y, y2=y, stroke=colour, stroke_width=2.2),
        text(x + 29, y, name, size=NORMAL, text_anchor="start", class_="legend", fill=look.ink),
    ]


def _stretches(band: Band, frame: _Frame) -> Iterator[tuple[list[Point], list[Point], list[Point]]]:
    """Yield the points of the median, and of the lower and upper quartile, where medians are finite."""
    for finite, run in groupby(range(len(band.median)), key=lambda k: math.isfinite(band.median[k])):
        if finite:
            points = []
            for k in run:
                x, median = frame.x(k + 1), band.median[k]  # which stands in for what is not a number
                values = (median, band.low[k], band.high[k])
                points.append([(x, frame.y(median if math.isnan(value) else value)) for value in values])
            medians, lower, upper = (list(line) for line in zip(*points, strict=True))
            yield medians, lower, upper


def _area(band: Band, frame: _Frame, colour: str) -> str:
    parts = []
    for _, lower, upper in _stretches(band, frame):
        if len(lower) == 1:  # an area without width would not be seen
            ((x, low),), ((_, high),) = lower, upper
            look: Look = {"stroke": colour, "stroke_width": 8, "stroke_opacity": 0.18}
            parts.append(element("line", x1=x, x2=x, y1=low, y2=high, **look))
            continue
        parts.append(polygon([*upper, *reversed(lower)], class_="area", fill=colour, fill_opacity=0.18))
    return element("g", *parts)


def _line(band: Band, frame: _Frame, colour: str) -> str:
    parts = []
    for points, _, _ in _stretches(band, frame):
        if len(points) == 1:
            ((x, y),) = points
            parts.append(element("circle", class_="point", cx=x, cy=y, r=4, fill=colour))
            continue
        route = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        look: Look = {"stroke": colour, "stroke_width": 2.2, "stroke_linejoin": "round"}
        parts.append(element("polyline", class_="median", points=route, fill="none", **look))
    return element("g", *parts)

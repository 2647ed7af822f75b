"""Bar charts: how surprising a run is step by step, and how likely each value of a number is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from demospec.report.pictures.colours import Paint, paint
from demospec.report.pictures.svg import chip, chip_width, element, page, text, text_width

HEIGHT = 130.0  # of the highest bar
SLOT, BAR = 34.0, 20.0  # a step's room, and its bar
LEFT, MARGIN = 46.0, 10.0
SMALL = 11.0


@dataclass(frozen=True)
class StepBar:
    """A step of a run: its surprise in nats under the task, and without it; the letter that is read."""

    surprise: float
    without: float
    letter: str | None = None


def step_bars(steps: Sequence[StepBar], *, run: int, title: str, top: float | None = None) -> str:
    """Draw the surprise of each step, from step 1; a line marks what it is without the task.

    `top` is the highest value of the scale, the same for all runs of a page. It is a live picture: each step
    has `data-run` and `data-step`.
    """
    look = paint(live=True)
    finite = [value for step in steps for value in (step.surprise, step.without) if math.isfinite(value)]
    most = max(top or 0.0, max(finite, default=0.0), 0.1)
    ticks = nice_ticks(most)
    scale = HEIGHT / ticks[-1]
    slot = max([SLOT, *(chip_width(step.letter) + 4 for step in steps if step.letter)])
    right = LEFT + slot * len(steps)
    bottom = 16 + HEIGHT
    body = list(axis(ticks, bottom, right, scale, look))
    for k, step in enumerate(steps, start=1):
        middle = LEFT + slot * (k - 0.5)
        height = scale * min(step.surprise, ticks[-1])
        level = bottom - scale * min(step.without, ticks[-1])
        ends: dict[str, str | float] = {"x1": middle - BAR / 2 - 4, "x2": middle + BAR / 2 + 4}
        parts = [
            element(
                "rect",
                class_="bar",
                x=middle - BAR / 2,
                y=bottom - max(height, 1.5),
                width=BAR,
                height=max(height, 1.5),
                rx=2,
                fill=look.line(0),
            ),
            element("line", class_="without", **ends, y1=level, y2=level, stroke=look.ink, stroke_width=2),
            text(middle, bottom + 12, str(k), size=SMALL, fill=look.muted),
        ]
        if not math.isfinite(step.surprise):
            parts.append(text(middle, bottom - height - 8, "∞", size=14, fill=look.ink))
        if step.letter:
            parts.append(chip(middle - chip_width(step.letter) / 2, bottom + 32, step.letter, paint=look))
        hit = element("rect", class_="hit", x=middle - slot / 2, width=slot, height=bottom + 40, opacity=0)
        body.append(element("g", *parts, hit, class_="step", data_run=run, data_step=k))
    size = right + MARGIN, bottom + 48
    return page(body, width=size[0], height=size[1], title=title, paint=look, kind="chart")


def axis(ticks: Sequence[float], bottom: float, right: float, scale: float, look: Paint) -> list[str]:
    """Draw the lines of a scale with their numbers."""
    parts = []
    for tick in ticks:
        y = bottom - scale * tick
        parts.append(element("line", x1=LEFT, x2=right, y1=y, y2=y, stroke=look.faint))
        parts.append(text(LEFT - 7, y, f"{tick:g}", size=SMALL, fill=look.muted, text_anchor="end"))
    return parts


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
    slot = max(44.0, *(text_width(name, SMALL) + 12 for name, _ in values))
    bottom = 22 + HEIGHT * 0.7
    body = [
        element("line", x1=MARGIN, x2=MARGIN + slot * len(values), y1=bottom, y2=bottom, stroke=look.muted)
    ]
    for k, (name, share) in enumerate(values):
        middle = MARGIN + slot * (k + 0.5)
        height = max(1.0, HEIGHT * 0.7 * share / most)
        size: dict[str, str | float] = {"width": BAR + 6, "height": height, "rx": 2}
        body.append(element("rect", x=middle - BAR / 2 - 3, y=bottom - height, **size, fill=look.line(0)))
        body.append(text(middle, bottom - height - 8, percent(share), size=SMALL, fill=look.ink))
        body.append(text(middle, bottom + 12, name, size=SMALL, fill=look.muted))
    width = 2 * MARGIN + slot * len(values)
    return page(body, width=width, height=bottom + 24, title=title, paint=look, kind="chart")


def percent(share: float) -> str:
    """Write a share on a bar; what rounds to nothing is not written.

    >>> percent(0.125), percent(0.001)
    ('12 %', '')
    """
    return f"{100 * share:.0f} %" if share >= 0.005 else ""

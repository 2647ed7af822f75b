"""A problem: the worlds, what was shown in them, and what is assumed about agent and task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demospec.later import loading

if TYPE_CHECKING:
    from demospec.problem.problem import CODES, Code, Problem, Weights, accepted_demonstrations
    from demospec.problem.settings import METHODS, PaperSettings, Settings

__all__ = [
    "CODES",
    "METHODS",
    "Code",
    "PaperSettings",
    "Problem",
    "Settings",
    "Weights",
    "accepted_demonstrations",
]

if not TYPE_CHECKING:
    __getattr__ = loading(  # whoever asks for settings does not wait for worlds and tasks
        __name__,
        {
            "demospec.problem.problem": ("CODES", "Code", "Problem", "Weights", "accepted_demonstrations"),
            "demospec.problem.settings": ("METHODS", "PaperSettings", "Settings"),
        },
    )

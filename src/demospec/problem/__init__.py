"""A problem: the worlds, what was shown in them, and what is assumed about agent and task."""

from demospec.problem.problem import CODES, Code, Problem, accepted_demonstrations
from demospec.problem.settings import METHODS, PaperSettings, Settings
from demospec.problem.weights import Weights

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

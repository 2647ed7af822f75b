"""A problem: the worlds, what was shown in them, and what is assumed about agent and task."""

from demospec.problem.problem import Problem, accepted_demonstrations
from demospec.problem.settings import METHODS, Settings
from demospec.problem.weights import Weights

__all__ = ["METHODS", "Problem", "Settings", "Weights", "accepted_demonstrations"]

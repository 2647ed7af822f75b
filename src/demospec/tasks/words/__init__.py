"""From an automaton to words: what a task says, in clauses, in a formula, or state by state."""

from demospec.tasks.words.comparison import Comparison, compare, missing, over
from demospec.tasks.words.conjunction import BRIEF, Budget
from demospec.tasks.words.description import Description, describe
from demospec.tasks.words.place import EVERYWHERE, Place

__all__ = [
    "BRIEF",
    "EVERYWHERE",
    "Budget",
    "Comparison",
    "Description",
    "Place",
    "compare",
    "describe",
    "missing",
    "over",
]

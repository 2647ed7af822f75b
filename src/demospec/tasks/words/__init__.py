"""From an automaton to words: what a task says, in clauses, in a formula, or state by state."""

from demospec.tasks.words.clauses import BRIEF, Budget
from demospec.tasks.words.comparison import Comparison, compare, missing, over
from demospec.tasks.words.description import Description, describe

__all__ = ["BRIEF", "Budget", "Comparison", "Description", "compare", "describe", "missing", "over"]

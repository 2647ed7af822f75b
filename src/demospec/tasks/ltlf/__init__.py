"""Formulas of linear temporal logic on finite words, past included: text, meaning, automaton."""

from demospec.tasks.ltlf.syntax import parse_formula
from demospec.tasks.ltlf.translate import automaton_of, holds

__all__ = ["automaton_of", "holds", "parse_formula"]

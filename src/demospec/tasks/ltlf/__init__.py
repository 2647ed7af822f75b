"""Formulas of linear temporal logic on finite words, past included: text, meaning, automaton."""

from demospec.tasks.ltlf.syntax import Binary, Constant, Formula, Letter, Many, Unary, parse_formula
from demospec.tasks.ltlf.translate import automaton_of, holds

__all__ = [
    "Binary",
    "Constant",
    "Formula",
    "Letter",
    "Many",
    "Unary",
    "automaton_of",
    "holds",
    "parse_formula",
]

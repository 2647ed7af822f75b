"""Formulas: expressions over variables and coins as text, so that a factored world can be a file.

    if slip then place else clip(place, place - 1)
    place == 4 and not any(lamp[i] for i in 0..3)

From loose to tight: `if … then … else …`; `or`; `xor`; `and`; `not`; `==` `!=` `<` `<=` `>` `>=`; `+` `-`.
Whether something is a condition or a number is known from the text alone, and so are bounds of a number.
"""

from demospec.worlds.formulas.language import Kind, Names
from demospec.worlds.formulas.reader import parse
from demospec.worlds.formulas.targets import Target, parse_effects, parse_targets
from demospec.worlds.formulas.writer import quoted, written

__all__ = ["Kind", "Names", "Target", "parse", "parse_effects", "parse_targets", "quoted", "written"]

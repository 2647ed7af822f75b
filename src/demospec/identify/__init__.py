"""From labelled examples to the smallest consistent tasks, by size."""

from demospec.identify.base import Identifier, check_class
from demospec.identify.classes import (
    AutomatonClass,
    CoSafety,
    IgnoresRepeats,
    ImpliedBy,
    Implies,
    Monotone,
    ReachAvoid,
    Safety,
    SameEffect,
    by_name,
)
from demospec.identify.exact import ExactIdentifier, smallest
from demospec.identify.sat import smallest_by_sat

__all__ = [
    "AutomatonClass",
    "CoSafety",
    "ExactIdentifier",
    "Identifier",
    "IgnoresRepeats",
    "ImpliedBy",
    "Implies",
    "Monotone",
    "ReachAvoid",
    "Safety",
    "SameEffect",
    "by_name",
    "check_class",
    "smallest",
    "smallest_by_sat",
]

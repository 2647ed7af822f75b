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
from demospec.identify.sat import SatIdentifier, smallest

__all__ = [
    "AutomatonClass",
    "CoSafety",
    "Identifier",
    "IgnoresRepeats",
    "ImpliedBy",
    "Implies",
    "Monotone",
    "ReachAvoid",
    "Safety",
    "SameEffect",
    "SatIdentifier",
    "by_name",
    "check_class",
    "smallest",
]

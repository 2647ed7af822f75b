"""From labelled examples to the smallest consistent tasks, by size."""

from typing import TYPE_CHECKING

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
from demospec.later import loading

if TYPE_CHECKING:
    from demospec.identify.decomposition import (
        DecomposingIdentifier,
        smallest_by_sat,
        smallest_decompositions,
    )
    from demospec.identify.merging import MergingIdentifier, merge_states
    from demospec.identify.noise import Noisy, trade_off, with_flips

__all__ = [
    "AutomatonClass",
    "CoSafety",
    "DecomposingIdentifier",
    "ExactIdentifier",
    "Identifier",
    "IgnoresRepeats",
    "ImpliedBy",
    "Implies",
    "MergingIdentifier",
    "Monotone",
    "Noisy",
    "ReachAvoid",
    "Safety",
    "SameEffect",
    "by_name",
    "check_class",
    "merge_states",
    "smallest",
    "smallest_by_sat",
    "smallest_decompositions",
    "trade_off",
    "with_flips",
]

if not TYPE_CHECKING:
    __getattr__ = loading(
        __name__,
        {
            "demospec.identify.decomposition": (
                "DecomposingIdentifier",
                "smallest_by_sat",
                "smallest_decompositions",
            ),
            "demospec.identify.merging": ("MergingIdentifier", "merge_states"),
            "demospec.identify.noise": ("Noisy", "trade_off", "with_flips"),
        },
    )

"""What a bit and a nat cost: the weights of the energy, and of the belief."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from demospec.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Energy = size_weight · size (bits) + surprise_weight · surprise (nats).

    The belief prices a bit with `belief_size_weight` instead: see docs/weights.md. `by_rule` tells that the
    size's weight was not given, but follows from the number of demonstrations.
    """

    size_weight: float = 0.02
    surprise_weight: float = 1.0
    belief_size_weight: float = 0.3
    by_rule: bool = False

    def __post_init__(self) -> None:
        for name in ("size_weight", "surprise_weight", "belief_size_weight"):
            weight = getattr(self, name)
            if not (0 <= weight < math.inf):
                raise InputError(f"{name} must be a finite number of at least 0; found {weight:g}")

    def for_words(self) -> Weights:
        """Return the weights where sizes are a prior's: a bit is ln 2 nats, unless a weight was given."""
        if not self.by_rule:
            return self
        return replace(self, size_weight=math.log(2), belief_size_weight=math.log(2))

    def for_demonstrations(self, count: int) -> Weights:
        """Return the weights for so many demonstrations: by rule, 0.02·√n nats for a bit, at most ln 2.

        >>> round(Weights(by_rule=True).for_demonstrations(20).size_weight, 4)
        0.0894
        """
        if not self.by_rule:
            return self
        return replace(self, size_weight=min(0.02 * math.sqrt(max(1, count)), math.log(2)))

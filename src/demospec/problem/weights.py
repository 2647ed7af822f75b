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

    def for_demonstrations(self, count: int, *, in_words: bool) -> Weights:
        """Return the weights for so many demonstrations; those that were given stay as they are.

        By rule a bit is 0.02·√n nats, at most ln 2. Where sizes are a prior's it is ln 2 nats.

        >>> round(Weights(by_rule=True).for_demonstrations(20, in_words=False).size_weight, 4)
        0.0894
        """
        if not self.by_rule:
            return self
        if in_words:
            return replace(self, size_weight=math.log(2), belief_size_weight=math.log(2))
        return replace(self, size_weight=min(0.02 * math.sqrt(max(1, count)), math.log(2)))

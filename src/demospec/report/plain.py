"""What documents are made of."""

from __future__ import annotations

import math
from typing import Any

Document = dict[str, Any]


def finite(number: float) -> float | None:
    """Return a number that JSON can hold; infinite and undefined ones are null."""
    return number if math.isfinite(number) else None

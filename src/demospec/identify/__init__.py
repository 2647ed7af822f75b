"""From labelled examples to the smallest consistent tasks, by size."""

from demospec.identify.base import Identifier, check_class
from demospec.identify.sat import SatIdentifier, smallest

__all__ = ["Identifier", "SatIdentifier", "check_class", "smallest"]

"""All numbers of a plan at once, [H, M, S]."""

from __future__ import annotations

import numpy as np

from demospec.plan.base import ACCEPTED
from demospec.plan.tabular import TabularPlan
from demospec.worlds.mdp import Floats


def places(made: TabularPlan) -> list[np.ndarray]:
    return list(np.indices((made.mdp.horizon, made.monitor.states, len(made.mdp.states))))


def value_table(made: TabularPlan) -> Floats:
    return made.values(*places(made))


def chance_table(made: TabularPlan, label: int = ACCEPTED) -> Floats:
    return made.chances(label, *places(made))

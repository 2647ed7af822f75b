"""Conformance of planners: one call checks a planner of one's own against enumeration and the laws of plans.

The first number that is wrong ends the check with one message: the law, the seed, the place, what was found
and what was expected. Plans are asked only about where an episode can be.

>>> from demospec.plan.tabular import TabularPlanner
>>> report = check_planner(TabularPlanner(), seeds=[0])
>>> list(report.compared) == list(LAWS)
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from demospec.plan.base import Planner
from demospec.testing import consistency_of_plans as consistency
from demospec.testing import truth_of_plans as truth
from demospec.testing.checks import Check, Report, chosen_laws, run_laws

LAWS: dict[str, Callable[[Check, np.random.Generator], None]] = {
    "V, Q and labels are those of all histories": truth.all_histories,
    "OPEN is what the prior leaves open": truth.a_prior,
    "REVOCABLE is what the lower bound leaves open": truth.a_lower_bound,
    "outcomes as rare as 1e-12 count": truth.rare_outcomes,
    "an aimless agent counts paths": truth.counted_paths,
    "dead ends, loops and goals out of reach": truth.extremes,
    "the policy sums to one": consistency.policy,
    "V is the soft backup of V one step later": consistency.backup,
    "labels fit together": consistency.labels,
    "success grows with rationality": consistency.success_grows,
    "many tasks at once are many tasks": consistency.many_at_once,
    "the same bytes again": consistency.same_bytes,
    "arrays are many numbers": consistency.arrays,
    "episodes begin as the world says": truth.several_starts,
}


def check_planner(
    planner: Planner,
    *,
    tolerance: float = 1e-9,
    seeds: Iterable[int] = range(3),
    standard_errors: float = 0.0,
    laws: Iterable[str] | None = None,
) -> Report:
    """Check a planner; an AssertionError tells the first thing that is wrong.

    A number may be off by `tolerance`, relative where it is larger than 1. A planner that estimates is given
    `standard_errors`: what it says of the true world may be off by so many of its own besides, which its
    plans tell (`Estimate`). It still has to fit together to within `tolerance` in the world that its plans
    hold: the policy sums to one, the backup holds. `laws` are names from `LAWS`; all of them unless given.
    """
    chosen = chosen_laws(laws, LAWS)
    check = Check(planner, tolerance, standard_errors)
    return run_laws(check, LAWS, chosen, seeds)

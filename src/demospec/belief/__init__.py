"""What the demonstrations determine, and what they do not: a belief over the tasks that were scored."""

from demospec.belief.answers import Credible
from demospec.belief.belief import Belief, acceptance, possible, possible_labels, task_cost
from demospec.belief.claims import Claim, Claims, claims_of
from demospec.belief.findings import Findings, findings_of

__all__ = [
    "Belief",
    "Claim",
    "Claims",
    "Credible",
    "Findings",
    "acceptance",
    "claims_of",
    "findings_of",
    "possible",
    "possible_labels",
    "task_cost",
]

"""What the demonstrations determine, and what they do not: a belief over the tasks that were scored."""

from demospec.belief.claims import Claim, Claims, claims_of
from demospec.belief.credible import Credible
from demospec.belief.findings import Findings, findings_of
from demospec.belief.labels import possible, possible_labels
from demospec.belief.weights import Belief, acceptance, cost

__all__ = [
    "Belief",
    "Claim",
    "Claims",
    "Credible",
    "Findings",
    "acceptance",
    "claims_of",
    "cost",
    "findings_of",
    "possible",
    "possible_labels",
]

"""What the demonstrations determine, and what they do not: a belief over the tasks that were scored."""

from demospec.belief.findings import Findings, findings_of
from demospec.belief.labels import possible, possible_labels
from demospec.belief.weights import Belief, acceptance, cost

__all__ = ["Belief", "Findings", "acceptance", "cost", "findings_of", "possible", "possible_labels"]

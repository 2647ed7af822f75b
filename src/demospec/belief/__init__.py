"""What the demonstrations determine, and what they do not: a belief over the tasks that were scored."""

from demospec.belief.weights import Belief, acceptance, cost

__all__ = ["Belief", "acceptance", "cost"]

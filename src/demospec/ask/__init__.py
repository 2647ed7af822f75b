"""What to ask next: the label, or the demonstration, that is expected to shrink the belief most."""

from demospec.ask.dialogue import Dialogue, Reply
from demospec.ask.information import Information
from demospec.ask.labels import LabelQuestion, Verdicts
from demospec.ask.run_questions import Edit, RunQuestion, Start, offered_edits, offered_starts

__all__ = [
    "Dialogue",
    "Edit",
    "Information",
    "LabelQuestion",
    "Reply",
    "RunQuestion",
    "Start",
    "Verdicts",
    "offered_edits",
    "offered_starts",
]

"""What to ask next: the label, or the demonstration, that is expected to shrink the belief most."""

from demospec.ask.dialogue import Dialogue, Reply
from demospec.ask.information import Information
from demospec.ask.offers import Edit, Offer, Start, offered_edits, offered_starts
from demospec.ask.questions import Question, Verdicts
from demospec.ask.showing import Showing, ShownRun

__all__ = [
    "Dialogue",
    "Edit",
    "Information",
    "Offer",
    "Question",
    "Reply",
    "Showing",
    "ShownRun",
    "Start",
    "Verdicts",
    "offered_edits",
    "offered_starts",
]

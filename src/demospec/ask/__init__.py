"""What to ask next: the label, or the demonstration, that is expected to shrink the belief most."""

from demospec.ask.dialogue import Answer, Dialogue
from demospec.ask.questions import Edit, Labels, Question, Start, edits, starts

__all__ = ["Answer", "Dialogue", "Edit", "Labels", "Question", "Start", "edits", "starts"]

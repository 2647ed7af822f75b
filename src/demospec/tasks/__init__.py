"""What can be learned.

Tasks have methods that only modules above them can do: to be described, and to be written and read in the
forms of other programs. These modules are loaded here, and handed in.
"""

from demospec.tasks import formats
from demospec.tasks.composite import Composite, Operator
from demospec.tasks.dfa import DFA, Word
from demospec.tasks.ltlf.translate import automaton_of_text
from demospec.tasks.task import ABOVE, Task, register_kind, task_from_json
from demospec.tasks.words.description import describe

__all__ = ["DFA", "Composite", "Operator", "Task", "Word", "formats", "register_kind", "task_from_json"]

ABOVE.update(describe=describe, automaton_of_text=automaton_of_text)

"""The moves of the default search, one to a file: each says which tasks to score next, and why it is there.

They are asked in this order, and what two of them propose counts for the first.
"""

from demospec.search.moves.alternatives import Alternatives
from demospec.search.moves.automata import SmallAutomata
from demospec.search.moves.detours import Detours
from demospec.search.moves.edits import Edits
from demospec.search.moves.guesses import Guesses
from demospec.search.moves.move import Memory, Move, Proposals
from demospec.search.moves.parts import JoinedParts
from demospec.search.moves.products import Products
from demospec.search.moves.rewording import Rewording
from demospec.search.moves.sentences import Sentences
from demospec.search.moves.shortening import Shortening

MOVES: tuple[Move, ...] = (
    Sentences(),
    SmallAutomata(),
    Alternatives(),
    Guesses(),
    Rewording(),
    Shortening(),
    Edits(),
    JoinedParts(),
    Products(),
    Detours(),
)

__all__ = ["MOVES", "Memory", "Move", "Proposals"]

"""What the demonstrations leave open in a task: its transitions, its marks, its letters.

Two things in a task's picture are drawn *light*. First, transitions that no world exercises. A transition is
*impossible* when no path of any world takes it, whatever the agent does; it is *idle* when the task's own
agent takes it less than once in a million episodes. It is light when it could as well lead to success for
good or to failure for good: in no world makes that a difference that a thousand episodes of the agent would
show. What a rational agent avoids is idle, but not light: had it led to success, it would be taken.

Second, where tasks of the same answer differ: the transition of the task itself, and the one that the
likeliest of the other tasks has instead, which is drawn beside it. Loops are not drawn, but light ones are.

How much of the belief agrees with each transition and each mark is a *share*. Tasks have different shapes, so
they are compared by words. Each state q of the task has a word u(q) that leads to it: a shortest one that is
possible in some world, or else a shortest one at all. Each transition q –a→ q′ has a word v(q, a) that leads
to q and after which a is read: a shortest one that some path has, or else u(q), or else a shortest one at
all. Another task agrees with

- the mark of q, when it accepts u(q) exactly if the task does;
- the transition q –a→ q′, when for it v(q, a)·a is the same as u(q′), and another than v(q, a);
- the loop q –a→ q, when for it v(q, a)·a is the same as v(q, a).

Two words are the same for a task when it accepts the same words after both (Myhill and Nerode's equivalence).
With merged repeats there may be states and transitions that no word leads to: everybody agrees with them.

By the languages of the tasks that are believed, a letter is *required* when no word without it is accepted,
*avoided* when no word with it is, *irrelevant* when it never changes anything. A task that accepts nothing
says nothing about a letter. As the first letter of a word it may *fail* the task (nothing is accepted any
more) or *fulfil* it (everything is).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demospec.belief.answers import plan_size
from demospec.belief.belief import Belief, forms_of
from demospec.belief.distance import Agents
from demospec.belief.episodes import Episodes, ShortestWords
from demospec.belief.tuned import FOR_A_PICTURE, IDLE, MOST_WORK, SAME
from demospec.explain.score import Score
from demospec.plan.base import Plan
from demospec.plan.monitor import Monitor
from demospec.plan.policy import Occupancy
from demospec.problem import Problem
from demospec.tasks import DFA, Word
from demospec.tasks.side_by_side import Product, Stack
from demospec.wording import percent
from demospec.work.stop import NEVER, Stop
from demospec.worlds.mdp import Bools, Floats, Ints

Transition = tuple[int, str, int]


@dataclass(frozen=True)
class LetterMeaning:
    """A letter: where it can be seen, and what share of the belief says what about it."""

    name: str
    seen: str | None  # why it can never be read, or None
    required: float
    avoided: float
    irrelevant: float
    fails: float
    fulfils: float

    @property
    def sentence(self) -> str:
        """Tell what is known about the letter.

        >>> LetterMeaning("r", "no state of the world has it", 0, 0, 1, 0, 0).sentence
        'r: undetermined, avoided or not (no state of the world has it)'
        """
        if self.seen is not None:
            return f"{self.name}: undetermined, avoided or not ({self.seen})"
        names = ("required", "avoided", "irrelevant")
        shares = [(getattr(self, name), name) for name in names]
        first = [(self.fails, "fails the task when read first"), (self.fulfils, "fulfils it when read first")]
        told = [f"{name} {percent(share)}" for share, name in [*shares, *first] if share >= 0.005]
        other = 1.0 - sum(share for share, _ in shares)
        if other >= 0.005:
            told.insert(sum(share >= 0.005 for share, _ in shares), f"matters otherwise {percent(other)}")
        return f"{self.name}: {', '.join(told)}"


def letter_meanings(belief: Belief) -> list[LetterMeaning]:
    """Tell of every letter of the alphabet what is believed."""
    meanings, episodes = meanings_of(belief.stack), Episodes(belief.problem)
    return [
        LetterMeaning(
            name,
            episodes.why_unseen(name),
            *(float((belief.weights * meaning[:, k]).sum()) for meaning in meanings),
        )
        for k, name in enumerate(belief.stack.alphabet)
    ]


def meanings_of(stack: Stack) -> tuple[Bools, Bools, Bools, Bools, Bools]:
    """Return [T, K] each: required, avoided, irrelevant, fails first, fulfils first; automata are minimal."""
    tasks, letters = len(stack.start), len(stack.alphabet)
    table, owner = stack.table[:, :letters], stack.owner

    def reaches(table: Ints, marks: Bools) -> Bools:  # [N], whether a marked state can be reached
        while not ((more := marks | marks[table].any(axis=1)) == marks).all():
            marks = more
        return marks

    live = reaches(table, stack.accepting)  # something is accepted from here
    total = ~reaches(table, ~stack.accepting)  # everything is
    accepts = live[stack.start][:, None]

    def holds_everywhere(marks: Bools) -> Bools:
        failing = np.bincount(owner, ~marks, minlength=tasks)
        return np.asarray(failing == 0)

    avoided = np.stack([holds_everywhere(~live[table[:, k]]) for k in range(letters)], axis=1)
    stays = table == np.arange(len(table))[:, None]
    irrelevant = np.stack([holds_everywhere(stays[:, k]) for k in range(letters)], axis=1)
    without = [np.delete(table, k, axis=1) for k in range(letters)]
    required = np.stack([~reaches(rest, stack.accepting)[stack.start] for rest in without], axis=1)
    first = table[stack.start]
    return (
        required & accepts,
        avoided & accepts,
        irrelevant,
        ~live[first] & accepts,
        total[first] & ~total[stack.start][:, None],
    )


@dataclass(frozen=True, eq=False)
class Access:
    """The words that lead to the Q states of a minimal task, and to its transitions by K letters."""

    task: DFA
    words: tuple[Word, ...]  # [Q], u(q)
    possible: tuple[bool, ...]  # [Q], whether a path of some world has u(q)
    before: tuple[Word, ...]  # [Q·K], v(q, a)
    reached: Bools  # [Q], whether any word leads there, as words are read here
    readable: Bools  # [Q, K], whether any word is read there


@dataclass(frozen=True, eq=False)
class Shares:
    """What of the belief agrees with a task of Q states over K letters."""

    task: DFA
    words: tuple[Word, ...]  # u(q)
    possible: tuple[bool, ...]  # whether a path of some world leads there
    transitions: Floats  # [Q, K]
    marks: Floats  # [Q]


def access_of(task: DFA, words: ShortestWords | None, *, merge_repeats: bool) -> Access:
    """Find the words of a minimal task; `words` are those that the worlds have for it, where known."""
    reader = Product.of([task], merge_repeats=merge_repeats) if words is None else words.reader
    letters, states, shortest = range(len(task.alphabet)), reader.states(0), reader.shortest_words()
    access: list[Word] = []
    possible: list[bool] = []
    before: list[Word] = []
    reached = np.zeros(task.states, dtype=np.bool_)
    readable = np.zeros((task.states, len(letters)), dtype=np.bool_)

    for q in range(task.states):
        nodes = states == q
        reached[q] = nodes.any()
        readable[q] = (nodes[:, None] & reader.reads[:, :-1]).any(axis=0)
        seen = None if words is None else words.shortest(nodes, complete=False)
        if seen is not None:
            own = seen.word
        elif reached[q]:
            own = shortest[int(np.argmax(nodes))]
        else:  # a shortest one to the state of the minimal automaton, with repeats
            only = tuple(np.arange(task.states) == q)
            own = DFA(alphabet=task.alphabet, table=task.table, accepting=only).shortest_word() or ()
        access.append(own)
        possible.append(seen is not None)
        for letter in letters:
            found = None if words is None else words.before(nodes, letter)
            if (
                found is None
                and merge_repeats
                and own[-1:] == (task.alphabet[letter],)
                and readable[q, letter]
            ):
                found = shortest[int(np.argmax(nodes & reader.reads[:, letter]))]
            before.append(own if found is None else found)
    return Access(task, tuple(access), tuple(possible), tuple(before), reached, readable)


def shares_of(access: Access, others: Sequence[DFA], weights: Floats) -> Shares:
    """Compare a task with others, by their weights."""
    same = Stack.of(others).accepts(access.words) == np.array(access.task.accepting)
    agree, _ = leads_to(access, others)
    # Sums in a fixed order: a matrix product may round otherwise from one machine to the next.
    marks: Floats = (weights[:, None] * (same | ~access.reached)).sum(axis=0)
    transitions: Floats = (weights[:, None, None] * agree).sum(axis=0)
    return Shares(access.task, access.words, access.possible, transitions, marks)


def leads_to(access: Access, others: Sequence[DFA]) -> tuple[Bools, Bools]:
    """Return who agrees with each transition [T, Q, K], and for whom v(q, a)·a is as u(p) [T, Q, K, Q].

    The others are minimal, so that two words can be followed by the same words if they lead to one state.
    """
    stack, task = Stack.of(others), access.task
    shape = task.states, len(task.alphabet)
    at = stack.after(access.words)  # [T, Q]
    before = stack.after(access.before).reshape(-1, *shape)  # [T, Q, K]
    after = stack.table[before, np.arange(shape[1])]
    like: Bools = after[:, :, :, None] == at[:, None, None, :]
    target, source = np.array(task.table), np.arange(task.states)[:, None]
    there = np.take_along_axis(like, target[None, :, :, None], axis=3)[..., 0]
    stays = after == before
    agree: Bools = np.where(target == source, stays, there & ~stays) | ~access.readable
    return agree, like


@dataclass(frozen=True, eq=False)
class Use:
    """What the worlds do with the transitions of a task of Q states over K letters."""

    task: DFA
    possible: Bools  # [Q, K], in some world
    taken: Floats  # [Q, K], how often in an episode, on average over worlds by their shares
    light: Bools  # [Q, K], in all worlds
    tried: bool  # False: the worlds are too large to try every transition, only impossible ones are light

    @property
    def idle(self) -> Bools:
        """Return [Q, K]: what the agent practically never takes, though some path does."""
        found: Bools = self.possible & (self.taken < IDLE)
        return found


def use_of(problem: Problem, score: Score, words: ShortestWords, stop: Stop = NEVER) -> Use:
    """Follow the task's agent, and try every transition; `words` are those of the task alone."""
    task, reader = score.task.automaton, words.reader
    agents = Agents(problem, [task], [score.rationality], stop, score.effort)
    possible = words.per_transition(task.states, words.taken.astype(np.float64)) > 0
    rows = tuple(tuple(row[:-1]) for row in reader.table.tolist())
    marks = np.array(task.accepting, dtype=np.bool_)[reader.states(0)]
    monitor = Monitor(task.alphabet, rows, marks, ~marks, marks)  # it keeps every node apart
    counts = np.zeros(reader.reads.shape)
    for world, share in zip(agents.worlds, problem.shares, strict=True):
        if share:
            counts += share * readings(agents.planner.plan(world, monitor, score.rationality), stop)
    taken = words.per_transition(task.states, counts)
    work = 4 * task.states * len(task.alphabet) * 2 * task.states
    tried = work * plan_size(agents) <= MOST_WORK
    light = ~possible
    if tried:
        at = np.argwhere(possible).tolist()
        changed = [redirected(task, q, k, mark) for q, k in at for mark in (True, False)]
        # An agent is as rational with a changed task as with the task itself.
        rationalities = [score.rationality] * (1 + len(changed))
        rivals = Agents(problem, [task, *changed], rationalities, stop, score.effort)
        same = rivals.alike(0, range(1, 1 + len(changed)), SAME)
        light[possible] = np.array(same).reshape(-1, 2).all(axis=1)
    return Use(task, possible, taken, light, tried)


def readings(plan: Plan, stop: Stop = NEVER) -> Floats:
    """Return [N, K + 1]: how often an episode reads each letter, or white, in each monitor state."""
    alphabet, entered = plan.monitor.alphabet, Occupancy.of(plan, stop).entered
    found = np.zeros((plan.monitor.states, len(alphabet) + 1))
    np.add.at(found.T, plan.world.listed().letter_numbers(alphabet), entered.T)
    return found


def redirected(task: DFA, state: int, letter: int, mark: bool) -> DFA:
    """Return the task with one transition led to a new state where all is accepted, or nothing."""
    rows = [list(row) for row in task.table]
    rows[state][letter] = task.states
    rows.append([task.states] * len(task.alphabet))
    return DFA(
        alphabet=task.alphabet,
        table=tuple(map(tuple, rows)),
        accepting=(*task.accepting, mark),
        start=task.start,
    ).minimal


@dataclass(frozen=True, eq=False)
class Undetermined:
    """What is open in a task: transitions of its own, and what others might have in their place."""

    task: DFA
    unexercised: tuple[Transition, ...]  # wherever they led, no episode would show it
    differing: tuple[Transition, ...]  # tasks of the same answer lead them elsewhere
    also: tuple[Transition, ...]  # where to, if the task has a state for it
    use: Use | None  # None where a world is not listed, or has too many paths to follow

    @property
    def light(self) -> tuple[Transition, ...]:
        """Return the task's own transitions that are drawn light."""
        return tuple(sorted({*self.unexercised, *self.differing}))


def words_to(problem: Problem, score: Score, stop: Stop = NEVER) -> ShortestWords | None:
    """Follow all paths of the problem's worlds with a task; None where they are too many."""
    reader = Product.of([score.language.minimal], merge_repeats=problem.merge_repeats)
    return Episodes(problem, stop, FOR_A_PICTURE).read_by(reader)


def undetermined_in(
    problem: Problem, score: Score, members: Sequence[Score], words: ShortestWords | None, stop: Stop = NEVER
) -> Undetermined:
    """Return what is open in a task, one of the members of an answer."""
    task = score.task.automaton
    access = access_of(task, words, merge_repeats=problem.merge_repeats)
    use = None if words is None else use_of(problem, score, words, stop)
    form, *forms = forms_of(problem, [task, *(member.language for member in members)])
    differing, also = led_elsewhere(access, [other for other in forms if other != form])
    light = [] if use is None else np.argwhere(use.light).tolist()
    own = tuple((q, task.alphabet[k], task.table[q][k]) for q, k in light)
    return Undetermined(task, own, tuple(differing), tuple(also), use)


def led_elsewhere(access: Access, others: Sequence[DFA]) -> tuple[list[Transition], list[Transition]]:
    """Return the transitions of a task that others lead elsewhere, and where the first of them does.

    What leads to a situation that the task does not know has no place in its picture.
    """
    if not others:
        return [], []
    task = access.task
    agree, like = leads_to(access, others)
    differing, also = [], []
    for q, row in enumerate(task.table):
        for k, (letter, target) in enumerate(zip(task.alphabet, row, strict=True)):
            if agree[:, q, k].all():
                continue
            differing.append((q, letter, target))
            known = np.flatnonzero((like[:, q, k].sum(axis=1) == 1) & ~like[:, q, k, target])
            if len(known):
                instead = int(np.flatnonzero(like[known[0], q, k])[0])
                if instead != q:
                    also.append((q, letter, instead))
    return differing, also

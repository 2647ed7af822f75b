"""What is believed about the answer, worked out once, and what speaks against it; as sentences for people.

An answer is checked against what was shown before it is believed: does its agent succeed as often as the
demonstrations did, would it be surprised at them, did they have a choice at all? Each warning is a sentence,
a code that scripts read, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from demospec.belief.acting import Acting, acting_on
from demospec.belief.answers import (
    Answer,
    Answers,
    Credible,
    Difference,
    Progress,
    answers_of,
    differences_of,
    has_aim,
    not_determined,
    why_not,
)
from demospec.belief.belief import Belief
from demospec.belief.tuned import (
    EPISODES_DRAWN,
    FEWEST_RUNS,
    LEEWAY,
    LITTLE,
    MOST_DRAWN,
    PROBABLY,
    RARE,
    SAME,
    USUAL,
)
from demospec.belief.undetermined import (
    LetterMeaning,
    Shares,
    Undetermined,
    access_of,
    letter_meanings,
    shares_of,
    undetermined_in,
    words_to,
)
from demospec.explain.evidence import Evidence
from demospec.explain.score import Score
from demospec.explain.setup import resolve
from demospec.plan.along_tree import along_tree
from demospec.plan.base import Plan
from demospec.plan.rationality import EFFORTS, RATIONALITIES, AgentPoint, Learned
from demospec.plan.sample import sample_path
from demospec.problem import Problem, accepted_demonstrations
from demospec.tasks import Task
from demospec.tasks.showing import Displayed, short
from demospec.tasks.words import BRIEF, describe
from demospec.wording import count, listing, percent, word_text
from demospec.work.stop import NEVER, Stop
from demospec.worlds.estimated import CountedMDP
from demospec.worlds.paths import Path
from demospec.worlds.prefix_tree import PrefixTree

SERIOUS = (  # the answer should not be believed before these are looked at: they are told above it
    "no-choice",
    "prior-excludes",
    "succeeds-otherwise",
    "surprising-demonstration",
    "nearly-aimless",
)


@dataclass(frozen=True, eq=False)
class Findings(Displayed):
    """What is believed beside the answer, told by one task, and what is not determined."""

    belief: Belief
    score: Score  # of the task that the answer is told by
    answers: Answers
    shares: Shares  # of that task
    open: Undetermined  # in that task
    open_answers: tuple[Undetermined, ...]  # in the smallest tasks of the first answers
    letters: tuple[LetterMeaning, ...]
    differences: tuple[Difference, ...]
    aim: bool  # whether the first answer has one
    determined: bool
    acting: Acting | None = None  # where sizes are a prior and agents can be compared

    def __repr__(self) -> str:
        return short([f"Findings about {self.score.task}", *how_sure(self), *undetermined(self)])

    @cached_property
    def credible(self) -> Credible | None:
        """Return the credible set, where sizes are bits of a prior; elsewhere weights are not."""
        words = resolve(self.belief.problem).code == "words"
        return Credible.set_of(self.belief, self.answers) if words else None

    @property
    def answer(self) -> Answer:
        return self.answers.answer

    @property
    def sentences(self) -> list[str]:
        """Tell how sure one may be, and of what one may not."""
        return [*how_sure(self), *undetermined(self), *map(tell_apart, self.differences)]


def findings_of(
    belief: Belief, named: Score | None = None, progress: Progress | None = None, stop: Stop = NEVER
) -> Findings:
    """Work out everything; `progress` is told how many parts of all are done.

    The answer is that of the task that is named, else the likeliest one.

    A flag that is set meanwhile raises `Stopped`.
    """
    problem = belief.problem
    parts = 4 + MOST_DRAWN

    def done(part: int) -> None:
        if progress is not None:
            progress(part, parts)
        stop.check()

    stop.check()
    answers = answers_of(belief, named, stop=stop)
    score = answers.answer.smallest if named is None else named
    acting = acting_on(problem, answers, stop) if named is None else None
    done(1)
    words = words_to(problem, score, stop)
    access = access_of(score.task.automaton, words, merge_repeats=problem.merge_repeats)
    shares = shares_of(access, belief.forms, belief.weights)
    done(2)
    own = undetermined_in(problem, score, answers.answer.members, words, stop)
    done(3)
    drawn = []
    for number, answer in enumerate(answers.all[:MOST_DRAWN]):
        other = answer.smallest
        if other.task == score.task:
            drawn.append(own)
        else:
            drawn.append(
                undetermined_in(problem, other, answer.members, words_to(problem, other, stop), stop)
            )
        done(4 + number)
    letters = letter_meanings(belief)
    differences = differences_of(problem, answers, stop=stop)
    aim = has_aim(problem, answers.likeliest.smallest, stop)
    done(parts)
    return Findings(
        belief,
        score,
        answers,
        shares,
        own,
        tuple(drawn),
        tuple(letters),
        tuple(differences),
        aim,
        aim and answers.likeliest.share >= LITTLE,
        acting,
    )


# -- sentences ----------------------------------------------------------------------------------------


def briefly(task: Task) -> str:
    """Return a task in words, with its automaton."""
    return f'"{describe(task, budget=BRIEF).sentence}", {task.automaton}'


def how_sure(found: Findings) -> list[str]:
    """Say what share the answer has, who has more, and whether that determines the task."""
    answers, answer, problem = found.answers, found.answer, found.belief.problem
    alike = len(answer.members) - 1
    untold = "no world tells" if len(problem.scenes) > 1 else "this world does not tell"
    same = f" with {alike} other{'' if alike == 1 else 's'} that {untold} from it"
    others = same if alike else ""
    subject = "The answer" if resolve(problem).code == "words" else "The best task"
    told = [f"{subject}{others} has {percent(answer.share)} of the belief."]
    first, acting = answers.likeliest, found.acting
    if acting is not None:
        told.append(f"It alone is enough to act on with probability {percent(acting.alone)} at least.")
    elif first is not answer:
        told.append(
            f"The likeliest answer, at {resolve(problem).weights.belief_size_weight:g} nats a bit, "
            f"is another, with {percent(first.share)}: {briefly(first.smallest.task)}"
        )
    if not found.determined:
        told.append(f"So {not_determined(problem)}: {why_not(first.share)}.")
    if answers.not_compared >= 0.005:
        left = len(found.belief.scores) - answers.compared
        told.append(
            f"{left} less likely tasks, with {percent(answers.not_compared)}, were not compared with it."
        )
    if found.credible is not None:
        told.append(found.credible.sentence)
        return told
    rivals = len(found.belief.rivals)
    told.append(
        f"The demonstrations rule out neither it nor {rivals - 1} other tasks that were scored: "
        f"the likelihood of each is within {LEEWAY:g} nats of the best among tasks that are no larger."
    )
    return told


def undetermined(found: Findings) -> list[str]:
    """Say which letters and which transitions of the answer's task this world leaves open."""
    told = [letter.sentence for letter in found.letters if letter.seen is not None]
    if found.open.use is None:
        world = "worlds exercise" if len(found.belief.problem.scenes) > 1 else "world exercises"
        told.append(f"Which transitions the {world} was not worked out: there are too many paths.")
    unseen = {letter.name for letter in found.letters if letter.seen is not None}  # told already
    instead = {(q, letter): target for q, letter, target in found.open.also}
    free = [
        f"{q} –{letter}→ {target}" for q, letter, target in found.open.unexercised if letter not in unseen
    ]
    if free:
        told.append(f"No episode takes these transitions, so they are not determined: {', '.join(free)}")
    torn = [
        f"{q} –{letter}→ {target} or {instead.get((q, letter), 'elsewhere')}"
        for q, letter, target in found.open.differing
        if letter not in unseen and (q, letter, target) not in found.open.unexercised
    ]
    if torn:
        told.append(f"No episode can tell which of these targets is meant: {', '.join(torn)}")
    return told


def tell_apart(difference: Difference) -> str:
    """Say how another answer differs from the one that is named."""

    def in_world(name: str | None) -> str:  # where there are several
        return "" if name is None else f' in world "{name}"'

    other = f"{briefly(difference.other.smallest.task)} ({percent(difference.other.share)})"
    if difference.demonstrations is None or difference.nats < SAME:
        needed = "more demonstrations like the best task's would hardly tell"
    else:
        plural = "s" if difference.demonstrations > 1 else ""
        where = in_world(difference.shown_in)
        needed = f"about {difference.demonstrations} demonstration{plural}{where} would tell"
    if difference.word is None:
        word = (
            "no episode has a word on which they differ" if difference.searched else "no word was looked for"
        )
    else:
        verdict = "accepted" if difference.accepted else "rejected"
        where = in_world(difference.world)
        word = f'"{word_text(difference.word)}"{where} is {verdict} by the best, not so here'
    return f"{other}: {word}; {needed}"


# -- warnings -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Caution:
    """Something that the reader of an answer should know first."""

    code: str
    message: str
    advice: str

    @property
    def serious(self) -> bool:
        """Say whether it is told above the answer, not below it."""
        return self.code in SERIOUS


def warnings_of(problem: Problem, answer: Score, stop: Stop = NEVER) -> list[Caution]:
    """Return what speaks against an answer, the gravest first."""
    strays: tuple[float, ...] = ()
    agent = resolve(problem).agent
    if isinstance(agent, Learned):
        evidence = Evidence(problem, resolve(problem).planner.until(stop), agent)
        likeliest = AgentPoint(answer.rationality, answer.effort, answer.haste)
        strays = evidence.around([answer.language], likeliest, with_strays=True)[0].strays
    stop.check()
    return [
        *counted_worlds(problem),
        *without_choice(problem),
        *excluded(problem),
        *unseen_letters(problem),
        *other_success(problem, answer),
        *not_explained(problem, answer, strays, stop),
        *at_the_edge(problem, answer),
    ]


def cut_short(by: str) -> Caution:
    """Warn that a search was ended before it was done."""
    return Caution(
        "search-cut-short",
        f"The search was not done: {by}. A likelier task may not have been scored.",
        "Allow more with --max-seconds, --max-evaluations or --iterations.",
    )


def counted_worlds(problem: Problem) -> Iterator[Caution]:
    """Warn of worlds that were counted from a log: what nobody did is not in them."""
    for scene in problem.scenes:
        if isinstance(scene.original, CountedMDP):
            yield Caution(
                "counted-world",
                " ".join(scene.original.cautions()),
                "Give a world that is known, or a log of more runs.",
            )


def without_choice(problem: Problem) -> Iterator[Caution]:
    """Warn where the steps that were shown had no alternative: they carry no information."""
    steps = alone = 0
    for scene in problem.scenes:
        for path in scene.demonstrations:
            state = path.first(scene.world)
            for _, reached in path.steps:
                steps += 1
                alone += len(scene.world.pairs(state)) == 1
                state = reached
    if steps and alone == steps:
        yield Caution(
            "no-choice",
            "No step of any demonstration had an alternative: what was shown says nothing about the task.",
            "Give the world the actions that were possible but not taken.",
        )
    elif steps and alone > 0.8 * steps:
        yield Caution(
            "few-choices",
            f"{alone} of {steps} steps had no alternative, and say nothing about the task.",
            "Give the world the actions that were possible but not taken.",
        )


def excluded(problem: Problem) -> Iterator[Caution]:
    """Warn where what is assumed of the task excludes what was shown."""
    if problem.prior is None:
        return
    rejected = [
        number
        for (number, _, path), word in zip(problem.shown, problem.words, strict=True)
        if path.complete and not problem.prior.accepts(word)
    ]
    if rejected:
        which = "demonstration" if len(rejected) == 1 else "demonstrations"
        yield Caution(
            "prior-excludes",
            f"What the task must imply does not hold in {which} {listing(rejected)}.",
            "Check the key implies, or whether these runs were meant to succeed.",
        )


def unseen_letters(problem: Problem) -> Iterator[Caution]:
    """Warn of letters that no state of any world has."""
    seen = {letter for scene in problem.scenes for letter in scene.world.letters}
    never = [letter for letter in problem.alphabet if letter not in seen]
    if never:
        yield Caution(
            "letter-never-occurs",
            f"No state has the label {listing(never)}: nothing can be learned about it.",
            "Check the labels, or leave the letter out of the alphabet.",
        )


def other_success(problem: Problem, answer: Score) -> Iterator[Caution]:
    """Warn where the answer's agent would succeed much more or less often than was shown."""
    marks = accepted_demonstrations(problem, answer.task)
    complete = [mark for mark, path in zip(marks, problem.demonstrations, strict=True) if path.complete]
    runs, good, chance = len(complete), sum(complete), answer.satisfaction_probability
    if runs < FEWEST_RUNS:
        return
    if chance_of_as_far(runs, good, chance) < RARE:
        yield Caution(
            "succeeds-otherwise",
            f"{good} of {count(runs, 'complete demonstration')} satisfy the answer, "
            f"but its agent would in {chance:.1%} of episodes.",
            "The model does not explain this success: check the world's probabilities and labels, "
            "or show more runs.",
        )


def chance_of_as_far(runs: int, good: int, chance: float) -> float:
    """Return how likely a number of successes is that is at least as far off, on the side it is on.

    >>> round(chance_of_as_far(6, 6, 0.5), 4), round(chance_of_as_far(6, 3, 0.5), 4)
    (0.0156, 0.6562)
    """
    chance = min(max(chance, 1e-12), 1 - 1e-12)
    terms = [math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(runs + 1)]
    return min(1.0, math.fsum(terms[good:]), math.fsum(terms[: good + 1]))


def not_explained(
    problem: Problem, answer: Score, strays: tuple[float, ...], stop: Stop
) -> Iterator[Caution]:
    """Warn of demonstrations that the answer's agent would hardly show: mistakes, or a sign of another task.

    They are compared with episodes of that agent itself.
    """
    if not resolve(problem).planner.abilities.listed:
        return
    rng = np.random.default_rng(11)
    numbers = iter(range(1, len(problem.demonstrations) + 1))
    mistaken, surprising = [], []
    for scene in problem.scenes:
        if not scene.demonstrations:
            continue
        world = scene.felt_by(answer)
        plan = (
            resolve(problem)
            .planner.until(stop)
            .plan(world, resolve(problem).monitor(answer.task), answer.rationality)
        )
        drawn = [sample_path(plan, rng) for _ in range(EPISODES_DRAWN)]
        stop.check()
        usual = float(np.quantile(surprises_of(PrefixTree.build(scene.world, drawn), drawn, plan), USUAL))
        for nats in surprises_of(scene.tree, scene.demonstrations, plan):
            number = next(numbers)
            if strays and strays[number - 1] > PROBABLY and nats > usual:
                mistaken.append(f"{number} ({strays[number - 1]:.0%})")
            elif nats > usual + LEEWAY:
                surprising.append(number)
    if mistaken:
        yield Caution(
            "stray-demonstration",
            f"Probably a mistake, since no plan for the answer fits: {numbered_demonstrations(mistaken)}.",
            "Look at what was shown; take it out if it was not meant.",
        )
    if surprising:
        yield Caution(
            "surprising-demonstration",
            f"More surprising under the answer than {USUAL:.0%} of its own agent's episodes: "
            f"{numbered_demonstrations(surprising)}.",
            "The answer does not explain this: there may be mistakes, or another task was meant.",
        )


def numbered_demonstrations(numbers: Sequence[object]) -> str:
    """Write which demonstrations.

    >>> numbered_demonstrations([3]), numbered_demonstrations([3, 5])
    ('demonstration 3', 'demonstrations 3, 5')
    """
    return f"demonstration{'' if len(numbers) == 1 else 's'} {listing(numbers)}"


def surprises_of(tree: PrefixTree, paths: Sequence[Path], plan: Plan) -> list[float]:
    """Return the surprise of each path of a tree."""
    nats = np.where(tree.chosen, -along_tree(tree, plan).log_edge, 0.0)
    return [float(nats[tree.nodes_of(path)].sum()) for path in paths]


def at_the_edge(problem: Problem, answer: Score) -> Iterator[Caution]:
    """Warn where the likeliest agent is at the edge of what was considered."""
    agent = resolve(problem).agent
    if not isinstance(agent, Learned) or answer.language.states == 1:  # without an aim there is none to tell
        return
    if agent.rationality is None and answer.rationality <= RATIONALITIES[0]:
        yield Caution(
            "nearly-aimless",
            "The demonstrations look nearly aimless: the likeliest rationality is the least considered.",
            "Show more runs, or runs that are to the point.",
        )
    if agent.felt and agent.effort is None and answer.effort >= EFFORTS[-1]:
        yield Caution(
            "effort-at-the-edge",
            f"The likeliest effort, {answer.effort:g} nats a step, is the most that is considered.",
            "Set effort in [agent] if steps cost more.",
        )

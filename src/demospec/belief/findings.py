"""All that a belief has to say about a best task, worked out once, and as sentences for people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from demospec.belief.answers import SAME, Answers, Progress, answers_of
from demospec.belief.credible import Credible
from demospec.belief.determined import has_aim, is_determined, not_determined, why_not
from demospec.belief.differences import Difference, differences_of
from demospec.belief.headline import Headline, led_by_headline
from demospec.belief.letters import Letter, letters_of
from demospec.belief.shares import Shares, access_of, shares_of
from demospec.belief.undetermined import Undetermined, undetermined_in, words_of
from demospec.belief.weights import LEEWAY, Belief
from demospec.explain.score import Score
from demospec.tasks import Task
from demospec.tasks.showing import html_of, short
from demospec.tasks.words import BRIEF, describe
from demospec.wording import percent, word_text
from demospec.work.stop import NEVER, Stop

SHOWN = 5  # answers that are drawn, and so have worked out what is open in them


@dataclass(frozen=True, eq=False)
class Findings:
    """What is believed beside a best task, and what is not determined."""

    belief: Belief
    best: Score
    answers: Answers
    shares: Shares  # of the best task
    open: Undetermined  # in the best task
    open_answers: tuple[Undetermined, ...]  # in the names of the first answers
    letters: tuple[Letter, ...]
    differences: tuple[Difference, ...]
    aim: bool  # whether the first answer has one
    determined: bool
    headline: Headline | None = None  # where sizes are a prior and agents can be compared

    def __repr__(self) -> str:
        return short([f"Findings about {self.best.task}", *how_sure(self), *undetermined(self)])

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @cached_property
    def credible(self) -> Credible | None:
        """Return the credible set, where sizes are bits of a prior; elsewhere weights are not."""
        words = self.belief.problem.code == "words"
        return Credible.set_of(self.belief, self.answers) if words else None

    @property
    def is_likeliest(self) -> bool:
        """Say whether the best answer is the likeliest."""
        return self.answers.best is self.answers.likeliest

    @property
    def sentences(self) -> list[str]:
        """Tell how sure one may be, and of what one may not."""
        return [*how_sure(self), *undetermined(self), *map(tell_apart, self.differences)]


def findings_of(
    belief: Belief, best: Score | None = None, progress: Progress | None = None, stop: Stop = NEVER
) -> Findings:
    """Work out everything; `progress` is told how many parts of all are done.

    Without a best task it is that of the headline.

    A flag that is set meanwhile raises `Stopped`.
    """
    problem = belief.problem
    parts = 4 + SHOWN

    def done(part: int) -> None:
        if progress is not None:
            progress(part, parts)
        stop.check()

    stop.check()
    answers = answers_of(belief, best, stop=stop)
    headline = None
    if best is None:
        answers, headline = led_by_headline(problem, answers, stop)
        best = answers.best.name
    done(1)
    words = words_of(problem, best, stop)
    shares = shares_of(belief, access_of(best.task.automaton, words, merge_repeats=problem.merge_repeats))
    done(2)
    mine = undetermined_in(problem, best, answers.best.members, words, stop)
    done(3)
    drawn = []
    for number, answer in enumerate(answers.all[:SHOWN]):
        name = answer.name
        if name.task == best.task:
            drawn.append(mine)
        else:
            drawn.append(undetermined_in(problem, name, answer.members, words_of(problem, name, stop), stop))
        done(4 + number)
    letters = letters_of(belief)
    differences = differences_of(problem, answers, stop=stop)
    first, likeliest = answers.all[0].name, answers.likeliest
    aim = has_aim(problem, first, stop)
    determined = is_determined(problem, likeliest.name, likeliest.share, stop, named=first)
    done(parts)
    return Findings(
        belief,
        best,
        answers,
        shares,
        mine,
        tuple(drawn),
        tuple(letters),
        tuple(differences),
        aim,
        determined,
        headline,
    )


# -- sentences ----------------------------------------------------------------------------------------


def several(found: Findings) -> bool:
    """Say whether the problem has several worlds."""
    return len(found.belief.problem.scenes) > 1


def briefly(task: Task) -> str:
    """Return a task in words, with its automaton."""
    return f'"{describe(task, budget=BRIEF).sentence}", {task.automaton}'


def in_world(name: str | None) -> str:
    """Say in which world, where there are several."""
    return "" if name is None else f' in world "{name}"'


def how_sure(found: Findings) -> list[str]:
    """Say what share the best answer has, who has more, and whether that determines the task."""
    answers, best, problem = found.answers, found.answers.best, found.belief.problem
    alike = len(best.members) - 1
    untold = "no world tells" if several(found) else "this world does not tell"
    same = f" with {alike} other{'' if alike == 1 else 's'} that {untold} from it"
    others = same if alike else ""
    subject = "The answer" if problem.code == "words" else "The best task"
    told = [f"{subject}{others} has {percent(best.share)} of the belief."]
    first, headline = answers.likeliest, found.headline
    if headline is not None:
        told.append(f"It is enough to act on with probability {percent(headline.enough)}.")
        if first is not best:
            told.append(
                f"The likeliest answer is another, with {percent(first.share)}; it is enough with "
                f"probability {percent(headline.likeliest_enough)}: {briefly(first.name.task)}"
            )
    elif first is not best:
        told.append(
            f"The likeliest answer, at {problem.weights.belief_size_weight:g} nats a bit, "
            f"is another, with {percent(first.share)}: {briefly(first.name.task)}"
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
    """Say which letters and which transitions of the best task this world leaves open."""
    told = [letter.sentence for letter in found.letters if letter.seen is not None]
    if found.open.use is None:
        world = "worlds exercise" if several(found) else "world exercises"
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
    """Say how a less likely answer differs from the best."""
    other = f"{briefly(difference.other.name.task)} ({percent(difference.other.share)})"
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

"""A result in words: a screen, a page, a notebook and the studio all show what is said here.

Each sentence is worked out when somebody asks for it, and is worded nowhere else.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from demospec.belief import Claim, Claims
from demospec.belief.answers import not_determined
from demospec.belief.findings import Caution, counted_worlds
from demospec.belief.tuned import LEFT_OPEN, SURE
from demospec.explain.setup import resolve
from demospec.problem import Problem
from demospec.report.words import decimal, in_full, sentence
from demospec.runs.result import NOT_TYPED, Result, Source
from demospec.tasks import Word
from demospec.tasks.showing import bits_text
from demospec.tasks.words import Description
from demospec.wording import count, percent, word_text

RUNS = 4  # whose words are told
LONGEST = 60  # characters of the words of all runs
ACT, SHOWN_BY, EXACTLY = "Act on it", "Shown by", "Exact"  # names under which things are told
TIME_IS_UP = "How sure this is was not worked out: the time was up. Allow more with --max-seconds."
NOT_DONE = "How sure this is, is not known: the search did not run to its end."
BOUND = "Here episodes have too many words to look at all of them: probabilities are lower bounds."
EXACT = {
    "always": "the sentence says all of it, in every world",
    "here": "in this world; elsewhere the automaton below may differ from the sentence",
    False: "no: the automaton below says more than the sentence",
}
KEPT_TO = "Kept to beside the answer, for this world alone: caution, and no part of what was meant."
BESIDES = "How likely acting is enough is a share of what was compared:"
ENDED = {
    "iterations": "all iterations are made",
    "patience": "nothing better was found for a while",
    "agreement": "the chains agree",
    "evaluations": "as many tasks are scored as were allowed",
    "seconds": "the time is up",
    "interrupted": "interrupted",
}


@dataclass(frozen=True)
class NextStep:
    """What to do, and the command that does it."""

    text: str
    command: str


@dataclass(frozen=True)
class Told:
    """What a result says: what was learned, how sure that is, what is settled, what to do next, and why."""

    result: Result
    source: Source = NOT_TYPED

    @property
    def problem(self) -> Problem:
        return self.result.problem

    @property
    def believed(self) -> bool:
        """Say whether sizes are bits of a prior, so that answers have probabilities; else energies rank."""
        return resolve(self.problem).code == "words"

    # -- what was learned --------------------------------------------------------------------------------

    @property
    def asked(self) -> str:
        """Say what the answer is an answer to."""
        shown = count(len(self.problem.demonstrations), "demonstration")
        return f"what {shown} asked for" if self.believed else f"the task that explains {shown} best"

    @property
    def undetermined(self) -> str:
        """Say that what was shown does not determine the task; nothing where it does."""
        found = self.result.findings
        settled = found is None or found.determined or not self.believed
        return "" if settled else not_determined(self.problem)

    @property
    def named(self) -> str:
        """Say what the answer is, where it is not the task as far as is known; else nothing."""
        return "The likeliest answer" if self.undetermined else ""

    @cached_property
    def said(self) -> Description:
        """Return the answer in words."""
        return in_full(self.problem, self.result.best.task, self.result.stop)

    @property
    def learned(self) -> str:
        """Say what was learned in a sentence, or that what was shown does not determine it."""
        said = self.said.sentence
        return f"{self.undetermined}. {self.named}: {said}" if self.undetermined else said

    @property
    def exact(self) -> str:
        """Say whether the sentence says all."""
        return EXACT[self.said.exact]

    # -- how sure that is --------------------------------------------------------------------------------

    @property
    def share(self) -> str:
        """Return the share of the belief that the answer has; nothing where that is not known."""
        found = self.result.findings
        return "" if found is None else percent(found.answer.share)

    @property
    def sure(self) -> str:
        """Say how likely it is that this is all of the task, and how likely another answer is."""
        found = self.result.findings
        if not self.believed:
            return self.lowest
        if found is None:
            return self.not_sure
        others = found.answers.all[1:]
        told = f"Probability {self.share} that "
        told += "this is the whole task" if found.aim else "nothing in particular was asked for"
        return f"{told}; the next likeliest answer has {percent(others[0].share)}." if others else f"{told}."

    @property
    def not_sure(self) -> str:
        """Say why it is not known how sure the answer is."""
        return TIME_IS_UP if self.result.cut_by is None else NOT_DONE

    @property
    def lowest(self) -> str:
        """Say what the lowest energy is, and what share of the belief its task has."""
        told = f"Lowest energy: {decimal(self.result.best.energy)}."
        found = self.result.findings
        if found is None:
            return f"{told} {self.not_sure}"
        told += f" Probability {self.share}"
        first = found.answers.all[0]
        if first is found.answer:
            return f"{told}, the highest of all answers."
        return f"{told}; likelier, with {percent(first.share)}: {sentence(first.smallest.task)}"

    @property
    def besides(self) -> str:
        """Say how many tasks the answer counts, and name the next one."""
        found, told = self.result.findings, []
        if found is None:
            return ""
        if alike := len(found.answer.members) - 1:
            told.append(f"It counts {count(alike, 'other task')} that no episode here tells from it.")
        others = [answer for answer in found.answers.all if not answer.is_named]
        if others and found.answer is found.answers.likeliest:
            task = others[0].smallest.task
            told.append(f"The next answer has {percent(others[0].share)}: {sentence(task)}")
        return " ".join(told)

    @property
    def enough(self) -> str:
        """Say how likely it is that acting on the answer is enough, and what may be kept to beside it."""
        found = self.result.findings
        if found is None:
            return ""
        if found.acting is None:
            return self.no_acting
        told = f"it alone is enough with {at_least(found.acting.alone)} of what was compared"
        if not found.acting.same_as_answer:
            others = count(len(found.acting.added), "other likely answer")
            told += f"; with {others} kept to as well, which costs nothing here, "
            told += f"with {at_least(found.acting.enough)}"
        return told

    @property
    def not_compared(self) -> str:
        """Say how much is left out of what is enough, where that is much."""
        outside = self.result.outside
        if self.result.act_on is None or outside is None or outside.share <= LEFT_OPEN:
            return ""
        return f"{BESIDES} about {percent(outside.share)} may belong to tasks that were never scored."

    @property
    def kept_to(self) -> list[str]:
        """Return the answers that are kept to beside the first, each with its share of the belief."""
        acting = self.result.act_on
        added = () if acting is None else acting.added
        return [f"{sentence(answer.smallest.task)} ({percent(answer.share)})" for answer in added]

    @property
    def no_acting(self) -> str:
        """Say why it is not known what is enough to act on."""
        if not self.believed:
            return "how likely that is enough is not known: energies rank tasks, and are no probabilities"
        if not resolve(self.problem).planner.abilities.listed:
            return "how likely that is enough is not known: this world is only sampled"
        return "nothing that can be done here satisfies it"

    @property
    def energy(self) -> str:
        """Say what the answer's energy is made of, and how often its agent succeeds."""
        best, problem = self.result.best, self.problem
        setup = resolve(problem)
        weights, bits = setup.weights, best.size - setup.prior_size
        relative = "" if problem.prior is None else f" beyond the prior's {bits_text(setup.prior_size)}"
        return (
            f"energy {decimal(best.energy)} = {weights.size_weight:g} × {bits_text(bits)} bits{relative} + "
            f"{weights.surprise_weight:g} × {decimal(best.surprise)} nats of surprise; "
            f"satisfied with probability {best.satisfaction_probability:.4f}"
        )

    # -- what speaks against it, and what is settled ------------------------------------------------------

    @cached_property
    def warnings(self) -> Sequence[Caution]:
        """Return what speaks against the answer."""
        return self.result.warnings if self.believed else list(counted_worlds(self.problem))

    @cached_property
    def claims(self) -> Sequence[ClaimList]:
        """Return what is settled, likely and open; nothing where energies rank, or the time was up."""
        claims = self.result.claims if self.believed else None
        return () if claims is None else claim_lists(self.problem, claims)

    # -- what it rests on --------------------------------------------------------------------------------

    @property
    def shown(self) -> str:
        problem = self.problem
        told = f'{count(len(problem.demonstrations), "run")} in "{problem.name}"'
        words = ", ".join(f'"{word_text(word)}"' for word in problem.words)
        if 0 < len(problem.words) <= RUNS and len(words) <= LONGEST:
            told += f", with the word{'' if len(problem.words) == 1 else 's'} {words}"
        return told

    @property
    def shown_by(self) -> str:
        """Say how rational who showed it was, what a step cost them, and how often such an agent succeeds."""
        agent, found = self.result.demonstrator, self.result.findings
        if agent is None:
            return ""
        told = f"rationality about {agent.rationality.mean:.3g}"
        if agent.rationality.low < agent.rationality.high:
            told += f" ({agent.rationality.low:g} to {agent.rationality.high:g})"
        if agent.effort.high > 0:
            spread = f"{agent.effort.low:g} to {agent.effort.high:g}"
            told += f", effort {agent.effort.mean:.2g} nats a step ({spread})"
        if agent.haste.high > 0:
            told += f", haste {agent.haste.mean:.2g} ({agent.haste.low:g} to {agent.haste.high:g})"
        if found is not None and not found.aim:
            return told
        chance = percent(self.result.best.satisfaction_probability)
        return f"{told}; an agent like that succeeds in {chance} of episodes"

    def facts(self, *, claims: bool = True) -> Iterator[tuple[str, str]]:
        """Return all that is told under a name, claims among it or not."""
        if self.enough:
            yield ACT, self.enough
        for one in self.claims if claims else ():
            yield one.name, "\n".join(claim.brief for claim in one.claims) or one.nothing
        yield "Shown", self.shown
        if self.believed and self.shown_by:
            yield SHOWN_BY, self.shown_by
        if self.said.exact != "always":
            yield EXACTLY, self.exact

    @property
    def searched(self) -> str:
        """Say how much was done."""
        iterations = count(len(self.result.trace), "iteration")
        return f"{count(self.result.evaluations, 'task')} scored in {iterations}"

    @property
    def ended(self) -> str:
        """Say why the search ended."""
        return ENDED[self.result.ended]

    @property
    def not_scored(self) -> str:
        """Say how much of the belief may be in tasks that were never scored, and how that is estimated."""
        if not self.believed:
            return ""
        if self.result.outside is None:
            return "How much of the belief tasks have that were never scored was not estimated."
        return (
            f"Tasks that were never scored may have about {percent(self.result.outside.share)} of the "
            "belief: longer sentences, drawn from the prior and weighed."
        )

    @cached_property
    def next_step(self) -> NextStep:
        """Say what is most useful now, given how sure the answer is and what speaks against it."""
        result, source, found = self.result, self.source, self.result.findings
        kept = "" if source.folder is None else shlex.quote(f"{source.folder}/result.json")
        if result.ended == "interrupted" and source.folder is not None:
            return NextStep("go on with the search:", f"demospec resume {shlex.quote(source.folder)}")
        if result.cut_by is not None or found is None:
            return NextStep("let the search run to its end:", f"demospec learn {source.name}")
        codes = {one.code for one in result.warnings if one.serious or one.code == "stray-demonstration"}
        if codes & {"no-choice", "prior-excludes", "succeeds-otherwise"}:
            return NextStep("check what the problem file says:", f"demospec check {source.name}")
        if codes & {"surprising-demonstration", "stray-demonstration"}:
            told = self.said.sentence.rstrip(".")
            task = shlex.quote(told if self.said.exact == "always" else str(result.best.task.automaton))
            return NextStep(
                "look at the runs that do not fit:", f"demospec score {source.name} {kept or task}"
            )
        if "nearly-aimless" in codes or not found.aim:
            if source.is_toml:
                return NextStep("show more runs:", f"demospec record {source.name}")
            return NextStep("add runs to the problem file; it holds:", f"demospec check {source.name}")
        if found.answer.share >= SURE:
            if kept:
                return NextStep("it is settled; hand it over:", f"demospec export {kept} --format python")
            command = f"demospec learn {source.name} --out out"
            return NextStep("it is settled; keep the result, and see it in pictures:", command)
        if source.narrowed:
            asked = "write the options into the problem file and answer questions:"
            return NextStep(asked, f"demospec ask {source.name}")
        options = map(shlex.quote, source.options)
        return NextStep("answer a few yes/no questions:", " ".join(["demospec ask", source.name, *options]))


def as_sentence(words: str, name: str = "") -> str:
    """Write what is told under a name, or by itself, as a sentence; nothing where nothing is told.

    >>> as_sentence("answer questions:"), as_sentence("97 % that this is enough", "Act on it")
    ('Answer questions:', 'Act on it: 97 % that this is enough.')
    """
    if not words:
        return ""
    text = f"{name}: {words}" if name else f"{words[0].upper()}{words[1:]}"
    return text if text.endswith((".", ":", "?")) else f"{text}."


def at_least(share: float) -> str:
    """Write a share that may be larger, so rounded down.

    >>> at_least(0.999), at_least(1.0)
    ('at least 99 %', '100 %')
    """
    return "100 %" if share > 1 - 1e-9 else f"at least {math.floor(100 * share + 1e-9)} %"


def warning_words(one: Caution) -> str:
    """Write a warning on a line."""
    return f"Warning: {one.message} {one.advice}"


# -- what is settled ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ToldClaim:
    """A claim in words: the sentence, its probability, and the run whose label would tell most about it."""

    sentence: str
    share: str
    word: Word | None = None
    settle: str = ""  # which label would tell, how likely it is, and how likely the claim is afterwards

    @property
    def line(self) -> str:
        """Write the claim with its probability."""
        return f"{self.sentence} ({self.share})"

    @property
    def brief(self) -> str:
        """Write the claim on a line, with the run that would tell."""
        return (
            self.line
            if self.word is None
            else f"{self.line}; whether {run_words(self.word)} is good would tell"
        )


@dataclass(frozen=True)
class ClaimList:
    """Claims that are settled, likely or open; what is said where there are none, or of all lists."""

    name: str
    claims: Sequence[ToldClaim]
    nothing: str = ""


def claim_lists(problem: Problem, claims: Claims) -> list[ClaimList]:
    """Return what follows from the task, how likely that is, and what would settle what is open."""

    def told(claim: Claim) -> ToldClaim:
        share, settle = percent(claim.probability), claim.settle
        if settle is None or claim.status != "open":
            return ToldClaim(claim.sentence, share)
        several = len(problem.scenes) > 1
        where = f' in world "{problem.scenes[settle.world].name}"' if several else ""
        would_tell = (
            f"{run_words(settle.word)}{where} would tell. If it is good ({percent(settle.probability)}), "
            f"this is {percent(settle.if_accepted)} likely, if not, {percent(settle.if_rejected)}"
        )
        return ToldClaim(claim.sentence, share, settle.word, would_tell)

    nothing = "nothing yet" if claims.told else "nothing that a short sentence could say"
    settled = ClaimList("Settled", [told(one) for one in claims.of("settled")], nothing)
    likely = ClaimList("Likely", [told(one) for one in claims.of("likely")])
    unsettled = ClaimList("Open", [told(one) for one in claims.of("open")])
    bound = [] if claims.exact else [ClaimList("", (), BOUND)]
    return [settled, *(one for one in (likely, unsettled) if one.claims), *bound]


def run_words(word: Word) -> str:
    """Name a run by its word."""
    return f'the run "{word_text(word)}"' if word else "a run that reads no letter"

"""Why a result is what it is: surprise by demonstration, where the best task comes from, paths not taken."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import UNSET

from demospec.explain.score import Score
from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Figure, Items, Paragraph, Section, Table
from demospec.report.documents import JSON, Number, Sometimes, world_key
from demospec.report.drawings import in_world, paths_svg
from demospec.report.words import decimal, path_text, sentence
from demospec.runs.result import Result
from demospec.runs.why import Branch, NotTaken, Origin, ShownRun, Why, explain
from demospec.search.moves import MOVES
from demospec.tasks import Word
from demospec.tasks.showing import bits_text
from demospec.wording import listing, word_text
from demospec.worlds.prefix_tree import Player
from demospec.worlds.world import World, is_stopped, show

CONJECTURES = 5  # told
TOGETHER = 4  # demonstrations on one map


def why_blocks(result: Result, conjectures: int = CONJECTURES) -> list[Block]:
    """Tell each demonstration's surprise, the best task's origin, and the conjectures that helped most."""
    why, problem = explain(result), result.problem
    told = most_useful(why, conjectures)
    blocks: list[Block] = [
        Paragraph(
            f'Surprise in nats under the best task, "{sentence(result.best.task)}", '
            f"and under the prior guess, {guess_words(result)}; "
            "and the steps at which the best task explains most."
        ),
        surprise_table(problem, why),
    ]
    if why.origin is not None:
        blocks.append(Paragraph(f"The best task was {origin_words(why.origin, problem.settings.chains)}."))
    blocks.append(Paragraph(tried_words(why, told)))
    blocks.append(Items([conjecture_blocks(problem, one) for one in told], numbered=True))
    return [Section("Why", blocks)]


def surprise_table(problem: Problem, why: Why) -> Table:
    """Return the surprise of each demonstration, and of all."""

    def row(name: str, best: float, prior: float, gains: str) -> tuple[str, ...]:
        return name, decimal(best), decimal(prior), decimal(prior - best, "+.4f"), gains

    rows = [
        row(f"{one.number}{in_world(problem, one.scene)}", one.surprise, one.prior_surprise, gains_words(one))
        for one in why.demonstrations
    ]
    rows.append(row("all", why.best.surprise, why.prior_guess.surprise, ""))
    return Table(("demonstration", "best task", "prior guess", "gain", "largest gains"), rows)


def conjecture_blocks(problem: Problem, one: NotTaken) -> list[Block]:
    """Tell one conjecture: where its path leaves, what it changed, and on a grid the map."""
    world, made = one.scene.world, one.tested.conjecture
    told = "satisfies the task after all" if made.label else "does not satisfy the task after all"
    facts = [
        ("path", path_text(made.path_in(world).to_file(world))),
        ("leaves", left_words(world, one)),
        ("change", change_words(one)),
        ("best task", "agrees" if one.kept else "does not agree"),
    ]
    drawn = [] if one.scene.grid is None else [Figure(partial(not_taken_svg, problem, one))]
    said = f"the word {word_text(made.word)} {told}{in_world(problem, one.scene)}"
    return [Paragraph(said), Facts(facts), *drawn]


def not_taken_svg(problem: Problem, one: NotTaken, *, live: bool = False) -> str:
    """Return the map of a grid with a path not taken, and with those that it leaves."""
    numbers, path = one.demonstrations[:TOGETHER], one.tested.conjecture.path_in(one.scene.world)
    shown = [problem.demonstrations[number - 1] for number in numbers]
    return paths_svg(one.scene, shown, numbers=numbers, not_taken=path, live=live)


# -- Why a result is what it is, in sentences: the terminal and the page say the same.


STEPS = 3  # with the largest gains, told for each demonstration
PROPOSED = {
    "examples": "drawn for labelled examples that were there before",
    "conjecture": "drawn for labelled examples with a new conjecture",
    "enumeration": "the next one by size",
    "start": "one of those to begin with",
    **{move.origin: move.phrase for move in MOVES},
}


def most_useful(why: Why, count: int) -> list[NotTaken]:
    """Return the conjectures that lowered the energy most, one for each word and label."""
    found: dict[tuple[Word, bool], NotTaken] = {}
    for one in why.conjectures:
        if one.gain > 0:
            found.setdefault((one.tested.conjecture.word, one.tested.conjecture.label), one)
    return list(found.values())[:count]


def guess_words(result: Result) -> str:
    """Say what the prior guess is."""
    if result.problem.prior is not None:
        return "the prior"
    return "the task that accepts everything, whose agent is aimless"


def gains_words(shown: ShownRun) -> str:
    """Say at which steps of a demonstration the best task explains most."""
    world = shown.scene.world
    return "; ".join(
        f"step {step.number}, {world.action(step.pair)} in {place_text(world, step.state)}, {step.gain:+.2f}"
        for step in shown.largest_gains(STEPS)
    )


def left_words(world: World, one: NotTaken) -> str:
    """Say where a path leaves the demonstrations, and how."""
    who = listing(map(str, one.demonstrations))
    runs = f"demonstration{'s' if len(one.demonstrations) > 1 else ''} {who}"
    where = f"at step {one.step} of {runs}, in {place_text(world, one.state)}"
    if one.player == Player.NOBODY:
        return f"it is {runs}"
    if one.player == Player.AGENT:
        done = list(dict.fromkeys(world.action(move.pair) for move in one.taken))
        instead = f" instead of {listing(done)}" if done else ", where what was shown stops"
        return f"{where}: {world.action(one.instead.pair)}{instead}"
    outcomes = listing(outcome(world, move) for move in one.taken)
    same = f"{world.action(one.instead.pair)} {outcome(world, one.instead)}"
    return f"{where}: {same}" + (f", where what was shown {outcomes}" if one.taken else "")


def outcome(world: World, move: Branch) -> str:
    """Say what came of an action."""
    return f"{'ended in' if move.ends else 'went on from'} {place_text(world, move.state)}"


def change_words(one: NotTaken) -> str:
    """Say what a conjecture did to the task."""
    before, after = one.tested.before, one.tested.after
    if after is None:
        return "no task met the examples with it"
    return (
        f"energy {before.energy:.2f} → {after.energy:.2f}, "
        f"size {bits_text(before.size)} → {bits_text(after.size)} bits, "
        f"surprise {before.surprise:.2f} → {after.surprise:.2f}, "
        + ("accepted" if one.tested.accepted else "rejected")
        + (f", {one.times} times" if one.times > 1 else "")
    )


def origin_words(origin: Origin, chains: int) -> str:
    """Say where the best task comes from."""
    chain = f" of chain {origin.chain + 1}" if chains > 1 else ""
    how = PROPOSED.get(origin.ingredient) or f'proposed by "{origin.ingredient}"'  # a move of one's own
    return f"scored first in iteration {origin.iteration}{chain}, {how}"


def tried_words(why: Why, told: Sequence[NotTaken]) -> str:
    """Say how many conjectures were tried, and how many helped."""
    tried = sum(one.times for one in why.conjectures)
    helped = sum(one.times for one in why.conjectures if one.gain > 0)
    if not tried:
        return "No conjecture was tried."
    most = "; those that lowered it most, each word once" if len(told) > 1 else ""
    were, end = "s were" if tried > 1 else " was", ":" if told else "."
    return f"{tried} conjecture{were} tried; {helped} lowered the energy{most}{end}"


def place_text(world: World, state: int) -> str:
    """Return the name of a state, with its label."""
    label = world.label(state)
    return show(world.name(state)) + ("" if label is None else f" [{label}]")


# -- JSON ------------------------------------------------------------------------------------------------

GAINS = 5  # steps told for each demonstration
MOST_CONJECTURES = 20  # told
ENERGY = ("energy", "size", "surprise")


class LineJSON(JSON, kw_only=True):
    """A task on a line with some of its numbers."""

    task: Annotated[str, "The task on one line."]
    energy: Annotated[Sometimes[Number], "Its energy."] = UNSET
    size: Annotated[Sometimes[float], "Its size in bits."] = UNSET
    surprise: Annotated[Number, "Its surprise in nats."]
    weight: Annotated[Sometimes[float], "Its posterior probability."] = UNSET


def line_json(score: Score, *numbers: str, **known: Any) -> LineJSON:
    """Return a task on a line with some of its numbers."""
    return LineJSON(task=str(score.task), **{name: getattr(score, name) for name in numbers}, **known)


class _GainJSON(JSON):
    step: Annotated[int, "The number of the step, from 1."]
    state: Annotated[str | list[Any], "The state."]
    action: Annotated[str, "What was chosen."]
    surprise: Annotated[Number, "The surprise of the choice under `best`."]
    prior_surprise: Annotated[Number, "Under the task to compare with."]
    gain: Annotated[Number, "The difference."]


class _ShownJSON(JSON, kw_only=True):
    demonstration: Annotated[int, "Its number, from 1."]
    world: Annotated[Sometimes[str], "With several worlds: the name of its world."] = UNSET
    word: Annotated[list[str], "Its word."]
    complete: Annotated[bool, "Whether it is complete."]
    accepted: Annotated[bool | None, "Whether `best` accepts it; null while that is open."]
    surprise: Annotated[Number, "Its surprise under `best`."]
    prior_surprise: Annotated[Number, "Its surprise under the task to compare with."]
    gain: Annotated[Number, "The difference: what `best` explains of it."]
    steps: Annotated[list[_GainJSON], "The five steps at which `best` explains most."]


class _MoveJSON(JSON):
    action: Annotated[str, "The action."]
    reached: Annotated[str | list[Any] | None, "The state that it led to; null where it stopped."]
    ends: Annotated[bool, "Whether the episode ended there."]


class _NotTakenJSON(JSON, kw_only=True):
    world: Annotated[Sometimes[str], "With several worlds: the world of the path."] = UNSET
    word: Annotated[list[str], "The word of the path that was not taken."]
    accept: Annotated[bool, "The label that was conjectured."]
    path: Annotated[list[Any], "The path."]
    player: Annotated[
        Literal["agent", "environment"] | None, "Who leaves the demonstration; null where it is one."
    ]
    demonstrations: Annotated[list[int], "The demonstrations that it leaves."]
    step: Annotated[int, "At which step."]
    state: Annotated[str | list[Any], "In which state."]
    taken: Annotated[list[_MoveJSON], "What the demonstrations did there."]
    instead: Annotated[_MoveJSON, "What the path does instead."]
    gradient: Annotated[float, "The gradient of the surprise at the pivot."]
    before: Annotated[LineJSON, "The task before."]
    after: Annotated[LineJSON | None, "The task after; null where no task has these labels."]
    gain: Annotated[Number, "By how much the energy fell."]
    accepted: Annotated[bool, "Whether the search accepted the change."]
    best_task_agrees: Annotated[bool, "Whether `best` gives the word this label."]
    times: Annotated[int, "How often the same change was tried."]
    chain: Annotated[int, "In which chain it was tried first."]
    iteration: Annotated[int, "In which iteration."]


class _OriginJSON(JSON):
    ingredient: Annotated[str, "What proposed `best`; see [searching](../searching.md)."]
    chain: Annotated[int, "In which chain."]
    iteration: Annotated[int, "In which iteration."]


class WhyJSON(JSON):
    """Why a result is what it is."""

    surprise: Annotated[Number, "The surprise of `best`, in nats."]
    prior_guess: Annotated[LineJSON, "To compare with: the prior, or the task that accepts everything."]
    demonstrations: Annotated[list[_ShownJSON], "A row for each demonstration."]
    conjectures_tried: Annotated[int, "How many conjectures were tried."]
    conjectures: Annotated[list[_NotTakenJSON], "The twenty that lowered the energy most."]
    origin: Annotated[_OriginJSON | None, "Where `best` comes from; null where it is not known."]


def why_json(result: Result) -> WhyJSON:
    """Return each demonstration's surprise, the conjectures that helped most, and the best task's origin."""
    why, problem = explain(result), result.problem
    return WhyJSON(
        surprise=why.best.surprise,
        prior_guess=line_json(why.prior_guess, "surprise"),
        demonstrations=[shown_json(problem, shown) for shown in why.demonstrations],
        conjectures_tried=sum(one.times for one in why.conjectures),
        conjectures=[not_taken_json(problem, one) for one in why.conjectures[:MOST_CONJECTURES]],
        origin=None if why.origin is None else _OriginJSON.of(why.origin),
    )


def shown_json(problem: Problem, shown: ShownRun) -> _ShownJSON:
    """Return one demonstration with the steps of the largest gains."""
    world = shown.scene.world
    steps = [
        _GainJSON.of(step, step=step.number, state=world.name(step.state), action=world.action(step.pair))
        for step in shown.largest_gains(GAINS)
    ]
    return _ShownJSON.of(
        shown, demonstration=shown.number, world=world_key(problem, shown.scene), steps=steps
    )


def not_taken_json(problem: Problem, one: NotTaken) -> _NotTakenJSON:
    """Return a conjecture that was tried: the path not taken, where it leaves, and what it changed."""
    tested, made, world = one.tested, one.tested.conjecture, one.scene.world

    def move(one: Branch) -> _MoveJSON:
        reached = None if is_stopped(world, one.state) else world.name(one.state)
        return _MoveJSON.of(one, action=world.action(one.pair), reached=reached)

    return _NotTakenJSON.of(
        one,
        world=world_key(problem, one.scene),
        word=made.word,
        accept=made.label,
        path=made.path_in(world).to_file(world),
        player={Player.AGENT: "agent", Player.ENVIRONMENT: "environment"}.get(one.player),
        state=world.name(one.state),
        taken=[move(one) for one in one.taken],
        instead=move(one.instead),
        gradient=made.gradient,
        before=line_json(tested.before, *ENERGY),
        after=None if tested.after is None else line_json(tested.after, *ENERGY),
        accepted=tested.accepted,
        best_task_agrees=one.kept,
    )

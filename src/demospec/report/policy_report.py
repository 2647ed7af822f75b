"""What an agent does in some situations, and in all; runs that it makes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from msgspec import UNSET

from demospec.plan.policy import MixturePolicy, Policy, Situation, Where, Worth
from demospec.problem import Problem
from demospec.report.blocks import Block, Facts, Heading, Paragraph, Table
from demospec.report.documents import (
    JSON,
    Document,
    HowFar,
    Sometimes,
    TaskJSON,
    said_keys,
    task_document,
    world_key,
)
from demospec.report.drawings import cell_of
from demospec.report.pictures.maps import Cell, Layer, Scale, number_map
from demospec.report.words import actions_text, decimal, sentence, state_text
from demospec.tasks import DFA, Task, Word
from demospec.tasks.mixture import Mixture
from demospec.tasks.words import BRIEF, describe
from demospec.wording import count, word_text
from demospec.worlds.paths import Path, file_state
from demospec.worlds.scene import Scene
from demospec.worlds.world import is_stopped, stops

Columns = dict[str, Callable[[Any], str]]  # by the head of each, how an entry is written there


def policy_blocks(problem: Problem, document: Document) -> list[Block]:
    """Tell the result of `policy`; with `--belief` also which answers the agent acts on."""
    agent = f"{problem.name}: an agent of rationality {document['rationality']:.6g} that"
    chance, belief = decimal(document["satisfaction_probability"]), document.get("belief")
    blocks: list[Block]
    if belief is None:
        blocks = [
            Heading(f"{agent} succeeds with probability {chance}"),
            Facts([("task", document["reads"])]),
        ]
    else:
        numbers = [("expected satisfaction", chance), ("weight in the belief", decimal(belief["weight"]))]
        title = f"{agent} acts on {count(len(belief['answers']), 'answer')} at once"
        blocks = [Heading(title), Facts(numbers), answers_table(belief["answers"])]
        if left_out := belief["left_out"]:
            few = f"{count(len(left_out), 'answer')} with a weight of "
            weight = decimal(math.fsum(answer["weight"] for answer in left_out))
            blocks.append(Paragraph(f"Not acted on: {few}{weight} together."))
    return [*blocks, situations_table(document["situations"])]


def table_of(columns: Columns, entries: Iterable[object], align: str = "") -> Table:
    """Return a table with a row for each entry."""
    rows = [[write(entry) for write in columns.values()] for entry in entries]
    return Table(tuple(columns), rows, align=align)


def situations_table(situations: list[Document]) -> Table:
    """Return what is done in each situation; what was taken, where a run says so."""
    columns: Columns = {
        "time": lambda found: str(found["time"]),
        "state": lambda found: state_text(found["state"]),
        "task in": lambda found: str(found["monitor"]),
        "satisfied": lambda found: decimal(found["satisfaction_probability"]),
        "value": lambda found: decimal(found["value"]),
        "taken": lambda found: found["taken"] or "",
        "what the agent does": lambda found: (
            "the episode is over" if found["over"] else actions_text(found["actions"])
        ),
    }
    if not any(found["taken"] for found in situations):
        del columns["taken"]
    return table_of(columns, situations)


def answers_table(answers: list[Document]) -> Table:
    """Return each answer with its weight and the chance that it is satisfied."""
    columns: Columns = {
        "weight": lambda answer: decimal(answer["weight"]),
        "satisfied": lambda answer: decimal(answer["satisfaction_probability"]),
        "answer": lambda answer: answer["sentence"],
        "automaton": lambda answer: answer["one_line"],
    }
    return table_of(columns, answers, align="rrlc")


# -- The maps of a policy on a grid: where the agent goes, and what each cell is worth to it.
#
# A map for one state of the task is about visits that find the task in that state, before the cell is read.


MOST_MONITORS = 8  # states of the task that get maps of their own: those in which the agent is most often
PROBABILITIES = Scale(0.0, 1.0)


def shown_monitors(policy: Policy) -> list[int]:
    """Return the states of the task that are shown, in order."""
    entered = policy.occupancy.entered.sum(axis=1).tolist()
    often = sorted(range(len(entered)), key=lambda m: -entered[m])
    return sorted(often[:MOST_MONITORS])


def monitor_name(overview: Document, monitor: int) -> str:
    """Return how a state of the task is named: its number, and how it is reached."""
    word = overview["monitor"][monitor]["word"]
    return f"state {monitor} (after {word_text(word)})" if word else f"state {monitor} (at first)"


def value_scale(overview: Document) -> Scale:
    """Return one scale for all values, so that their maps can be compared."""
    values = [value for entry in overview["states"] for value in entry["value"]]
    least, greatest = min(values), max(values)
    spread = greatest - least
    decimals = min(3, max(0, 2 - math.floor(math.log10(spread)))) if spread > 1e-9 else 2
    return Scale(least, greatest if spread > 1e-9 else least, decimals=decimals)


def policy_maps(problem: Problem, scene: Scene, policy: Policy, overview: Document) -> dict[str, str]:
    """Return the maps of a scene by file name; none where the world is not a grid."""
    rows = scene.grid
    if rows is None:
        return {}
    states: dict[Cell, Document] = {
        (entry["state"][0], entry["state"][1]): entry for entry in overview["states"]
    }
    start, time = cell_of(policy.world, policy.world.starts[0][0]), overview["time"]
    visits = Scale(0.0, max(entry["visits"] for entry in states.values()), root=True)
    rare = f"no number: below {0.5 * 10**-visits.decimals:g}"
    stopped = ("■ the agent stops",) if policy.world.episode.by_choice else ()
    number, read = policy.world.listed().number, policy.plan.read

    def drawn(
        key: str, monitor: int | None, scale: Scale, caption: str, title: str, *notes: str, **known: Any
    ) -> str:
        """Draw what the overview has under a key, of all visits or of those that find the task in a state."""
        values = {cell: entry[key] for cell, entry in states.items()}
        if monitor is not None:
            values = {cell: value[monitor] for cell, value in values.items()}
            title += f", task in {monitor_name(overview, monitor)}"
        layer = Layer(values, scale, caption, notes=notes, **known)
        return number_map(rows, layer, start=start, title=title, terrain=scene.terrain)

    def gone(moves: dict[Cell, dict[str, float]]) -> Document:
        """Return what maps of visits have besides: where the agent moves, and what is told of each cell."""
        told = {cell: hover(cell, entry, moves.get(cell, {})) for cell, entry in states.items()}
        return {"moves": moves, "told": told, "hide_zero": True}

    where = f"{problem.name}: where the agent goes"
    caption, known = (
        "expected visits in one episode",
        gone({cell: one["actions"] for cell, one in states.items()}),
    )
    found = {"visits.svg": drawn("visits", None, visits, caption, where, *stopped, rare, **known)}
    if all(entry["ever"] is not None for entry in states.values()):
        caption = "probability that an episode visits the cell at all"
        found["ever.svg"] = drawn("ever", None, PROBABILITIES, caption, f"{where} at all", rare, **gone({}))
    place = "if an episode began in the cell" if time == 0 else f"in the cell after {time} steps"
    for m in shown_monitors(policy):
        after = {cell: read(m, number[cell]) for cell in states}  # where the task moves on to another state
        marks = {cell: f"→{state}" for cell, state in after.items() if state != m}
        notes = ("→ in a corner: the task's state after the cell is read",) if marks else ()
        told = {
            cell: f"{cell}: value {entry['value'][m]:.4f}, success {entry['satisfaction_probability'][m]:.4f}"
            for cell, entry in states.items()
        }
        known = {"marks": marks, "told": told}
        caption = f"V, the value {place}"
        found[f"value-{m}.svg"] = drawn("value", m, value_scale(overview), caption, "value", *notes, **known)
        key, caption = "satisfaction_probability", f"probability of satisfying the task {place}"
        found[f"success-{m}.svg"] = drawn(key, m, PROBABILITIES, caption, "success", *notes, **known)
        key, caption = "visits_by_monitor", "expected visits that find the task in this state"
        known = {"marks": marks, **gone({cell: one["actions_by_monitor"][m] for cell, one in states.items()})}
        found[f"visits-{m}.svg"] = drawn(key, m, visits, caption, "visits", *stopped, *notes, rare, **known)
    return found


def hover(cell: Cell, entry: Document, moves: dict[str, float]) -> str:
    """Return what is told when the pointer rests on a cell."""
    ever = "" if entry["ever"] is None else f", visited with probability {entry['ever']:.4f}"
    made = "".join(f", {move} {chance:.4f}" for move, chance in moves.items())
    return f"{cell}: {entry['visits']:.4f} visits{ever}, ends here with {entry['ends']:.4f}{made}"


# -- JSON: what an agent does, of one task or of a belief ------------------------------------------------

MOST_WORK = 10**9  # moves to be followed for the probability of ever visiting each state


class _ActedOnJSON(TaskJSON, kw_only=True):
    one_line: Annotated[str, "The automaton on one line."]
    sentence: Annotated[str, "The answer in a sentence."]
    weight: Annotated[float, "Its probability, scaled to 1 over all that are acted on."]
    satisfaction_probability: Annotated[float, "How often the agent satisfies this answer."]


class _LeftOutJSON(JSON):
    one_line: Annotated[str, "The automaton."]
    weight: Annotated[float, "Its weight."]


class _MixtureJSON(JSON):
    weight: Annotated[float, "The probability that the answers had together before they were scaled to 1."]
    answers: Annotated[list[_ActedOnJSON], "The answers that the agent acts on."]
    left_out: Annotated[list[_LeftOutJSON], "Answers that it does not act on."]


class _MonitorStateJSON(JSON):
    word: Annotated[list[str], "A shortest word that leads there."]
    accepting: Annotated[Sometimes[bool], "Whether it accepts."] = UNSET
    reward: Annotated[Sometimes[float], "On a belief: the share that is satisfied there."] = UNSET
    satisfied: Annotated[Sometimes[list[bool]], "On a belief: which answers are satisfied there."] = UNSET


class _SituationJSON(JSON, kw_only=True):
    time: Annotated[int, "Steps that were taken."]
    state: Annotated[str | list[Any], "The state of the world."]
    monitor: Annotated[int, "The state of the automaton."]
    satisfied_so_far: Annotated[Sometimes[bool], "Whether the task is, if the episode ends here."] = UNSET
    over: Annotated[bool, "Whether the episode is over."]
    value: Annotated[float, "V: the soft value."]
    satisfaction_probability: Annotated[float, "How often the agent succeeds from here."]
    actions: Annotated[dict[str, float], "The probability of each action."]
    reward_so_far: Annotated[Sometimes[float], "On a belief: the share if the episode ends here."] = UNSET
    answers: Annotated[Sometimes[list[float]], "On a belief: how likely each is satisfied."] = UNSET
    taken: Annotated[Sometimes[str | None], "Along a run: what was taken. Else null."] = UNSET


class _MadeHereJSON(JSON, kw_only=True):
    task: Annotated[TaskJSON, "The likeliest answer with all that costs nothing beside it here."]
    sentence: Annotated[str, "The same in a sentence."]
    clauses: Annotated[list[str], "The clauses of that sentence."]
    exact: Annotated[HowFar, "How far they say it."]
    formula: Annotated[str | None, "The task as a formula of LTLf, or null."]
    same_as_answer: Annotated[bool, "Whether it is the answer, with nothing beside it."]
    added: Annotated[int, "How many other likely answers are kept to as well."]


class PolicyJSON(JSON, kw_only=True):
    """What the agent does at the start, along a run, or in one situation."""

    rationality: Annotated[float, "The agent's rationality."]
    satisfaction_probability: Annotated[float, "How often it succeeds; on a belief, the weighted mean."]
    reads: Annotated[Sometimes[str], "The automaton as it is read along a run."] = UNSET
    belief: Annotated[Sometimes[_MixtureJSON], "On a belief: the answers."] = UNSET
    act_on: Annotated[
        Sometimes[_MadeHereJSON], "Of a result of learn: what to act on in this world, made anew for it."
    ] = UNSET
    monitor: Annotated[list[_MonitorStateJSON], "The states of the automaton."]
    situations: Annotated[list[_SituationJSON], "The situations that were asked about."]


def policy_document(
    policy: Policy, situations: list[Document], act_on: DFA | None = None, added: int = 0
) -> Document:
    """Return the result of the command `policy`; on a belief with its answers."""
    on_belief = isinstance(policy, MixturePolicy)
    return PolicyJSON.of(
        policy.plan,
        reads=UNSET if on_belief else str(read_as(policy)),
        belief=mixture_document(policy) if isinstance(policy, MixturePolicy) else UNSET,
        act_on=UNSET
        if act_on is None
        else _MadeHereJSON(
            task=task_document(act_on),
            **said_keys(describe(act_on, budget=BRIEF)),
            same_as_answer=not added,
            added=added,
        ),
        monitor=monitor_json(policy),
        situations=situations,
    ).plain()


def situation_document(policy: Policy, at: Situation, where: Where) -> Document:
    """Return what the agent does in a situation; `where` is what the policy is asked about."""
    over = policy.is_over(where)
    if isinstance(policy, MixturePolicy):
        reward: Document = {"reward_so_far": policy.monitor.reward.item(at.monitor)}
        known = {**reward, "answers": [*policy.chances(where)]}
    else:
        known = {"satisfied_so_far": bool(policy.monitor.accepting[at.monitor])}
    return _SituationJSON.of(
        at,
        state=file_state(at.state),
        over=over,
        value=policy.value(where),
        satisfaction_probability=policy.satisfaction(where),
        actions={} if over else policy.action_probabilities(where),
        **known,
    ).plain()


def mixture_document(policy: MixturePolicy) -> Document:
    """Return the answers that are acted on, how often each is satisfied, and which were left out."""
    mixture = policy.mixture
    chances = zip(mixture.tasks, mixture.weights, policy.satisfaction_probabilities, strict=True)
    return _MixtureJSON(
        weight=mixture.whole,
        answers=[
            task_document(
                task,
                one_line=str(task.as_dfa()),
                sentence=sentence(task),
                weight=weight,
                satisfaction_probability=chance,
            )
            for task, weight, chance in chances
        ],
        left_out=[
            _LeftOutJSON(one_line=str(task.as_dfa()), weight=weight) for task, weight in mixture.left_out
        ],
    ).plain()


def monitor_json(policy: Policy) -> list[_MonitorStateJSON]:
    """Return the states of the task as it is read: a word that leads there, and whether it satisfies."""
    monitor = policy.monitor
    words: dict[int, Word] = {0: ()}
    queue = [0]
    for state in queue:  # grows while we walk
        for letter, target in zip(monitor.alphabet, monitor.table[state], strict=True):
            if target not in words:
                words[target] = (*words[state], letter)
                queue.append(target)
    if isinstance(policy, MixturePolicy):
        marks = zip(policy.monitor.reward.tolist(), policy.mixture.satisfied, strict=True)
        known: list[Document] = [{"reward": reward, "satisfied": [*each]} for reward, each in marks]
    else:
        known = [{"accepting": mark} for mark in monitor.accepting.tolist()]
    return [_MonitorStateJSON(word=[*words[state]], **one) for state, one in enumerate(known)]


def read_as(policy: Policy) -> DFA:
    """Return the task as it is read along a run: repeats merged where the problem says so."""
    monitor = policy.monitor
    return DFA.from_canonical(monitor.alphabet, monitor.table, tuple(monitor.accepting.tolist()))


# -- runs that were drawn --------------------------------------------------------------------------------


class _DrawnJSON(JSON, kw_only=True):
    world: Annotated[Sometimes[str], "With several worlds: the name of its world."] = UNSET
    start: Annotated[Sometimes[str | list[Any]], "With several starts: where the run begins."] = UNSET
    complete: Annotated[bool, "Whether it is complete; a sampled run always is."]
    path: Annotated[list[Any], "Actions and states in turn."]
    word: Annotated[list[str], "The letters that were read."]
    accepted: Annotated[Sometimes[bool], "Whether the task accepts the word."] = UNSET
    reward: Annotated[Sometimes[float], "On a belief: the share that the run satisfies."] = UNSET
    satisfied: Annotated[Sometimes[list[bool]], "On a belief: which answers it satisfies."] = UNSET


class SampleJSON(JSON, kw_only=True):
    """Ready to be pasted into a problem file."""

    belief: Annotated[Sometimes[_MixtureJSON], "On a belief: what the agent acts on."] = UNSET
    demonstrations: Annotated[list[_DrawnJSON], "The runs."]


def drawn_document(problem: Problem, scene: Scene, path: Path, by: Task | Mixture) -> Document:
    """Return a drawn demonstration, ready to paste into a problem file, and whether it is what was wanted."""
    word = path.word(scene.original, merge_repeats=problem.merge_repeats)
    if isinstance(by, Mixture):
        state = by.after(word)
        known: Document = {"reward": by.reward[state], "satisfied": by.satisfied[state]}
    else:
        known = {"accepted": by.accepts(word)}
    return _DrawnJSON(
        world=world_key(problem, scene),
        start=UNSET if path.start is None else file_state(scene.original.name(path.start)),
        complete=path.complete,
        path=path.to_file(scene.original),
        word=[*word],
        **known,
    ).plain()


# -- all states at a glance ------------------------------------------------------------------------------


class _StateJSON(JSON):
    state: Annotated[str | list[Any], "The state."]
    label: Annotated[str | None, "Its letter."]
    visits: Annotated[float, "How often an episode is there, on average."]
    ever: Annotated[float | None, "How likely it ever is; null where that would take too long to work out."]
    ends: Annotated[float, "How often an episode ends there."]
    actions: Annotated[dict[str, float], "How often each action is chosen, over all visits."]
    visits_by_monitor: Annotated[list[float], "By state of the automaton, before the state is read: visits."]
    actions_by_monitor: Annotated[list[dict[str, float]], "Likewise: choices."]
    value: Annotated[list[float], "Likewise: V, the soft value."]
    satisfaction_probability: Annotated[list[float], "Likewise: how often the agent succeeds from there."]


class OverviewJSON(JSON):
    """What an agent does in every state."""

    reads: Annotated[str, "The automaton as it is read along a run."]
    monitor: Annotated[list[_MonitorStateJSON], "Its states."]
    time: Annotated[int, "After how many steps the values are."]
    expected_steps: Annotated[float, "How many steps an episode has on average."]
    states: Annotated[list[_StateJSON], "Every state of the world."]


def overview_document(policy: Policy, worth: Worth) -> Document:
    """Return every state of the world: how often the agent is there, what it does, what that is worth."""
    mdp, occupancy = policy.world.listed(), policy.occupancy
    visited = int((occupancy.visits > 0).sum())
    ever = occupancy.ever().tolist() if occupancy.moves * visited <= MOST_WORK else [None] * len(mdp.states)
    states, stopped = [], 0.0  # which is no step
    for number, state in enumerate(mdp.states):
        if is_stopped(mdp, number):
            stopped += float(occupancy.visits[number])
            continue
        ends = occupancy.ended[:, number].sum()
        ends += sum(occupancy.chosen[:, pair].sum() for pair in mdp.pairs(number) if stops(mdp, pair))
        one = _StateJSON(
            state=file_state(state),
            label=mdp.labels[number],
            visits=float(occupancy.visits[number]),
            ever=ever[number],
            ends=float(ends),
            actions=mean_choice(policy, number),
            visits_by_monitor=occupancy.entered[:, number].tolist(),
            actions_by_monitor=[mean_choice(policy, number, m) for m in range(policy.monitor.states)],
            value=worth.value[:, number].tolist(),
            satisfaction_probability=worth.satisfaction[:, number].tolist(),
        )
        states.append(one)
    return OverviewJSON(
        reads=str(read_as(policy)),
        monitor=monitor_json(policy),
        time=worth.time,
        expected_steps=occupancy.steps - stopped,
        states=states,
    ).plain()


def mean_choice(policy: Policy, state: int, monitor: int | None = None) -> dict[str, float]:
    """Return how often each action is chosen in a state, over all visits; empty without any."""
    mdp, chosen = policy.world.listed(), policy.occupancy.chosen
    pairs = mdp.pairs(state)
    counts = chosen[:, pairs].sum(axis=0) if monitor is None else chosen[monitor, pairs]
    total = float(counts.sum())
    if total <= 0:
        return {}
    return dict(zip(mdp.available(state), (counts / total).tolist(), strict=True))

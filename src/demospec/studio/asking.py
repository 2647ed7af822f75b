"""What the page asks of a result: questions to put, maps, runs of the learned agent, comparisons, exports."""

from __future__ import annotations

import base64
from functools import cached_property

from demospec.ask.dialogue import WORTHLESS, Dialogue, scored
from demospec.ask.run_questions import Start, offered_starts
from demospec.belief.acting import acting_in
from demospec.errors import InputError
from demospec.explain.pursuing import belief_policy, draw_in_file
from demospec.explain.pursuing import policy as policy_of
from demospec.explain.score import evaluate
from demospec.files.task_text import read_task_line
from demospec.plan.policy import Policy
from demospec.problem.problem import check_letters
from demospec.report.documents import dumps
from demospec.report.drawings import cells_of
from demospec.report.page.result_page import result_page
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.board import Line, lines_layer
from demospec.report.policy_report import monitor_name, overview_document, policy_maps, shown_monitors
from demospec.report.result_document import result_document
from demospec.report.task_forms import ending_of, exported, told_apart, told_formats
from demospec.report.told import Told
from demospec.runs.result import Result
from demospec.search.moves.shortening import shortest_way
from demospec.studio.drawing import read_scene
from demospec.studio.opening import Document, Limits
from demospec.studio.telling import drawn_path
from demospec.tasks.words import compare, describe
from demospec.wording import percent, word_text
from demospec.work.stop import Stop

SECONDS = 20.0  # for one answer


class Asked:
    """A result, and what was worked out of it when it was asked for."""

    def __init__(self, result: Result, limits: Limits) -> None:
        self.result, self.problem, self.limits = result, result.problem, limits
        self.skipped: list[tuple[str, ...]] = []

    def answer(self, what: str, told: Document) -> Document:
        """Answer a request of the page."""
        if what not in ("question", "offer", "maps", "act", "compare", "export", "report"):
            raise InputError(f'nothing is known of "{what}"')
        found: Document = getattr(self, what)(told)
        return found

    # -- converse ----------------------------------------------------------------------------------------

    @cached_property
    def dialogue(self) -> Dialogue:
        """Return the dialogue about labels; it searches no more, the page learns again itself."""
        found = scored(self.result)
        return Dialogue.begin(
            self.problem,
            seed=self.result.seed,
            searching=lambda problem: found,
            enough=1.1,  # whoever asks for a question gets one, however sure the answer is
            stop=Stop(SECONDS),
        )

    def question(self, told: Document) -> Document:
        """Return the question that tells most, drawn; those that were left unanswered are not asked again."""
        if told.get("skip"):
            self.skipped.append(tuple(told["skip"]))
        found = [one for one in self.dialogue.verdicts.questions(self.skipped) if one.nats >= WORTHLESS]
        if not found:
            reason = self.dialogue.reason or "no run is left whose answer would tell enough"
            return {"question": None, "reason": reason}
        best = found[0]
        scene = self.problem.scene(best.world)
        reads = word_text(best.word) if best.word else "nothing"
        tells = f"Yes is expected with {percent(best.chance)}; the answer tells {best.nats:.2f} nats."
        question = {
            **drawn_path(self.problem, scene, best.path),
            "word": list(best.word),
            "said": f"Would a run that reads {reads} be all right?",
            "chance": best.chance,
            "tells": tells,
        }
        return {"question": question}

    def offer(self, told: Document) -> Document:
        """Return where one more run is expected to tell most: a world, and the cell to begin in."""
        del told
        offers = offered_starts(self.result.belief, seed=self.result.seed, stop=Stop(SECONDS))
        best = offers[0] if offers else None
        if best is None or best.nats < WORTHLESS or not isinstance(best.change, Start):
            return {"offer": None, "reason": "no run from another cell would tell enough"}
        names = [scene.name for scene in self.problem.scenes]
        cell = best.change.state
        assert not isinstance(cell, str)
        offer = {
            "world": names.index(best.like),
            "known": best.scene.name if best.scene.name in names else None,
            "cell": list(cell),
            "said": f"Show one more run, from column {cell[0]}, row {cell[1]}.",
            "tells": f"It is expected to tell {best.nats:.2f} nats.",
        }
        return {"offer": offer}

    # -- understand --------------------------------------------------------------------------------------

    def maps(self, told: Document) -> Document:
        """Return the maps of a world: where the agent goes, what each cell is worth, by the task's state."""
        which, scenes = told.get("world", 0), self.problem.scenes
        if not isinstance(which, int) or not 0 <= which < len(scenes):
            raise InputError(f"the problem has {len(scenes)} worlds; found {which!r}")
        scene = scenes[which]
        task, score = self.result.best.task, self.result.best
        policy = policy_of(self.problem, task, scene, rationality=score.rationality, effort=score.effort)
        overview = overview_document(policy, policy.worth(0))
        drawn = policy_maps(self.problem, scene, policy, overview)
        names = {"visits.svg": "where the agent goes", "ever.svg": "which cells it ever visits"}
        for monitor in shown_monitors(policy):
            about = monitor_name(overview, monitor)
            names |= {
                f"value-{monitor}.svg": f"value, task in {about}",
                f"success-{monitor}.svg": f"chance of success, task in {about}",
                f"visits-{monitor}.svg": f"visits, task in {about}",
            }
        # The page's policy does not allow style attributes.
        bare = {name: svg.replace(' style="max-width:100%"', "") for name, svg in drawn.items()}
        return {"maps": [{"name": names[name], "svg": svg} for name, svg in bare.items()]}

    # -- check -------------------------------------------------------------------------------------------

    def act(self, told: Document) -> Document:
        """Let the learned agent act in a world as it is drawn now: on one task, or on the belief.

        The task is the answer with all that costs nothing beside it there.
        """
        scene = read_scene(told.get("table", {}), self.limits)
        check_letters(scene.world, self.problem.alphabet)
        seed, best = int(told.get("seed", 0)), self.result.best
        if told.get("belief"):
            policy: Policy = belief_policy(
                self.problem,
                self.result.weighted_tasks,
                scene,
                rationality=best.rationality,
                effort=best.effort,
            )
        else:
            others = self.result.weighted_tasks if self.result.act_on is not None else []
            tasks = [best.language, *(task.automaton for task, _ in others)]
            task, _ = acting_in(self.problem, scene, tasks, best.effort)
            policy = policy_of(self.problem, task, scene, rationality=best.rationality, effort=best.effort)
        (path,) = draw_in_file(policy.plan, scene, count=1, seed=seed)
        world = scene.original
        word = path.word(world, merge_repeats=self.problem.merge_repeats)
        cells = cells_of(scene, path)
        assert scene.grid is not None
        return {
            "cells": [list(cell) for cell in cells],
            "layer": lines_layer(scene.grid, scene.terrain, [Line(cells, "a", 4)]),
            "word": list(word),
            "accepted": best.task.accepts(word),
            "success": float(policy.satisfaction()),
            "path": path.to_file(world),
            "complete": path.complete,
        }

    def compare(self, told: Document) -> Document:
        """Read a task as clauses, a formula or an automaton, and say how it compares with the answer."""
        text = str(told.get("text", "")).strip()
        if not text:
            raise InputError('type a task: clauses ("reach y; never r") or a formula ("F y & G !r")')
        task = self.problem.check_task(read_task_line(text, self.problem.alphabet))
        best, belief = self.result.best, self.result.belief
        at = belief.find(task.automaton)
        found = compare(best.task, task)
        mine = evaluate(self.problem, shortest_way(self.problem, task)).score
        return {
            "read_as": describe(task).sentence,
            "sentence": names_of(found.sentence),
            "equal": found.equal,
            "here": here_words(told_apart(self.problem, found)),
            "explains": explains_words(best.surprise, mine.surprise),
            "probability": None if at is None else float(belief.weights[at]),  # of tasks that say the same
            "automaton": automaton_svg(task.automaton, live=True),
        }

    # -- keep --------------------------------------------------------------------------------------------

    def export(self, told: Document) -> Document:
        """Return the learned task in another tool's form."""
        name = str(told.get("format", ""))
        if name == "result":
            return {"name": "result.json", "text": dumps(result_document(self.result)) + "\n"}
        if name not in told_formats():
            raise InputError(f'there is no format "{name}"')
        written, file = exported(self.result.best.task, name), f"task{ending_of(name)}"
        if isinstance(written, bytes):
            return {"name": file, "base64": base64.b64encode(written).decode("ascii")}
        return {"name": file, "text": written}

    def report(self, told: Document) -> Document:
        """Return the report as a page of its own."""
        del told
        return {"name": "report.html", "text": result_page(Told(self.result))}


def names_of(text: str) -> str:
    """Say "the answer" and "yours" where a comparison says first and second."""
    text = text.replace("The first", "The answer").replace("the first", "the answer")
    return text.replace("The second", "Yours").replace("the second", "yours")


def here_words(found: Document) -> str:
    """Say whether a run in these worlds could tell the two apart."""
    if found["told_apart"] is None:
        return "These worlds have too many paths to follow: whether a run could tell is not known."
    if not found["told_apart"]:
        return "No run in these worlds can tell them apart."
    word = word_text(found["told_apart_by"])
    where = f' in the world "{found["told_apart_in"]}"' if found.get("told_apart_in") else " here"
    return f"A run{where} can tell them apart: one that reads {word}."


def explains_words(best: float, other: float) -> str:
    """Say which of two tasks explains what was shown better, by their surprises in nats."""
    gain = other - best
    if abs(gain) < 0.05:
        return "Both explain the runs equally well."
    better, worse = ("The answer", "yours") if gain > 0 else ("Yours", "the answer")
    return f"{better} explains the runs better than {worse}, by {abs(gain):.1f} nats."

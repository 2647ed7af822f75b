"""One posterior, one headline: whoever tells what was learned names the same answer.

Every shipped example and every problem of the documents is learned once; then what is printed, the page, the
JSON, the files, `ask`, and what other commands read from a result are compared with each other.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Shell, shell
from documented import Case, cases

from demospec.ask.dialogue import Dialogue, scored
from demospec.cli.ask import answers_text, end_text, questions_document
from demospec.explain.setup import resolve
from demospec.files import load_belief, load_task
from demospec.files.values import task_of
from demospec.report.answer_report import result_blocks, screen_blocks
from demospec.report.blocks import as_text
from demospec.report.folder import write_result
from demospec.report.pictures.svg import escape
from demospec.report.told import Told, at_least
from demospec.report.words import in_full, sentence
from demospec.runs.result import Result
from demospec.tasks import DFA, Task
from demospec.wording import percent

__all__ = ["shell"]

CASES = cases()
UNSURE = "not determine the task"


class Everything:
    """All that is told of a result: as text, as a folder, and by `ask`."""

    def __init__(self, result: Result, folder: Path) -> None:
        self.result = result
        write_result(result, folder)
        self.folder = folder
        self.text = as_text(result_blocks(result, conjectures=3))
        self.screen = as_text(screen_blocks(Told(result)))
        self.page = (folder / "report.html").read_text(encoding="utf-8")
        self.json = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        self.dialogue = Dialogue.begin(result.problem, searching=lambda problem: scored(result))
        self.ask = answers_text(self.dialogue)
        self.asked = json.loads(json.dumps(questions_document(self.dialogue, 1)))
        self.end = end_text(self.dialogue, "you left")

    def section(self, title: str) -> list[str]:
        """Return the lines of a section, up to the next empty line that is not its first."""
        return self.text.split(f"{title}\n", 1)[1].split("\n\n")[0].splitlines()


@pytest.fixture
def learned(request: pytest.FixtureRequest, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Result:
    """Learn as the command does, with the options of the document, and keep the result."""
    case: Case = request.param
    results: list[Result] = []
    monkeypatch.setattr(
        "demospec.cli.learn.print_result", lambda result, *rest, **more: results.append(result)
    )
    shell.write("problem.toml", case.text)
    shell.good("learn", "problem.toml", *case.options)
    return results[0]


@pytest.mark.parametrize("learned", CASES.values(), ids=list(CASES), indirect=True)
def test_everybody_names_the_same_answer(learned: Result, tmp_path: Path) -> None:
    told = Everything(learned, tmp_path / "out")
    best, found = learned.best, learned.findings
    assert found is not None
    said = in_full(learned.problem, best.task)
    if resolve(learned.problem).code == "words":
        check_headline_of_the_belief(told)
    else:
        check_headline_of_the_energy(told)
    # the headline: what is printed, the page, the JSON and the files
    assert f"\n{said.sentence}\n" in told.text.split("What is settled")[0]
    assert f"<strong>{escape(said.sentence)}</strong>" in told.page
    first_line, sure, step = told.screen.split("\n\n")[0].splitlines()[-3:]  # a warning may come before
    assert first_line.endswith(said.sentence)
    assert f"Probability {percent(found.answer.share)}" in sure
    assert step.startswith("Next: ")
    assert ": demospec " in step
    assert f'under the best task, "{sentence(best.task)}"' in told.text
    assert told.json["answer"]["task"] == as_json(best.task)
    assert told.json["answer"]["sentence"] == said.sentence
    assert automaton(told.json["best"]) == best.task.automaton
    assert told.json["why"]["surprise"] == pytest.approx(best.surprise) or learned.demonstrator
    assert json.loads((told.folder / "best.json").read_text(encoding="utf-8")) == as_json(best.task)
    assert f"energy {best.energy:.3f}" in (told.folder / "best.svg").read_text(encoding="utf-8")
    assert str(learned.leading[0][0].task) == str(best.task)
    assert str(best.task)[:60] in repr(learned)
    # what other commands read from the result
    assert load_task(str(told.folder / "result.json")).automaton == best.task.automaton
    # the belief: its first answer, by everybody who tells of it
    first = found.answers.all[0]
    shares = [answer.share for answer in found.answers.all]
    assert shares == sorted(shares, reverse=True)
    assert learned.weighted_tasks[0] == (first.smallest.task, first.share)
    believed, weight = load_belief(str(told.folder / "result.json"))[0]
    assert believed.automaton == first.smallest.task.automaton
    assert weight == pytest.approx(first.share)
    assert told.json["belief"]["answers"][0]["one_line"] == str(first.smallest.task.automaton)
    asked, share = told.dialogue.answer
    assert asked.task == first.smallest.task
    assert automaton(told.asked["answers"][0]) == first.smallest.task.automaton
    assert f"{share:.0%} {sentence(first.smallest.task)}" in told.ask
    assert sentence(first.smallest.task) in told.end
    if resolve(learned.problem).planner.abilities.listed:
        assert share == pytest.approx(first.share)
        determined = [found.determined, told.asked["determined"], UNSURE not in told.ask]
        determined += ["task is not determined" not in told.end]
        assert len(set(determined)) == 1
        assert (UNSURE in told.text) == (not found.determined)
    assert (UNSURE in first_line) == (not found.determined and resolve(learned.problem).code == "words")


def check_headline_of_the_belief(told: Everything) -> None:
    """The headline is the first answer; where nothing is determined, the first line says so."""
    result, found = told.result, told.result.findings
    assert found is not None
    first = found.answers.all[0]
    assert [answer.is_named for answer in found.answers.all].index(True) == 0
    assert result.best is first.smallest is found.score
    check_acting(told)
    line, answer = told.text.splitlines()[0], told.json["answer"]
    assert (UNSURE in line, "asked for" in line) == (not found.determined, found.determined)
    title = told.page.split("<h1>")[1].split("</h1>")[0]
    assert (UNSURE in title) == (not found.determined)
    assert found.determined == (title == escape(in_full(result.problem, result.best.task).sentence))
    assert f'<div class="number">{percent(first.share)}</div>' in told.page
    assert found.determined or first.share < 0.2 or not found.aim
    assert f"Probability {percent(first.share)}" in told.text
    assert (answer["probability"], answer["determined"]) == (first.share, found.determined)
    assert {key: told.json["answers"][0][key] for key in ("task", "probability")} == {
        "task": answer["task"],
        "probability": first.share,
    }
    assert sentence(first.smallest.task) in told.section("The answers")[1]
    assert told.json["belief"]["answers"][0]["holds_best"]
    assert told.json["belief"]["best"]["weight"] == first.share
    check_claims(told.result)
    check_what_was_not_scored(told)


def check_acting(told: Everything) -> None:
    """What to act on is told by everybody, with what is kept to beside the answer."""
    acting, document = told.result.act_on, told.json["act_on"]
    assert acting is not None
    assert told.json["answer"]["enough"] == acting.alone
    assert automaton(document["task"]) == acting.task
    assert (document["enough"], document["added"]) == (acting.enough, len(acting.added))
    assert document["same_as_answer"] == acting.same_as_answer == (document["added"] == 0)
    assert (acting.task & told.result.best.language) == acting.task
    for where in (told.screen, told.text, told.page):
        where = " ".join(where.split())
        assert f"alone is enough with {at_least(acting.alone)}" in where
        assert ("kept to as well" in where) != acting.same_as_answer
    for answer in acting.added:
        assert sentence(answer.smallest.task) in document["kept_to"]
        for where in (" ".join(told.text.split()), " ".join(told.page.split())):
            said = sentence(answer.smallest.task)
            assert said in where or escape(said) in where


def check_what_was_not_scored(told: Everything) -> None:
    """What is told is the estimate."""
    outside, estimate = told.result.outside, told.json["mass_not_scored"]
    assert estimate == (None if outside is None else pytest.approx(outside.share))
    if outside is not None:
        assert f"never scored may have about {percent(outside.share)} of the belief" in " ".join(
            told.text.split()
        )


def check_claims(result: Result) -> None:
    """What is settled follows from the headline, where that alone has more than what is not settled."""
    claims, place = result.claims, result.belief.find(result.best.language)
    assert claims is not None
    if not claims.exact or place is None or result.belief.weights[place] <= 0.05:
        return
    every = map(claims.words.word, range(len(claims.words)))
    words = [word for word in every if result.best.task.accepts(word)]
    for claim in claims.of("settled"):
        follows = claim.clause.automaton(result.problem.alphabet)
        assert all(follows.accepts(word) for word in words), claim.sentence


def check_headline_of_the_energy(told: Everything) -> None:
    """The headline is the lowest energy; where the belief's likeliest answer is another, it is named."""
    result, found = told.result, told.result.findings
    assert found is not None
    assert result.best is result.ranked[0].score
    assert result.best.energy == min(one.score.energy for one in result.ranked)
    assert "the task that explains" in told.text.splitlines()[0]
    following = next((one for one in found.answers.all if not one.is_named), None)
    if following is not None:  # the page names another answer than the best
        said = escape(f"{percent(following.share)}: {sentence(following.smallest.task)}")
        assert said in " ".join(told.page.split())
    first = found.answers.all[0]
    other = f'is another, with {percent(first.share)}: "{sentence(first.smallest.task)}"'
    assert (other in told.text) == (not first.is_named)
    assert ("is another, with" in told.text) == (not first.is_named)


def as_json(task: Task) -> object:
    return json.loads(json.dumps(task.to_json()))


def automaton(document: dict[str, Any]) -> DFA:
    return task_of(document, "a task").automaton


def test_the_commands_tell_it_too(shell: Shell) -> None:
    problem = shell.write("delivery.toml", shell.good("example", "delivery").out)
    text, document = shell.good("learn", problem).out, shell.good("learn", problem, "--json").json
    headline, answer = " ".join(text.split()), document["answer"]
    assert headline.startswith(f"2 demonstrations do {UNSURE}. The likeliest answer: ")
    assert f": {answer['sentence']} Probability {percent(answer['probability'])} that" in headline
    asked, listed = shell.good("ask", problem, stdin="q\n").out, shell.good("ask", problem, "--json").json
    assert asked.startswith(f"delivery: 2 demonstrations do {UNSURE}; ")
    assert f": {answer['probability']:.0%} {answer['sentence']}" in " ".join(asked.split())
    assert "the task is not determined\n" in asked
    assert f"answer    {answer['sentence']}\n" in asked
    assert automaton(listed["answers"][0]) == automaton(document["best"])
    assert not listed["determined"]
    shell.write("result.json", document)
    alone = shell.good("policy", problem, "result.json", "--task-only", "--json").json
    both = shell.good("policy", problem, "result.json", "--json").json
    assert DFA.parse(alone["reads"], ("fall", "home", "parcel")) == automaton(document["act_on"]["task"])
    assert both["belief"]["answers"][0]["sentence"] == answer["sentence"]
    assert f'name: "{answer["sentence"]}' in shell.good("export", "result.json", "--format", "hoa").out

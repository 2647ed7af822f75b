"""Write docs/tour.ipynb: runs its cells and keeps what a notebook would show. `python docs/make_tour.py`."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).with_name("tour.ipynb")

CELLS = [
    "# A tour of demospec\n"
    "\n"
    "For a lesson of about 45 minutes, or for reading alone. You need `pip install demospec "
    "notebook`, and to know what a finite automaton is. Every part ends with an exercise; "
    "answers are at the end.\n"
    "\n"
    "## 1. What was shown\n"
    "\n"
    "Two runs of a robot on a map with lava (r), water (b), a dryer (g) and chargers (y). "
    "Nobody says what it was told to do. Wind blows it down now and then. What was its task? "
    "Look at both paths before you read on, and write down a guess.",
    'import demospec\n\nproblem = demospec.load_example("robot")\nproblem',
    "A task reads the labels of the cells that a run passes, and nothing else. Such a "
    "sequence of labels is a **word**, and a task is a set of words. These are the words of "
    "the two runs:\n"
    "\n"
    "**Exercise 1.** Name two different tasks that accept both words. Which of them would "
    "you believe, and why?",
    "problem.words",
    "## 2. What was learned\n"
    "\n"
    "`learn` searches for tasks that make the runs unsurprising. A run is surprising when an "
    "agent with that task would rarely do it: the second run takes a long way round by g, "
    "which makes no sense unless the task demands it. With `progress=True` you see how far "
    "the search is.",
    "result = demospec.learn(problem, seed=0, progress=True)\nresult",
    "The task is an automaton. Letters that are not drawn leave it where it is; a double "
    "circle accepts.\n"
    "\n"
    "**Exercise 2.** Run the words `y`, `b y`, `b g y` and `y r` through the automaton by "
    "hand. Which are accepted?",
    "result.best.task.automaton",
    "## 3. How sure is it?\n"
    "\n"
    "Two runs rarely determine a task. The result is a probability for each task, a "
    "posterior: how well the task explains the runs, times how short its description is. "
    "These are the likeliest tasks.",
    "result.belief",
    "What all likely tasks share is settled; where they differ, it is open. This is the "
    "probability of the first answer:\n"
    "\n"
    "**Exercise 3.** The runs never touch lava. Why is “never r” not certain?",
    "round(result.findings.answers.answer.share, 2)",
    "## 4. Comparing tasks\n"
    "\n"
    "You may have guessed “reach y, and never r”. How does that differ from what was learned?",
    "from demospec.tasks.words import compare\n"
    "\n"
    'guess = demospec.load_task("reach y; never r", problem.alphabet)\n'
    "compare(result.best.task, guess)",
    "How surprising are the runs for an agent with your guess? Surprise is in nats, −log of "
    "a probability: 3 nats more is 20 times less likely.\n"
    "\n"
    "**Exercise 4.** Score the guess that you wrote down in part 1. Is there a task with "
    "less surprise than the learned one? Why was it not the answer?",
    "demospec.score(problem, guess)",
    "## 5. What would such an agent do?\n"
    "\n"
    "A learned task can be pursued. Words of five runs of an agent that has it, drawn at "
    "random. An empty word is an episode that ended early:",
    '[" ".join(problem.word(path)) for path in demospec.sample(problem, result.best.task, count=5, seed=0)]',
    "## 6. A world of your own\n"
    "\n"
    "A problem file has a map, a start, how long an episode is, and what was shown. One run "
    "is little: see how unsure the answer is.\n"
    "\n"
    "**Exercise 5.** Add a second run that fetches the parcel (p) by another way before it "
    "goes home (h). What does that change, and why?",
    "from pathlib import Path\n"
    "from tempfile import mkdtemp\n"
    "\n"
    'file = Path(mkdtemp()) / "own.toml"\n'
    'file.write_text("""\n'
    "[world]\n"
    'kind = "gridworld"\n'
    'map = \\"\\"\\"\n'
    "...h\n"
    "....\n"
    "p...\n"
    '\\"\\"\\"\n'
    "start = [2, 1]\n"
    "\n"
    "[episode]\n"
    "horizon = 12\n"
    "\n"
    "[[demonstrations]]\n"
    'actions = ["down", "down", "left", "right", "right", "right", "up", "up"]\n'
    '""")\n'
    "own = demospec.learn(demospec.load(file), seed=0)\n"
    "own.best.task.describe().sentence, round(own.findings.answers.answer.share, 2)",
    "## Answers\n"
    "\n"
    "1. “Reach y” and “reach y, but after b only after g”, for example. The first is "
    "shorter; the second explains why the robot made a detour.\n"
    "2. `y` and `b g y` are accepted, `b y` and `y r` are not.\n"
    "3. A short path hardly ever touches lava by chance either, and after recharging the "
    "runs end, so they say little about lava later.\n"
    "4. A task that accepts exactly these two words has less surprise, but takes so many "
    "bits to describe that its probability is lower.\n"
    "5. The way over p is hard to explain by chance twice, so that the task with p gets likelier.\n"
    "\n"
    "Next: `demospec ask` asks you questions about a problem file of your own, and `demospec "
    "record` lets you drive the robot. How the two tasks of the last exercise differ:",
    'compare(own.best.task, demospec.load_task("reach h", own.problem.alphabet)).sentence',
]


def shown(value: object) -> dict[str, list[str]]:
    """Return what a notebook keeps of a value."""
    data = {"text/plain": repr(value)}
    for kind, method in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
        if hasattr(value, method):
            data[kind] = getattr(value, method)()
    if "text/html" in data:
        data["text/plain"] = f"<{type(value).__name__}>"
    return {kind: text.splitlines(keepends=True) for kind, text in data.items()}


def run(cells: list[str]) -> dict[str, Any]:
    """Run the code cells in one namespace and return the notebook."""
    names: dict[str, Any] = {}
    notebook: list[dict[str, Any]] = []
    for number, source in enumerate(cells):
        cell: dict[str, Any] = {
            "id": f"cell-{number}",
            "metadata": {},
            "source": source.splitlines(keepends=True),
        }
        if number % 2 == 0:
            notebook.append({"cell_type": "markdown", **cell})
            continue
        body = ast.parse(source).body
        last = body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(body, []), "tour", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "tour", "eval"), names)
        count = number // 2 + 1
        output = {
            "output_type": "execute_result",
            "execution_count": count,
            "metadata": {},
            "data": shown(value),
        }
        notebook.append({"cell_type": "code", "execution_count": count, "outputs": [output], **cell})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": notebook, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    NOTEBOOK.write_text(json.dumps(run(CELLS), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

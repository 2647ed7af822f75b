"""Write docs/tour.ipynb: runs its cells and keeps what a notebook would show. `python docs/make_tour.py`."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).with_name("tour.ipynb")

CELLS = [
    "# A tour of demospec\n\nTwo runs of a robot on a map with lava (r), water (b), a dryer (g) and "
    "chargers (y). What was its task?",
    'import demospec\n\nproblem = demospec.load_example("robot-paper")\nproblem.words',
    "`learn` searches and ranks the tasks it visited. The result shows itself: the best task, what was "
    "shown, the runners-up, and how the search went.",
    "result = demospec.learn(problem, seed=0)\nresult",
    "A task is an automaton, a value with an algebra of languages. Letters that are not drawn leave it "
    "where it is.",
    'guess = demospec.DFA.parse(">0: r→2, y→1 | *1: r→2 | 2:", problem.alphabet)\nguess',
    "How surprising are the runs for an agent that only avoids lava and recharges? And which word tells "
    "the two tasks apart?",
    "demospec.score(problem, guess).surprise, result.best.surprise, result.best.task.separating_word(guess)",
    "What an agent with the learned task would do, as words:",
    "[problem.word(path) for path in demospec.sample(problem, result.best.task, count=5, seed=0)]",
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

"""The paper's two experiments with both baselines: table, figure, learned automata."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from demospec.explain.score import evaluate
from demospec.files import load_example
from demospec.problem import Problem
from demospec.report.blocks import Block, Heading, Paragraph, Preformatted, Section, Table, as_text
from demospec.report.documents import JSON, Document, Number, TaskJSON, dumps, task_document
from demospec.report.folder import write_files
from demospec.report.pictures.automaton import automaton_svg
from demospec.report.pictures.charts import Band, band_chart
from demospec.report.result_document import settings_document
from demospec.runs.result import Result, Row
from demospec.runs.session import Session
from demospec.tasks import DFA
from demospec.wording import count

PROBLEMS = {"monolithic": "robot-paper", "incremental": "robot-incremental"}
NAMES = {"paper": "DISS", "random-pivots": "random pivots", "enumeration": "enumeration"}
PAPER_SECONDS = {
    "monolithic": {"paper": 542, "random-pivots": 764, "enumeration": 617},
    "incremental": {"paper": 353, "random-pivots": 464, "enumeration": 820},
}
TRUTH = ">0: b→3, r→2, y→1 | *1: b→3, r→2 | 2: | 3: g→0, r→2"  # the paper's right-hand automaton
SHOWN_ITERATIONS = (1, 5, 10, 20, 50, 100)


@dataclass(frozen=True, eq=False)
class MethodRuns:
    """All runs of one method: enumeration has no chance in it, so it runs once."""

    method: str
    results: tuple[Result, ...]
    energies: np.ndarray[Any, np.dtype[np.float64]]  # [runs, iterations], minimum so far

    @property
    def best(self) -> Result:
        """Return the run with the lowest energy; of several, the first."""
        return min(self.results, key=lambda result: result.best.energy)

    def quantile(self, share: float) -> list[float]:
        """Return a quantile over the runs, iteration by iteration."""
        return [float(q) for q in np.quantile(self.energies, share, axis=0)]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """One experiment, reproduced."""

    experiment: str
    problem: Problem
    seeds: tuple[int, ...]
    runs: tuple[MethodRuns, ...]
    truth_energy: float
    partial: bool = False  # it was stopped: only finished runs are here

    @property
    def command(self) -> str:
        """Return the command that makes this report."""
        first, last = self.seeds[0], self.seeds[-1]
        in_a_row = len(self.seeds) > 1 and self.seeds == tuple(range(first, last + 1))
        seeds = f"{first}-{last}" if in_a_row else ",".join(map(str, self.seeds))
        baselines = " --baselines" if len(self.runs) > 1 else ""
        return f"demospec reproduce {self.experiment} --seeds {seeds}{baselines}"


def run_experiment(
    experiment: str,
    seeds: Sequence[int],
    methods: Sequence[str],
    *,
    iterations: int = 100,
    progress: Callable[[str, Row], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Reproduction | None:
    """Run one of the paper's experiments.

    When `stop` says so between two iterations, the finished runs are reported; None when there are none.
    """
    problem = load_example(PROBLEMS[experiment]).with_settings(iterations=iterations)
    runs = []
    for method in methods:
        results = []
        for seed in seeds[:1] if method == "enumeration" else seeds:
            session = Session(problem.with_settings(method=method), seed=seed)
            for row in session:
                if progress is not None:
                    progress(f"{NAMES[method]}, seed {seed}", row)
                if stop():
                    break
            if stop():
                break
            results.append(session.result())
        if results:
            lines = [[row.best.energy if row.best else math.inf for row in r.trace] for r in results]
            runs.append(MethodRuns(method, tuple(results), np.array(lines)))
    if not runs:
        return None
    truth = evaluate(problem, DFA.parse(TRUTH, problem.alphabet)).score.energy
    return Reproduction(experiment, problem, tuple(seeds), tuple(runs), truth, partial=stop())


def plateau(line: Sequence[float]) -> int:
    """Return the iteration at which a falling line reaches its last value.

    >>> plateau([9.0, 5.0, 5.0, 2.0, 2.0])
    4
    """
    return 1 + next(k for k, energy in enumerate(line) if energy <= line[-1] + 1e-9)


def method_rows(report: Reproduction) -> list[list[str]]:
    """Return the table: its head, and one row for each method."""
    shown = [f"at {t}" for t in SHOWN_ITERATIONS if t <= report.runs[0].energies.shape[1]]
    table = [["method", *shown, "at the end, all seeds", "plateau at", "seconds", "paper"]]
    for run in report.runs:
        median = run.quantile(0.5)
        last = run.energies[:, -1]
        table.append(
            [
                NAMES[run.method],
                *(f"{median[t - 1]:.3f}" for t in SHOWN_ITERATIONS if t <= len(median)),
                f"{last.min():.3f} … {last.max():.3f}",
                str(plateau(median)),
                f"{np.median([result.seconds for result in run.results]):.2f} s",
                f"{PAPER_SECONDS[report.experiment][run.method]} s",
            ]
        )
    return table


def table_text(report: Reproduction) -> str:
    """Tell the report in a terminal."""
    stopped = " (stopped: finished runs only)" if report.partial else ""
    seeds = count(len(report.seeds), "seed")
    head, *rows = method_rows(report)
    blocks: list[Block] = [
        Heading(f"{report.experiment}: minimum energy by iteration, median over {seeds}{stopped}"),
        Table(head, rows, align="l" + "r" * (len(head) - 1)),
        Paragraph(f"the paper's truth has energy {report.truth_energy:.3f}"),
    ]
    for run in report.runs:
        best = run.best.best
        drawn = Preformatted(str(best.task))
        blocks.append(Section(f"{NAMES[run.method]}, best: energy {best.energy:.4f}", [drawn]))
    return as_text(blocks)


class _BestJSON(TaskJSON, kw_only=True):
    energy: Annotated[Number, "Its energy."]


class _SeedJSON(JSON):
    seed: Annotated[int, "The seed."]
    minimum_energy: Annotated[list[Number], "By iteration, the lowest energy so far."]
    tasks_visited: Annotated[int, "How many tasks were ranked."]
    best: Annotated[_BestJSON, "The task with the lowest energy, as a task file."]
    seconds: Annotated[float, "How long the run took."]


class _MethodJSON(JSON):
    method: Annotated[str, "The method."]
    settings: Annotated[dict[str, Any], "Its settings."]
    median: Annotated[list[Number], "By iteration, the lowest energy so far: the median over seeds."]
    lower_quartile: Annotated[list[Number], "The lower quartile."]
    upper_quartile: Annotated[list[Number], "The upper quartile."]
    plateau: Annotated[int | None, "The iteration after which the median no longer falls."]
    runs: Annotated[list[_SeedJSON], "A row for each seed."]
    paper_seconds: Annotated[int | None, "How long the paper says that it took, or null."]


class ReproductionJSON(JSON):
    """The paper's experiment; `result.json` of `reproduce --out` is the same."""

    experiment: Annotated[str, "`monolithic` or `incremental`."]
    command: Annotated[str, "The command that prints this."]
    seeds: Annotated[list[int], "The seeds."]
    partial: Annotated[bool, "Whether it was interrupted."]
    truth_energy: Annotated[float, "The energy of the paper's task."]
    methods: Annotated[list[_MethodJSON], "A row for each method."]


def reproduction_document(report: Reproduction) -> Document:
    """Return the report as JSON."""

    def one(run: MethodRuns) -> _MethodJSON:
        lines, median = zip(run.results, run.energies.tolist(), strict=True), run.quantile(0.5)
        return _MethodJSON(
            method=run.method,
            settings=settings_document(run.best.problem, report.seeds[0]),
            median=[*median],
            lower_quartile=[*run.quantile(0.25)],
            upper_quartile=[*run.quantile(0.75)],
            plateau=plateau(median),
            runs=[
                _SeedJSON(
                    seed=result.seed,
                    minimum_energy=line,
                    tasks_visited=len(result.ranked),
                    best=task_document(result.best.task, energy=result.best.energy),
                    seconds=result.seconds,
                )
                for result, line in lines
            ],
            paper_seconds=PAPER_SECONDS[report.experiment][run.method],
        )

    return ReproductionJSON.of(report, methods=[one(run) for run in report.runs]).plain()


def write(report: Reproduction, folder: Path) -> None:
    """Write table, automata, all numbers, and the paper's figure into a folder."""
    runs = [(NAMES[run.method], run, run.best.best) for run in report.runs]
    bands = [Band(name, *map(run.quantile, (0.5, 0.25, 0.75))) for name, run, _ in runs]
    title, label = f"{report.experiment}: minimum energy found", "energy (median, quartiles)"
    texts = {"energy.svg": band_chart(bands, title=title, x_label="iteration", y_label=label)}
    pictures = []
    for name, run, best in runs:
        file = f"best-{run.method}.svg"
        texts[file] = automaton_svg(best.language, title=f"{name}: energy {best.energy:.3f}")
        drawn = f"`{best.task}`\n\n![best task of {name}]({file})\n"
        pictures.append(f"### {name}: energy {best.energy:.4f}\n\n{drawn}")
    texts["result.json"] = dumps(reproduction_document(report)) + "\n"
    head, *rows = [f"| {' | '.join(row)} |" for row in method_rows(report)]
    table = "\n".join([head, "|" + "---|" * head.count(" | ") + "---|", *rows])
    texts["README.md"] = (
        f"# The paper's {report.experiment} experiment\n\n"
        f"Made by `{report.command} --out {folder.as_posix()}`"
        f"{', which was stopped: only finished runs are here' if report.partial else ''}.\n\n"
        f"Minimum energy by iteration, median over {len(report.seeds)} seeds (enumeration has no chance in "
        "it and runs once); the iteration at which the median reaches its last value; the median wall time "
        "of a run beside the paper's.\n\n"
        f"{table}\n\nThe paper's truth has energy {report.truth_energy:.4f} here.\n\n"
        f"![minimum energy by iteration](energy.svg)\n\n## Best tasks\n\n" + "\n".join(pictures)
    )
    write_files(folder, texts, rf"best-({'|'.join(NAMES)})\.svg")

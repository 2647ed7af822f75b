"""The commands by what people want, each in one line; an example or two for each; which options are alike."""

from __future__ import annotations

from demospec.problem.settings import table

GROUPS: dict[str, dict[str, str]] = {
    "Learn": {
        "example": "Print a problem file to start from",
        "check": "Check a problem file and say what it holds",
        "record": "Drive the world with the arrow keys and keep the runs",
        "studio": "Draw a world, show runs and learn in the browser",
        "learn": "Learn the task behind the demonstrations",
        "resume": "Go on with a run of learn that was interrupted",
        "identify": "Find the smallest automata for labelled words",
    },
    "Ask": {
        "ask": "Answer the questions that tell most about the task",
    },
    "Understand": {
        "describe": "Say a task in words, as a formula and as an automaton",
        "diff": "Say how two tasks differ",
        "score": "Say how well a task explains the demonstrations",
        "policy": "Say what an agent with a task does",
        "sample": "Draw runs of an agent with a task",
    },
    "Hand over": {
        "export": "Write a task in a form that other programs read",
        "monitor": "Check traces of a log against a task",
    },
    "Measure": {
        "reproduce": "Run the paper's experiments",
    },
}

TASK = '"reach y; never r"'
EXAMPLES: dict[str, tuple[str, ...]] = {
    "example": ("demospec example robot > robot.toml",),
    "check": ("demospec check robot.toml",),
    "record": ("demospec record robot.toml",),
    "studio": ("demospec studio robot.toml",),
    "learn": ("demospec learn robot.toml", "demospec learn robot.toml --out out --details"),
    "resume": ("demospec resume out",),
    "ask": ("demospec ask robot.toml --out answers.toml",),
    "describe": (f"demospec describe {TASK}",),
    "diff": (f'demospec diff {TASK} "reach y; no r before y" --world robot.toml',),
    "score": (f"demospec score robot.toml {TASK}",),
    "policy": (f"demospec policy robot.toml {TASK} --demonstration 1",),
    "sample": (f"demospec sample robot.toml {TASK} --count 2",),
    "export": (
        f"demospec export {TASK} --format hoa",
        f"demospec export {TASK} --format python --out task.py",
    ),
    "monitor": (f"echo 'b y' | demospec monitor {TASK} - --log-format lines",),
    "identify": ("printf '+ b y\\n- b\\n' > words.txt", "demospec identify words.txt --count 3"),
    "reproduce": ("demospec reproduce monolithic --seeds 0",),
}

STOP = ("iterations", "max_evaluations", "max_seconds", "seconds", "limit", "most", "sure")
SETTING_DEFAULTS = {one.told: one.default for one in table()}  # by what is said of the setting
OPTION_GROUPS: dict[str, tuple[str, ...]] = {  # by the names of parameters; what is in none is told first
    "What is printed": (
        "details",
        "top",
        "with_why",
        "words",
        "pivots",
        "out",
        "as_json",
    ),
    "What is known of the task": ("class_names", "implies", "implied_by", "all_of", "any_of", "code"),
    "Labels that may be wrong": ("flips", "trade_off", "flip_bits"),
    "Runs from a log": ("log_file", "columns"),
    "The agent": ("belief", "answers", "rationality", "effort"),
    "When to stop": STOP,
    "How to search": tuple(name for name in (one.name for one in table()) if name not in STOP),
    "Who does the work": ("jobs", "cluster"),
}


def summary_of(name: str) -> str | None:
    """Return a command in one line."""
    return next((told[name] for told in GROUPS.values() if name in told), None)


def group_of(option: str) -> str:
    """Return the heading under which an option is told."""
    return next((title for title, names in OPTION_GROUPS.items() if option in names), "Options")

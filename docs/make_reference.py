"""Make the reference from the code: commands, keys of files and of JSON, and public names.

A page of `docs/reference` says `<!-- made: commands -->`, and Sphinx puts what is made here in its place
(conf.py). `python docs/make_reference.py commands` prints it.
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click
import msgspec

FOLDER = Path(__file__).parent / "reference"
MARK = re.compile(r"^<!-- made: (\w+) -->$", re.MULTILINE)

# -- commands -----------------------------------------------------------------------------------------


def commands() -> str:
    """Return a table of the commands, and every command with its arguments and options."""
    from demospec.cli.group import GROUPS, cli

    order = [name for told in GROUPS.values() for name in told]
    context = click.Context(cli, info_name="demospec")
    found = {one.command_path: one for one in command_contexts(context)}
    paths = sorted(found, key=lambda path: order.index(path.split()[1]) if path.split()[1] in order else 99)
    lines = ["| to | command | does |", "|---|---|---|"]
    for title, told in GROUPS.items():
        for name, summary in told.items():
            for path in (path for path in paths if path.split()[-1] == name):
                lines.append(f"| {title.lower()} | `{path.removeprefix('demospec ')}` | {summary} |")
    return "\n".join([*lines, "", *(command_text(found[path]) for path in paths)])


def command_contexts(context: click.Context) -> Iterator[click.Context]:
    """Yield the context of every command that does something by itself."""
    group = context.command
    if not isinstance(group, click.Group):
        yield context
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if not command.hidden:
            yield from command_contexts(click.Context(command, info_name=name, parent=context))


def command_text(context: click.Context) -> str:
    """Return the section of a command: how it is called, what it does, an example, and its options."""
    from demospec.cli.group import EXAMPLES, OPTION_GROUPS, heading_of

    command = context.command
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {context.command_path}\n", f"```text\n{context.command_path} {usage}\n```\n"]
    lines += [plain(paragraph) + "\n" for paragraph in (command.help or "").split("\n\n")]
    if examples := EXAMPLES.get(context.info_name or ""):
        lines.append("\n".join(["```text", *examples, "```\n"]))
    grouped: dict[str, list[str]] = {"Options": []}
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            grouped.setdefault(heading_of(parameter), []).append(option_text(parameter, context))
    for title in ("Options", *OPTION_GROUPS):
        if grouped.get(title):
            lines += [f"**{title}**\n", *grouped[title]]
    return "\n".join(lines)


def option_text(option: click.Option, context: click.Context) -> str:
    """Return an option as a definition: its names, what it does, its values and its default."""
    names = ", ".join((*option.opts, *option.secondary_opts))
    metavar = "" if option.is_flag or option.count else f" {value_name(option, context)}"
    notes = []
    if option.multiple:
        notes.append("Can be given more than once.")
    if (kept := setting_default(option)) is not None:
        notes.append(f"Default: what the problem file says, or `{kept}`.")
    elif (default := default_of(option, context)) is not None:
        notes.append(f"Default: `{default}`.")
    told = plain(re.sub(r"\s*\[default: .*?\]", "", option.help or ""))
    first, *rest = told.split("\n\n")
    body = " ".join([first, *notes]).strip()
    more = "".join(f"\n\n  {paragraph}" for paragraph in rest)
    return f"`{names}{metavar}`\n: {body}{more}\n"


def value_name(option: click.Option, context: click.Context) -> str:
    """Return what stands for the value of an option: a word, or the choices."""
    usual = {"INTEGER": "N", "INTEGER RANGE": "N", "FLOAT": "X", "FLOAT RANGE": "X", "PATH": "FILE"}
    name = option.make_metavar(context)
    return usual.get(name, name)


def default_of(option: click.Option, context: click.Context) -> str | None:
    """Return the default of an option as it would be typed; none where nothing is assumed."""
    if isinstance(option.show_default, str):
        return option.show_default
    if found := re.search(r"\[default: (.*?)\]", option.help or ""):
        return found[1]
    default = option.get_default(context, call=False)
    if option.is_flag or default is None or default in ((), "") or "UNSET" in repr(default).upper():
        return None
    return str(default)


def setting_default(option: click.Option) -> str | None:
    """Return the default of a setting of the search, which a file may set; none for other options."""
    from demospec.problem.settings import table

    for one in table():
        if (option.help or "").startswith(one.told) and one.default not in (None, ()):
            return str(one.default).lower() if isinstance(one.default, bool) else str(one.default)
    return None


def plain(text: str) -> str:
    """Return help text as Markdown: options as code, and nothing else that would be taken for markup."""
    text = re.sub(r"(?m)^\s*\x08\s*$\n?", "", text)
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
    text = re.sub(r"([*_<>|`\[\]\\$#])", r"\\\1", "\n\n".join(paragraphs))
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", text)


# -- files --------------------------------------------------------------------------------------------


def keys() -> dict[str, Any]:
    """Return what is told of each key, by table."""
    return tomllib.loads((FOLDER / "keys.toml").read_text(encoding="utf-8"))


def tables() -> dict[str, tuple[str, Any]]:
    """Return the tables of all files: by their name in keys.toml, a heading and the struct."""
    from demospec.files import tables as t
    from demospec.files.log_table import CountsTable, DemonstrationTable, LogTable
    from demospec.files.tables import (
        DiagramsTable,
        ExplicitTable,
        GymnasiumTable,
        JaniTable,
        PrismTable,
        SampledTable,
        TabularTable,
        UmbTable,
    )

    return {
        "file": ("The file", t.ProblemDocument),
        "gridworld": ('`[world]`, `kind = "gridworld"`: a map', t.GridTable),
        "wind": ("`wind` of a map", t.WindTable),
        "starts": ("One of `starts` of a map", t.StartTable),
        "slippery": ("`slippery` of a map, or one of a list", t.SlipperyTable),
        "mdp": ('`[world]`, `kind = "mdp"`: written out', t.MdpTable),
        "factored": ('`[world]`, `kind = "factored"`: variables', t.FactoredTable),
        "gymnasium": ('`[world]`, `kind = "gymnasium"`: a registered environment', GymnasiumTable),
        "prism": ('`[world]`, `kind = "prism"`: a PRISM model', PrismTable),
        "jani": ('`[world]`, `kind = "jani"`: a JANI model', JaniTable),
        "explicit": ('`[world]`, `kind = "explicit"`: files of a model checker', ExplicitTable),
        "umb": ('`[world]`, `kind = "umb"`: a UMB archive', UmbTable),
        "log": ('`[world]`, `kind = "log"`: counted from a log', LogTable),
        "counts": ("`counts` of a world from a log", CountsTable),
        "worlds": ("`[[worlds]]`: several worlds", t.GridScene),
        "episode": ("`[episode]`", t.EpisodeTable),
        "agent": ("`[agent]`", t.AgentTable),
        "planner_tabular": ('`planner`, `kind = "tabular"`', TabularTable),
        "planner_diagrams": ('`planner`, `kind = "diagrams"`', DiagramsTable),
        "planner_sampled": ('`planner`, `kind = "sampled"`', SampledTable),
        "energy": ("`[energy]`", t.EnergyTable),
        "task": ("`[task]`", t.TaskTable),
        "search": ("`[search]`", t.SearchTable),
        "search_paper": ("`[search.paper]`", t.PaperTable),
        "examples": ("`[[examples]]`", t.ExampleTable),
        "demonstrations": ("`[[demonstrations]]`", DemonstrationTable),
        "task_file": ("A task file", t.TaskDocument),
        "examples_file": ("An examples file", t.ExamplesDocument),
    }


def shown_fields(name: str, struct: Any) -> list[msgspec.structs.FieldInfo]:
    """Return the keys of a table; of a world among several only those that `[world]` does not have."""
    fields = list(msgspec.structs.fields(struct))
    if name == "worlds":
        usual = {one.encode_name for one in msgspec.structs.fields(struct.__bases__[0])}
        fields = [one for one in fields if one.encode_name not in usual]
    if name == "search":  # the paper's keys are told where they are written
        usual = {one.encode_name for one in msgspec.structs.fields(tables()["search_paper"][1])}
        fields = [one for one in fields if one.encode_name not in usual]
    return fields


def told_of(name: str, key: str) -> str:
    """Return what docs/reference/keys.toml tells of a key; the settings of the search tell themselves."""
    if name in ("search", "search_paper"):
        from demospec.problem.settings import table

        told = {one.name: one.told for one in table()}
        return told.get(key, "The paper's settings, see `[search.paper]`.")
    return str(keys().get(name, {}).get(key, ""))  # a test tells what is missing


def table_text(name: str) -> str:
    """Return the section of a table: what it is, and a row for each key."""
    heading, struct = tables()[name]
    lines = [f"### {heading}\n"]
    if about := keys().get(name, {}).get("_about"):
        lines.append(f"{about}\n")
    fields = shown_fields(name, struct)
    if not fields:
        return "\n".join([*lines, "No other keys.\n"])
    lines += ["| key | value | default | what it does |", "|---|---|---|---|"]
    for one in fields:
        key, told = one.encode_name, told_of(name, one.encode_name).replace("|", "\\|")
        lines.append(f"| `{key}` | {field_type(name, one)} | {field_default(name, one)} | {told} |")
    return "\n".join(lines) + "\n"


def field_type(name: str, one: msgspec.structs.FieldInfo) -> str:
    """Tell the values of a key; the settings of the search know their choices."""
    if name in ("search", "search_paper"):
        from demospec.problem.settings import table

        choices = next((row.choices for row in table() if row.name == one.encode_name), ())
        if choices:
            return " or ".join(f'`"{choice}"`' for choice in choices)
    return type_text(one.type)


def type_text(hint: Any) -> str:
    """Tell a type in words."""
    if get_origin(hint) is Literal:
        return " or ".join(f'`"{one}"`' if isinstance(one, str) else f"`{one}`" for one in get_args(hint))
    words = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "anything"}
    if hint in words:
        return words[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is list:
        inner = type_text(arguments[0])
        return f"list of {inner}{'s' if re.search('(text|number|table)$', inner) else ''}"
    if origin is tuple and arguments == (int, int):
        return "`[column, row]`"
    if origin is tuple:
        return f"[{', '.join(type_text(one) for one in arguments)}]"
    if origin is dict:
        return f"table: {type_text(arguments[0])} = {type_text(arguments[1])}"
    if isinstance(hint, type):
        return "table"
    if hasattr(hint, "__metadata__"):
        return type_text(arguments[0])
    parts = [type_text(one) for one in arguments if one not in (type(None), msgspec.UnsetType)]
    return " or ".join(dict.fromkeys(parts))


def field_default(name: str, one: msgspec.structs.FieldInfo) -> str:
    """Tell what holds where a key is left out."""
    if name in ("search", "search_paper"):
        from demospec.problem.settings import table

        default: Any = next((row.default for row in table() if row.name == one.encode_name), None)
    elif one.required:
        return "required"
    elif one.default_factory is not msgspec.NODEFAULT:
        default = None
    else:
        default = one.default
    if default in (None, "", msgspec.UNSET) or default in ((), [], {}):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f'`"{default}"`' if isinstance(default, str) else f"`{default}`"


OTHER_FILES = ("task_file", "examples_file")


def problem_file() -> str:
    """Return the keys of a problem file."""
    return "\n".join(table_text(name) for name in tables() if name not in OTHER_FILES)


def other_files() -> str:
    """Return the keys of task files and of examples files."""
    return "\n".join(map(table_text, OTHER_FILES))


# -- JSON ---------------------------------------------------------------------------------------------


def json_documents() -> dict[str, Any]:
    """Return the type of what each command prints with `--json`."""
    from demospec.cli.ask import AskJSON
    from demospec.cli.check import ExampleJSON
    from demospec.report import task_forms as forms
    from demospec.report.policy_report import PolicyJSON, SampleJSON
    from demospec.report.problem_report import CheckJSON
    from demospec.report.reproduction import ReproductionJSON
    from demospec.report.result_document import ResultJSON
    from demospec.report.score_report import ScoreJSON

    return {
        "learn": ResultJSON,
        "score": ScoreJSON,
        "sample": SampleJSON,
        "identify": forms.IdentifyJSON,
        "describe": forms.DescribeJSON,
        "diff": forms.DiffJSON,
        "monitor": list[forms.MonitorJSON],
        "export": forms.ExportJSON,
        "policy": PolicyJSON,
        "check": CheckJSON,
        "ask": AskJSON,
        "example": ExampleJSON,
        "reproduce": ReproductionJSON,
    }


def struct_in(hint: Any) -> Any:
    """Return the struct that a key holds, or whose list it holds; none where it holds something plain."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return hint
    return next((found for one in get_args(hint) if (found := struct_in(one)) is not None), None)


def json_rows(struct: Any, path: str, seen: dict[Any, str]) -> Iterator[str]:
    """Yield a row for each key of a document: `a.b`, and `a[].b` for members of lists.

    A struct that has been told is not told again; of a task file only the keys that it has beside.
    """
    from demospec.report.documents import TaskJSON

    usual = {one.encode_name for one in msgspec.structs.fields(TaskJSON)} - {"size"}
    for one in msgspec.structs.fields(struct):
        if issubclass(struct, TaskJSON) and one.encode_name in usual:
            continue
        name, told = f"{path}{one.encode_name}", one.type.__metadata__[0]
        inner = struct_in(one.type)
        if inner in seen:
            told += f" The keys are those of `{seen[inner]}`."
        yield f"| `{name}` | {json_type(one.type)} | {told} |"
        if inner not in (None, TaskJSON, *seen):
            seen[inner] = name
            yield from json_rows(inner, f"{name}{'[]' if 'list[' in str(one.type) else ''}.", seen)


def json_type(hint: Any) -> str:
    """Tell a type in words, and whether the key may be null or missing."""
    from demospec.report.documents import TaskJSON

    inner = struct_in(hint)
    text = type_text(hint)
    if inner is not None and issubclass(inner, TaskJSON):
        text = text.replace("table", "task file")
    text = text.replace("table", "object")
    held = {*get_args(hint), *(each for one in get_args(hint) for each in get_args(one))}
    null = " or null" if type(None) in held else ""
    return f"{text}{null}{'; can be missing' if msgspec.UnsetType in held else ''}"


def json_output() -> str:
    """Return the keys of what each command prints with `--json`."""
    lines = []
    for command, hint in json_documents().items():
        struct, listed = struct_in(hint), get_origin(hint) is list
        lines += [f"## {command}\n", f"{inspect.getdoc(struct)}\n"]
        lines += ["| key | value | what it is |", "|---|---|---|"]
        lines += [*json_rows(struct, "[]." if listed else "", {}), ""]
    return "\n".join(lines)


# -- Python -------------------------------------------------------------------------------------------

NAMES = {
    "Read a problem or a task": "load load_example load_task load_belief",
    "Learn": "learn iterate Session Problem Settings Weights Result Ranked Row",
    "Score, act, sample": "score evaluate Score Evaluation policy belief_policy Policy Situation sample",
    "Tasks": "Task DFA Examples smallest",
    "Worlds": "gridworld Wind MDP Episode Path",
    "The agent": "Learned Fixed Competency Empirical",
    "Worlds from elsewhere": "from_gymnasium Recorder from_minari to_minari from_prism from_jani "
    "from_explicit from_umb to_umb from_arrays from_function world_from_log demonstrations_from_log",
    "The paper's search, step by step": "Search State Info",
    "Errors": "DemospecError InputError",
}

MODULES = {  # beyond `demospec` itself: what the documents use, by module
    "demospec.errors": "PointedError",
    "demospec.ask": "Dialogue",
    "demospec.belief.answers": "",
    "demospec.belief.belief": "",
    "demospec.explain.evaluator": "Evaluator",
    "demospec.files.factored_table": "factored_document",
    "demospec.plan.base": "Planner Plan",
    "demospec.plan.diagrams": "DiagramPlanner",
    "demospec.plan.sampled": "SampledPlanner SampledPlan",
    "demospec.runs.why": "explain",
    "demospec.search.best_first": "Explorer",
    "demospec.search.moves": "Move Proposals",
    "demospec.sources.familiar": "milestone",
    "demospec.tasks.clauses": "parse join Clause Kind",
    "demospec.tasks.code": "Words",
    "demospec.tasks.formats": "Format register",
    "demospec.tasks.formats.regex": "regex_word",
    "demospec.tasks.propositions": "guard",
    "demospec.tasks.ltlf": "parse_formula holds",
    "demospec.tasks.monitoring": "Monitor",
    "demospec.tasks.words": "Budget",
    "demospec.testing.engines": "check_engine",
    "demospec.testing.planners": "check_planner",
    "demospec.testing.world_checks": "check_world",
    "demospec.work": "open_workers",
    "demospec.worlds.factored": "FactoredWorld bit bits integer coin all_of any_of lift",
    "demospec.worlds.paths": "read_path",
    "demospec.worlds.simulator": "Run estimate",
    "demospec.worlds.gridworld": "Terrain Slippery",
    "demospec.worlds.unlisted": "UnlistedWorld",
    "demospec.worlds.world": "World",
}


def python_names() -> str:
    """Return directives for all names of `demospec`, by what they are for."""
    import demospec

    groups = {
        title: [name for name in names.split() if name in demospec.__all__] for title, names in NAMES.items()
    }
    grouped = {name for names in groups.values() for name in names}
    groups["More"] = [name for name in demospec.__all__ if name not in grouped]
    return "\n".join(
        f"## {title}\n\n" + "".join(directive("demospec", name) for name in names)
        for title, names in groups.items()
        if names
    )


def python_modules() -> str:
    """Return directives for what other modules offer to those who extend demospec."""
    sections = []
    for module, names in MODULES.items():
        body = "".join(directive(module, name) for name in names.split()) or whole(module)
        sections.append(f"## {module}\n\n{body}")
    return "\n".join(sections)


def directive(module: str, name: str) -> str:
    """Return the directive that documents a name."""
    from importlib import import_module

    kind = "class" if isinstance(getattr(import_module(module), name), type) else "function"
    options = "" if kind == "function" else "   :members:\n   :undoc-members:\n"
    return f"```{{eval-rst}}\n.. auto{kind}:: {module}.{name}\n{options}```\n\n"


def whole(module: str) -> str:
    """Return the directive that documents all of a module."""
    return f"```{{eval-rst}}\n.. automodule:: {module}\n   :members:\n```\n\n"


MADE: dict[str, Callable[[], str]] = {
    "commands": commands,
    "problem_file": problem_file,
    "other_files": other_files,
    "json_output": json_output,
    "python_names": python_names,
    "python_modules": python_modules,
}


def with_made(text: str) -> str:
    """Return a page with what is made in the place of its marks."""
    return MARK.sub(lambda found: MADE[found[1]](), text)


if __name__ == "__main__":
    print(MADE[sys.argv[1]]())

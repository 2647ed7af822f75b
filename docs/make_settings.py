"""Write the table of search settings into docs/settings.md; a test tells when to.

python docs/make_settings.py
"""

from __future__ import annotations

from pathlib import Path

from demospec.problem.settings import Setting, table

DOCUMENT = Path(__file__).parent / "settings.md"
HEAD = """# Settings of the search

Every setting is a key of `[search]` in a problem file and a field of `demospec.Settings`. What a file says
holds unless an option says otherwise: `learn` and `ask` take `--set search.KEY=VALUE`, as often as needed,
and some settings have an option of their own. This page is made from the same table
(`src/demospec/problem/settings.py`).

"""
PAPERS = """
What only the paper's method and its baselines turn is a key of `[search.paper]`, and a field of
`demospec.Settings().paper`. In `[search]`, where these keys stood in earlier files, they are read as well.

"""
COLUMNS = """| key | values | default | what it does |
|---|---|---|---|
"""


def values(one: Setting) -> str:
    """Tell what values a setting can have."""
    if one.choices:
        return ", ".join(f"`{choice}`" for choice in one.choices)
    kind = {int: "a whole number", float: "a number", bool: "true or false"}.get(one.kind, "a list of names")
    if one.least is not None:
        return f"{kind}, at least {one.least}"
    return kind if one.above is None else f"{kind} above {one.above}"


def default(one: Setting) -> str:
    """Tell a default as a file writes it."""
    if one.default is None:
        return "no limit"
    if one.kind is tuple:
        return "nothing"
    return f"`{str(one.default).lower() if one.kind is bool else one.default}`"


def page() -> str:
    """Return the page."""
    rows = {
        of_paper: "".join(
            f"| `{one.name}` | {values(one)} | {default(one)} | {one.told} |\n"
            for one in table()
            if one.of_paper == of_paper
        )
        for of_paper in (False, True)
    }
    return f"{HEAD}{COLUMNS}{rows[False]}{PAPERS}{COLUMNS}{rows[True]}"


if __name__ == "__main__":
    DOCUMENT.write_text(page(), encoding="utf-8")

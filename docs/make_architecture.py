"""Write the tree of modules into docs/architecture.md, each with the first line of its docstring.

python docs/make_architecture.py
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "demospec"
DOCUMENT = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- tree -->", "<!-- end of the tree -->"


def first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return told.partition("\n")[0].rstrip(".").replace("|", "\\|")


def layers() -> list[str]:
    """Return the folders from the top to the bottom, as the import contract has them; then the rest."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layered,) = contract["tool"]["importlinter"]["contracts"]
    names = [name.removeprefix("demospec.") for name in layered["layers"]]
    return [*names, "testing"]


def tree() -> str:
    """Return the tree: a heading for each folder, a line for each module."""
    lines = []
    for name in layers():
        folder = SOURCE / name
        if not folder.is_dir():
            lines.append(f"\n**`{name}.py`** {first_line(SOURCE / f'{name}.py')}")
            continue
        lines.append(f"\n**`{name}/`** {first_line(folder / '__init__.py')}\n")
        for module in sorted(folder.rglob("*.py")):
            inside = module.relative_to(folder)
            if inside.name == "__init__.py" and len(inside.parts) == 1:
                continue
            shown = inside.parent.as_posix() + "/" if inside.name == "__init__.py" else inside.as_posix()
            lines.append(f"- `{shown}` {first_line(module)}")
    return "\n".join(lines).strip("\n")


def with_tree(text: str) -> str:
    """Return the document with the tree as it is."""
    made = f"{BEGIN}\n\n{tree()}\n\n{END}"
    return re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: made, text, flags=re.DOTALL)


if __name__ == "__main__":
    DOCUMENT.write_text(with_tree(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")

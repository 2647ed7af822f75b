"""No module needs itself: imports form no circle, those inside functions counted as well.

An import that waits inside a function makes a circle as well: neither module can be understood alone.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import demospec

ROOT = Path(demospec.__file__).parent


def module_name(file: Path) -> str:
    """Return the dotted name of a file below the package."""
    parts = ["demospec", *file.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all that can run; what is imported for the type checker alone never does."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from executed(child)


def needed(tree: ast.Module, known: Iterable[str]) -> set[str]:
    """Return the known modules that a module imports, at its top or later."""
    found: set[str] = set()
    for node in executed(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, ast.unparse(node)
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = below.intersection(known)
            # `from package import module` needs the module; the package needs what it offers by itself.
            found |= modules if len(modules) == len(below) else {*modules, node.module}
    return found.intersection(known)


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected parts with more than one module (Tarjan), each sorted."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for other in sorted(graph[module]):
            if other not in number:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == number[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(graph):
        if module not in number:
            visit(module)
    return found


def test_no_module_needs_itself() -> None:
    trees = {module_name(file): ast.parse(file.read_text("utf-8")) for file in ROOT.rglob("*.py")}
    assert circles({module: needed(tree, trees) for module, tree in trees.items()}) == []


def test_a_circle_is_found_through_a_function_and_not_through_a_type() -> None:
    names = ("one", "two", "three")
    one = ast.parse("def f():\n    import two")
    two = ast.parse("from three import g")
    three = ast.parse(
        "if TYPE_CHECKING:\n    import two\nclass A:\n    def g(self):\n        from one import f"
    )
    graph = {name: needed(tree, names) for name, tree in zip(names, (one, two, three), strict=True)}
    assert graph == {"one": {"two"}, "two": {"three"}, "three": {"one"}}
    assert circles(graph) == [["one", "three", "two"]]

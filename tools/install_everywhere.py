"""Install the built wheel in a clean environment on every Python that is found, and try it there.

    make wheel && python tools/install_everywhere.py dist/*.whl

Pythons are looked for on the path and in pyenv. `--lowest` installs the lowest versions that pyproject.toml
allows on the lowest Python, `--without-compiler` builds from the source where no compiler works. Where pip's
settings allow it, nothing but PyPI is needed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRY = ROOT / "tools" / "try_installed.py"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def version_of(python: Path) -> str | None:
    """Return the version of an interpreter, or None where it does not run."""
    ask = [str(python), "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def candidates(version: str) -> Iterator[Path]:
    """Yield where a Python of this version may be."""
    if found := shutil.which(f"python{version}"):
        yield Path(found)
    yield from sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    yield Path(sys.executable)


def find(version: str) -> Path | None:
    """Return an interpreter of this version that runs."""
    return next((python for python in candidates(version) if version_of(python) == version), None)


def lowest() -> list[str]:
    """Return the requirements of the core at their lower bounds."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [requirement.replace(">=", "==") for requirement in document["project"]["dependencies"]]


def attempt(
    title: str,
    python: Path,
    requirements: Sequence[str],
    options: Sequence[str] = (),
    more: Mapping[str, str] = {},
) -> bool:
    """Install into a new environment, try it, and print one line; return whether it worked."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        inside = Path(folder) / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [str(inside), "-m", "pip", "--disable-pip-version-check"]
        environment = {**os.environ, **more}
        steps = (
            [str(python), "-m", "venv", folder],
            [*pip, "install", "--quiet", *requirements],
            [str(inside), str(TRY), *options],
            [*pip, "list", "--format=freeze"],
        )
        printed = []
        for step in steps:
            done = subprocess.run(
                step, capture_output=True, text=True, env=environment, cwd=folder, check=False
            )
            printed.append(done.stdout.strip())
            if done.returncode:
                print(f"{title}: failed at {' '.join(step)}\n{done.stdout}{done.stderr}", flush=True)
                return False
        packages = [
            name for name in printed[-1].splitlines() if name.split("==")[0] not in ("pip", "setuptools")
        ]
        took = time.perf_counter() - began
        print(f"{title}: {printed[2]}; {len(packages)} packages, {took:.0f} s in all", flush=True)
    return True


def main() -> None:
    """Try every Python, and what else was asked for; exit with 1 where something failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, help="the wheel, or a source distribution, to install")
    parser.add_argument("--lowest", action="store_true", help="also the lowest allowed versions")
    parser.add_argument(
        "--without-compiler", action="store_true", help="also from the source, without a compiler"
    )
    args = parser.parse_args()
    wheel = str(args.wheel.resolve())
    compiled = ["--compiled"] if wheel.endswith(".whl") else []
    found = {version: python for version in VERSIONS if (python := find(version))}
    worked = [attempt(f"Python {version}", python, [wheel], compiled) for version, python in found.items()]
    for version in VERSIONS:
        if version not in found:
            print(f"Python {version}: none found here")
    least = next(iter(found.values()))
    if args.lowest:
        wanted = lowest()
        worked.append(attempt(f"lowest ({', '.join(wanted)})", least, [wheel, *wanted], compiled))
    if args.without_compiler:
        worked.append(attempt("without a compiler", least, [str(ROOT)], more={"CC": "/bin/false"}))
    raise SystemExit(0 if all(worked) else 1)


if __name__ == "__main__":
    main()

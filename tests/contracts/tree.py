"""The files of the project as the tests of the code see them: everything that is kept, nothing that is made."""

import ast
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("protocols", "analysis", "listening", "rating", "stimuli", "core")
PYTHON_FOLDERS = (*APPS, "audio", "config", "scripts", "tests", "bench", "deploy", "client")
MADE = {".git", ".venv", "node_modules", "__pycache__", "var", "dist", ".hypothesis", ".npm"}


@cache
def every_file() -> tuple[Path, ...]:
    """List every kept file, sorted; folders that a tool fills are left out."""
    found: list[Path] = []
    for folder, names, files in os.walk(ROOT):
        names[:] = sorted(name for name in names if name not in MADE and not name.endswith("_cache"))
        found += [Path(folder, name) for name in sorted(files) if name not in MADE]  # a worktree has a file .git
    return tuple(found)


def files(*suffixes: str, under: tuple[str, ...] = ()) -> Iterator[Path]:
    """Yield the kept files with one of the suffixes, in one of the top folders (or anywhere)."""
    for path in every_file():
        if path.suffix in suffixes and (not under or relative(path).parts[0] in under):
            yield path


def modules(*folders: str) -> Iterator[Path]:
    """Yield hand-written Python modules; migrations are mostly Django's."""
    for path in files(".py", under=folders or PYTHON_FOLDERS):
        if "migrations" not in path.parts:
            yield path


def relative(path: Path) -> Path:
    return path.relative_to(ROOT)


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def holding(words: Collection[str], paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files in whose text one of the words stands; no others need to be parsed by who looks for these."""
    return (path for path in paths if any(word in text_of(path) for word in words))


def parsed(path: Path) -> ast.Module:
    """The tree of a module; none is kept, because the garbage collector would go through all of them every time."""
    return ast.parse(text_of(path), filename=str(path))


def opening(path: Path) -> ast.Module:
    """The tree of a module's docstring alone where it begins with one, else of the whole module."""
    text = text_of(path)
    found = re.match(r'""".*?"""', text, re.DOTALL)
    return ast.parse(found.group() if found else text)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def bytecode_of(folder: Path) -> Path | None:
    """Where Python keeps what it compiles of a folder's modules; None if that is beside each of them."""
    return Path(sys.pycache_prefix, *folder.parts[1:]) if sys.pycache_prefix else None


def link_bytecode(copy: Path) -> None:
    """Give a copy of the project, and the packages that it will install, what Python has compiled of ours.

    It sees by a module's size and time whether that still holds, and never writes into a file that is there.
    """
    ours, theirs = bytecode_of(ROOT), bytecode_of(copy)
    if ours and theirs and ours.exists():
        unfinished = shutil.ignore_patterns("*.pyc.*")
        shutil.copytree(ours, theirs, copy_function=os.link, ignore=unfinished)


def copy_kernels(copy: Path) -> None:
    """Give a copy of the project what numba has compiled, which it keeps beside the module.

    It sees by a module's size and time whether that still holds.
    """
    for kernel in (ROOT / "audio").rglob("__pycache__/*.nb[ic]"):
        target = copy / relative(kernel)
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(kernel, target)

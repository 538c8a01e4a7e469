"""How the rules of the house read the repository: files, functions, imports and calls.

Reading only, and only what would be committed. Nothing here starts a service or opens a
connection, so the rules can run before every commit.
"""

import ast
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("extractor", "ingest", "monitor", "review", "storage")
SERVICES_WITH_AN_API = ("ingest", "monitor", "review", "storage")

# At the root only: `deploy/secrets` is what makes it.
_MADE_SECRETS = "secrets/"
# Made by tools or by running the system; `.gitignore` lists the same.
_NEVER_COMMITTED = {
    *(".git", ".venv", ".paperline", ".env", ".hypothesis", "__pycache__", "data"),
    "docker-compose.override.yml",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One file, shown in a test id by its path from the root of the repository."""

    path: Path

    def __str__(self) -> str:
        return _name(self.path)

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def tree(self) -> ast.Module:
        return _parse(self.path)

    def nodes(self) -> tuple[ast.AST, ...]:
        """All of the tree: a dozen rules look through it."""
        return _nodes(self.path)

    def under(self, *folders: str) -> bool:
        return str(self).startswith(folders)


@cache
def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def _parse(path: Path) -> ast.Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    # All trees stay to the end: looking through them for garbage takes longer than making them.
    gc.freeze()
    return tree


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_parse(path)))


def require(rule: Callable[[Source], object], sources: Iterable[Source]) -> None:
    """One test for a rule and all its files: thousands of tests would take their time to begin
    and end. A rule answers with what is wrong in a file, or with nothing; all of it is told."""
    broken = [f"{one}: {found}" for one in sources if (found := rule(one))]
    assert not broken, "\n".join(broken)


@cache
def committed_files() -> tuple[Source, ...]:
    found = map(Source, sorted(_walk(ROOT)))
    return tuple(one for one in found if not one.under(_MADE_SECRETS))


def _walk(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not _skipped(one)]
        yield from (Path(name) / one for one in files if not _skipped(one))


def _skipped(name: str) -> bool:
    return name in _NEVER_COMMITTED or name.endswith(("_cache", ".pyc"))


def files(*folders: str, suffix: str) -> list[Source]:
    inside = tuple(f"{folder}/" for folder in folders)
    return [
        one for one in committed_files() if one.under(*inside) and one.path.suffix == suffix
    ]


def modules(*folders: str) -> list[Source]:
    return files(*(folders or ("shared", "services", "deploy", "tests")), suffix=".py")


def functions(source: Source) -> Iterator[Function]:
    for node in source.nodes():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imported_names(source: Source) -> set[str]:
    """Dotted names as written: `from a import b` gives both `a` and `a.b`."""
    return _names(source.nodes())


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def imported_packages(source: Source) -> set[str]:
    return {name.partition(".")[0] for name in imported_names(source)}


def packages_for_types_only(source: Source) -> set[str]:
    """What stands under `if TYPE_CHECKING:`, and so need not be installed where it runs."""
    return {
        name.partition(".")[0]
        for node in source.nodes()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for name in _names(ast.walk(node))
    }


def calls(source: Source) -> Iterator[ast.Call]:
    for node in source.nodes():
        if isinstance(node, ast.Call):
            yield node


def called(call: ast.Call) -> str:
    """As it is written, `name` or `owner.name`; the owner may itself be what a call answers."""
    parts, node = list[str](), call.func
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id if isinstance(node, ast.Name) else "()", *reversed(parts)])

"""What a cited test really runs: its own code, and that of the helpers and fixtures it names.

Sentences in it do not count: a command that is only spoken of in a docstring or a comment is
run by nobody.
"""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.house.repository import ROOT, Source

_Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
_PIECE = re.compile(r"[a-z]{2,}")
# Of the reader, or of what they have: an address, a file that was made.
_PLACEHOLDER = re.compile(r"[A-Z$<>…*]|://|/")


def code_of(citation: str) -> str:
    """Of `file::test`; an error when one of them is not there."""
    name, _, test = citation.partition("::")
    assert (ROOT / name).is_file(), f"{name} is not there"
    known = _definitions(Source(ROOT / name))
    assert test in known, f"{name} has no {test}"
    found: dict[str, str] = {}
    ahead = [test]
    while ahead:
        one = ahead.pop()
        if one in found or one not in known:
            continue
        found[one] = _without_sentences(known[one])
        ahead.extend(_named(known[one]))
    return "\n".join(found.values())


def pieces(text: str) -> set[str]:
    """Words, and the parts of words that hyphens, dots and underscores make; but options whole,
    or whoever says `--no-build` would have said `--build`."""
    said = text.lower()
    return {*_OPTION.findall(said), *_PIECE.findall(_OPTION.sub(" ", said))}


def parts(command: str) -> set[str]:
    """What a command says besides its program and what its reader puts in."""
    _, *words = shlex.split(command)
    said = [one for one in words if not _PLACEHOLDER.search(one) and not _is_file(one)]
    return pieces(" ".join(said))


def files_in(command: str) -> list[str]:
    return [one for one in shlex.split(command)[1:] if _is_file(one)]


def _is_file(word: str) -> bool:
    return not word.startswith("-") and (ROOT / word).is_file()


@cache
def _definitions(source: Source) -> dict[str, _Defined]:
    """By name: of the file, of fixtures beside it, and of what both take from that folder."""
    package = ".".join(source.path.relative_to(ROOT).parent.parts)
    ahead = [source.path, source.path.with_name("conftest.py")]
    read: dict[Path, dict[str, _Defined]] = {}
    while ahead:
        path = ahead.pop(0)
        if path in read or not path.is_file():
            continue
        tree = Source(path).tree()
        read[path] = dict(_defined(tree.body))
        ahead.extend(
            ROOT / f"{node.module.replace('.', '/')}.py"
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(package)
            if node.module
        )
    # The nearest wins.
    return {name: one for each in reversed(read.values()) for name, one in each.items()}


def _defined(body: list[ast.stmt]) -> Iterator[tuple[str, _Defined]]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node
            case ast.ClassDef():
                # Its methods are found by their names, so only those that are called count.
                yield from _defined(node.body)
            case ast.Assign():
                for target in node.targets:
                    yield ast.unparse(target), node
            case ast.AnnAssign() if node.value:
                yield ast.unparse(node.target), node


def _named(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        match one:
            case ast.Name():
                yield one.id
            case ast.Attribute():
                yield one.attr
            case ast.arg():
                yield one.arg


def _without_sentences(node: _Defined) -> str:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return ast.unparse(node)
    body = node.body[1:] if ast.get_docstring(node) else node.body
    written = [*node.decorator_list, node.args, *body]
    return "\n".join(ast.unparse(one) for one in written)

"""YAML that remembers on which line each key stands, so that an error can say it.

Only the plain part of YAML: no tags, no anchors (a few lines of them unfold into gigabytes), no
key twice (the last would win silently), and no words that turn into something else: `NO` is a
country here and `2026-11-18` is text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

Path = tuple[str | int, ...]
BYTES_MAX = 256 * 1024
DEPTH_MAX = 20
NODES_MAX = 20_000


class ConfigurationError(Exception):
    """One sentence per problem, each with file, line, key and what to do."""


@dataclass(frozen=True, slots=True)
class Marked:
    """What a file holds, and on which line each of its keys stands, counted from 1."""

    name: str
    value: object
    lines: dict[Path, int]

    def problem(self, path: Path, sentence: str) -> str:
        return f"{self.name}, line {self.line(path)}, {dotted(path)}: {sentence}"

    def line(self, path: Path) -> int:
        """Of what is not there, the line of what it is missing from."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def dotted(path: Path) -> str:
    """`validation.rules[3].expr`, as people write it."""
    text = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path)
    return text.lstrip(".") or "the file"


def read_marked(content: bytes, name: str) -> Marked:
    if len(content) > BYTES_MAX:
        raise ConfigurationError(f"{name} has {len(content)} bytes; keep it below {BYTES_MAX}.")
    try:
        text = content.decode("utf-8")
        root = _Loader(text).get_single_node()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ConfigurationError(
            f"{name}, line {line}: is not UTF-8; save it as UTF-8."
        ) from None
    except yaml.MarkedYAMLError as error:
        raise ConfigurationError(_syntax(error, name)) from None
    except yaml.YAMLError as error:
        why = str(error).partition("\n")[0]
        raise ConfigurationError(f"{name}: cannot be read ({why}); write plain text.") from None
    if root is None:
        raise ConfigurationError(f"{name}, line 1: is empty; write the sections into it.")
    reader = _Reader(name)
    value = reader.read(root, ())
    return Marked(name, value, reader.lines)


def _syntax(error: yaml.MarkedYAMLError, name: str) -> str:
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    return f"{name}, line {line}: is no YAML that is taken here ({error.problem}); correct it."


class _Loader(yaml.SafeLoader):
    """Without its own resolvers: what a plain word means is decided in `_scalar`."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 -- the vendor's class attribute
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it open
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(
                problem="an anchor or alias; write the value out", problem_mark=event.start_mark
            )
        if self.depth >= DEPTH_MAX:
            raise yaml.MarkedYAMLError(problem="nested too deep", problem_mark=event.start_mark)
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(slots=True)
class _Reader:
    name: str
    lines: dict[Path, int]
    nodes: int

    def __init__(self, name: str) -> None:
        self.name, self.lines, self.nodes = name, {}, 0

    def read(self, node: yaml.Node, path: Path) -> object:
        self.nodes += 1
        self.lines.setdefault(path, node.start_mark.line + 1)
        if self.nodes > NODES_MAX:
            raise self._refused(
                node, path, f"there are more than {NODES_MAX} values; use fewer."
            )
        if not node.tag.startswith("tag:yaml.org,2002:") or (
            isinstance(node, yaml.ScalarNode) and not node.tag.endswith(":str")
        ):
            raise self._refused(node, path, f"the tag {node.tag} is not taken; remove it.")
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, path))
        if isinstance(node, yaml.SequenceNode):
            return [self.read(one, (*path, place)) for place, one in enumerate(node.value)]
        return _scalar(node)

    def _pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, object]]:
        seen: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise self._refused(key, path, "a key is no word; write a word.")
            name = str(key.value)
            if name in seen:
                raise self._refused(
                    key,
                    (*path, name),
                    f"stands already on line {seen[name]}; remove one of them.",
                )
            seen[name] = line
            self.lines[(*path, name)] = line
            yield name, self.read(value, (*path, name))

    def _refused(self, node: yaml.Node, path: Path, sentence: str) -> ConfigurationError:
        line = node.start_mark.line + 1
        return ConfigurationError(f"{self.name}, line {line}, {dotted(path)}: {sentence}")


def _scalar(node: yaml.Node) -> object:
    text = str(node.value)
    if getattr(node, "style", None) is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    # A decimal stays the text it is: a tenth of the file is a tenth, not the float beside it.
    return int(text) if _INTEGER.fullmatch(text) else text

"""The objects of a PDF, as far as one must follow them to find what is attached.

PDFium writes the document out once more before it is walked: so every damage is repaired, every
object stream unpacked, every cipher undone and every offset right, by the code that displays
it. What is left to parse is the plainest form a PDF has. PDFium's own list of attachments would
not do: it knows the name tree only, and inflates a file to its end.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import pypdfium2
from pypdfium2 import raw

DEPTH_MAX = 32
# Who has more of them on the way to its attachments wants to be walked for ever.
STEPS_MAX = 50_000
TOKENS_MAX = 1_000_000
# What was packed in object streams comes out larger, but not by much.
COPY_FACTOR_MAX = 4
COPY_BYTES_SPARE = 64 * 1024 * 1024

_BLANK = rb"[\x00\t\n\x0c\r ]"
_TOKEN = re.compile(
    _BLANK + rb"*(?:(?P<ref>\d{1,9}) \d{1,5} R(?![A-Za-z])|(?P<open><<|\[)|(?P<close>>>|\])"
    rb"|/(?P<name>[^\x00\t\n\x0c\r ()<>\[\]{}/%]*)|(?P<number>[+-]?[\d.]+)"
    rb"|(?P<string>\([^\\()]*(?:\\.[^\\()]*)*\)|<[0-9A-Fa-f\s]*>)|(?P<word>[A-Za-z]+))",
    re.DOTALL,
)
_OBJECT = re.compile(_BLANK + rb"*\d+ \d+ obj")
_STREAM = re.compile(_BLANK + rb"*stream\r?\n")
_SECTION = re.compile(rb"(\d+) (\d+)\r?\n")
_ENTRY_BYTES = 20


class Damaged(Exception):
    """It cannot be followed any further."""


@dataclass(frozen=True, slots=True)
class Ref:
    number: int


@dataclass(frozen=True, slots=True)
class Name:
    text: str


@dataclass(frozen=True, slots=True)
class Stream:
    about: "Dictionary"
    start: int


Thing: TypeAlias = "Ref | Name | Stream | int | list[Thing] | dict[str, Thing] | None"
Dictionary: TypeAlias = "dict[str, Thing]"


@dataclass(slots=True)
class Objects:
    """The objects of one document, read when they are asked for."""

    data: bytes
    _offsets: dict[int, int] = field(default_factory=dict)
    _steps: int = 0
    _tokens: int = 0

    def __post_init__(self) -> None:
        begin = self.data.rfind(b"startxref")
        match = re.compile(rb"startxref\s+(\d+)").match(self.data, max(begin, 0))
        if match is None:
            raise Damaged("no table of objects")
        at = int(match[1]) + len("xref\r\n")
        while section := _SECTION.match(self.data, at):
            at = section.end()
            for number in range(int(section[1]), int(section[1]) + int(section[2])):
                entry = self.data[at : at + _ENTRY_BYTES]
                at += _ENTRY_BYTES
                if entry[17:18] == b"n":
                    self._offsets[number] = int(entry[:10])
        self.trailer = self._trailer(at)

    trailer: Dictionary = field(init=False)

    def _trailer(self, at: int) -> Dictionary:
        begin = self.data.find(b"<<", at)
        value = self._parsed(begin)[0] if begin >= 0 else None
        if not isinstance(value, dict):
            raise Damaged("no trailer")
        return value

    def follow(self, thing: Thing) -> Thing:
        """What a reference stands for, in at most so many steps for the whole document."""
        while isinstance(thing, Ref):
            self._steps += 1
            if self._steps > STEPS_MAX:
                raise Damaged("too many objects to follow")
            offset = self._offsets.get(thing.number)
            thing = None if offset is None else self._object(offset)
        return thing

    def dictionary(self, thing: Thing) -> Dictionary:
        found = self.follow(thing)
        return found if isinstance(found, dict) else {}

    def members(self, thing: Thing) -> list[Thing]:
        """Of an array; a single thing stands for an array of it."""
        found = self.follow(thing)
        if isinstance(found, list):
            return found
        return [] if found is None else [thing]

    def raw_bytes(self, stream: Stream) -> memoryview:
        length = self.follow(stream.about.get("Length"))
        if not isinstance(length, int) or length < 0:
            raise Damaged("a stream without a length")
        return memoryview(self.data)[stream.start : stream.start + length]

    def _object(self, offset: int) -> Thing:
        head = _OBJECT.match(self.data, offset)
        if head is None:
            raise Damaged("an object is not where it should be")
        value, at = self._parsed(head.end())
        if isinstance(value, dict) and (begin := _STREAM.match(self.data, at)):
            return Stream(value, begin.end())
        return value

    def _parsed(self, at: int, depth: int = 0) -> tuple[Thing, int]:
        token = _TOKEN.match(self.data, at)
        self._tokens += 1
        if token is None or depth > DEPTH_MAX or self._tokens > TOKENS_MAX:
            raise Damaged("an object that is none")
        match token.lastgroup:
            case "open":
                return self._inside(token[0].endswith(b"["), token.end(), depth)
            case "ref":
                return Ref(int(token["ref"])), token.end()
            case "name":
                return Name(token["name"].decode("latin-1")), token.end()
            case "number" if token["number"].isdigit():
                return int(token["number"][:18]), token.end()
            case "close":
                raise Damaged("an end without a beginning")
        return None, token.end()

    def _inside(self, is_list: bool, at: int, depth: int) -> tuple[Thing, int]:
        things: list[Thing] = []
        while True:
            token = _TOKEN.match(self.data, at)
            if token is not None and token.lastgroup == "close":
                break
            thing, at = self._parsed(at, depth + 1)
            things.append(thing)
        if is_list:
            return things, token.end()
        pairs = zip(things[::2], things[1::2], strict=False)
        return {key.text: value for key, value in pairs if isinstance(key, Name)}, token.end()


class _Copy:
    """Takes what PDFium writes, up to a size: its caller cannot be stopped, but ignored."""

    def __init__(self, bytes_max: int) -> None:
        self.written = bytearray()
        self.is_whole = True
        self._bytes_max = bytes_max

    def write(self, data: bytes) -> int:
        if len(self.written) + len(data) > self._bytes_max:
            self.is_whole = False
        if self.is_whole:
            self.written += data
        return len(data)


def objects_of(document: pypdfium2.PdfDocument, size: int) -> Objects:
    """Raises Damaged."""
    copy = _Copy(COPY_FACTOR_MAX * size + COPY_BYTES_SPARE)
    try:
        document.save(copy, flags=raw.FPDF_REMOVE_SECURITY)
    except pypdfium2.PdfiumError as error:
        raise Damaged(str(error)) from error
    if not copy.is_whole:
        raise Damaged("it is many times as large as its file")
    return Objects(bytes(copy.written))


def nodes_of(objects: Objects, root: Thing) -> Iterator[Dictionary]:
    """A tree by its `Kids`, each node once: one that leads back to itself has an end."""
    waiting: deque[Thing] = deque([root])
    seen: set[Ref] = set()
    while waiting:
        thing = waiting.popleft()
        if isinstance(thing, Ref):
            if thing in seen:
                continue
            seen.add(thing)
        node = objects.dictionary(thing)
        yield node
        waiting.extend(objects.members(node.get("Kids")))

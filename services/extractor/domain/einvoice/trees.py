"""XML from strangers as a tree, within limits, and nothing that XML can do beyond elements.

A document type declaration is where entities live, hence bombs and files of ours: it is refused
where it begins, so that nothing is ever expanded and nothing ever fetched. Names are local:
which dialect it is, the namespace of the root has said.
"""

from collections.abc import Iterator
from contextlib import suppress
from xml.parsers import expat

DEPTH_MAX = 64
ELEMENTS_MAX = 300_000
# Files inside the invoice, as text. They are not read, and may be large.
_FILES = frozenset({"AttachmentBinaryObject", "EmbeddedDocumentBinaryObject"})
_BLANK = b" \t\r\n\x00"
_UTF8_MARK = b"\xef\xbb\xbf"
_WRONG_NAME = frozenset(
    {
        expat.errors.codes[expat.errors.XML_ERROR_INCORRECT_ENCODING],
        expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING],
    }
)

Root = tuple[str, str]
DECLARED = "<!DOCTYPE>"


class XmlRefused(Exception):
    """The reason is the code of the outcome: unreadable, too_large, not_an_invoice."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Node:
    __slots__ = ("attributes", "children", "name", "namespace", "text")

    def __init__(self, namespace: str, name: str, attributes: dict[str, str]) -> None:
        self.namespace = namespace
        self.name = name
        self.attributes = attributes
        self.children: list[Node] = []
        self.text = ""

    def all(self, path: str) -> "Iterator[Node]":
        """Every node under this path of local names, in the order of the document."""
        name, _, rest = path.partition("/")
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(rest)
                else:
                    yield child

    def first(self, path: str) -> "Node | None":
        return next(self.all(path), None)

    def attribute(self, name: str) -> str:
        return self.attributes.get(name, "").strip()


def parse(content: bytes) -> Node:
    """Raises XmlRefused."""
    content = _trimmed(content)
    try:
        return _Tree().parsed(content, None)
    except expat.ExpatError as error:
        encoding = _another_encoding(content, error)
        if encoding is None:
            raise XmlRefused("unreadable", f"no XML: {error}") from error
    try:
        return _Tree().parsed(content, encoding)
    except expat.ExpatError as error:
        raise XmlRefused("unreadable", f"no XML: {error}") from error


def root_of(head: bytes) -> Root | None:
    """Namespace and name of the root, from the beginning alone. Of a document with a type
    declaration the name that it declares, and `DECLARED` in place of a namespace."""
    head = head.removeprefix(_UTF8_MARK).lstrip(_BLANK)
    for encoding in (None, "utf-8"):
        found: list[Root] = []
        parser = _Peek(found).parser(encoding)
        with suppress(_Seen, expat.ExpatError):
            parser.Parse(head, False)
        if found:
            return found[0]
    return None


class _Seen(Exception):
    """Enough was read."""


class _Peek:
    def __init__(self, found: list[Root]) -> None:
        self._found = found

    def parser(self, encoding: str | None) -> expat.XMLParserType:
        parser = expat.ParserCreate(encoding, namespace_separator=" ")
        parser.StartElementHandler = self._on_element
        parser.StartDoctypeDeclHandler = self._on_doctype
        return parser

    def _on_element(self, name: str, _attributes: dict[str, str]) -> None:
        self._found.append(_split(name))
        raise _Seen

    def _on_doctype(self, name: str, *_parts: object) -> None:
        self._found.append((DECLARED, name.rpartition(":")[2]))
        raise _Seen


class _Tree:
    """What the parser tells, one event at a time."""

    def __init__(self) -> None:
        self._open = [Node("", "", {})]
        self._texts: list[str] = []
        self._elements = 0

    def parsed(self, content: bytes, encoding: str | None) -> Node:
        parser = expat.ParserCreate(encoding, namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = self._on_text
        parser.StartDoctypeDeclHandler = self._on_doctype
        parser.Parse(content, True)
        return self._open[0].children[0]

    def _on_start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > ELEMENTS_MAX:
            raise XmlRefused("too_large", f"more than {ELEMENTS_MAX} elements")
        if len(self._open) > DEPTH_MAX:
            raise XmlRefused("too_large", f"more than {DEPTH_MAX} elements inside each other")
        node = Node(*_split(name), attributes)
        self._open[-1].children.append(node)
        self._open.append(node)
        self._texts.clear()

    def _on_end(self, _name: str) -> None:
        node = self._open.pop()
        # Between elements there is only layout.
        if not node.children:
            node.text = "".join(self._texts).strip()
        self._texts.clear()

    def _on_text(self, text: str) -> None:
        if self._open[-1].name not in _FILES:
            self._texts.append(text)

    def _on_doctype(self, *_parts: object) -> None:
        raise XmlRefused("unreadable", "a document type declaration is not taken")


def _split(name: str) -> Root:
    namespace, _, local = name.rpartition(" ")
    return namespace, local


def _trimmed(content: bytes) -> bytes:
    """Without what some programs leave around it, as UTF-8; UTF-16 has its own blanks."""
    without = content.removeprefix(_UTF8_MARK).lstrip(_BLANK)
    return without.rstrip(_BLANK) if without[:1] == b"<" and without[1:2] != b"\0" else content


def _another_encoding(content: bytes, error: expat.ExpatError) -> str | None:
    """Many a program writes one encoding and declares another."""
    try:
        content.decode()
    except UnicodeDecodeError:
        invalid = expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]
        return "windows-1252" if error.code == invalid else None
    return "utf-8" if error.code in _WRONG_NAME else None

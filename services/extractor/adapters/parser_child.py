"""The process that opens an untrusted file. It has nothing to lose and nothing to steal.

It is started for one document with an empty environment, puts itself in chains before it
looks at the first byte, reads the document from standard input and answers with one JSON
object. Whatever a file does to the parser, only this process dies of it.
"""

import json
import sys
from dataclasses import asdict, dataclass

from services.extractor.domain.reading import Reading
from services.extractor.domain.rules import read_invoice
from shared.sandbox.chains import confine


@dataclass(frozen=True, slots=True)
class Limits:
    """Given on the command line, so that the child needs no settings and no environment."""

    memory_bytes: int
    cpu_s: int
    pages: int
    chars: int


def main(arguments: list[str]) -> int:
    limits = Limits(*map(int, arguments))
    confine(memory_bytes=limits.memory_bytes, cpu_s=limits.cpu_s)
    try:
        answer = _read(sys.stdin.buffer.read(), limits)
    except MemoryError:
        answer = {"rejected": "too_large", "detail": "the parser ran out of memory"}
    json.dump(answer, sys.stdout)
    return 0


def _read(scan: bytes, limits: Limits) -> dict[str, object]:
    # Loaded in chains: the library that is most likely to be attacked.
    from services.extractor.adapters.pdf_words import Unreadable, words_of  # noqa: PLC0415

    try:
        words, page_count = words_of(scan, pages_max=limits.pages, chars_max=limits.chars)
    except Unreadable as error:
        return {"rejected": error.reason, "detail": str(error)}
    if not words:
        return {"rejected": "no_text_layer", "detail": "the pages hold no text"}
    return _answer(read_invoice(words, page_count, "pdf_text"))


def _answer(reading: Reading) -> dict[str, object]:
    fields = {path: asdict(field) for path, field in reading.fields.items()}
    return {"engine": reading.engine, "page_count": reading.page_count, "fields": fields}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What the parser's child can be asked for, by name.

The libraries that open files are loaded when they are needed: in chains, and only then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from services.extractor.adapters.parser.answers import Answer, told
from services.extractor.adapters.parser.outcomes import Unreadable
from services.extractor.domain.offline.rules import read_invoice

PDF = "application/pdf"


@dataclass(frozen=True, slots=True)
class Limits:
    pages: int
    chars: int


Task = Callable[[bytes, str, Limits], Answer]


def offline(content: bytes, media_type: str, limits: Limits) -> Answer:
    from services.extractor.adapters.parser.pdf_words import words_of  # noqa: PLC0415

    if media_type != PDF:
        raise Unreadable("no_text_layer", f"{media_type} carries no text")
    words, page_count = words_of(content, pages_max=limits.pages, chars_max=limits.chars)
    if not words:
        raise Unreadable("no_text_layer", "the pages hold no text")
    return told(read_invoice(words, page_count, "pdf_text"))


TASKS: Mapping[str, Task] = {"offline": offline}

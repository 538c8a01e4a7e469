"""What the parser's child can be asked for, by name.

The libraries that open files are loaded when they are needed: in chains, and only then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from services.extractor.adapters.parser.answers import Answer, told
from services.extractor.adapters.parser.einvoice_answers import read_bare, told_einvoices
from services.extractor.domain.hidden_text import hidden_text
from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.reading import Page
from shared.pages.outcomes import Unreadable

PDF = "application/pdf"


@dataclass(frozen=True, slots=True)
class Limits:
    pages: int
    chars: int
    # Of one page or image, decoded.
    pixels: int


Task = Callable[[bytes, str, Limits], Answer]


def offline(content: bytes, media_type: str, limits: Limits) -> Answer:
    """`recognise` when its words do not tell what a page shows: then that task has to be asked
    for, in a child that may use as much memory as a model needs."""
    from shared.pages.pdf_layers import pages_to_recognise  # noqa: PLC0415
    from shared.pages.pdf_words import pages_of  # noqa: PLC0415

    if media_type != PDF:
        raise Unreadable("no_text_layer", f"{media_type} carries no text")
    pages = pages_of(content, pages_max=limits.pages, chars_max=limits.chars)
    if pages_to_recognise(content, pages):
        return {"recognise": True, "page_count": len(pages)}
    words = [word for page in pages for word in page.words]
    if not words:
        raise Unreadable("no_text_layer", "the pages hold no text")
    reading = read_invoice(words, len(pages), "pdf_text")
    found = hidden_text((one.word, one.why) for page in pages for one in page.hidden)
    sizes = tuple(
        Page(one.number, one.width, one.height, "pdf_text" if one.words else None)
        for one in pages
    )
    return told(replace(reading, findings=(*reading.findings, *found), pages=sizes))


def recognise(content: bytes, media_type: str, limits: Limits) -> Answer:
    from services.extractor.adapters.parser.recognising import recognised  # noqa: PLC0415

    return recognised(
        content,
        media_type,
        pages_max=limits.pages,
        chars_max=limits.chars,
        pixels_max=limits.pixels,
    )


def pages(content: bytes, media_type: str, limits: Limits) -> Answer:
    """Every page of an image file as PNG, beside the answer."""
    from shared.pages.images import pngs_of  # noqa: PLC0415

    pngs = pngs_of(content, media_type, pages_max=limits.pages, pixels_max=limits.pixels)
    return {"page_count": len(pngs), "media_type": "image/png", "parts": pngs}


def einvoice(content: bytes, media_type: str, limits: Limits) -> Answer:
    if media_type != PDF:
        return told_einvoices([read_bare(content)], (), page_count=0)
    from services.extractor.adapters.parser.attachments import einvoices_in  # noqa: PLC0415

    return told_einvoices(*einvoices_in(content))


TASKS: Mapping[str, Task] = {
    "einvoice": einvoice,
    "offline": offline,
    "pages": pages,
    "recognise": recognise,
}
# Those that load a model: they run in children of their own, with more memory.
HEAVY: frozenset[str] = frozenset(("pages", "recognise"))

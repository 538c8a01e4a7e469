"""Documents that have to be looked at: every page of them, by its words or by its picture.

One page is held as a picture at a time. Which pages of a PDF are looked at is decided page by
page: a scanned delivery note behind a printed invoice is not a reason to read both from pixels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from services.extractor.adapters.parser.answers import Answer, told
from services.extractor.adapters.parser.fingerprints import fingerprint
from services.extractor.adapters.parser.ocr import words_in
from services.extractor.domain.hidden_text import hidden_text, other_layer
from services.extractor.domain.offline.recognised import as_recognised
from services.extractor.domain.offline.rules import read_invoice
from services.extractor.domain.offline.upright import Upright
from services.extractor.domain.reading import Finding, Page, Source
from shared.pages.images import FORMATS, Picture, pictures_of
from shared.pages.outcomes import Unreadable
from shared.pages.pdf_layers import pages_to_recognise, rendered
from shared.pages.pdf_words import PageText, opened, pages_of
from shared.pages.words import Word

# A page takes seconds, and a document may not take minutes. An invoice is told on its first
# pages; what is behind them is said to be unread.
RECOGNISED_PAGES_MAX = 40
NOT_READ = "page_not_read"
FIRST = 1


@dataclass(frozen=True, slots=True)
class Seen:
    page: Page
    words: tuple[Word, ...]
    # Of a recognised page.
    upright: Upright | None = None
    unread: bool = False
    # What some program once recognised on it, laid under it.
    layer: tuple[Word, ...] = ()


def recognised(
    content: bytes, media_type: str, *, pages_max: int, chars_max: int, pixels_max: int
) -> Answer:
    if media_type in FORMATS:
        pictures = pictures_of(content, media_type, pages_max=pages_max, pixels_max=pixels_max)
        seen = [_looked_at(one, number) for number, one in enumerate(pictures, 1)]
        return _told(seen, ())
    texts = pages_of(content, pages_max=pages_max, chars_max=chars_max)
    looked_at = pages_to_recognise(content, texts)
    hidden = ((one.word, one.why) for page in texts for one in page.hidden)
    return _told(list(_pdf_pages(content, texts, looked_at)), hidden_text(hidden))


def _pdf_pages(
    content: bytes, texts: list[PageText], looked_at: frozenset[int]
) -> Iterator[Seen]:
    document = opened(content)
    left = RECOGNISED_PAGES_MAX
    for text in texts:
        if text.number not in looked_at:
            yield _as_text(text)
        elif left:
            left -= 1
            found = _looked_at(rendered(document[text.number - 1]), text.number)
            yield replace(found, layer=text.scan_layer)
        else:
            yield replace(_as_text(text), unread=True)
    document.close()


def _as_text(text: PageText) -> Seen:
    source: Source | None = "pdf_text" if text.words else None
    return Seen(Page(text.number, text.width, text.height, source), text.words)


def _looked_at(picture: Picture, number: int) -> Seen:
    if number > RECOGNISED_PAGES_MAX:
        return Seen(Page(number, picture.width, picture.height), (), unread=True)
    found = words_in(picture.image, number)
    source: Source | None = "ocr" if found.words else None
    # Of the first page alone: what is compared is documents.
    looks = fingerprint(picture.image, found.upright.quarters) if number == FIRST else None
    page = Page(number, picture.width, picture.height, source, looks)
    return Seen(page, found.words, found.upright)


def _told(seen: list[Seen], findings: tuple[Finding, ...]) -> Answer:
    words = [word for one in seen for word in one.words]
    if not words:
        raise Unreadable("no_text_layer", "nothing on the pages looks like text")
    layers = (other_layer(one.layer, one.words) for one in seen)
    findings = (*findings, *chain.from_iterable(layers))
    uprights = {one.page.number: one.upright for one in seen if one.upright is not None}
    reading = as_recognised(read_invoice(words, len(seen), "pdf_text"), uprights)
    unread = tuple(one.page.number for one in seen if one.unread)
    if unread:
        detail = f"more than {RECOGNISED_PAGES_MAX} pages are pictures"
        findings = (*findings, Finding(NOT_READ, "block", detail, pages=unread))
    return told(
        replace(
            reading,
            findings=(*reading.findings, *findings),
            pages=tuple(one.page for one in seen),
        )
    )

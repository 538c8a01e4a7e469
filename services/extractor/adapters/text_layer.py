"""The offline engine, as far as a PDF brings its own text: no key, no network, no provider.

What has no text layer is rejected by name for now; recognising images is the next engine's
part, behind the same port.
"""

from collections.abc import Mapping
from typing import Any

from services.extractor.adapters.sandbox import Sandbox
from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.words import Span
from shared.errors import Rejected

PDF = "application/pdf"
# Part of every cache key: raise it with every change of the rules, or old answers live on.
RULES_VERSION = "1"


class TextLayerEngine:
    config = f"offline/{RULES_VERSION}"

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def read(self, scan: bytes, media_type: str) -> Reading:
        if media_type != PDF:
            raise Rejected("no_text_layer", f"{media_type} carries no text")
        return reading_of(await self._sandbox.parse(scan))


def reading_of(answer: Mapping[str, Any]) -> Reading:
    """The child has seen the file, so its words are checked like a stranger's."""
    try:
        fields = {str(path): _field(one) for path, one in answer["fields"].items()}
        return Reading(str(answer["engine"]), int(answer["page_count"]), fields)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Rejected("parser_crashed", "the answer has another shape") from error


def _field(one: Mapping[str, Any]) -> Field:
    return Field(
        value=one["value"],
        raw=one["raw"],
        confidence=min(1.0, max(0.0, float(one["confidence"]))),
        status=one["status"],
        source=one["source"],
        evidence=tuple(_span(span) for span in one["evidence"]),
    )


def _span(span: Mapping[str, Any]) -> Span:
    left, top, right, bottom = map(float, span["box"])
    return Span(str(span["text"]), int(span["page"]), (left, top, right, bottom))

"""The model as an engine: a document goes out whole, a reading with quotes comes back.

One call, and a second one only after an answer that was no use: truncated, empty or not in the
asked shape. Each of them passes the gate, so that a repair is free of no limit.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Protocol

from services.extractor.adapters.gemini import answer
from services.extractor.adapters.gemini.client import GeminiClient
from services.extractor.adapters.gemini.files import too_large_to_inline
from services.extractor.adapters.gemini.options import ASKS_MAX, Document, GeminiOptions
from services.extractor.adapters.gemini.outcomes import (
    cannot_take,
    defect,
    refusal,
    refused,
)
from services.extractor.adapters.gemini.prompt import PROMPT_HASH, VERSION, question
from services.extractor.adapters.gemini.reply import Reply
from services.extractor.adapters.gemini.schema import SCHEMA_HASH, GeminiInvoiceSchema
from services.extractor.adapters.gemini.spending import EXPECTED, usage_of
from services.extractor.adapters.gemini.telemetry import Call
from services.extractor.domain.providers import Garbled
from services.extractor.domain.reading import Finding, Reading, Scan, Usage
from services.extractor.ports import Progress
from services.extractor.ports.protection import Gate
from shared.errors import Rejected

NATIVE = frozenset({"application/pdf", "image/png", "image/jpeg", "image/webp"})
CONVERTED = frozenset({"image/gif", "image/bmp", "image/tiff"})
# One large document, or a few large pages of one.
FILES_MAX = 8
# Behind what our own reader has reached by then.
ASKED_PERCENT = 50


class Pictures(Protocol):
    """Makes what the provider does not take into what it does, in the parser's child."""

    async def pictures(self, scan: Scan) -> Sequence[Document]:
        """One per frame, in order. Raises Rejected for what cannot be opened."""
        ...


class GeminiEngine:
    name = answer.ENGINE

    def __init__(
        self,
        client: GeminiClient,
        options: GeminiOptions,
        gate: Gate,
        pictures: Pictures | None = None,
    ) -> None:
        self._client = client
        self._options = options
        self._gate = gate
        self._pictures = pictures

    @property
    def config(self) -> str:
        """Everything that changes an answer, as far as it is part of the key; the address and
        the limits never are."""
        told = self._options
        asked = f"{told.thinking}/{told.media_resolution}/{told.output_tokens_max}"
        parts = (
            ("models", told.model),
            ("prompt", PROMPT_HASH),
            ("schema", SCHEMA_HASH),
            ("models", asked),
        )
        return "/".join(["gemini", *(text for part, text in parts if part in told.key_parts)])

    async def read(self, scan: Scan, progress: Progress) -> Reading:
        """Raises what `domain/providers.py` knows."""
        documents = await self._documents(scan)
        asked = question(scan.hint)
        usage: list[Usage] = []
        why = ""
        for turn in range(ASKS_MAX):
            if turn and scan.left_s() < self._options.deadline_s:
                why += ", and there was no time to ask again"
                break
            await progress(ASKED_PERCENT + 5 * turn, "reading")
            async with self._gate.call(
                scan.owner_id, self._estimate(turn), scan.left_s()
            ) as charge:
                # All that was waited for may have taken longer than our lease lasts.
                scan.require_ours()
                known = len(usage)
                try:
                    read, why = await self._ask(documents, asked, usage, again=turn > 0)
                finally:
                    # Of this call alone: the one before it has been told already.
                    if len(usage) > known:
                        charge.tell(usage[-1].cost)
            if read is not None:
                reading = answer.reading_of(read, len(documents))
                return replace(reading, usage=tuple(usage), versions=self._versions())
        finding = Finding("model_unreadable", "warn", f"the model's answer is no use: {why}")
        raise Garbled(finding, tuple(usage))

    async def close(self) -> None:
        await self._client.close()

    async def _ask(
        self, documents: Sequence[Document], asked: str, usage: list[Usage], *, again: bool
    ) -> tuple[GeminiInvoiceSchema | None, str]:
        """What was read, or why nothing was. What it cost is noted either way."""
        with Call(self._options.model, self._options.base_url) as told:
            reply = await self._client.ask(documents, asked, again=again)
            spent = None if reply is None else self._spent(reply)
            told.answered(reply, spent)
            if spent is not None:
                usage.append(spent)
            read, why = _read(reply, tuple(usage))
            if read is None:
                told.outcome = "unreadable"
        return read, why

    def _spent(self, reply: Reply) -> Usage:
        return usage_of(self._options.model, reply.usage_metadata, self._options.price)

    def _estimate(self, turn: int) -> Decimal:
        """The second time it may say twice as much."""
        return (turn + 1) * usage_of(self._options.model, EXPECTED, self._options.price).cost

    def _versions(self) -> dict[str, str]:
        return {
            "gemini.model": self._options.model,
            "gemini.prompt": f"{VERSION}/{PROMPT_HASH}",
            "gemini.schema": SCHEMA_HASH,
        }

    async def _documents(self, scan: Scan) -> Sequence[Document]:
        documents: Sequence[Document] = [Document(scan.content, scan.media_type)]
        if scan.media_type not in NATIVE:
            if self._pictures is None or scan.media_type not in CONVERTED:
                raise cannot_take(f"{scan.media_type} cannot be sent")
            try:
                documents = await self._pictures.pictures(scan)
            except Rejected as error:
                raise cannot_take(error.reason) from error
        size = sum(len(one.content) for one in documents)
        if size > self._options.files_bytes_max:
            raise cannot_take(f"{size} bytes are more than is sent")
        ahead = too_large_to_inline(documents, self._options.inline_bytes_max)
        if len(ahead) > FILES_MAX:
            raise cannot_take(f"{len(ahead)} pages are too large to be sent at once")
        return documents


def _read(
    reply: Reply | None, usage: tuple[Usage, ...]
) -> tuple[GeminiInvoiceSchema | None, str]:
    if reply is None:
        return None, "not_the_api"
    if (reason := refusal(reply)) is not None:
        raise refused(reason, usage)
    if (why := defect(reply)) is not None:
        return None, why
    read = answer.understood(reply.text)
    return (read, "") if read is not None else (None, "not_the_schema")

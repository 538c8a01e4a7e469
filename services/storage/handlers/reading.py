"""Read one document's result: the current version or another, as it is kept.

Whose it is decides the query; of somebody else's document there is nothing, not even a hint.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from uuid import UUID

from services.storage.domain.concluding import invoice_of
from services.storage.domain.en16931 import Broken, broken_rules
from services.storage.domain.exports import MEDIA_TYPES
from services.storage.domain.invoice import Invoice
from services.storage.domain.listed import Version
from services.storage.ports.outlets import Outlets

VERIFIED = frozenset({"approved", "corrected"})
FILE_TYPES = {"json": "application/json", "parquet": MEDIA_TYPES["parquet"]}


class NoSuchResult(LookupError):
    """No such document or version, or one of somebody else."""


class NoFile(LookupError):
    """A copy of a document that was known: its content is in that one's files."""


class NotVerified(ValueError):
    """No person has said that it is right."""


class NotConforming(ValueError):
    """What the document says breaks rules of EN 16931."""

    def __init__(self, broken: list[Broken]) -> None:
        super().__init__(", ".join(one.rule for one in broken))
        self.broken = broken


async def find_version(
    document_id: UUID, owner_id: str | None, use: Outlets, *, version: int | None = None
) -> Version:
    """Without a version it is the current one."""
    if version is None:
        found = await use.index.find_result(document_id, owner_id)
    else:
        known = await use.index.list_versions(document_id, owner_id)
        found = next((one for one in known if one.version == version), None)
    if found is None:
        raise NoSuchResult
    return found


async def list_versions(document_id: UUID, owner_id: str | None, use: Outlets) -> list[Version]:
    found = await use.index.list_versions(document_id, owner_id)
    if not found:
        raise NoSuchResult
    return found


def file_key(found: Version, suffix: str) -> str:
    if suffix == "json":
        return found.result_key
    if not found.has_files:
        raise NoFile
    # The two lie beside each other, whatever template was in force when they were written.
    return found.result_key.removesuffix("json") + suffix


async def stream_file(found: Version, suffix: str, use: Outlets) -> AsyncIterator[bytes]:
    async for piece in use.blobs.stream(file_key(found, suffix)):
        yield piece


async def ubl_of(found: Version, use: Outlets) -> bytes:
    if found.verdict not in VERIFIED:
        raise NotVerified
    raw = await use.blobs.read(found.result_key, limit_bytes=use.limits.result_bytes_max)
    # Work for a processor, and of an invoice with many lines for a while.
    invoice = await asyncio.to_thread(_conforming, raw)
    return await use.invoices.ubl_of(invoice)


def _conforming(raw: bytes) -> Invoice:
    fields = json.loads(raw)["fields"]
    invoice = invoice_of({path: field.get("value") for path, field in fields.items()})
    if broken := broken_rules(invoice):
        raise NotConforming(broken)
    return invoice

"""Rows and objects of a backup, made to agree: the objects may be some seconds younger.

What never changes under its key (scans, readings, versions) is there or it is missing. What is
replaced in its place (files under dated paths, merged days, manifests) may show what the rows
do not know yet: storage is told to make those anew, and nobody else reads them as the truth.
Scans without a row are what clients will hand in again; ingest collects what they do not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import asyncpg

from deploy.local import provision
from services.storage.domain.layout import compacted_key
from shared.database.statements import statement

LIST_NAMED_OBJECTS = statement(__file__, "list_named_objects")
LIST_SCANS = statement(__file__, "list_scans")
LIST_OUTPUTS = statement(__file__, "list_outputs")
PUBLISH_AGAIN = statement(__file__, "publish_again")
LIST_DAYS = statement(__file__, "list_days")
MERGE_AGAIN = statement(__file__, "merge_again")
FORGET_MANIFESTS = statement(__file__, "forget_manifests")
CONTENTS = "sha256/"


@dataclass(frozen=True, slots=True)
class Agreement:
    """What came of it: `missing` has the key of each object and what it is of."""

    missing: Sequence[tuple[str, str]]
    published_again: int
    merged_again: int
    unnamed: int

    def in_words(self) -> str:
        missing = f"{len(self.missing)} missing" if self.missing else "nothing missing"
        return (
            f"{missing}, {self.published_again} to be published again, {self.merged_again} "
            f"days to be merged again, {self.unnamed} younger than the rows"
        )


async def reach(owner_url: str, digests: Mapping[str, str]) -> Agreement:
    """`digests`: of every object that is there, by its key."""
    connection = await provision.connect(owner_url)
    try:
        async with connection.transaction():
            return Agreement(
                missing=await _missing(connection, digests),
                published_again=await _publish_again(connection, digests),
                merged_again=await _merge_again(connection, digests),
                unnamed=await _unnamed(connection, digests),
            )
    finally:
        await connection.close()


async def _missing(
    connection: asyncpg.Connection, digests: Mapping[str, str]
) -> list[tuple[str, str]]:
    named = await connection.fetch(LIST_NAMED_OBJECTS)
    return [(row["key"], row["whose"]) for row in named if row["key"] not in digests]


async def _publish_again(connection: asyncpg.Connection, digests: Mapping[str, str]) -> int:
    outputs = await connection.fetch(LIST_OUTPUTS)
    odd = [row["document_id"] for row in outputs if not _is_shown(row, digests)]
    await connection.execute(PUBLISH_AGAIN, odd)
    return len(odd)


def _is_shown(output: asyncpg.Record, digests: Mapping[str, str]) -> bool:
    """The dated paths hold the bytes of the version that the row says they show."""
    json = digests.get(output["json_key"])
    if json is None or json != digests.get(output["result_key"]):
        return False
    if output["parquet_key"] is None:
        return True
    return bool(digests.get(output["parquet_key"]) == output["shown_sha256"])


async def _merge_again(connection: asyncpg.Connection, digests: Mapping[str, str]) -> int:
    days = await connection.fetch(LIST_DAYS)
    odd = [
        row["day"]
        for row in days
        if digests.get(compacted_key(row["day"])) != row["compacted_sha256"]
    ]
    await connection.execute(MERGE_AGAIN, odd)
    await connection.execute(FORGET_MANIFESTS)
    return len(odd)


async def _unnamed(connection: asyncpg.Connection, digests: Mapping[str, str]) -> int:
    known = {row["key"] for row in await connection.fetch(LIST_SCANS)}
    return sum(key.startswith(CONTENTS) and key not in known for key in digests)

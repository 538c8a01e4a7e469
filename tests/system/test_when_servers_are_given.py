"""`DATABASE_URL`, `AMQP_URL` and `S3_ENDPOINT` name servers: a stack starts none of its own."""

from pathlib import Path

import pytest

from shared.blobs.open import BlobOptions, s3_client
from tests.broker.database import Servers, own_database
from tests.broker.vhosts import own_vhost
from tests.conformance.seaweed import BUCKET, seaweed
from tests.system.stack import Stack


@pytest.mark.slow
async def test_a_demo_reads_the_samples_on_them(folder: Path, tmp_path: Path) -> None:
    stack = Stack.below(folder / "given")
    async with own_database() as database, own_vhost() as vhost, seaweed(tmp_path) as s3:
        with pytest.MonkeyPatch.context() as surroundings:
            for name, value in _named(database, vhost, s3).items():
                surroundings.setenv(name, value)
            async with stack.demo("--once") as demo:
                ended = await demo.ends()
        kept = _keys(s3)

    assert ended == 0, demo.said
    assert "What was read" in demo.said
    assert not any(stack.state.record(node).exists() for node in ("postgres", "rabbitmq"))
    assert any(key.startswith("data/parquet/") for key in kept)
    assert not any(stack.blobs.iterdir())


def _named(database: str, vhost: str, s3: BlobOptions) -> dict[str, str]:
    assert s3.s3_access_key and s3.s3_secret_key and s3.s3_endpoint
    return {
        "DATABASE_URL": database,
        "AMQP_URL": vhost,
        "AMQP_API_URL": Servers().amqp_api_url or "",
        "S3_ENDPOINT": s3.s3_endpoint,
        "S3_ACCESS_KEY": s3.s3_access_key,
        "S3_SECRET_KEY": s3.s3_secret_key,
        "S3_BUCKET": BUCKET,
    }


def _keys(s3: BlobOptions) -> list[str]:
    client = s3_client(s3)
    try:
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return [one["Key"] for page in pages for one in page.get("Contents", [])]
    finally:
        client.close()

"""An object store that speaks TLS: believed when our authority certified it, and only then."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from botocore.exceptions import BotoCoreError

from deploy.certificates.making import make
from shared.blobs.open import BlobOptions, open_blobs, s3_client
from tests.conformance.seaweed import BUCKET, Tls, seaweed


@pytest.fixture(scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BlobOptions]:
    folder = tmp_path_factory.mktemp("tls")
    make(folder / "ours", {"objects": ["localhost"]})
    make(folder / "theirs", {"objects": ["localhost"]})
    home = folder / "ours" / "objects"
    tls = Tls(home / "tls.crt", home / "tls.key", folder / "ours" / "ca.pem")
    async with seaweed(tmp_path_factory.mktemp("store"), tls) as options:
        yield options


async def test_what_is_kept_there_is_read_again(store: BlobOptions) -> None:
    blobs = open_blobs(f"s3://{BUCKET}/some", store)

    await blobs.put("data/one", b"over TLS")

    assert await blobs.read("data/one") == b"over TLS"


async def test_a_store_of_another_authority_is_told_nothing(store: BlobOptions) -> None:
    assert store.ca_file is not None
    another = store.ca_file.parents[1] / "theirs" / "ca.pem"

    for ca_file in (another, None):
        with pytest.raises(BotoCoreError, match=r"(?i)certificate"):
            _list(replace(store, ca_file=ca_file))


async def test_a_store_of_another_name_is_told_nothing(store: BlobOptions) -> None:
    assert store.s3_endpoint is not None
    # The same machine, under a name that it is not certified for.
    elsewhere = store.s3_endpoint.replace("localhost", "127.1.2.3")

    with pytest.raises(BotoCoreError):
        _list(replace(store, s3_endpoint=elsewhere))


async def test_in_the_clear_it_says_nothing(store: BlobOptions) -> None:
    assert store.s3_endpoint is not None
    plain = store.s3_endpoint.replace("https://", "http://")

    with pytest.raises(Exception, match=r"(?i)400|http|closed|bad"):
        _list(replace(store, s3_endpoint=plain))


def _list(options: BlobOptions) -> None:
    client = s3_client(options)
    try:
        client.list_objects_v2(Bucket=BUCKET)
    finally:
        client.close()

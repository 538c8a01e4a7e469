"""What only a bucket can do wrong: half an upload, a damaged transfer, a wrong secret.

The client is made to misbehave, the server is the real one.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from shared.blobs.open import BlobOptions, open_blobs, s3_client
from shared.blobs.pieces import in_one_piece
from shared.blobs.port import Blobs
from shared.blobs.s3 import S3Blobs
from shared.blobs.s3_bucket import Encryption
from shared.blobs.s3_upload import PART_BYTES
from shared.errors import Rejected, Retryable
from tests.conformance.seaweed import BUCKET

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

Params: TypeAlias = dict[str, object]

INVOICE = b"%PDF-1.7 invoice 2024-117 " * 40
_OF_ENCRYPTION = {"ServerSideEncryption", "SSEKMSKeyId"}
BOOK = b"page " * (PART_BYTES // 2)


class World:
    def __init__(self, options: BlobOptions) -> None:
        self.options = options
        self.client: S3Client = s3_client(options)
        self.prefix = uuid4().hex

    def blobs(self) -> Blobs:
        return S3Blobs(self.client, BUCKET, self.prefix)

    def on_request(self, operation: str, changed: Callable[..., Any]) -> None:
        """Let `changed` see and alter each request of this kind before it is signed."""
        self.client.meta.events.register(f"provide-client-params.s3.{operation}", changed)

    def uploads(self) -> list[str]:
        answer = self.client.list_multipart_uploads(Bucket=BUCKET, Prefix=self.prefix)
        return [one["UploadId"] for one in answer.get("Uploads", ())]


@pytest.fixture
def world(s3_server: BlobOptions) -> World:
    return World(s3_server)


async def test_a_killed_upload_is_invisible_and_swept(world: World) -> None:
    started = world.client.create_multipart_upload(Bucket=BUCKET, Key=f"{world.prefix}/a")
    world.client.upload_part(
        Bucket=BUCKET, Key=f"{world.prefix}/a", UploadId=started["UploadId"],
        PartNumber=1, Body=INVOICE,
    )  # fmt: skip
    blobs = world.blobs()

    assert [key async for key in blobs.list("")] == []
    assert await blobs.sweep_temp(older_than_s=3600) == 0
    assert await blobs.sweep_temp(older_than_s=-60) == 1
    assert world.uploads() == []


async def test_an_upload_that_fails_in_the_middle_leaves_no_parts(world: World) -> None:
    def fail_second(params: Params, **_rest: object) -> Params:
        return params | {"Body": INVOICE} if params["PartNumber"] == 2 else params

    world.on_request("UploadPart", fail_second)

    with pytest.raises(Retryable) as raised:
        await world.blobs().write(in_one_piece(BOOK))

    # The server refused the part, so the transfer was damaged and nobody else is in trouble.
    assert raised.value.dependency is None
    assert world.uploads() == []
    assert [key async for key in world.blobs().list("")] == []


async def test_bytes_damaged_on_their_way_are_not_kept(world: World) -> None:
    def damage(params: Params, **_rest: object) -> Params:
        return params | {"Body": b"damaged" + INVOICE}

    world.on_request("PutObject", damage)
    blobs = world.blobs()

    for use in (
        blobs.put("a", INVOICE),
        blobs.put_new("a", INVOICE),
        blobs.write(in_one_piece(INVOICE)),
    ):
        with pytest.raises(Retryable) as raised:
            await use
        assert raised.value.dependency is None

    assert [key async for key in blobs.list("")] == []


async def test_one_damaged_answer_condemns_no_document(world: World) -> None:
    blobs = world.blobs()
    key = (await blobs.write(in_one_piece(INVOICE))).key
    await blobs.put("other", b"not the invoice")
    asked: list[str] = []

    def elsewhere_first(params: Params, **_rest: object) -> Params:
        asked.append(str(params["Key"]))
        return params | {"Key": f"{world.prefix}/other"} if len(asked) == 1 else params

    world.on_request("GetObject", elsewhere_first)

    assert await blobs.read(key) == INVOICE
    assert len(asked) == 2


async def test_answers_that_are_damaged_each_time_otherwise_are_an_outage(
    world: World,
) -> None:
    blobs = world.blobs()
    key = (await blobs.write(in_one_piece(INVOICE))).key
    for other in ("0", "1"):
        await blobs.put(other, b"not the invoice, " + other.encode())
    asked: list[str] = []

    def elsewhere(params: Params, **_rest: object) -> Params:
        asked.append(str(params["Key"]))
        return params | {"Key": f"{world.prefix}/{len(asked) - 1}"}

    world.on_request("GetObject", elsewhere)

    with pytest.raises(Retryable) as raised:
        await blobs.read(key)
    assert raised.value.dependency == "blobs"
    assert len(asked) == 2


async def test_a_missing_bucket_is_an_outage_and_not_a_missing_document(
    world: World,
) -> None:
    blobs = open_blobs(f"s3://nothing-{uuid4().hex}", world.options)

    for use in (blobs.check(), blobs.read("a"), blobs.size("a"), anext(blobs.list(""))):
        with pytest.raises(Retryable) as raised:
            await use
        assert raised.value.dependency == "blobs"


async def test_a_wrong_secret_blames_no_document(world: World) -> None:
    blobs = open_blobs(f"s3://{BUCKET}", replace(world.options, s3_secret_key="wrong" * 8))

    for use in (blobs.check(), blobs.read("a"), blobs.put("a", b"")):
        with pytest.raises(Retryable) as raised:
            await use
        assert raised.value.dependency == "blobs"


async def test_a_server_that_is_gone_is_noticed_at_once(world: World) -> None:
    gone = replace(world.options, s3_endpoint="http://127.0.0.1:9")
    blobs = open_blobs(f"s3://{BUCKET}", gone)

    with pytest.raises(Retryable, match="connect") as raised:
        await blobs.read("a")

    assert raised.value.dependency == "blobs"


async def test_two_prefixes_of_a_bucket_do_not_see_each_other(world: World) -> None:
    await world.blobs().put("a", INVOICE)
    stranger = World(world.options).blobs()

    assert [key async for key in stranger.list("")] == []
    with pytest.raises(Rejected, match="source_missing"):
        await stranger.read("a")


def test_the_server_decides_a_race_for_a_key(world: World) -> None:
    # The conformance suite relies on it; a store without it must not be used.
    name = f"{world.prefix}/a"
    world.client.put_object(Bucket=BUCKET, Key=name, Body=b"1", IfNoneMatch="*")

    with pytest.raises(ClientError, match="PreconditionFailed"):
        world.client.put_object(Bucket=BUCKET, Key=name, Body=b"2", IfNoneMatch="*")


async def test_a_store_is_asked_to_encrypt_whatever_it_keeps(
    world: World, tmp_path: Path
) -> None:
    blobs = S3Blobs(world.client, BUCKET, world.prefix, encryption=Encryption("AES256"))
    book = tmp_path / "book"
    book.write_bytes(BOOK)

    await blobs.put("a", INVOICE)
    await blobs.put_new("b", INVOICE)
    await blobs.put_file("c", book)
    await blobs.copy_all({"d": "a"})
    whole = (await blobs.write(in_one_piece(INVOICE))).key

    for key in ("a", "b", "c", "d", whole):
        found = world.client.head_object(Bucket=BUCKET, Key=f"{world.prefix}/{key}")
        assert found.get("ServerSideEncryption") == "AES256"
    assert await blobs.read("a") == await blobs.read(whole) == INVOICE
    assert b"".join([piece async for piece in blobs.stream("c")]) == BOOK


@pytest.mark.parametrize("operation", ["PutObject", "CreateMultipartUpload"])
async def test_a_key_of_the_key_service_is_named_with_every_object(
    world: World, tmp_path: Path, operation: str
) -> None:
    blobs = S3Blobs(
        world.client, BUCKET, world.prefix, encryption=Encryption("aws:kms", "our-key")
    )
    asked: list[Params] = []
    (tmp_path / "file").write_bytes(BOOK if operation == "CreateMultipartUpload" else INVOICE)

    def remember(params: Params, **_rest: object) -> Params:
        asked.append(params)
        # The server of these tests has no key service.
        return {k: v for k, v in params.items() if k not in _OF_ENCRYPTION}

    world.on_request(operation, remember)
    await blobs.put_file("a", tmp_path / "file")

    assert [one["SSEKMSKeyId"] for one in asked] == ["our-key"]
    assert [one["ServerSideEncryption"] for one in asked] == ["aws:kms"]


async def test_a_copy_travels_within_the_store_and_under_the_same_key(world: World) -> None:
    blobs = S3Blobs(
        world.client, BUCKET, world.prefix, encryption=Encryption("aws:kms", "our-key")
    )
    await world.blobs().put("versions/1", INVOICE)
    asked: list[Params] = []

    def remember(params: Params, **_rest: object) -> Params:
        asked.append(params)
        return {k: v for k, v in params.items() if k not in _OF_ENCRYPTION}

    for operation in ("CopyObject", "GetObject", "PutObject"):
        world.on_request(operation, remember)
    assert await blobs.copy_all({"day/a": "versions/1"}) == set()
    (copy,) = asked

    assert copy["CopySource"] == {"Bucket": BUCKET, "Key": f"{world.prefix}/versions/1"}
    assert (copy["SSEKMSKeyId"], copy["ServerSideEncryption"]) == ("our-key", "aws:kms")
    assert await world.blobs().read("day/a") == INVOICE


def test_a_part_is_given_of_the_version_that_was_begun_and_of_no_other(world: World) -> None:
    # A stream that was cut off goes on like this; a store without it would mix two versions.
    name = f"{world.prefix}/a"
    begun = world.client.put_object(Bucket=BUCKET, Key=name, Body=BOOK)["ETag"]

    def rest() -> bytes:
        answer = world.client.get_object(
            Bucket=BUCKET, Key=name, Range="bytes=5-", IfMatch=begun
        )
        return answer["Body"].read()

    assert rest() == BOOK[5:]
    world.client.put_object(Bucket=BUCKET, Key=name, Body=INVOICE)
    with pytest.raises(ClientError, match="PreconditionFailed"):
        rest()

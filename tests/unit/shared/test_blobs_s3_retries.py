"""Which call to an object store is repeated, how often, and which never."""

import io
from collections.abc import Callable
from typing import Any

import botocore.exceptions
import pytest
from botocore.exceptions import ClientError
from botocore.response import StreamingBody

from shared.blobs.s3 import S3Blobs
from shared.blobs.s3_retries import Retries
from shared.errors import Retryable

FAST = Retries(attempts=3, backoff_s=0.001)
KEY = "data/a.json"
DATA = b"invoice " * 1_000

REFUSED = botocore.exceptions.EndpointConnectionError(endpoint_url="http://s3")
TORN = botocore.exceptions.ConnectionClosedError(endpoint_url="http://s3")


def _answer(code: str, status: int, headers: dict[str, str] | None = None) -> ClientError:
    metadata = {"HTTPStatusCode": status, "HTTPHeaders": headers or {}}
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": metadata}, "PutObject")  # type: ignore[typeddict-item]  # the rest of an answer is not read


class _Stumbling:
    """A client that fails with these, in turn, before it does what it is asked."""

    def __init__(
        self, *errors: Exception, body: Callable[[str], StreamingBody] | None = None
    ) -> None:
        self.errors = list(errors)
        self.asked: list[dict[str, Any]] = []
        self._body = body

    def put_object(self, **asked: object) -> dict[str, object]:
        return self._do(asked)

    def get_object(self, **asked: object) -> dict[str, object]:
        answer = self._do(asked)
        assert self._body is not None
        return answer | {"Body": self._body(str(asked.get("Range", ""))), "ETag": '"one"'}

    def _do(self, asked: dict[str, Any]) -> dict[str, object]:
        self.asked.append(asked)
        if self.errors:
            raise self.errors.pop(0)
        return {}


def _blobs(client: _Stumbling, retries: Retries = FAST) -> S3Blobs:
    return S3Blobs(client, "bucket", retries=retries)  # type: ignore[arg-type]  # as much of a client as is used


@pytest.mark.parametrize(
    "error",
    [REFUSED, TORN, _answer("SlowDown", 503), _answer("InternalError", 500),
     _answer("", 502), _answer("BadDigest", 400), _answer("RequestTimeout", 400)],
    ids=str,
)  # fmt: skip
async def test_what_may_pass_is_tried_again(error: Exception) -> None:
    client = _Stumbling(error, error)

    await _blobs(client).put(KEY, DATA)

    assert len(client.asked) == 3


async def test_the_attempts_have_an_end() -> None:
    client = _Stumbling(*[TORN] * 9)

    with pytest.raises(Retryable) as raised:
        await _blobs(client).put(KEY, DATA)

    assert len(client.asked) == FAST.attempts
    assert raised.value.dependency == "blobs"


@pytest.mark.parametrize(
    "error",
    [_answer("AccessDenied", 403), _answer("NoSuchBucket", 404),
     _answer("SignatureDoesNotMatch", 403), botocore.exceptions.NoCredentialsError()],
    ids=str,
)  # fmt: skip
async def test_what_stays_wrong_is_not_tried_again(error: Exception) -> None:
    client = _Stumbling(error)

    with pytest.raises(Retryable):
        await _blobs(client).put(KEY, DATA)

    assert len(client.asked) == 1


@pytest.mark.parametrize(
    "error",
    [TORN, _answer("InternalError", 500),
     botocore.exceptions.ReadTimeoutError(endpoint_url="http://s3")],
    ids=str,
)  # fmt: skip
async def test_a_race_is_not_run_again_by_whoever_may_have_won_it(error: Exception) -> None:
    client = _Stumbling(error)

    with pytest.raises(Retryable):
        await _blobs(client).put_new(KEY, DATA)

    assert len(client.asked) == 1


@pytest.mark.parametrize("error", [REFUSED, _answer("SlowDown", 503)], ids=str)
async def test_a_race_that_never_began_is_run(error: Exception) -> None:
    client = _Stumbling(error)

    assert await _blobs(client).put_new(KEY, DATA)
    assert len(client.asked) == 2


def test_a_store_s_own_wish_is_the_least_that_is_waited() -> None:
    wish = _answer("SlowDown", 503, {"retry-after": "2"})

    assert Retries().pause_s(wish, failed=1, lasted_s=0) == 2
    assert Retries().pause_s(wish, failed=1, lasted_s=7) is None


def test_pauses_grow_and_are_spread() -> None:
    retries = Retries(attempts=9, backoff_s=1, within_s=1_000)

    first = {retries.pause_s(TORN, failed=1, lasted_s=0) for _ in range(40)}
    third = [retries.pause_s(TORN, failed=3, lasted_s=0) or 0 for _ in range(40)]

    assert len(first) > 1
    assert all(0.5 <= (one or 0) <= 1 for one in first)
    assert all(2 <= one <= 4 for one in third)


async def test_a_stream_that_is_cut_goes_on_in_the_same_version() -> None:
    def body(asked: str) -> StreamingBody:
        at = int(asked.removeprefix("bytes=").removesuffix("-") or 0)
        # Promised whole, and cut after half of what was left.
        rest = DATA[at:]
        given = rest if at else rest[: len(rest) // 2]
        return StreamingBody(io.BytesIO(given), len(rest))

    client = _Stumbling(body=body)

    read = b"".join([piece async for piece in _blobs(client).stream(KEY)])

    assert read == DATA
    assert [one.get("IfMatch") for one in client.asked] == [None, '"one"']

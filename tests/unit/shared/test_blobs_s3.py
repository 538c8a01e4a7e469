"""What each error of the SDK means to a job, walked through its whole list.

An exception that escapes as itself would be taken for a bug and end the document at once; so
the list is the vendor's own, and a new release that adds one is covered by the same test.
"""

import inspect
from collections.abc import AsyncIterator

import botocore.exceptions
import pytest
import urllib3.exceptions
from botocore.exceptions import ClientError

from shared.blobs.pieces import in_one_piece
from shared.blobs.port import Blobs
from shared.blobs.s3 import VENDOR_ERRORS, S3Blobs
from shared.blobs.s3_errors import translated
from shared.blobs.s3_retries import Retries
from shared.errors import Rejected, Retryable

# Raised while a client is built from its model or the proxy's URL, never by one of its calls.
OF_NO_CALL = {"MissingServiceIdError", "UndefinedModelAttributeError", "ProxySchemeUnsupported"}
SDK_ERRORS = [
    kind
    for module in (botocore.exceptions, urllib3.exceptions)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, Exception)
    and not issubclass(kind, Warning)
    and kind.__module__ == module.__name__
    and kind.__name__ not in OF_NO_CALL
]
KEY = "data/a.json"


class _BrokenClient:
    """Whatever is asked of it, the answer is the same error."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, _name: str) -> object:
        def call(**_arguments: object) -> None:
            raise self._error

        return call


def _answer(code: str, status: int = 400, headers: dict[str, str] | None = None) -> ClientError:
    metadata = {"HTTPStatusCode": status, "HTTPHeaders": headers or {}}
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": metadata}, "PutObject")  # type: ignore[typeddict-item]  # the rest of an answer is not read


def _blobs(error: Exception) -> Blobs:
    client = _BrokenClient(error)
    return S3Blobs(client, "bucket", retries=Retries(attempts=1))  # type: ignore[arg-type]  # behaves like a client that fails


async def _first(pieces: AsyncIterator[object]) -> None:
    await anext(pieces)


@pytest.mark.parametrize("kind", SDK_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_the_sdk_is_caught_and_means_something(kind: type[Exception]) -> None:
    error = kind.__new__(kind)
    # What the error says of itself reads these; each constructor wants something else.
    error.__dict__.update(response={}, partial=0, expected=0, length=b"")

    outcome = translated(error, KEY)

    assert isinstance(error, VENDOR_ERRORS), f"{kind.__name__} would escape"
    assert isinstance(outcome, Rejected | Retryable)


@pytest.mark.parametrize(
    "error",
    [
        botocore.exceptions.EndpointConnectionError(endpoint_url="http://s3"),
        botocore.exceptions.ConnectTimeoutError(endpoint_url="http://s3"),
        botocore.exceptions.ReadTimeoutError(endpoint_url="http://s3"),
        botocore.exceptions.ConnectionClosedError(endpoint_url="http://s3"),
        botocore.exceptions.ResponseStreamingError(error="reset"),
        botocore.exceptions.IncompleteReadError(actual_bytes=1, expected_bytes=2),
        botocore.exceptions.NoCredentialsError(),
        botocore.exceptions.SSLError(endpoint_url="https://s3", error=OSError("expired")),
        urllib3.exceptions.ProtocolError("torn"),
        ConnectionResetError(),
        OSError(28, "No space left on device"),
        *(
            _answer(code, status)
            for code, status in [
                ("InternalError", 500), ("SlowDown", 503), ("ServiceUnavailable", 503),
                ("RequestTimeout", 400), ("AccessDenied", 403), ("InvalidAccessKeyId", 403),
                ("SignatureDoesNotMatch", 403), ("NoSuchBucket", 404), ("ExpiredToken", 400),
                ("RequestTimeTooSkewed", 403), ("", 500), ("QuotaExceeded", 507),
            ]
        ),
    ],
    ids=str,
)  # fmt: skip
async def test_a_store_that_is_away_pauses_and_blames_no_document(error: Exception) -> None:
    blobs = _blobs(error)

    for use in (
        blobs.read(KEY), blobs.put(KEY, b""), blobs.put_new(KEY, b""), blobs.size(KEY),
        blobs.delete(KEY), blobs.check(), blobs.write(in_one_piece(b"")),
        blobs.put_all({KEY: b""}), blobs.copy_all({KEY: "a"}), blobs.sweep_temp(older_than_s=1),
        _first(blobs.list("")), _first(blobs.stream(KEY)),
    ):  # fmt: skip
        with pytest.raises(Retryable) as raised:
            await use
        assert raised.value.dependency == "blobs"
        assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    "code", ["BadDigest", "XAmzContentSHA256Mismatch", "ConditionalRequestConflict"]
)
async def test_a_transfer_that_went_wrong_pauses_nobody_else(code: str) -> None:
    with pytest.raises(Retryable) as raised:
        await _blobs(_answer(code)).put(KEY, b"")

    assert raised.value.dependency is None


async def test_only_a_missing_object_is_missing() -> None:
    with pytest.raises(Rejected, match="source_missing"):
        await _blobs(_answer("NoSuchKey", 404)).read(KEY)


async def test_a_throttling_store_says_when_to_come_back() -> None:
    with pytest.raises(Retryable) as raised:
        await _blobs(_answer("SlowDown", 503, {"retry-after": "7"})).read(KEY)

    assert raised.value.after_s == 7

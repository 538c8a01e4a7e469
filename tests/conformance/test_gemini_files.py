"""Documents that are too large for one request: left at the provider, read, and taken away."""

import asyncio
import logging
import time
from collections.abc import Sequence

import pytest

from services.extractor.adapters.gemini import files
from services.extractor.adapters.gemini.engine import Pictures
from services.extractor.adapters.gemini.files import too_large_to_inline
from services.extractor.adapters.gemini.options import Document
from services.extractor.domain.providers import (
    Away,
    Misconfigured,
    Throttled,
    Unsuitable,
)
from services.extractor.domain.reading import Scan
from tests.conformance.gemini import KEY, Provider, gemini, scan
from tests.eventually import eventually

__all__ = ["gemini"]

LARGE = 1_000


def large(
    gemini: Provider,
    *,
    key: str = KEY,
    pictures: Pictures | None = None,
    deadline_s: float = 20,
) -> None:
    """Every sample is larger than what is sent at once."""
    gemini.engine(key=key, pictures=pictures, inline_bytes_max=LARGE, deadline_s=deadline_s)


async def test_a_large_document_is_left_there_read_and_taken_away(gemini: Provider) -> None:
    large(gemini)

    reading = await gemini.read()

    assert reading.fields["total"].value == "703.53"
    assert gemini.double.files.asked == ["begin", "piece", "delete"]
    assert not gemini.double.files.held
    # The provider read what lay there, and the request itself held no document.
    assert gemini.double.ledger.calls[0].media_types == ("application/pdf",)
    assert [one.sha256 for one in gemini.double.ledger.calls] == [scan().sha256]


async def test_it_goes_in_pieces(gemini: Provider) -> None:
    large(gemini)
    content = scan().content + bytes(17 * 1024**2)

    reading = await gemini.read(scan(content))

    assert reading.fields["total"].value == "703.53"
    assert gemini.double.files.asked == ["begin", *["piece"] * 3, "delete"]


async def test_a_file_that_takes_its_time_to_open_is_waited_for(gemini: Provider) -> None:
    large(gemini)
    gemini.double.files.will("slow")

    reading = await gemini.read()

    assert reading.fields["total"].value == "703.53"
    assert gemini.double.files.asked.count("look") == 3


def test_only_as_much_goes_ahead_as_has_to() -> None:
    def documents(*sizes: int) -> Sequence[Document]:
        return [Document(bytes(size), "image/png") for size in sizes]

    assert too_large_to_inline(documents(5, 9, 6), 20) == set()
    assert too_large_to_inline(documents(5, 9, 6), 11) == {1}
    assert too_large_to_inline(documents(5, 9, 6), 4) == {0, 1, 2}


class ManyPages:
    async def pictures(self, scan: Scan) -> Sequence[Document]:
        return [Document(scan.content, "image/png")] * 9


async def test_many_large_pages_are_not_sent_at_all(gemini: Provider) -> None:
    large(gemini, pictures=ManyPages())

    with pytest.raises(Unsuitable):
        await gemini.read(scan(media_type="image/tiff"))

    assert not gemini.double.files.asked


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("begin_503", "server_error"),
        ("piece_503", "server_error"),
        ("nameless", "garbled_transport"),
        ("silent", "garbled_transport"),
        ("half", "garbled_transport"),
        ("cut_off", "garbled_transport"),
    ],
)
async def test_an_upload_that_fails_is_a_provider_that_is_away(
    gemini: Provider, mode: str, reason: str
) -> None:
    large(gemini)
    gemini.double.files.will(mode)
    began = time.monotonic()

    with pytest.raises(Away) as away:
        await gemini.read()

    assert away.value.reason == reason
    # The client's own three tries, a second and two apart, are not made.
    assert gemini.double.files.asked.count("piece") <= 1
    assert time.monotonic() - began < 5
    assert gemini.double.ledger.count == 0
    # Whatever of it arrived is gone again.
    assert gemini.double.files.asked[-1] == "delete"
    assert not gemini.double.files.held


@pytest.mark.parametrize("mode", ["begin_429", "piece_429"])
async def test_a_quota_of_files_is_a_quota(gemini: Provider, mode: str) -> None:
    large(gemini)
    gemini.double.files.will(mode)

    with pytest.raises(Throttled):
        await gemini.read()


@pytest.mark.parametrize("mode", ["begin_400", "failed", "vanished"])
async def test_a_file_that_the_provider_does_not_take_is_no_reading(
    gemini: Provider, mode: str
) -> None:
    large(gemini)
    gemini.double.files.will(mode)

    with pytest.raises(Unsuitable) as unsuitable:
        await gemini.read()

    assert unsuitable.value.finding.code == "model_cannot_take"
    assert gemini.double.ledger.count == 0
    assert not gemini.double.files.held or mode == "vanished"


@pytest.mark.parametrize(("mode", "reason"), [("begin_403", "key"), ("begin_404", "model")])
async def test_who_may_leave_no_files_at_all_has_a_wrong_setting(
    gemini: Provider, mode: str, reason: str
) -> None:
    large(gemini)
    gemini.double.files.will(mode)

    with pytest.raises(Misconfigured) as wrong:
        await gemini.read()

    assert wrong.value.reason == reason


async def test_a_wrong_key_is_a_wrong_setting_for_files_too(gemini: Provider) -> None:
    large(gemini, key="wrong")

    with pytest.raises(Misconfigured) as wrong:
        await gemini.read()

    assert wrong.value.reason == "key"


async def test_a_file_that_never_opens_ends_with_the_call_and_is_taken_away(
    gemini: Provider,
) -> None:
    large(gemini, deadline_s=1.0)
    gemini.double.files.will("stuck")

    with pytest.raises(Away) as away:
        await gemini.read()

    assert away.value.reason == "timeout"
    assert not gemini.double.files.held


async def test_a_reading_that_is_called_off_takes_its_file_away(gemini: Provider) -> None:
    large(gemini)
    gemini.double.will("hang")

    reading = asyncio.create_task(gemini.read())
    await eventually(lambda: gemini.double.ledger.count)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert gemini.double.files.asked[-1] == "delete"
    assert not gemini.double.files.held


@pytest.mark.parametrize("mode", ["error_500", "safety", "error_400", "reset"])
async def test_however_the_call_ends_nothing_is_left_there(gemini: Provider, mode: str) -> None:
    large(gemini)
    gemini.double.will(mode)

    with pytest.raises(Exception):  # noqa: B017 -- which one is another file's subject
        await gemini.read()

    assert gemini.double.files.asked[-1] == "delete"
    assert not gemini.double.files.held


async def test_a_document_that_is_asked_about_twice_is_left_and_taken_away_twice(
    gemini: Provider,
) -> None:
    large(gemini)
    gemini.double.will("garbage", 1)

    await gemini.read()

    assert gemini.double.files.asked == ["begin", "piece", "delete"] * 2


@pytest.mark.parametrize("mode", ["delete_500", "delete_hang"])
async def test_a_file_that_cannot_be_taken_away_costs_no_reading_and_is_told_of(
    gemini: Provider,
    mode: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "DELETED_WITHIN_S", 0.3)
    large(gemini)
    gemini.double.files.will(mode)

    with caplog.at_level(logging.WARNING):
        reading = await gemini.read()

    assert reading.fields["total"].value == "703.53"
    [told] = [one for one in caplog.records if one.getMessage() == "upload_left_behind"]
    assert told.__dict__["file"] in gemini.double.files.held

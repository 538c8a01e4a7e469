"""The provider's real client against a double of its API: every way in which a call can end."""

import time
from asyncio import StreamReader, StreamWriter, start_server
from dataclasses import replace
from pathlib import Path

import pytest

from services.extractor.adapters.gemini.client import GeminiClient
from services.extractor.adapters.gemini.options import Document
from services.extractor.domain.providers import (
    Away,
    Garbled,
    Misconfigured,
    Refused,
    Throttled,
    Unsuitable,
)
from tests.conformance.gemini import KEY, OPTIONS, Provider, gemini, scan
from tests.fakes.certificates import authority_in, certified_for

__all__ = ["gemini"]


@pytest.mark.parametrize(
    ("mode", "told", "after_s", "per_day"),
    [
        ("rate_minute", {"retry_delay": "38s"}, 38, False),
        ("rate_minute", {"retry_delay": "45.837906927s"}, 45.837906927, False),
        ("rate_minute", {"retry_delay": "soon"}, None, False),
        ("rate_bare", {}, None, False),
        ("rate_day", {}, None, True),
        ("rate_day", {"retry_delay": "7s"}, 7, True),
    ],
)
async def test_a_spent_quota_says_for_how_long(
    gemini: Provider,
    mode: str,
    told: dict[str, str],
    after_s: float | None,
    per_day: bool,
) -> None:
    gemini.double.will(mode, None, **told)

    with pytest.raises(Throttled) as throttled:
        await gemini.read()

    assert (throttled.value.after_s, throttled.value.per_day) == (after_s, per_day)
    # The client's own retries are off: there is one policy.
    assert gemini.double.ledger.count == 1


@pytest.mark.parametrize(
    ("mode", "reason", "spend_unknown"),
    [
        ("error_500", "server_error", False),
        ("error_503", "server_error", False),
        ("html_502", "server_error", False),
        ("reset", "garbled_transport", True),
        ("reset_at_once", "garbled_transport", True),
    ],
)
async def test_a_provider_that_fails_is_away(
    gemini: Provider, mode: str, reason: str, spend_unknown: bool
) -> None:
    gemini.double.will(mode)

    with pytest.raises(Away) as away:
        await gemini.read()

    assert (away.value.reason, away.value.spend_unknown) == (reason, spend_unknown)
    assert gemini.double.ledger.count == 1


async def test_a_provider_that_does_not_listen_is_away(gemini: Provider) -> None:
    await gemini.double.close()

    with pytest.raises(Away) as away:
        await gemini.read()

    assert away.value.reason == "connection"


@pytest.mark.parametrize("mode", ["hang", "drip"])
async def test_the_whole_call_has_one_deadline(gemini: Provider, mode: str) -> None:
    engine = gemini.engine(deadline_s=0.8)
    gemini.double.will(mode)
    began = time.monotonic()

    with pytest.raises(Away) as away:
        await gemini.read(engine=engine)

    assert away.value.reason == "timeout"
    assert time.monotonic() - began < 4


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("error_403", "key"), ("error_404", "model"), ("schema_refused", "schema")],
)
async def test_a_wrong_setting_is_nobodys_document(
    gemini: Provider, mode: str, reason: str
) -> None:
    gemini.double.will(mode)

    with pytest.raises(Misconfigured) as wrong:
        await gemini.read()

    assert wrong.value.reason == reason


async def test_a_key_that_is_not_one_is_a_wrong_setting(gemini: Provider) -> None:
    engine = gemini.engine(key="wrong")

    with pytest.raises(Misconfigured) as wrong:
        await gemini.read(engine=engine)

    assert wrong.value.reason == "key"


@pytest.mark.parametrize(
    "mode", ["safety", "recitation", "blocklist", "spii", "prohibited", "blocked_prompt"]
)
async def test_a_refusal_is_final_and_a_person_has_to_look(gemini: Provider, mode: str) -> None:
    gemini.double.will(mode)

    with pytest.raises(Refused) as refused:
        await gemini.read()

    finding = refused.value.finding
    assert (finding.code, finding.severity) == ("model_refused", "block")
    assert gemini.double.ledger.count == 1
    assert refused.value.usage[0].cost > 0


USELESS = (
    *(
        "truncated",
        "truncated_whole",
        "truncated_empty",
        "empty",
        "no_parts",
        "garbage",
        "nan",
        "wrong_schema",
    ),
    *("html", "broken_body", "huge"),
)


@pytest.mark.parametrize("mode", USELESS)
async def test_an_answer_of_no_use_is_asked_for_once_more(gemini: Provider, mode: str) -> None:
    gemini.double.will(mode, 1)

    reading = await gemini.read()

    assert reading.fields["total"].value == "703.53"
    first, second = gemini.double.ledger.calls
    assert second.config["maxOutputTokens"] == 2 * first.config["maxOutputTokens"]
    assert "mediaResolution" not in first.config
    assert second.config["mediaResolution"] == "MEDIA_RESOLUTION_HIGH"
    # Both passed the gate, and both are in the bill as far as the first could be read.
    assert len(gemini.gate.passed) == 2
    paid = [one.cost for one in gemini.gate.passed if one.cost is not None]
    assert sum(paid) == sum(one.cost for one in reading.usage)


@pytest.mark.parametrize("mode", USELESS)
async def test_twice_of_no_use_is_no_reading_and_never_a_part_of_one(
    gemini: Provider, mode: str
) -> None:
    gemini.double.will(mode)

    with pytest.raises(Garbled) as garbled:
        await gemini.read()

    finding = garbled.value.finding
    assert (finding.code, finding.severity) == ("model_unreadable", "warn")
    assert gemini.double.ledger.count == 2


async def test_without_time_for_a_second_call_there_is_none(gemini: Provider) -> None:
    gemini.double.will("garbage", 1)

    with pytest.raises(Garbled, match="no time to ask again") as garbled:
        await gemini.read(replace(scan(), left_s=lambda: OPTIONS.deadline_s - 1))

    assert gemini.double.ledger.count == 1
    assert len(garbled.value.usage) == 1


async def test_a_refusal_after_a_useless_answer_pays_for_each_once(gemini: Provider) -> None:
    gemini.double.will("garbage", 1)
    gemini.double.will("safety", 1)

    with pytest.raises(Refused) as refused:
        await gemini.read()

    assert [one.cost for one in gemini.gate.passed] == [one.cost for one in refused.value.usage]


async def test_a_document_that_the_api_objects_to_is_not_asked_for_again(
    gemini: Provider,
) -> None:
    gemini.double.will("error_400")

    with pytest.raises(Unsuitable) as unsuitable:
        await gemini.read()

    assert unsuitable.value.finding.code == "model_cannot_take"
    assert gemini.double.ledger.count == 1


async def test_an_answer_without_end_is_cut_off_while_it_is_read(gemini: Provider) -> None:
    gemini.double.will("huge")
    options = replace(OPTIONS, base_url=gemini.double.url)
    client = GeminiClient(options, KEY)

    reply = await client.ask([Document(b"%PDF", "application/pdf")], "")

    # Read whole it would be a reply, of ten million zeros.
    assert reply is None
    await client.close()


async def test_a_gateway_is_certified_by_whom_we_believe(tmp_path: Path) -> None:
    server, _ = certified_for(tmp_path, "localhost")
    asked: list[bytes] = []

    async def refuse(reader: StreamReader, writer: StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        writer.close()

    async with await start_server(refuse, "127.0.0.1", 0, ssl=server) as listening:
        port = listening.sockets[0].getsockname()[1]
        strange = replace(OPTIONS, base_url=f"https://localhost:{port}")
        for options in (strange, replace(strange, ca_file=authority_in(tmp_path))):
            client = GeminiClient(options, KEY)
            with pytest.raises((Away, Unsuitable)):
                await client.ask([Document(b"%PDF", "application/pdf")], "")
            await client.close()
            assert len(asked) == (options.ca_file is not None)

"""The frames written by hand say what the client's own encoder would have said."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pamqp import frame
from pamqp.body import ContentBody
from pamqp.commands import Basic
from pamqp.header import ContentHeader

from shared.bus.frames import FRAME_OVERHEAD_BYTES, Outgoing, publish_frames
from shared.bus.headers import CARRIED

STAMP = (1_773_489_600, "paperline-ingest")
CHANNEL = 7
FRAME_MAX = 131_072

# What AMQP calls a short string: 255 bytes of text without NUL.
short_text = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60
)
# The client sorts a table by name, and so does a test that compares bytes.
tables = st.dictionaries(st.sampled_from(sorted(CARRIED)), short_text).map(
    lambda table: dict(sorted(table.items()))
)


def written(message: Outgoing, *, frame_max: int = FRAME_MAX) -> bytes:
    return publish_frames(
        message, channel=CHANNEL, message_id="a1b2c3", stamp=STAMP, frame_max=frame_max
    )


def generic(message: Outgoing, *, frame_max: int = FRAME_MAX) -> bytes:
    """The same publish through the client's encoder, cut as the client cuts a body."""
    seconds, app_id = STAMP
    properties = Basic.Properties(
        content_type=message.content_type,
        headers=dict(message.headers),
        delivery_mode=2,
        priority=message.priority,
        message_id="a1b2c3",
        timestamp=datetime.fromtimestamp(seconds, UTC),
        message_type=message.type,
        app_id=app_id,
        correlation_id=message.correlation_id or None,
    )
    publish = Basic.Publish(
        exchange=message.exchange, routing_key=message.routing_key, mandatory=True
    )
    room = frame_max - FRAME_OVERHEAD_BYTES
    parts: list[Basic.Publish | ContentHeader | ContentBody] = [
        publish,
        ContentHeader(body_size=len(message.body), properties=properties),
        *(
            ContentBody(message.body[start : start + room])
            for start in range(0, len(message.body), room)
        ),
    ]
    return b"".join(frame.marshal(part, CHANNEL) for part in parts)


def an_outgoing(**given: object) -> Outgoing:
    known: dict[str, object] = {
        "exchange": "jobs",
        "routing_key": "extractor.extract",
        "body": b'{"header": {}}',
        "type": "document.extract",
        "headers": {"paperline-run": "1", "traceparent": "00-" + "a" * 32},
        "priority": 5,
    }
    return Outgoing(**(known | given))  # type: ignore[arg-type] # as the test gives them


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(an_outgoing(), id="an order"),
        pytest.param(an_outgoing(body=b""), id="no body at all"),
        pytest.param(an_outgoing(headers={}), id="no headers"),
        pytest.param(an_outgoing(priority=0), id="no priority"),
        pytest.param(an_outgoing(priority=255), id="the highest priority there is"),
        pytest.param(
            an_outgoing(content_type="application/octet-stream"), id="bytes kept as they came"
        ),
        pytest.param(
            an_outgoing(headers={"paperline-dead-message": "Müller – 発注書 😀"}),
            id="text of several bytes a character",
        ),
        pytest.param(an_outgoing(routing_key="r" * 255), id="the longest routing key"),
        pytest.param(an_outgoing(headers={"tracestate": "x" * 5000}), id="a long header"),
        pytest.param(
            an_outgoing(exchange="", routing_key="reply.acme", correlation_id="c" * 255),
            id="an answer to the longest id there is",
        ),
    ],
)
def test_a_message_is_the_bytes_the_client_would_write(message: Outgoing) -> None:
    assert written(message) == generic(message)


@given(
    headers=tables,
    body=st.binary(max_size=300),
    routing_key=short_text,
    type_=short_text.filter(bool),
    priority=st.integers(0, 255),
    correlation_id=short_text,
)
def test_any_message_is_the_bytes_the_client_would_write(
    headers: dict[str, str],
    body: bytes,
    routing_key: str,
    type_: str,
    priority: int,
    correlation_id: str,
) -> None:
    message = an_outgoing(
        headers=headers,
        body=body,
        routing_key=routing_key,
        type=type_,
        priority=priority,
        correlation_id=correlation_id,
    )

    assert written(message) == generic(message)


@pytest.mark.parametrize("length", [4088, 4089, 8176, 8177, 50_000])
def test_a_body_is_cut_where_a_frame_is_full(length: int) -> None:
    message = an_outgoing(body=bytes(range(256)) * (length // 256) + b"z" * (length % 256))

    raw = written(message, frame_max=4096)

    assert raw == generic(message, frame_max=4096)
    assert len(raw) > length


def test_the_broker_reads_back_what_was_written() -> None:
    message = an_outgoing(body=b"b" * 9000)
    rest = written(message, frame_max=4096)
    decoded: list[object] = []
    while rest:
        consumed, channel, part = frame.unmarshal(rest)
        assert channel == CHANNEL
        assert consumed <= 4096
        decoded.append(part)
        rest = rest[consumed:]

    publish, header, *bodies = decoded
    assert isinstance(publish, Basic.Publish)
    assert (publish.exchange, publish.routing_key) == ("jobs", "extractor.extract")
    assert publish.mandatory
    assert isinstance(header, ContentHeader)
    assert header.properties.headers == message.headers
    assert header.properties.delivery_mode == 2
    assert header.body_size == 9000
    assert b"".join(one.value for one in bodies if isinstance(one, ContentBody)) == message.body


def test_a_name_beyond_a_short_string_is_refused_before_anything_is_written() -> None:
    with pytest.raises(ValueError, match="256"):
        written(an_outgoing(type="t" * 256))

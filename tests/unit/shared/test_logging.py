"""One event, one line of JSON, whatever a stranger wrote into a document."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from shared.observability.logging import VALUE_LENGTH_MAX, JsonLines, bind


class Log:
    def __init__(self) -> None:
        self._stream = io.StringIO()
        handler = logging.StreamHandler(self._stream)
        handler.setFormatter(JsonLines("extractor"))
        self.logger = logging.getLogger("tests.logging")
        self.logger.setLevel(logging.INFO)
        self.logger.propagate = False
        self.logger.handlers = [handler]

    @property
    def text(self) -> str:
        return self._stream.getvalue()

    def line(self) -> dict[str, Any]:
        [line] = self.text.splitlines()
        parsed: dict[str, Any] = json.loads(line)
        return parsed


@pytest.fixture
def log() -> Iterator[Log]:
    yield Log()


def test_a_line_carries_the_event_its_values_and_what_is_bound(log: Log) -> None:
    with bind(document_id="d1", attempt=2):
        log.logger.info("delivery_finished", extra={"decision": "done", "seconds": 0.25})

    line = log.line()
    assert line["event"] == "delivery_finished"
    assert line["service"] == "extractor"
    assert (line["document_id"], line["attempt"]) == ("d1", 2)
    assert (line["decision"], line["seconds"]) == ("done", 0.25)
    assert line["time"].endswith("Z")


def test_what_was_bound_ends_with_its_block(log: Log) -> None:
    with bind(document_id="d1"), bind(attempt=1):
        pass
    log.logger.info("relay_woken")

    assert not {"document_id", "attempt"} & log.line().keys()


@pytest.mark.parametrize(
    "hostile",
    ["a\r\nb", "\x1b[31mred\x1b[0m", "\x9b31m", "\x7f", "a\u2028b", "\udcff", "\x00"],
    ids=ascii,
)
def test_a_hostile_text_stays_in_its_field(log: Log, hostile: str) -> None:
    log.logger.info("upload_accepted", extra={"file_name": hostile})

    assert log.line()["file_name"] == hostile
    assert log.text.removesuffix("\n").isprintable()


def test_a_line_is_made_once_for_all_who_write_it(log: Log) -> None:
    other = io.StringIO()
    handler = logging.StreamHandler(other)
    handler.setFormatter(log.logger.handlers[0].formatter)
    log.logger.addHandler(handler)
    values = CountedText()

    log.logger.info("upload_accepted", extra={"file_name": values})

    assert other.getvalue() == log.text
    assert values.asked == 1
    assert "formatted_line" not in log.line()


class CountedText:
    def __init__(self) -> None:
        self.asked = 0

    def __str__(self) -> str:
        self.asked += 1
        return "a.pdf"


def test_a_long_value_is_cut_and_says_so(log: Log) -> None:
    log.logger.info("model_answered", extra={"answer": "x" * 50_000})

    assert len(log.text) < VALUE_LENGTH_MAX + 500
    assert log.line()["answer"].endswith("(50000 characters)")


def test_a_password_in_an_address_is_not_written(log: Log) -> None:
    log.logger.info("connecting", extra={"to": "amqp://ingest:hunter2@broker:5672/"})

    assert log.line()["to"] == "amqp://ingest:***@broker:5672/"


def test_a_stack_is_one_field_of_the_line(log: Log) -> None:
    log.logger.error("delivery_broke", exc_info=ValueError("torn\npage"))

    line = log.line()
    assert line["error"] == "ValueError"
    assert "torn\npage" in line["stack"]


def test_values_that_json_cannot_say_are_written_as_text(log: Log) -> None:
    log.logger.info("odd", extra={"n": float("nan"), "kind": Log, "many": {"a": (1, b"2")}})

    line = log.line()
    assert line["n"] == "nan"
    assert "Log" in line["kind"]
    assert line["many"] == {"a": [1, "b'2'"]}


def test_a_value_cannot_replace_what_the_line_is_about(log: Log) -> None:
    with bind(service="forged"):
        log.logger.info("real", extra={"event": "forged", "level": "forged"})

    line = log.line()
    assert (line["event"], line["service"], line["level"]) == ("real", "extractor", "INFO")

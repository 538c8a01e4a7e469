"""How figures of several rounds are told: each ratio within its round, and nothing guessed."""

from xml.etree import ElementTree

import pytest

from tests.bench._shared.bars import bars
from tests.bench._shared.journeys import percentile
from tests.bench._shared.side_by_side import (
    Measured,
    measured,
    medians,
    names,
    ratio_of_cpu,
    ratio_of_rate,
)
from tests.bench._shared.used import Spent, Used

SVG = "{http://www.w3.org/2000/svg}"


def one(cpu_us: float, rate: float = 100.0) -> Measured:
    return Measured(rate, {"workers": cpu_us}, others=0.0)


def test_a_ratio_is_taken_within_its_round() -> None:
    # The machine was slower in the second round, for both alike.
    rounds = [{"ours": one(50), "theirs": one(100)}, {"ours": one(150), "theirs": one(300)}]

    assert ratio_of_cpu(rounds, "ours", "theirs") == 0.5


def test_a_rate_is_compared_within_its_round() -> None:
    rounds = [
        {"ours": one(1, rate=30), "theirs": one(1, rate=10)},
        {"ours": one(1, rate=6), "theirs": one(1, rate=2)},
    ]

    assert ratio_of_rate(rounds, "ours", "theirs") == 3.0


def test_who_did_not_come_to_an_end_in_every_round_is_not_told() -> None:
    rounds = [{"ours": one(1), "theirs": one(2)}, {"ours": one(1)}]

    assert names(rounds) == ["ours"]


def test_a_store_of_their_own_counts_as_their_broker() -> None:
    rounds = [{"theirs": Measured(10, {"workers": 5, "redis": 3, "database": 1}, 0.0)}]

    assert medians(rounds, "theirs")["broker_us"] == 3
    assert medians(rounds, "theirs")["cpu_us"] == 9


def test_whatever_is_no_server_is_a_worker() -> None:
    spent = Spent(2.0, {"ingest": 0.1, "storage": 0.2, "broker": 0.4, "database": 0.8}, 1.5)

    told = measured(1000, 500, spent)

    assert told.parts_us == pytest.approx({"workers": 300, "broker": 400, "database": 800})


def test_what_others_used_is_what_is_left() -> None:
    before, after = Used(10.0, {"ingest": 1.0}, 5.0), Used(14.0, {"ingest": 2.0}, 8.0)

    assert after.since(before).others == 0.5


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (75, 3), (95, 4), (99, 4)])
def test_a_percentile_is_a_value_that_was_there(percent: float, value: float) -> None:
    assert percentile([4, 1, 3, 2], percent) == value


def test_a_picture_holds_every_part_of_every_row() -> None:
    drawn = bars("a < b", "µs", {"ours & theirs": {"workers": 3, "broker": 1}, "bare": {}})

    picture = ElementTree.fromstring(drawn)  # noqa: S314 -- it was made a line ago
    widths = [
        float(box.attrib["width"])
        for box in picture.iter(f"{SVG}rect")
        if box.find(f"{SVG}title") is not None
    ]
    assert widths[0] == 3 * widths[1]
    texts = [text.text for text in picture.iter(f"{SVG}text")]
    assert {"a < b", "ours & theirs", "bare", "4.0 µs", "0 µs"} <= set(texts)

"""The committed picture of the topology is the drawn one, and tells everybody the same."""

from lxml import etree

from shared.topology.picture import WIDTH, picture
from shared.topology.queues import EVENTS, INGEST, JOBS, WORK_QUEUES
from tests.house.repository import ROOT

COMMITTED = ROOT / "deploy/architecture.svg"
SVG = "{http://www.w3.org/2000/svg}"
# Of the widest of the fonts that it may be shown in, at most so many points a letter.
LETTER = 8.0


def test_the_picture_is_what_the_table_says() -> None:
    hint = "python -m shared.topology picture > deploy/architecture.svg"

    assert COMMITTED.read_text() == picture(), f"draw it anew: {hint}"


def test_every_queue_and_exchange_is_in_it_and_in_its_words() -> None:
    drawn = etree.fromstring(picture().encode())
    texts = [one.text or "" for one in drawn.iter(f"{SVG}text")]
    [described] = [one.text or "" for one in drawn.iter(f"{SVG}desc")]

    assert {INGEST, JOBS, EVENTS, *(one.name for one in WORK_QUEUES)} <= set(texts)
    assert all(one.name in described for one in WORK_QUEUES)
    assert drawn.get("role") == "img"
    assert drawn.get("aria-labelledby") == "title desc"


def test_nothing_leaves_the_picture() -> None:
    drawn = etree.fromstring(picture().encode())
    height = float(drawn.attrib["viewBox"].split()[3])

    for one in drawn.iter(f"{SVG}text"):
        assert float(one.attrib["x"]) + len(one.text or "") * LETTER <= WIDTH, one.text
        assert float(one.attrib["y"]) <= height, one.text


def test_every_line_ends_at_a_queue() -> None:
    drawn = etree.fromstring(picture().encode())
    lines = [one.attrib["class"] for one in drawn.iter(f"{SVG}path")]

    assert len(lines) >= len(WORK_QUEUES)
    assert set(lines) == {INGEST, JOBS, EVENTS}

"""The page of messages tells of each exchange, queue and message, and runs nothing."""

import re

from shared.topology.queues import WORK_QUEUES
from shared.web.messages import described, render

PAGE = render(described())


def test_every_message_is_told_with_its_fields_and_an_example() -> None:
    messages = described()["components"]["messages"]

    assert len(messages) > 30
    for name in messages:
        head = f'<section><h2 id="message-{re.escape(name)}">'
        [section] = re.findall(f"{head}.+?</section>", PAGE, re.DOTALL)
        assert "For example" in section
        assert "<code>document_id</code>" in section or "document_id" not in section


def test_every_queue_is_told_with_what_it_takes() -> None:
    for queue in WORK_QUEUES:
        [row] = re.findall(rf"<tr><td><code>{re.escape(queue.name)}</code>.+?</tr>", PAGE)
        assert all(f'href="#message-{body.type}"' in row for body in queue.takes)
        assert f"{queue.attempts_max}, after {queue.backoff_base_s:g}\u00a0s" in row
        assert (f"every {queue.pace_s:g}\u00a0s" in row) == (queue.pace_s > 0)


def test_every_link_within_the_page_leads_somewhere() -> None:
    anchors = set(re.findall(r' id="([^"]+)"', PAGE))

    assert set(re.findall(r'href="#([^"]+)"', PAGE)) <= anchors


def test_it_runs_nothing_and_loads_nothing_from_elsewhere() -> None:
    assert not re.findall(r"<script|\sstyle=|\son\w+=|https?://", PAGE)


def test_a_list_of_parts_shows_the_fields_of_a_part() -> None:
    head = '<section><h2 id="message-document.split">'
    [section] = re.findall(f"{head}.+?</section>", PAGE, re.DOTALL)

    assert "<code>parts[].document_id</code>, required" in section
    assert "<code>parts[].pages</code>, required" in section


def test_a_text_of_a_schema_stays_text() -> None:
    document = {**described(), "info": {"title": "<b>", "description": '"><script>'}}

    assert "<script>" not in render(document)

"""The console as it is served: nothing in it runs that does not come from here, and what it
says of failures is what the runbook says."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from services.monitor.api import build
from services.monitor.web.pages import FOLDER, page_for
from tests.fakes.entrance import entrance
from tests.house.repository import ROOT
from tests.unit.monitor.world import World

SCRIPTS = sorted(FOLDER.glob("*.js"))
# What turns text into markup or code; what keeps what people read in the browser.
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    r"|localStorage|sessionStorage|indexedDB|document\.cookie"
)
# In the runbook, as a row of the tables of reasons.
REASON = re.compile(r"^\| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$", re.MULTILINE)


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    app = build(world.ports, entrance(), sign_in_url="https://in.example/")
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://monitor") as client:
        yield client


async def test_the_console_is_open_and_lets_only_our_files_in(
    client: httpx.AsyncClient,
) -> None:
    page = await client.get("/")

    assert page.status_code == 200
    assert 'content="https://in.example"' in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_every_file_that_is_named_is_there(client: httpx.AsyncClient) -> None:
    page = (await client.get("/")).text
    named = set(re.findall(r'(?:src|href)="(/page/[^"]+)"', page))
    imported = {
        f"/page/{name}"
        for script in SCRIPTS
        for name in re.findall(r'from "\./([a-z.]+)"', script.read_text())
    }

    answers = {one: (await client.get(one)).status_code for one in named | imported}

    assert len(imported) > 20
    assert {one for one, status in answers.items() if status != 200} == set()


async def test_the_page_opens_nothing_that_stands_behind_it(client: httpx.AsyncClient) -> None:
    opened = {(await client.get("/")).status_code, (await client.get("/page/a.js")).status_code}
    asked = [
        (await client.get(path)).status_code
        for path in ("/ops/v1/overview", "/ops/v1/dead-letters", "/v1/session", "/v1/audit")
    ]

    assert opened == {200, 404}
    assert asked == [401, 401, 401, 401]


def test_no_script_and_no_style_stands_in_the_page() -> None:
    text = (FOLDER / "index.html").read_text()

    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert "<style" not in text
    assert re.findall(r"\s(?:on\w+|style)=", text) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_text_stays_text_and_nothing_is_kept_in_the_browser(script: Path) -> None:
    assert DANGEROUS.findall(script.read_text()) == []


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_opens_with_why_it_exists_and_stays_small(script: Path) -> None:
    lines = script.read_text().splitlines()

    assert lines[0].startswith("// ")
    assert len(lines) <= 300


def test_what_differs_between_installations_is_escaped() -> None:
    page = page_for('https://in.example/"><script>', 'https://t.example/"><i>')
    text = page[""].content.decode()

    assert "&quot;&gt;&lt;script&gt;" in text
    assert "&quot;&gt;&lt;i&gt;" in text
    assert "{" not in text


def test_where_traces_are_looked_at_keeps_its_place_for_which() -> None:
    page = page_for(None, "https://traces.example/{trace_id}")[""].content.decode()

    assert 'content="https://traces.example/{trace_id}"' in page


def test_every_reason_of_the_runbook_is_explained() -> None:
    told = set(REASON.findall((ROOT / "deploy" / "RUNBOOK.md").read_text()))
    known = set(re.findall(r"^  ([a-z_]+): \[", (FOLDER / "reasons.js").read_text(), re.M))

    assert len(told) > 30
    assert told - known == set()

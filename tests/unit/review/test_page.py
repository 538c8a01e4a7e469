"""The review desk as it is served: nothing in it runs that does not come from here."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from services.review.api import build
from services.review.web.pages import FOLDER, page_for
from tests.fakes.entrance import entrance
from tests.unit.review.world import World

SCRIPTS = sorted(FOLDER.glob("*.js"))
# What turns text into markup or code; what keeps what people read in the browser.
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    r"|localStorage|sessionStorage|indexedDB|document\.cookie"
)


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    app = build(world.ports, entrance(), sign_in_url="https://in.example/")
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


async def test_the_desk_is_open_and_lets_only_our_files_in(client: httpx.AsyncClient) -> None:
    page = await client.get("/")

    assert page.status_code == 200
    assert 'content="https://in.example"' in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert "unsafe" not in policy


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


def test_where_people_sign_in_is_escaped() -> None:
    page = page_for('https://in.example/"><script>')[""].content.decode()

    assert "&quot;&gt;&lt;script&gt;" in page
    assert "{" not in page

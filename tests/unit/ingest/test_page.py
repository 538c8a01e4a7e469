"""The upload page as it is served: nothing in it runs that does not come from here."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.local.reading import DOCUMENT_SUFFIXES
from services.ingest.web.pages import FOLDER, page_for
from shared.web.pages import SHARED
from tests.unit.ingest.desk import Desk, is_problem

SCRIPTS = sorted([*FOLDER.glob("*.js"), *SHARED.glob("*.js")])
# What turns text into markup or code, and so a file's name into an attack.
DANGEROUS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc"
    r"|localStorage|sessionStorage"
)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def test_the_page_is_open_and_lets_only_our_files_in(desk: Desk) -> None:
    page = await desk.client.get("/")

    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_every_file_the_page_names_is_there(desk: Desk) -> None:
    page = (await desk.client.get("/")).text
    named = re.findall(r'(?:src|href)="(/page/[^"]+)"', page)
    imported = [
        f"/page/{name}"
        for script in SCRIPTS
        for name in re.findall(r'from "\./([a-z.]+)"', script.read_text())
    ]

    assert imported
    for address in {*named, *imported}:
        answer = await desk.client.get(address)
        assert answer.status_code == 200, address
        again = await desk.client.get(
            address, headers={"If-None-Match": answer.headers["etag"]}
        )
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("name", ["nothing.js", "index.html", "..%2Fpages.py", "%00"])
async def test_nothing_else_is_served(desk: Desk, name: str) -> None:
    is_problem(await desk.client.get(f"/page/{name}"), 404, "not-found")


def test_no_script_and_no_style_stands_in_the_page() -> None:
    text = (FOLDER / "index.html").read_text()

    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert "<style" not in text
    assert re.findall(r"\s(?:on\w+|style)=", text) == []


def test_only_what_is_read_can_be_chosen() -> None:
    """A phone that is asked for its own format of pictures sends it; asked for a common one it
    sends that."""
    text = (FOLDER / "index.html").read_text()

    [accepted] = re.findall(r'accept="([^"]+)"', text)
    assert set(accepted.split(",")) == DOCUMENT_SUFFIXES | {".zip"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_text_stays_text_and_no_secret_is_kept(script: Path) -> None:
    assert DANGEROUS.findall(script.read_text()) == []


def test_what_differs_between_installations_is_escaped() -> None:
    page = page_for(1000, 'https://review.example/"><script>', archive_bytes_max=5000)[
        ""
    ].content.decode()

    assert 'content="1000"' in page
    assert 'content="5000"' in page
    assert '<meta name="sign-in-with" content="">' in page
    assert '<meta name="takes-keys" content="yes">' in page
    assert "&quot;&gt;&lt;script&gt;" in page
    assert "{" not in page


def test_a_label_of_the_provider_stays_text() -> None:
    page = page_for(
        1000, None, archive_bytes_max=5000, provider='Ämter & "Söhne" <b>', takes_keys=False
    )
    text = page[""].content.decode()

    assert 'content="Ämter &amp; &quot;Söhne&quot; &lt;b&gt;"' in text
    assert '<meta name="takes-keys" content="no">' in text


async def test_a_browser_signs_in_uploads_and_follows(desk: Desk) -> None:
    origin = {"Origin": "http://127.0.0.1"}
    desk.client.base_url = "http://127.0.0.1"
    signed_in = await desk.client.post(
        "/v1/session", json={"key": "anna:submitter"}, headers=origin
    )
    proof = {**origin, "X-CSRF": signed_in.json()["csrf"]}

    forged = await desk.client.post("/v1/documents", content=b"%PDF-1.7", headers=origin)
    accepted = await desk.client.post("/v1/documents", content=b"%PDF-1.7", headers=proof)
    status = await desk.client.get(accepted.json()["links"]["status"])

    is_problem(forged, 403, "forged-request")
    assert (accepted.status_code, status.json()["status"]) == (202, "queued")
    assert [caller.owner_id for caller in desk.sessions.alive.values()] == ["anna"]

"""A person at the operators' console: signed in at ingest's page, before what was asked for."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from re import Pattern
from secrets import token_hex
from uuid import UUID

from playwright.async_api import Browser, Locator, expect

from tests.eventually import eventually
from tests.system.browser import DESKTOP, PATIENCE_MS, Visit, visit_as
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.keys import issued_key
from tests.system.records import Records
from tests.system.stack import Stack


@dataclass
class Operator(Visit):
    async def open_console(self, place: str = "") -> None:
        await self.page.goto(f"{self.stack.address('monitor_api')}/{place}")

    async def sign_in_as(self, key: str, place: str = "") -> None:
        await self.open_console(place)
        await self.page.get_by_role("link", name="Sign in").click()
        await self.page.get_by_label("API key").fill(key)
        await self.page.get_by_role("button", name="Sign in").click()
        await expect(self.page.get_by_role("button", name="Sign out")).to_be_visible()

    async def goes_to(self, place: str, heading: str) -> None:
        await self.open_console(f"#{place}")
        await self.reads(heading)

    async def reads(self, heading: str | Pattern[str]) -> None:
        await expect(self.heading).to_have_text(heading, timeout=PATIENCE_MS)

    @property
    def heading(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    def act(self, name: str) -> Locator:
        """A button by what it does, whatever it is called."""
        return self.page.locator(f'[data-act="{name}"]')

    def dialog(self, title: str) -> Locator:
        return self.page.get_by_role("dialog", name=title)

    async def answers(self, title: str, reason: str, *, then: str) -> None:
        dialog = self.dialog(title)
        await dialog.get_by_label("Reason").fill(reason)
        await dialog.get_by_role("button", name=then, exact=True).click()
        await expect(dialog).to_be_hidden()

    async def counts(self, **tiles: int) -> None:
        """What the tiles of the page say, each by its name."""
        for name, number in tiles.items():
            tile = self.page.locator(f'[data-tile="{name.replace("_", "-")}"] dd')
            await expect(tile).to_have_text(str(number), timeout=PATIENCE_MS)

    def queue(self, name: str) -> Locator:
        return self.page.locator(f'tr[data-queue="{name}"]')


@asynccontextmanager
async def operator_of(
    browser: Browser,
    stack: Stack,
    role: str = "editor",
    *,
    window: dict[str, int] = DESKTOP,
    place: str = "",
    key: str | None = None,
) -> AsyncIterator[Operator]:
    """Somebody with this role, or with this key, signed in."""
    key = key or await issued_key(stack, f"{role}-{token_hex(3)}", role)
    async with visit_as(
        Operator, browser, stack, screens=stack.screens, window=window
    ) as visit:
        await visit.sign_in_as(key, place)
        yield visit


async def locked(client: Client, name: str) -> UUID:
    """A document that no machine can open: it failed for good, and its letter is kept."""
    document_id = await client.hand_in(invoice(ENCRYPTED), filename=name)

    async def has_a_letter() -> bool:
        return bool(await client.letters(document_id))

    await eventually(has_a_letter, within_s=30, every_s=0.1)
    return document_id


async def without_their_bytes(client: Client, stack: Stack, names: Sequence[str]) -> list[UUID]:
    """Documents that failed for good, because the store had lost their bytes."""
    await stack.stop("extractor")
    documents = [await client.hand_in(invoice(), filename=name) for name in names]
    for document_id in documents:
        kept = await _bytes_of(client, stack, document_id)
        kept[0].rename(kept[1])
    await stack.start("extractor")

    async def all_have_letters() -> bool:
        return all([await client.letters(one) for one in documents])

    await eventually(all_have_letters, within_s=60, every_s=0.25)
    return documents


async def brought_back(client: Client, stack: Stack, documents: Sequence[UUID]) -> None:
    for document_id in documents:
        kept = await _bytes_of(client, stack, document_id)
        kept[1].rename(kept[0])


async def _bytes_of(client: Client, stack: Stack, document_id: UUID) -> tuple[Path, Path]:
    """Where they are, and where they are out of the way."""
    sha256 = (await client.document(document_id))["sha256"]
    there = stack.blobs / "sha256" / sha256[:2] / sha256
    return there, there.with_suffix(".away")


async def accepted_an_hour_ago(stack: Stack, document_id: UUID) -> None:
    """As if it, and the time of which every fact is kept, were older than they are."""
    records = Records(stack)
    await records.rows("UPDATE monitor.conservation_began SET at = at - interval '1 day'")

    async def moved_back() -> bool:
        sql = """
            UPDATE monitor.documents_seen SET accepted_at = now() - interval '1 hour'
             WHERE document_id = $1 AND accepted_at IS NOT NULL RETURNING document_id
        """
        return bool(await records.rows(sql, document_id))

    await eventually(moved_back)

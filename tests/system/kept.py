"""Documents that ended, each in its own way, for whoever breaks a promise to one of them."""

from dataclasses import dataclass
from pathlib import Path

from deploy.verify.looking import Orders, Sources
from deploy.verify.verifying import orders_for, verify
from tests.eventually import eventually
from tests.system.breaking import Victims
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice, unsure_invoice
from tests.system.records import Records
from tests.system.reviewing import VAT_ID
from tests.system.stack import Stack
from tests.system.verdict import AT_ONCE, Broken, news, seen_by, sources


@dataclass(frozen=True, slots=True)
class World(Victims):
    """Documents that ended well, each in its own way, and where the bytes of one lie."""

    sha256: str
    content: Path
    # By whatever came before; nothing of it is what is broken here.
    before: Broken

    async def judged(self, given: Sources, orders: Orders = AT_ONCE) -> Broken:
        """By which checks."""
        return news(seen_by(await verify(given, orders)), self.before)


async def kept_world(client: Client, stack: Stack, records: Records) -> World:
    content = invoice()
    read = await client.to_review(content, filename="kept.pdf")
    copy = await client.to_review(content, filename="kept-copy.pdf")
    failed = await client.hand_in(invoice(ENCRYPTED), filename="kept-locked.pdf")
    await client.ends(failed)
    corrected = await client.to_review(unsure_invoice(), filename="kept-corrected.pdf")
    await client.correct(corrected, VAT_ID, "DE123456788")
    await eventually(lambda: client.letters(failed))
    [letter] = await client.letters(failed)
    await eventually(records.is_quiet, within_s=60, every_s=0.25)
    orders = orders_for(at_rest=True, deep=True, repairs_allowed=0, say=False)
    before = seen_by(await verify(sources(stack), orders))
    sha256 = (await client.document(read))["sha256"]
    return World(
        *(read, copy, failed, corrected, letter["letter_id"], stack.key),
        *(sha256, stack.blobs / "sha256" / sha256[:2] / sha256, before),
    )

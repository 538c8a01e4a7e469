"""A pile that was scanned in one go: split, each invoice goes its own way to the end."""

from http import HTTPStatus
from secrets import token_hex
from uuid import UUID

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import (
    INVOICE,
    INVOICE_NUMBER,
    OTHER_INVOICE,
    OTHER_NUMBER,
    several,
)
from tests.system.records import Records


async def test_each_part_is_read_reviewed_and_kept_for_itself(
    client: Client, records: Records
) -> None:
    name = token_hex(6)
    pile = await client.hand_in(several(INVOICE, OTHER_INVOICE), filename=f"{name}.pdf")
    await client.ends(pile)

    split = await client.split(pile, [1], [2])
    again = await client.split(pile, [1], [2])

    assert split.status_code == HTTPStatus.OK, split.text
    children = [UUID(one) for one in split.json()["children"]]
    assert again.json()["children"] == split.json()["children"]
    client.promised |= {*children}
    await eventually(lambda: records.has_ended(name, count=3), within_s=60, every_s=0.1)
    await records.require_each_once(name, count=3)
    numbers = []
    for child in children:
        document = await client.ends(child)
        assert (document["status"], document["parent_id"]) == ("completed", str(pile))
        numbers.append(document["summary"]["invoice_number"])
        assert (await client.approve(child)).status_code == HTTPStatus.OK
    assert numbers == [INVOICE_NUMBER, OTHER_NUMBER]
    shown = await client.document(pile)
    assert (shown["status"], shown["review"]) == ("completed", "rejected")
    assert shown["children"] == [str(one) for one in children]
    await records.require_balance(client.promised)

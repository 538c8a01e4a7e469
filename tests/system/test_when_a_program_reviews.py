"""A reviewer that is a program, as the guide shows it: it decides what it may."""

import asyncio
import re
from secrets import token_hex
from typing import Any

import pytest

from tests.house.repository import ROOT
from tests.system.client import Client
from tests.system.invoices import unsure_invoice
from tests.system.keys import issued_key
from tests.system.payloads import e_invoice
from tests.system.stack import Stack

pytestmark = pytest.mark.usefixtures("nothing_waits")

GUIDE = (ROOT / "services/review/README.md").read_text()


async def test_the_example_of_the_guide_approves_and_passes_on(
    stack: Stack, client: Client
) -> None:
    [source] = re.findall(r"^```python\n(.+?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {
        "review": stack.address("review_api"),
        "key": await issued_key(stack, "bot", "reviewer"),
    }
    exec(compile(source, "README.md", "exec"), names)  # noqa: S102 -- our own guide
    unsure = await client.to_review(unsure_invoice(), filename="unsure.pdf")
    certain = await client.to_review(
        e_invoice("Nord", f"C-{token_hex(4)}"), filename="certain.xml"
    )

    said = [await asyncio.to_thread(names["review_next"]) for _ in range(3)]

    assert said == ["pending", "approved", "nothing waits"]
    assert (await client.get("review", f"/v1/items/{unsure}"))["level"] == 2
    decided = await client.get("review", f"/v1/items/{certain}")
    assert (decided["status"], decided["decided_by"]) == ("approved", "bot")
    names["desk"].close()

"""A read-only person at the monitor: sees all but payloads and logs, and can do nothing."""

from http import HTTPStatus

import httpx

from shared.topology.queues import EXTRACT
from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, invoice
from tests.system.keys import issued_key
from tests.system.stack import Stack

# What a customer sent may stand in these.
HIDDEN = ("/payload", "/log")
# Of one's own sign-in: whoever may look may leave.
OWN = {("DELETE", "/v1/session")}


async def test_who_may_only_look_sees_all_but_payloads_and_can_do_nothing(
    client: Client, stack: Stack
) -> None:
    vera = {"Authorization": f"Bearer {await issued_key(stack, 'vera', 'viewer')}"}
    document_id = await client.hand_in(invoice(ENCRYPTED))
    await eventually(lambda: client.letters(document_id), within_s=20)
    [letter] = await client.letters(document_id)
    ids = {
        "letter_id": letter["letter_id"],
        "document_id": str(document_id),
        "fingerprint": letter["fingerprint"],
        "queue": EXTRACT.name,
    }
    # As the monitor describes itself, so that a new route is in here from its first day.
    described = (await client.get("monitor", "/openapi.json"))["paths"]
    opened: dict[tuple[str, str], int] = {}
    for path, operations in described.items():
        for method, operation in operations.items():
            if not operation["x-permissions"]:
                continue
            url = stack.address("monitor_api") + filled(path, ids)
            stranger = await client.http.request(method, url)
            assert stranger.status_code == HTTPStatus.UNAUTHORIZED, (method, path)
            opened[method.upper(), path] = await looked(client.http, method, url, vera)

    shut = {one for one, status in opened.items() if status == HTTPStatus.FORBIDDEN}
    assert len(opened) >= 30
    assert shut == {
        (method, path)
        for method, path in opened
        if (method != "GET" or path.endswith(HIDDEN)) and (method, path) not in OWN
    }
    # And it is known that somebody tried.
    tried = await client.get("monitor", "/v1/audit?actor=vera&action=refused&limit=500")
    told = {tuple(one["resource"].split(" ", 1)) for one in tried["items"]}
    assert {(method, filled(path, ids)) for method, path in shut if method != "GET"} <= told


NOBODY = "01980000-0000-7000-8000-000000000000"


def filled(path: str, ids: dict[str, str]) -> str:
    while "{" in path:
        name = path.partition("{")[2].partition("}")[0]
        path = path.replace(f"{{{name}}}", ids.get(name, NOBODY))
    return path


async def looked(http: httpx.AsyncClient, method: str, url: str, login: dict[str, str]) -> int:
    # A stream goes on; that it began is enough.
    async with http.stream(method, url, headers=login) as answer:
        return answer.status_code

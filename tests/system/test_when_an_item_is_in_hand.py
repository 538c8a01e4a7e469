"""Whether somebody is at a document is seen at ingest, where its client asks."""

from collections.abc import Awaitable, Callable

from httpx import Response

from tests.eventually import eventually
from tests.system.client import Client
from tests.system.invoices import invoice


async def test_the_review_track_follows_the_item_from_hand_to_hand(client: Client) -> None:
    document_id = await client.to_review(invoice(), filename="handed.pdf")
    home = f"/v1/items/{document_id}"

    async def shows(review: str) -> None:
        async def is_shown() -> bool:
            return bool((await client.document(document_id))["review"] == review)

        await eventually(is_shown, within_s=20, every_s=0.1)

    async def after(deed: Callable[[], Awaitable[Response]]) -> Response:
        answer = await deed()
        assert answer.is_success, answer.text
        return answer

    await shows("pending")
    await after(lambda: client.post("review", f"{home}/claim"))
    await shows("in_review")
    await after(lambda: client.post("review", f"{home}/release"))
    await shows("pending")
    approved = await after(lambda: client.approve(document_id))
    await shows("approved")
    seen, undo = {"If-Match": approved.headers["ETag"]}, {"undo": True}
    await after(lambda: client.post("review", f"{home}/reopen", json=undo, headers=seen))
    await shows("in_review")
    asked = {"level": 2, "reason": "Above me."}
    await after(lambda: client.post("review", f"{home}/escalate", json=asked))
    await shows("pending")
    told = await client.events(document_id)
    assert told.count("review.claimed") == 2
    assert told.count("review.released") == 2

"""What is true or false in a request is that, and nothing that looks like it."""

from uuid import uuid4

import pytest

from tests.fakes.keys import key_of
from tests.unit.ingest.desk import Desk, is_problem

ADMIN = {**key_of("ada", "admin"), "If-Match": '"1"'}
WEBHOOK = {"url": "https://erp.example.com/hooks", "events": ["document.ended"]}
REQUESTS = {
    "reprocess": ("POST", f"/v1/documents/{uuid4()}/reprocess", {}, "force"),
    "webhook": ("POST", "/v1/webhooks", WEBHOOK, "enabled"),
    "change": ("PATCH", f"/v1/webhooks/{uuid4()}", {}, "enabled"),
}


@pytest.mark.parametrize("value", [0, 1, "no", "true"])
@pytest.mark.parametrize(
    ("method", "path", "body", "name"), REQUESTS.values(), ids=REQUESTS.keys()
)
async def test_a_number_or_a_word_is_no_truth(
    method: str, path: str, body: dict[str, object], name: str, value: object
) -> None:
    desk = Desk()
    async with desk.client:
        answer = await desk.client.request(
            method, path, json={**body, name: value}, headers=ADMIN
        )

    is_problem(answer, 422, "invalid")
    assert [one["pointer"] for one in answer.json()["errors"]] == [f"/body/{name}"]

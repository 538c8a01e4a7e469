"""What leads whoever gives up, whoever keeps letters and whoever sends them again past their
instants: messages that nobody can read, and operators."""

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from uuid import UUID, uuid4

import httpx
from pamqp.commands import Basic

from deploy.local.endpoints import endpoints
from shared.clock import WallClock
from shared.contracts.identity import new_id
from shared.topology.queues import JOBS
from tests.broker.messages import raw_channel
from tests.crashes.case import Deed
from tests.crashes.scene import ENDS_WITHIN_S, INSISTS_S, Scene, Steps
from tests.eventually import eventually
from tests.system.keys import issued_key

# Said to whoever mends once more what an earlier try has sent on.
SUPERSEDED = (HTTPStatus.CONFLICT, HTTPStatus.PRECONDITION_FAILED)
KEPT = "SELECT letter_id, state FROM monitor.dead_letters WHERE job_id = ANY ($1)"


async def archive_letters(scene: Scene) -> Steps:
    documents = await scene.locked()
    yield
    scene.begin(operated(scene, documents, "archive"))
    yield
    await scene.all_begun()


async def replay_letters(scene: Scene) -> Steps:
    documents = await scene.locked()
    yield
    scene.begin(operated(scene, documents, "replay"))
    yield
    await _failed_again(scene, documents)


async def replay_letters_twice(scene: Scene) -> Steps:
    """Two operations, so that the second to die has one in hand in any case."""
    documents, others = await scene.locked(), await scene.locked()
    yield
    scene.begin(operated(scene, documents, "replay"))
    yield
    scene.begin(operated(scene, others, "replay"))
    yield
    await _failed_again(scene, [*documents, *others])


async def replay_one_by_one(scene: Scene) -> Steps:
    """As at a click, each for itself."""
    documents = await scene.locked()
    homes = await _homes(scene, documents)
    wish = {"reason": "The cause is gone."}
    yield
    for home in homes:
        ask = partial(scene.client.post, "monitor", f"{home}/replay", json=wish)
        # On its way already, it says so.
        scene.begin(scene.insist(ask, HTTPStatus.CONFLICT))
    yield
    await _failed_again(scene, documents)


async def edit_and_replay(scene: Scene) -> Steps:
    """What was changed is nothing that would help."""
    key = await issued_key(scene.stack, f"edith-{scene.name}", "editor")
    documents = await scene.locked()
    homes = await _homes(scene, documents)
    wish = {"patch": {"media_type": "image/png"}, "reason": "It may be a picture."}
    login = {"Authorization": f"Bearer {key}"}
    seen = [await scene.client.ask("monitor", home) for home in homes]
    yield
    for home, one in zip(homes, seen, strict=True):
        headers = {**login, "If-Match": one.headers["ETag"]}
        scene.begin(scene.insist(partial(_edited, scene, home, wish, headers), *SUPERSEDED))
    yield
    await _failed_again(scene, documents)


async def _edited(
    scene: Scene, home: str, wish: Mapping[str, object], headers: dict[str, str]
) -> httpx.Response:
    address = f"{scene.stack.address('monitor_api')}{home}/edit-and-replay"
    return await scene.client.http.post(address, json=wish, headers=headers)


async def _homes(scene: Scene, documents: list[UUID]) -> list[str]:
    found = [one for document in documents for one in await _letters(scene, document)]
    return [f"/ops/v1/dead-letters/{one['letter_id']}" for one in found]


async def _failed_again(scene: Scene, documents: list[UUID]) -> None:
    """Nobody can read them the next time either, and each has one letter more: sent twice,
    it would have two."""
    await scene.all_begun()
    for one in documents:
        await eventually(partial(scene.has_an_open_letter, one), within_s=INSISTS_S)
    await scene.rests()
    for one in documents:
        letters = await _letters(scene, one)
        assert len(letters) == 2, letters
    await operated(scene, documents, "archive")


async def hand_in_what_nobody_can_read(scene: Scene) -> Steps:
    yield
    scene.begin(scene.locked())
    yield
    await scene.all_begun()
    for one in scene.unreadable:
        [letter] = await scene.client.letters(one)
        assert letter["state"] == "open"
        assert (await scene.client.ends(one, within_s=ENDS_WITHIN_S))["status"] == "failed"
    await operated(scene, list(scene.unreadable), "archive")


async def operated(scene: Scene, documents: list[UUID], kind: str) -> None:
    """An operation over their open letters."""
    found = [one for document in documents for one in await _letters(scene, document)]
    await _operated_on(
        scene, [one["letter_id"] for one in found if one["state"] == "open"], kind
    )


async def _operated_on(scene: Scene, letters: list[str], kind: str) -> None:
    """To its end. A step that fails puts it before a person, who lets it go on."""
    wish = {"kind": kind, "selector": {"ids": letters}, "reason": "They are known."}
    key = {"Idempotency-Key": str(uuid4())}
    asked = await scene.insist(
        lambda: scene.client.post("monitor", "/ops/v1/operations", json=wish, headers=key)
    )
    home = f"/ops/v1/operations/{asked.json()['operation_id']}"

    async def is_completed() -> bool:
        with suppress(httpx.TransportError):
            shown = await scene.client.ask("monitor", home)
            assert shown.status_code == HTTPStatus.OK, shown.text
            if shown.json()["state"] == "paused":
                seen = {"If-Match": shown.headers["ETag"]}
                await scene.client.post("monitor", f"{home}/resume", headers=seen)
            return bool(shown.json()["state"] == "completed")
        return False

    await eventually(is_completed, within_s=INSISTS_S, every_s=0.25)


async def _letters(scene: Scene, document_id: UUID) -> list[dict[str, str]]:
    path = f"/ops/v1/dead-letters?document_id={document_id}"
    answer = await scene.insist(lambda: scene.client.ask("monitor", path))
    found: list[dict[str, str]] = answer.json()["letters"]
    return found


def send_what_nobody_knows(queue: str) -> Deed:
    """As many messages of a type that there is not, to be given up at once."""

    async def send_what_is_unknown(scene: Scene) -> Steps:
        jobs = [new_id() for _ in range(scene.count)]
        yield
        async with raw_channel(endpoints(scene.stack.state).amqp["admin"]) as channel:
            for one in jobs:
                await channel.basic_publish(
                    _of_no_type(one),
                    exchange=JOBS,
                    routing_key=queue,
                    properties=Basic.Properties(
                        content_type="application/json", delivery_mode=2, message_id=str(one)
                    ),
                )
        yield
        await eventually(partial(_are_kept, scene, jobs), within_s=INSISTS_S, every_s=0.25)
        await scene.rests()
        kept = await scene.records.rows(KEPT, jobs)
        assert len(kept) == scene.count, kept
        await _operated_on(scene, [str(one["letter_id"]) for one in kept], "archive")

    return send_what_is_unknown


def _of_no_type(job_id: UUID) -> bytes:
    header = {
        **{"job_id": str(job_id), "type": "document.unheard_of", "version": "1.0"},
        **{"created_at": WallClock().now().isoformat(), "attempt": 1, "max_attempts": 4},
    }
    return json.dumps({"header": header, "body": {}, "tracing": {}}).encode()


async def _are_kept(scene: Scene, jobs: list[UUID]) -> bool:
    kept = await scene.records.rows(KEPT, jobs)
    return {one["state"] for one in kept} == {"open"} and len(kept) >= len(jobs)

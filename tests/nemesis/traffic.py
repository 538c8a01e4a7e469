"""What goes on meanwhile: clients, a reviewer and an operator, who keep at it whatever fails.

Each client remembers what it was promised. A refusal that says so is no lie; only a promise
that is not kept is. A few documents can be read by nobody: those have to be given up, for what
they are and without harm to the others.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from random import Random
from secrets import token_hex
from uuid import UUID, uuid4

import httpx

from tests.nemesis.operations import Operations
from tests.nemesis.pace import a_while
from tests.nemesis.verdict import OF_WHAT_NOBODY_CAN_READ, apart
from tests.system.client import Client
from tests.system.invoices import ENCRYPTED, SAMPLES, invoice

UPLOADERS = 3
BETWEEN_S = 0.4
AGAIN_S = 0.25
# What is handed in: this share can be read by nobody, this is three at once, and this is wanted
# gone again, within these seconds. All others are one by one.
UNREADABLE, TOGETHER, UNWANTED = 0.03, 0.04, 0.05
TOGETHER_COUNT, UNWANTED_AFTER_S = 3, 3.0
# Of those that come one by one, or of the batches.
CANCELLED, READ_ANEW = 0.08, 0.06
# How many of those that are reviewed are wrong, and in what.
CORRECTED, CORRECTED_FIELD = 0.2, "buyer.name"
LOOKED_AT = 50
# So many letters go back by one operation, the others one by one.
TOGETHER_MAX = 3
LATER = (
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
)
PAGES = "/ops/v1/dead-letters?state=open&limit=200"
TALK_FAILS = (httpx.TransportError, AssertionError, KeyError, ValueError)


@dataclass(slots=True)
class Traffic:
    client: Client
    seed: int
    name: str = field(default_factory=lambda: token_hex(4))
    # Read anew by somebody's wish: these are told of more than once.
    read_anew: set[UUID] = field(default_factory=set)
    cancelled: set[UUID] = field(default_factory=set)
    deleted: set[UUID] = field(default_factory=set)
    # Nothing can be done for these: nobody sends their letters back.
    unreadable: set[UUID] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)
    operations: Operations = field(init=False)
    reviewed: Random = field(init=False)
    _contents: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.operations = Operations(self.client)
        self.reviewed = Random(f"{self.seed} review")

    @property
    def promised(self) -> set[UUID]:
        """Of what can be read."""
        return self.client.promised - self.unreadable

    async def flow(self, length_s: float) -> None:
        """Uploads go on for so long; each that was begun is repeated until it is promised."""
        ends_at = time.monotonic() + length_s
        async with asyncio.TaskGroup() as people:
            uploading = [
                people.create_task(self._upload_until(ends_at, number))
                for number in range(UPLOADERS)
            ]
            others = [
                people.create_task(self._keep_at_it(act))
                for act in (self._review, self._send_back)
            ]
            await asyncio.wait(uploading)
            for one in others:
                one.cancel()

    async def send_back_all(self) -> None:
        """What an operator does when the cause of a failure is gone."""
        with suppress(*TALK_FAILS):
            await self._send_back()

    async def _upload_until(self, ends_at: float, number: int) -> None:
        dice, samples = Random(f"{self.seed} {number}"), sorted(SAMPLES.glob("*.pdf"))
        ways = {
            self._hand_in_what_nobody_can_read: UNREADABLE,
            self._hand_in_together: TOGETHER,
            self._hand_in_and_regret: UNWANTED,
        }
        while time.monotonic() < ends_at:
            [way] = dice.choices(
                (*ways, self._hand_in), (*ways.values(), 1 - sum(ways.values()))
            )
            await way(dice, samples)
            await a_while(dice.uniform(0, 2 * BETWEEN_S))

    async def _hand_in(self, dice: Random, samples: Sequence[Path]) -> None:
        is_copy = bool(self._contents) and dice.random() < 0.2
        content = dice.choice(self._contents) if is_copy else invoice(dice.choice(samples))
        if not is_copy:
            self._contents.append(content)
        urgent = {"x_priority": "urgent"} if dice.random() < 0.15 else {}
        document_id = await self._promised(content, f"{self.name}.pdf", **urgent)
        await self._change_ones_mind(dice, document_id)

    async def _hand_in_what_nobody_can_read(self, _dice: Random, _: Sequence[Path]) -> None:
        name = f"{apart(self.name)}.pdf"
        self.unreadable.add(await self._promised(invoice(ENCRYPTED), name))

    async def _hand_in_together(self, dice: Random, samples: Sequence[Path]) -> None:
        contents = [invoice(dice.choice(samples)) for _ in range(TOGETHER_COUNT)]
        self._contents += contents
        key = str(uuid4())
        batch = await _insisted(
            lambda: self.client.hand_in_together(
                contents, filename=f"{self.name}.pdf", idempotency_key=key
            )
        )
        self.done["handed in"] += len(contents)
        self.done["handed in together"] += 1
        if dice.random() < CANCELLED:
            self.cancelled.update(UUID(one["document_id"]) for one in batch.json()["items"])
            with suppress(*TALK_FAILS):
                home = f"/v1/batches/{batch.json()['batch_id']}/cancel"
                await self.client.post("ingest", home)
                self.done["cancelled together"] += 1

    async def _hand_in_and_regret(self, dice: Random, samples: Sequence[Path]) -> None:
        """Nobody else hands its content in: of what was deleted nobody keeps an answer, so a
        copy would be paid for once more."""
        document_id = await self._promised(invoice(dice.choice(samples)), f"{self.name}.pdf")
        await a_while(dice.uniform(0, UNWANTED_AFTER_S))
        await _insisted(lambda: self.client.delete("ingest", f"/v1/documents/{document_id}"))
        self.deleted.add(document_id)
        # What was promised is gone because it was wished so.
        self.client.promised.remove(document_id)
        self.done["deleted"] += 1

    async def _promised(self, content: bytes, filename: str, **headers: str) -> UUID:
        """Repeated until it is, as the same upload."""
        key = str(uuid4())
        answer = await _insisted(
            lambda: self.client.upload(
                content, filename=filename, idempotency_key=key, **headers
            )
        )
        self.done["handed in"] += 1
        return UUID(answer.json()["document_id"])

    async def _change_ones_mind(self, dice: Random, document_id: UUID) -> None:
        thrown = dice.random()
        path = f"/v1/documents/{document_id}"
        with suppress(*TALK_FAILS):
            if thrown < CANCELLED:
                self.cancelled.add(document_id)
                await self.client.post("ingest", f"{path}/cancel")
                self.done["cancelled"] += 1
            elif thrown < CANCELLED + READ_ANEW:
                self.read_anew.add(document_id)
                await self.client.post("ingest", f"{path}/reprocess", json={"force": True})
                self.done["read anew"] += 1

    async def _keep_at_it(self, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            with suppress(*TALK_FAILS):
                await act()
            await a_while(BETWEEN_S)

    async def _review(self) -> None:
        page = await self.client.get("review", f"/v1/items?status=pending&limit={LOOKED_AT}")
        # Any of them: what cannot be approved would else stand before all that can.
        for item in self.reviewed.sample(page["items"], k=min(1, len(page["items"]))):
            document_id = UUID(item["document_id"])
            is_wrong = self.reviewed.random() < CORRECTED
            if is_wrong and await self._corrected(document_id):
                continue
            if (await self.client.approve(document_id)).is_success:
                self.done["approved"] += 1

    async def _corrected(self, document_id: UUID) -> bool:
        """And read anew at once: what the person wrote has to stay. It is approved some other
        time, or never."""
        name = f"Somebody {token_hex(4)}"
        if not (await self.client.correct(document_id, CORRECTED_FIELD, name)).is_success:
            return False
        self.done["corrected"] += 1
        self.read_anew.add(document_id)
        path = f"/v1/documents/{document_id}/reprocess"
        again = await self.client.post("ingest", path, json={"force": True})
        self.done["corrected, read anew"] += again.is_success
        return True

    def _goes_with_others(self, letter: Mapping[str, str | None]) -> bool:
        """Only ours: what somebody else has left on the stack may die again and again, and
        there would always be one more operation to wait for."""
        ours = {str(one) for one in self.promised}
        return self.operations.are_over and letter["document_id"] in ours

    async def _send_back(self) -> None:
        await self.operations.see_to()
        path: str | None = PAGES
        together: list[str] = []
        while path is not None:
            page = await self.client.get("monitor", path)
            for letter in page["letters"]:
                if letter["reason"] in OF_WHAT_NOBODY_CAN_READ:
                    continue
                if self._goes_with_others(letter) and len(together) < TOGETHER_MAX:
                    together.append(letter["letter_id"])
                    continue
                answer = await self.client.replay(letter["letter_id"])
                self.done["sent back"] += answer.status_code == HTTPStatus.ACCEPTED
            path = page["next"] and f"{PAGES}&cursor={page['next']}"
        if together:
            self.operations.begin(together)
            await self.operations.see_to()
            self.done["sent back together"] += len(together)


async def _insisted(request: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response:
    """The same again until it is done."""
    while True:
        with suppress(httpx.TransportError):
            answer = await request()
            if answer.is_success:
                return answer
            # Nothing else may be said to what is good than "later".
            assert answer.status_code in LATER, answer.text
        await a_while(AGAIN_S)

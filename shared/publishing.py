"""Documents handed in from another program: published, confirmed, and answered.

    async with Submitter("amqps://publisher:…@broker/paperline") as submitter:
        answer = await submitter.submit(SubmitDocumentV1(…))

Whatever goes wrong is one of two errors, and after either the same document may be submitted
again: its idempotency key makes them one. Needs `aio-pika` and `pydantic`, nothing else.
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from uuid import UUID, uuid4

import aio_pika
from aio_pika.abc import AbstractConnection, AbstractExchange, AbstractIncomingMessage
from yarl import URL

from shared.bus.losses import BROKER_ERRORS, loss_as_error
from shared.clock import WallClock
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.envelope import CONTENT_TYPE, MESSAGE_BYTES_MAX, decode, encode
from shared.contracts.identity import new_id
from shared.contracts.orders import SourceV1, SubmitDocumentV1
from shared.dialling import dial
from shared.topology.queues import INGEST

__all__ = ["NoAnswer", "NotSubmitted", "SourceV1", "SubmitDocumentV1", "Submitter"]

HEARTBEAT_S = 10


class NotSubmitted(Exception):
    """The broker has not said that it has it. It may have arrived all the same."""


class NoAnswer(Exception):
    """The broker has it, and nothing was heard in time of what became of it."""


@dataclass(slots=True)
class _Session:
    connection: AbstractConnection
    exchange: AbstractExchange
    reply_to: str
    lost: bool = False
    # Under the id with which each was asked for.
    waiting: "dict[str, asyncio.Future[SubmissionAnsweredV1]]" = field(default_factory=dict)

    async def hear(self, message: AbstractIncomingMessage) -> None:
        waiting = self.waiting.get(message.correlation_id or "")
        if waiting is None or waiting.done():
            # A second answer, as after a crash of the relay, or one that came too late.
            return
        try:
            said = SubmissionAnsweredV1.model_validate(decode(message.body).body)
        except ValueError as error:
            waiting.set_exception(NoAnswer(f"the answer cannot be read: {error}"))
        else:
            waiting.set_result(said)

    def give_up(self, *_: object) -> None:
        self.lost = True
        for one in self.waiting.values():
            if not one.done():
                one.set_exception(NoAnswer("the connection was lost"))


class Submitter:
    def __init__(
        self,
        url: str,
        *,
        name: str = "submitter",
        timeout_s: float = 10.0,
        answer_within_s: float = 60.0,
        at_once: int = 100,
    ) -> None:
        self._url = URL(url).update_query(heartbeat=HEARTBEAT_S)
        self._name = name
        self._timeout_s = timeout_s
        self._answer_within_s = answer_within_s
        self._turn = asyncio.Semaphore(at_once)
        self._opening = asyncio.Lock()
        self._session: _Session | None = None

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        session, self._session = self._session, None
        if session is not None:
            await self._leave(session)

    async def send(self, document: SubmitDocumentV1, *, traceparent: str | None = None) -> UUID:
        """Returns its job id when the broker has it, on disk. Raises NotSubmitted."""
        async with self._turn:
            job_id = new_id()
            await self._publish(await self._open(), document, job_id, traceparent)
            return job_id

    async def submit(
        self, document: SubmitDocumentV1, *, traceparent: str | None = None
    ) -> SubmissionAnsweredV1:
        """Returns what became of it: a refusal is an answer too. Raises NotSubmitted, NoAnswer.

        While a dependency of Paperline is away the answer waits; the document is safe."""
        async with self._turn:
            job_id, session = new_id(), await self._open()
            answered: asyncio.Future[SubmissionAnsweredV1] = asyncio.Future()
            session.waiting[str(job_id)] = answered
            try:
                await self._publish(session, document, job_id, traceparent, answer=True)
                async with asyncio.timeout(self._answer_within_s):
                    return await answered
            except TimeoutError as error:
                raise NoAnswer(f"no answer within {self._answer_within_s:g} s") from error
            finally:
                session.waiting.pop(str(job_id), None)
                if answered.done() and not answered.cancelled():
                    # Given up with the connection, after the publish had failed already.
                    answered.exception()

    async def _open(self) -> _Session:
        async with self._opening:
            if self._session is None or self._session.lost:
                if self._session is not None:
                    await self._leave(self._session)
                self._session = await self._connected()
            return self._session

    async def _connected(self) -> _Session:
        try:
            with loss_as_error():
                async with asyncio.timeout(self._timeout_s):
                    return await self._begin()
        except BROKER_ERRORS as error:
            raise NotSubmitted(f"the broker is away: {error!r}") from error

    async def _begin(self) -> _Session:
        async with AsyncExitStack() as undo:
            connection = await dial(self._url, name=self._name)
            undo.push_async_callback(connection.close)
            channel = await connection.channel(publisher_confirms=True, on_return_raises=True)
            # Named by the broker, ours alone and gone with the connection.
            replies = await channel.declare_queue(exclusive=True, auto_delete=True)
            exchange = await channel.get_exchange(INGEST, ensure=False)
            session = _Session(connection, exchange, replies.name)
            channel.close_callbacks.add(session.give_up)
            await replies.consume(session.hear, no_ack=True)
            undo.pop_all()
        return session

    async def _publish(
        self,
        session: _Session,
        document: SubmitDocumentV1,
        job_id: UUID,
        traceparent: str | None,
        *,
        answer: bool = False,
    ) -> None:
        message = _message(document, job_id, traceparent)
        if answer:
            message.reply_to, message.correlation_id = session.reply_to, str(job_id)
        try:
            with loss_as_error():
                await session.exchange.publish(
                    message, document.type, mandatory=True, timeout=self._timeout_s
                )
        except BROKER_ERRORS as error:
            # A channel that was refused something is of no more use.
            await self._leave(session)
            raise NotSubmitted(f"not confirmed: {error!r}") from error

    async def _leave(self, session: _Session) -> None:
        session.give_up()
        try:
            with loss_as_error():
                async with asyncio.timeout(self._timeout_s):
                    await session.connection.close()
        except BROKER_ERRORS:
            # It is gone, which is all that was wanted.
            return


def _message(
    document: SubmitDocumentV1, job_id: UUID, traceparent: str | None
) -> aio_pika.Message:
    now = WallClock().now()
    body = encode(document, job_id=job_id, created_at=now, traceparent=traceparent)
    if len(body) > MESSAGE_BYTES_MAX:
        raise ValueError(f"{len(body)} bytes: a submission has at most {MESSAGE_BYTES_MAX}")
    return aio_pika.Message(
        body,
        headers={"traceparent": traceparent} if traceparent else {},
        content_type=CONTENT_TYPE,
        delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
        priority=int(document.priority),
        # Never the job's: the client matches what is returned by it, publish by publish.
        message_id=uuid4().hex,
        timestamp=now,
        type=document.type,
        app_id="submitter",
    )

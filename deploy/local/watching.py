"""Hands in what appears in a folder, waits for its end, and puts it where its end belongs.

A file leaves the folder only when its end is known. What fails for a reason that is not the
file's (nobody answers, the API is busy) stays where it is and is tried again later.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Protocol
from uuid import UUID

from deploy.local import remote
from deploy.local.errors import StackError
from deploy.local.inbox import DONE, FAILED, Inbox, Sight, key_of, sight_of
from deploy.local.reading import ARCHIVE_SUFFIX
from deploy.local.remote import Elsewhere
from deploy.local.report import complain, say
from deploy.local.state import State
from shared.client import Accepted, Away, Batch, Refused, Status, Wishes

LOOK_S = 0.5
TRY_AGAIN_S = 30.0
UNWELCOME = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
READ = ("completed", "duplicate")
# What a person can do about it, who looks into the folder and not into a runbook.
HINTS = {"encrypted": "Hand it in with its password: ./paperline submit --password-stdin FILE"}


class Door(Protocol):
    """What a watch needs of the client."""

    @property
    def address(self) -> str: ...

    def submit(
        self, given: Path, *, wishes: Wishes, idempotency_key: str | None
    ) -> Accepted: ...

    def submit_archive(
        self, given: Path, *, wishes: Wishes, idempotency_key: str | None
    ) -> Batch: ...

    def wait(self, document_id: UUID) -> Status: ...

    def wait_batch(self, batch_id: UUID) -> Batch: ...


class Stopped(Exception):
    """Raised in a worker that waits, so that a Ctrl-C is not waited out."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the person at the terminal asked for."""

    once: bool = False
    priority: str = "normal"
    settle_s: float = 2.0
    at_once: int = 8


def watch(state: State, folder: Path, elsewhere: Elsewhere, orders: Orders) -> int:
    """Until it is interrupted, which is how a watch ends well; or for one round."""
    stop = threading.Event()

    def pause(seconds: float) -> None:
        if stop.wait(seconds):
            raise Stopped

    with remote.door(state, elsewhere, sleep=pause) as client:
        work = Watch(Inbox(folder.resolve()), client, orders, stop)
        if not orders.once:
            say(f"  watching {folder} for {client.address}; Ctrl-C ends it")
        try:
            return work.run()
        except KeyboardInterrupt:
            return 0


@dataclass(frozen=True, slots=True)
class End:
    """`why` is empty for what was read, and words for a person otherwise."""

    status: str
    made: str = ""
    why: str = ""


@dataclass(slots=True)
class Watch:
    inbox: Inbox
    door: Door
    orders: Orders
    stop: threading.Event
    now: Callable[[], float] = time.monotonic
    _in_hand: dict[Path, Future[None]] = field(default_factory=dict)
    _later: dict[Path, float] = field(default_factory=dict)
    _mentioned: set[str] = field(default_factory=set)
    _failures: int = 0
    _fatal: str = ""

    def run(self) -> int:
        """0 unless, of a single round, something was not read."""
        with self.inbox.held():
            self._mention_strangers()
            pool = ThreadPoolExecutor(self.orders.at_once)
            try:
                while not self._round(pool):
                    self.stop.wait(LOOK_S)
            finally:
                self.stop.set()
                if busy := sum(not one.done() for one in self._in_hand.values()):
                    say(f"  … ending; {busy} under way are followed by the next watch")
                pool.shutdown(cancel_futures=True)
        if self._fatal:
            raise StackError(self._fatal)
        return 1 if self.orders.once and self._failures else 0

    def _round(self, pool: ThreadPoolExecutor) -> bool:
        """True when there is nothing more to do."""
        for path in [path for path, work in self._in_hand.items() if work.done()]:
            # A bug of ours must not look like a quiet folder.
            self._in_hand.pop(path).result()
        if self._fatal or self.stop.is_set():
            return True
        now = self.now()
        whole, unsettled = self.inbox.look(now, settle_s=self.orders.settle_s)
        ready = [one for one in whole if self._is_due(one, now)]
        for sight in ready[: self.orders.at_once - len(self._in_hand)]:
            self._in_hand[sight.path] = pool.submit(self._carry, sight)
        self._mention_strangers()
        return self.orders.once and not (self._in_hand or ready or unsettled)

    def _is_due(self, sight: Sight, now: float) -> bool:
        if sight.path in self._in_hand:
            return False
        if self.orders.once:
            return sight.path not in self._later
        return self._later.get(sight.path, now) <= now

    def _carry(self, sight: Sight) -> None:
        """One file from the folder to its end; whatever happens to it is said."""
        try:
            self._settle(sight, self._end_of(sight))
        except Stopped:
            return
        except FileNotFoundError:
            say(f"  {sight.name}: it went away")
        except PermissionError as error:
            # Somebody else's file may not be readable yet; the others are.
            self._postpone(sight, error.strerror or str(error))
        except OSError as error:
            self._fatal = f"{sight.name}: {error}"
        except (Away, Refused) as error:
            if isinstance(error, Refused) and error.status in UNWELCOME:
                self._fatal = str(error)
            else:
                self._postpone(sight, str(error))

    def _end_of(self, sight: Sight) -> End:
        """Raises Refused or Away for what says nothing about the file."""
        made = self.inbox.handed_in(sight, self.door.address)
        try:
            if made is None:
                made = self._hand_in(sight)
                self.inbox.note(sight, self.door.address, made)
                say(f"  {sight.name}: handed in as {made}")
            return self._followed(sight, made)
        except Refused as refusal:
            if refusal.status == HTTPStatus.NOT_FOUND and made is not None:
                # Another database stands behind the address now.
                self.inbox.forget(sight)
                return self._end_of(sight)
            if refusal.may_pass or refusal.status in (*UNWELCOME, HTTPStatus.CONFLICT):
                raise
            return End("refused", made or "", str(refusal))

    def _hand_in(self, sight: Sight) -> str:
        wishes, key = Wishes(self.orders.priority), key_of(sight, self.orders.priority)
        if _is_archive(sight):
            batch = self.door.submit_archive(sight.path, wishes=wishes, idempotency_key=key)
            return str(batch.batch_id)
        accepted = self.door.submit(sight.path, wishes=wishes, idempotency_key=key)
        return str(accepted.document_id)

    def _followed(self, sight: Sight, made: str) -> End:
        if _is_archive(sight):
            batch = self.door.wait_batch(UUID(made))
            why = _why_not_all(batch)
            return End("not all was read" if why else "completed", made, why)
        status = self.door.wait(UUID(made))
        why = "" if status.was_read else status.error_message or f"It was {status.status}."
        return End(status.status, made, why)

    def _settle(self, sight: Sight, end: End) -> None:
        if sight_of(sight.path) != sight:
            self.inbox.forget(sight)
            say(f"  {sight.name}: it changed meanwhile and is handed in anew")
            return
        folder = FAILED if end.why else DONE
        target = self.inbox.move(sight, folder, self._reason(sight, end) if end.why else "")
        self._failures += bool(end.why)
        moved = Sight(target, sight.size, sight.mtime_ns)
        told = f"{end.status} ({end.why.splitlines()[0]})" if end.why else end.status
        say(f"  {sight.name}: {told} → {folder}/{moved.name}")

    def _reason(self, sight: Sight, end: End) -> str:
        lines = (
            f"{sight.name}: {end.status}",
            "",
            end.why,
            *(hint for code, hint in HINTS.items() if end.why.startswith(code)),
            "",
            f"Handed in to {self.door.address}" + (f" as {end.made}" if end.made else ""),
            f"Known since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
        )
        return "\n".join(lines) + "\n"

    def _postpone(self, sight: Sight, why: str) -> None:
        self._later[sight.path] = self.now() + TRY_AGAIN_S
        self._failures += 1
        again = "it stays where it is" if self.orders.once else "it is tried again later"
        complain(f"  {sight.name}: {why}; {again}")

    def _mention_strangers(self) -> None:
        for name in self.inbox.strangers():
            if name not in self._mentioned:
                self._mentioned.add(name)
                say(f"  {name}: left alone, it is no document")


def _is_archive(sight: Sight) -> bool:
    return sight.path.suffix.lower() == ARCHIVE_SUFFIX


def _why_not_all(batch: Batch) -> str:
    refused = [f"{one.filename}: {one.detail or one.reason}" for one in batch.rejected]
    ended = [
        f"{one.filename}: {one.status} {one.error_message or ''}".rstrip()
        for one in batch.items
        if one.status not in READ
    ]
    return "\n".join([*refused, *ended])

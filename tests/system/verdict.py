"""What `deploy/verify` says of a stack, and of one in which a promise was broken by hand.

A promise is broken inside a transaction that is judged and then rolled back: the services of
the stack never see it, and the next test finds the stack as it was.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeAlias

import asyncpg

from deploy.local.verifying import sources_of
from deploy.verify.database import Snapshot
from deploy.verify.looking import Orders, Sources
from deploy.verify.promises import State, Verdict
from deploy.verify.report import as_text
from deploy.verify.verifying import orders_for, verify
from tests.eventually import eventually
from tests.gemini_double.server import GeminiDouble
from tests.system.records import Records
from tests.system.stack import Stack

Broken: TypeAlias = dict[str, set[str]]
AT_ONCE = Orders(at_rest=True, deep=True, repairs_allowed=0)
AT_WORK_AT_ONCE = Orders()


def sources(stack: Stack, provider: GeminiDouble | None = None) -> Sources:
    written = stack.history.path
    return sources_of(
        stack.state,
        history=written if written.exists() else None,
        provider_url=provider.url if provider else None,
    )


def secrets_of(stack: Stack) -> tuple[str, ...]:
    """Keys and passwords of all its servers and services, as they were made for it."""
    machine = sources(stack).machine
    return machine.secrets if machine else ()


async def require_promises_kept(
    stack: Stack,
    provider: GeminiDouble | None = None,
    *,
    deep: bool = True,
    repairs_allowed: int | None = 0,
) -> list[Verdict]:
    """Of a stack at rest; deep, every byte of it. What was found, where nothing is broken."""
    orders = orders_for(at_rest=True, deep=deep, repairs_allowed=repairs_allowed, say=False)
    judging = verify(sources(stack, provider), orders)
    # In a thread: it reads objects without giving way, and who stands between it and the object
    # store may be a task of ours.
    found = await asyncio.to_thread(asyncio.run, judging)
    unkept = [one for one in found if one.state in (State.BROKEN, State.UNKNOWN)]
    assert not unkept, f"\n{as_text(unkept)}"
    return found


async def require_rest(stack: Stack) -> None:
    await eventually(Records(stack).is_quiet, within_s=60, every_s=0.25)


def broken(found: Sequence[Verdict]) -> Broken:
    """Which promises, and by whom."""
    return {
        one.promise: {offender.subject for offender in one.offenders}
        for one in found
        if one.state in (State.BROKEN, State.UNKNOWN)
    }


def seen_by(found: Sequence[Verdict]) -> Broken:
    """By which checks, each as "I1 told_twice", and whom they name; of what could not be judged
    there is the promise alone."""
    seen: Broken = {one.promise: set() for one in found if one.state is State.UNKNOWN}
    for one in found:
        for offender in one.offenders:
            seen.setdefault(f"{one.promise} {offender.check}", set()).add(offender.subject)
    return seen


def news(found: Broken, before: Broken) -> Broken:
    """Without what was broken already, by this subject."""
    left = {name: who - before.get(name, set()) for name, who in found.items()}
    return {name: who for name, who in left.items() if who or name not in before}


@asynccontextmanager
async def broken_by(stack: Stack, sql: str) -> AsyncIterator[Sources]:
    connection = await asyncpg.connect(stack.database_url, timeout=5)
    transaction = connection.transaction()
    await transaction.start()
    try:
        # Triggers are there to refuse exactly this; whoever has all rights puts them off.
        await connection.execute("SET LOCAL session_replication_role = replica")
        await connection.execute(sql)
        yield replace(sources(stack), snapshot=lambda: _as_it_is(connection))
    finally:
        await transaction.rollback()
        await connection.close()


@asynccontextmanager
async def _as_it_is(connection: asyncpg.Connection) -> AsyncIterator[Snapshot]:
    yield Snapshot(connection)

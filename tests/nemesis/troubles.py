"""What each trouble does to a running stack, and how it is over.

Whatever was struck is whole again when its trouble has ended, except for what only an operator
brings back: at the end of all the stack is told `up`, as after an accident.
"""

import asyncio
import os
import signal
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import asyncpg

from deploy.local import postgres, rabbitmq
from deploy.local.errors import StackError
from tests.broker.vhosts import BrokerApi
from tests.eventually import eventually
from tests.faketime import start_skewed
from tests.fault_proxy import Fault, FaultProxy, Forward
from tests.gemini_double.ledger import Call
from tests.gemini_double.script import Step
from tests.gemini_double.server import GeminiDouble
from tests.nemesis.blow import Blow, is_held, wrote_with
from tests.nemesis.broker_troubles import (
    DOUBLES,
    blocking,
    connections_closed,
    messages_doubled,
    put_out_all,
)
from tests.nemesis.kinds import MODES, NETWORK, REFUSES, SKEWS
from tests.nemesis.pace import a_while
from tests.nemesis.plan import Trouble
from tests.nemesis.risk import Risk
from tests.nemesis.second import Second
from tests.system.logs import length_of, lines_since
from tests.system.stack import SERVICES, VHOST, Stack

END_SESSIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
NODES = (rabbitmq.COMPONENT, postgres.COMPONENT)
# Where they listen, by the names of their ports.
# How much longer a trouble waits for somebody to come by.
LONGER_S, COMES_BY_S = 12.0, 0.2


@dataclass(frozen=True, slots=True)
class Struck:
    stack: Stack
    # None: no provider is asked.
    provider: GeminiDouble | None = None
    # What lies between the services and what they speak to, by its name.
    ways: Mapping[str, FaultProxy] = field(default_factory=dict)
    # None: no clock can be moved here.
    faketime: Path | None = None
    # By the names of their processes.
    seconds: Mapping[str, Second] = field(default_factory=dict)
    risk: Risk = field(default_factory=Risk)
    # Two troubles of one thing would end each other: the second waits for its turn.
    _turns: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    def lacks(self, trouble: Trouble) -> str:
        """What there is not on this machine, so that the trouble would be none."""
        if trouble.kind in (*NETWORK, REFUSES) and trouble.target not in self.ways:
            return f"a way to the {trouble.target}"
        if trouble.kind in SKEWS and self.faketime is None:
            return "libfaketime"
        if trouble.target.endswith("-2") and trouble.target not in self.seconds:
            return f"an {trouble.target}"
        return ""

    async def by(self, trouble: Trouble) -> str:
        """Until it is over. Answers why nobody was struck, or with nothing."""
        blow = Blow()
        turn = self._turns[trouble.target] if trouble.target else nullcontext()
        async with turn, self._noting(trouble, blow), self._during(trouble, blow):
            await a_while(trouble.lasts_s)
            await _a_while_until(blow.is_met)
            if not blow.is_met():
                blow.missed = "nobody came by"
        return blow.missed

    @asynccontextmanager
    async def _noting(self, trouble: Trouble, blow: Blow) -> AsyncIterator[None]:
        began = time.time()
        try:
            yield
        finally:
            # Who was killed holds nothing any more: nothing is lost until another is there.
            self.risk.note(trouble, began, blow.over_at or time.time())

    def forget(self) -> None:
        """What was asked and lost before is judged, and excuses nothing that comes."""
        self.risk.forget()
        if self.provider is not None:
            self.provider.forget()

    @property
    def answered(self) -> list[Call]:
        """The calls that were paid for."""
        calls = self.provider.ledger.calls if self.provider else ()
        return [one for one in calls if (one.mode, one.status) == ("ok", HTTPStatus.OK)]

    def note_answers_at_risk(self) -> None:
        """Who lost an answer may ask for it once more, and nobody else."""
        for call, at in self.risk.lost(self.answered):
            self.stack.history.note("killed", service="extractor", at=at, sha256=call.sha256)

    async def heal(self) -> None:
        """Everything runs and is as it should be; what is owed may take its time."""
        if self.provider is not None:
            self.provider.will("ok")
        for way in self.ways.values():
            way.do(Forward())
            await way.admit()
        for component in (*SERVICES, *NODES, *self.seconds):
            _tell(self.stack.family(component), signal.SIGCONT)
        await self.stack.up()
        for second in self.seconds.values():
            await second.start()
        await put_out_all(self.stack)
        api = BrokerApi(self.stack.broker_api_url)
        for queue in await api.call("GET", f"queues/{VHOST}"):
            if queue["name"].startswith(DOUBLES):
                await api.call("DELETE", f"queues/{VHOST}/{queue['name']}")

    def _during(self, trouble: Trouble, blow: Blow) -> AbstractAsyncContextManager[None]:
        if trouble.kind in MODES:
            return self._provider_told(MODES[trouble.kind], blow)
        if trouble.kind in NETWORK:
            return self._on_the_way(self.ways[trouble.target], NETWORK[trouble.kind], blow)
        if trouble.kind == REFUSES:
            return self._refused(self.ways[trouble.target], blow)
        if trouble.kind in SKEWS:
            return self._with_another_clock(trouble.target, SKEWS[trouble.kind], blow)
        broker, database = rabbitmq.COMPONENT, postgres.COMPONENT
        kinds: Mapping[str, Callable[[], AbstractAsyncContextManager[None]]] = {
            "killed": lambda: self._without(trouble.target, self.stack.kill, blow),
            "stopped": lambda: self._without(trouble.target, self.stack.stop, blow),
            "frozen": lambda: self._frozen(trouble.target, blow),
            "broker_killed": lambda: self._without_node(broker, blow, kill=True),
            "broker_restarted": lambda: self._without_node(broker, blow, kill=False),
            "broker_frozen": lambda: self._broker_frozen(blow),
            "broker_blocks": lambda: blocking(self.stack, "memory", blow),
            "broker_is_full": lambda: blocking(self.stack, "disk", blow),
            "connections_closed": lambda: connections_closed(self.stack, blow),
            "database_killed": lambda: self._without_node(database, blow, kill=True),
            "database_restarted": lambda: self._without_node(database, blow, kill=False),
            "database_frozen": lambda: self._frozen(database, blow),
            "sessions_ended": lambda: self._sessions_ended(blow),
            "messages_doubled": lambda: messages_doubled(self.stack, blow),
        }
        return kinds[trouble.kind]()

    @asynccontextmanager
    async def _without(
        self, service: str, end: Callable[[str], Awaitable[None]], blow: Blow
    ) -> AsyncIterator[None]:
        blow.missed = "" if self.stack.runs(service) else f"{service} did not run"
        await end(service)
        assert not self.stack.runs(service), f"{service} runs on"
        blow.over_at = time.time()
        yield
        # With its database or its broker away it is not ready; then its trouble lasts longer.
        with suppress(StackError):
            if service in self.seconds:
                await self.seconds[service].start()
            else:
                await self.stack.start(service)

    @asynccontextmanager
    async def _without_node(self, node: str, blow: Blow, *, kill: bool) -> AsyncIterator[None]:
        blow.missed = "" if self.stack.has_node(node) else f"{node} did not run"
        await self.stack.stop_node(node, kill=kill)
        assert not self.stack.has_node(node), f"{node} is still there"
        yield
        await self.stack.start_node(node)

    @asynccontextmanager
    async def _frozen(self, component: str, blow: Blow) -> AsyncIterator[None]:
        pids = self.stack.family(component)
        blow.missed = "" if pids else f"{component} did not run"
        try:
            _tell(pids, signal.SIGSTOP)
            await eventually(lambda: all(map(is_held, pids)))
            yield
        finally:
            _tell(pids, signal.SIGCONT)

    @asynccontextmanager
    async def _broker_frozen(self, blow: Blow) -> AsyncIterator[None]:
        async with self.stack.undisturbed(), self._frozen(rabbitmq.COMPONENT, blow):
            yield

    @asynccontextmanager
    async def _sessions_ended(self, blow: Blow) -> AsyncIterator[None]:
        ended = 0
        # Down already, it has no sessions.
        with suppress(OSError, asyncpg.PostgresError, TimeoutError):
            connection = await asyncpg.connect(self.stack.database_url, timeout=5)
            try:
                ended = len(await connection.fetch(END_SESSIONS))
            finally:
                await connection.close()
        blow.missed = "" if ended else "it had no sessions"
        yield

    @asynccontextmanager
    async def _on_the_way(
        self, way: FaultProxy, fault: Fault, blow: Blow
    ) -> AsyncIterator[None]:
        way.do(fault)
        blow.is_met = lambda: way.struck > 0
        try:
            yield
        finally:
            way.do(Forward())

    @asynccontextmanager
    async def _refused(self, way: FaultProxy, blow: Blow) -> AsyncIterator[None]:
        """Who is thrown out is counted; who is turned away then is not seen by anybody."""
        way.do(Forward())
        await _a_while_until(lambda: way.connected > 0)
        await way.refuse()
        blow.missed = "" if way.struck else "nobody was connected"
        try:
            yield
        finally:
            await way.admit()

    @asynccontextmanager
    async def _with_another_clock(
        self, service: str, skew: str, blow: Blow
    ) -> AsyncIterator[None]:
        assert self.faketime is not None
        log = self.stack.state.log(service)
        length, is_up = length_of(log), False
        # Without its servers it does not come up, neither with this clock nor with its own.
        with suppress(StackError):
            await start_skewed(self.stack, service, skew, self.faketime)
            is_up = True
        # A library that could not be loaded is no more than a warning.
        has_moved = wrote_with(lines_since(log, length), skew, time.time())
        assert has_moved or not is_up, f"the clock of {service} is right"
        blow.missed = "" if has_moved else f"{service} did not come up"
        yield
        with suppress(StackError):
            await self.stack.start(service)

    @asynccontextmanager
    async def _provider_told(self, step: Step, blow: Blow) -> AsyncIterator[None]:
        assert self.provider is not None
        asked = self.provider.ledger.by_mode
        before = asked[step.mode]
        self.provider.script.tell(step)
        blow.is_met = lambda: asked[step.mode] > before
        try:
            yield
        finally:
            self.provider.will("ok")


async def _a_while_until(is_met: Callable[[], bool]) -> None:
    """Or until it has waited long enough for somebody to come by."""
    ends_at = time.monotonic() + LONGER_S
    while not is_met() and time.monotonic() < ends_at:
        await a_while(COMES_BY_S)


def _tell(pids: set[int], what: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)

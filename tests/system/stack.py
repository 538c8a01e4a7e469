"""A whole stack for a test session, handled as by its user: `./paperline up`, `down`, `node`.

Its folder is emptied first, so that every session begins with nothing, and left behind at the
end: after a failure the logs tell what happened.
"""

import asyncio
import json
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local import broker_api, postgres, processes, rabbitmq, services
from deploy.local.broker_users import VHOST
from deploy.local.credentials import SERVICES
from deploy.local.endpoints import endpoints
from deploy.local.errors import StackError
from deploy.local.ports import remembered
from deploy.local.state import REPOSITORY, State
from deploy.samples.invoices import INVOICES
from tests.nemesis.blow import listens
from tests.system.history import FILE, Recorder
from tests.system.invoices import telling

__all__ = ["SERVICES", "VHOST", "Stack"]

SAID_WITHIN_S = 60.0
# As the queues are now, where its statistics would tell what was true seconds ago.
COUNTED_NOW = f"queues/{VHOST}?disable_stats=true&enable_queue_totals=true"


@dataclass(frozen=True, slots=True)
class Stack:
    state: State

    @classmethod
    def below(cls, folder: Path) -> "Stack":
        return cls(State(folder.resolve()))

    async def begin_anew(self) -> None:
        # What a killed session left behind runs until somebody ends it.
        await self.down()
        shutil.rmtree(self.state.root, ignore_errors=True)
        await self.up()
        # Accounts and names of what is handed in: they belong into no log and no metric.
        self.history.canaries(text for one in INVOICES for text in telling(one))

    async def up(self) -> str:
        """What it said of its steps."""
        return await self._paperline("up")

    async def doctor(self) -> tuple[int, str]:
        """Its exit code, and what it said."""
        return await self.tried("doctor")

    async def tried(self, *words: str | Path) -> tuple[int, str]:
        """A command that may fail: its exit code, and what it said."""
        process = await self._start(*map(str, words))
        said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()

    async def backup(self, folder: Path) -> str:
        return await self._paperline("backup", str(folder))

    @asynccontextmanager
    async def demo(self, *words: str | Path) -> AsyncIterator["Demo"]:
        """`./paperline demo …` while it runs; ended, if need be, when the block ends."""
        process = await self._start("demo", *map(str, words))
        try:
            yield Demo(process)
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()

    async def down(self) -> None:
        await self._paperline("down")

    async def stop_node(self, node: str, *, kill: bool) -> None:
        await self._paperline("node", "stop", node, *(["--kill"] if kill else []))

    async def start_node(self, node: str) -> None:
        await self._paperline("node", "start", node)

    def has_node(self, node: str) -> bool:
        """Whether anybody listens at its port."""
        name = {rabbitmq.COMPONENT: "amqp", postgres.COMPONENT: postgres.COMPONENT}[node]
        return listens(remembered(self.state)[name])

    def family(self, component: str) -> set[int]:
        """The pids of a service's or a server's processes."""
        if component == postgres.COMPONENT:
            return postgres.family(self.state)
        return processes.family(self.state, component)

    def undisturbed(self) -> AbstractAsyncContextManager[None]:
        """Nobody else does anything to the broker meanwhile."""
        return nullcontext()

    async def kill(self, service: str, *, point: str | None = None) -> None:
        """Without a warning; only `up` brings it back. `point`, if it is known where it was."""
        self.history.note("killed", service=service, point=point)
        await asyncio.to_thread(processes.kill, self.state, service)

    async def stop(self, service: str) -> None:
        await asyncio.to_thread(processes.stop, self.state, service, patience_s=30.0)

    async def start(self, service: str) -> None:
        """When it has died, or its surroundings have changed."""
        await asyncio.to_thread(services.start, self.state, service, endpoints(self.state))
        await asyncio.to_thread(services.wait_ready, self.state, service)

    @asynccontextmanager
    async def armed(self, service: str, failpoint: str, **settings: str) -> AsyncIterator[None]:
        """Started anew with a failpoint before and, as it was, afterwards."""
        began = time.time()
        with pytest.MonkeyPatch.context() as surroundings:
            for name, text in ({"PAPERLINE_FAILPOINT": failpoint} | settings).items():
                surroundings.setenv(name, text)
            try:
                await self.start(service)
                yield
            finally:
                if ":kill" in failpoint:
                    point = failpoint.partition(":")[0]
                    self.history.note("killed", service=service, point=point, began=began)
                surroundings.undo()
                await self.start(service)

    def runs(self, service: str) -> bool:
        return processes.running(self.state, service) is not None

    def is_frozen(self, service: str) -> bool:
        """Stopped in the middle of what it did, as by a failpoint, until it is thawed."""
        return self._of_process(service, "State").startswith("T")

    def thaw(self, service: str) -> None:
        self.send_signal(service, signal.SIGCONT)

    def send_signal(self, service: str, number: signal.Signals) -> None:
        os.kill(self._pid(service), number)

    def resident_bytes(self, service: str) -> int:
        return int(self._of_process(service, "VmRSS").removesuffix(" kB")) * 1024

    def has_loaded(self, service: str, library: str) -> bool:
        """Into its own memory, not into that of a child."""
        return library in Path(f"/proc/{self._pid(service)}/maps").read_text()

    async def messages_in_queues(self) -> int:
        """Waiting or in hand."""
        try:
            found = await asyncio.to_thread(broker_api.get, self.broker_api_url, COUNTED_NOW)
        except StackError as error:
            raise AssertionError("the broker does not tell yet") from error
        assert found and all("messages" in one for one in found), found
        return sum(one["messages"] for one in found)

    async def is_consumed(self, queue: str) -> bool:
        words = ("list_queues", "-p", VHOST, "name", "consumers", "--silent")
        lines = await self.control(*words)
        counts = dict(line.split() for line in lines.strip().splitlines())
        return counts[queue] != "0"

    async def control(self, *words: str) -> str:
        """What the broker answers its administrator."""
        ports = remembered(self.state)
        return await asyncio.to_thread(rabbitmq.control, self.state, ports, *words)

    def last_events(self, service: str) -> list[str]:
        """How the process tells its own end, in its log."""
        lines = self.state.log(service).read_text().splitlines()
        told = [json.loads(line) for line in lines if '"shared.process.drain"' in line]
        ends = [one["event"] for one in told]
        return ends[-ends[::-1].index("process_stopping") - 1 :]

    def address(self, port_name: str) -> str:
        return f"http://127.0.0.1:{remembered(self.state)[port_name]}"

    @property
    def ops_ports(self) -> dict[str, int]:
        known = remembered(self.state)
        return {service: known[f"{service}_ops"] for service in SERVICES}

    @property
    def key(self) -> str:
        return (self.state.root / "key").read_text().strip()

    @property
    def database_url(self) -> str:
        """With the rights of the server's owner: a test looks into every schema."""
        port = remembered(self.state)[postgres.COMPONENT]
        return postgres.admin_url(self.state, port, database="paperline")

    @property
    def broker_api_url(self) -> str:
        return endpoints(self.state).broker_api["admin"]

    @property
    def history(self) -> Recorder:
        """What its clients sent and were told."""
        return Recorder(self.state.root / FILE)

    @property
    def screens(self) -> Path:
        """Pictures of the pages, for a person to look at after the tests."""
        return self.state.root.parent / "screens"

    @property
    def blobs(self) -> Path:
        return self.state.blobs

    def _of_process(self, service: str, what: str) -> str:
        """A line of what the kernel tells of it."""
        told = Path(f"/proc/{self._pid(service)}/status").read_text()
        return dict(line.split(":\t", 1) for line in told.splitlines() if ":\t" in line)[
            what
        ].strip()

    def _pid(self, service: str) -> int:
        process = processes.running(self.state, service)
        assert process is not None, f"{service} does not run"
        return process.pid

    async def _paperline(self, *words: str) -> str:
        process = await self._start(*words)
        said, _ = await process.communicate()
        assert process.returncode == 0, f"./paperline {' '.join(words)}:\n{said.decode()}"
        return said.decode()

    async def _start(self, *words: str) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            str(REPOSITORY / "paperline"),
            *("--state", str(self.state.root)),
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )


@dataclass(slots=True)
class Demo:
    """A demo on its way, as the person before the terminal sees it."""

    process: asyncio.subprocess.Process
    said: str = ""

    @property
    def runs(self) -> bool:
        return self.process.returncode is None

    async def says(self, words: str) -> None:
        """Reads on until these words were said; whoever ended without them is quoted."""
        assert self.process.stdout is not None
        async with asyncio.timeout(SAID_WITHIN_S):
            while words not in self.said:
                line = await self.process.stdout.readline()
                assert line, f"ended without saying {words!r}:\n{self.said}"
                self.said += line.decode()

    async def ends(self) -> int:
        rest, _ = await self.process.communicate()
        self.said += rest.decode()
        assert self.process.returncode is not None
        return self.process.returncode

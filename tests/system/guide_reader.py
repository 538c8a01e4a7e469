"""Somebody who types what the guides show, on the shared stack.

They stand in a copy of the checkout, so that what a command writes is written there; `curl`
ends with an error where the answer is one; and what a guide leaves to its reader (`$ID`,
`KEY_ID`, `<queue>`) is what such a reader would have before them.
"""

import asyncio
import json
import os
import re
import shutil
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from deploy.local import rabbitmq
from deploy.local.credentials import SERVICES
from deploy.local.packages import VENV
from deploy.local.ports import remembered
from deploy.local.rights import rights
from tests.house.repository import ROOT, committed_files
from tests.system.client import Client
from tests.system.guide_material import Material
from tests.system.invoices import invoice
from tests.system.surroundings import OF_PYTHON, TOLD_BY_TESTS

TYPED_WITHIN_S, TAIL = 120.0, 3000
# A whole tier of tests, with servers of its own.
A_TIER, A_TIER_WITHIN_S = "./paperline test ", 1200.0
# Of the checkout before those of the machine, as after `source .venv/bin/activate`.
PROGRAMS = f'export PATH="{VENV / "bin"}:$PATH"'
ADVICE = (
    "Mend the guide or the program. A word that a reader replaces (`KEY_ID`, `<queue>`, `$ID`)"
    " or something that has to be done before gets its line in tests/system/guide_reader.py or"
    " guide_material.py; a command that cannot be typed here gets a line in"
    " tests/house/commands_elsewhere.py, with the reason and the test that runs it."
)
# Whoever was started in the background hands on that an interrupt means nothing.
INTERRUPTED = ("--default-signal=INT",)
# Those that go on until somebody has seen enough, and what they say by then.
ENDLESS: Mapping[str, str] = {
    "./paperline logs ingest -f": '"event"',
    "./paperline watch FOLDER": "completed",
}
# Programs that write what is committed: afterwards it has to be as it was.
WRITES_WHAT_IS_COMMITTED = re.compile(
    r"-m (?:deploy\.(?!secrets)|shared\.contracts|tests\."
    r"|shared\.topology (?:asyncapi|picture))"
    # Newer versions are taken only when it is asked for them.
    r"|^deploy/lock\.sh"
)
_RABBITMQ = re.compile(r"rabbitmq[\w-]* ")
_MODULE = re.compile(r"python3? -m (services|shared)\.(\w+)")
_OF_A_SERVICE = re.compile(r"--service (\w+)")


@dataclass(frozen=True, slots=True)
class Said:
    """What was typed, and what came of it."""

    text: str
    code: int
    output: str
    complaints: str

    @property
    def story(self) -> str:
        # Apart, or a dump of all threads on the one would hide what failed on the other.
        said, complained = self.output[-TAIL:], self.complaints[-TAIL:]
        told = f"it ended with {self.code}, said\n{said}\nand complained\n{complained}"
        return f"typed as\n{self.text}\n{told}\n{ADVICE}"

    def lacks(self, shown: Any) -> list[str]:  # noqa: ANN401 -- any JSON
        """The fields that a guide says are answered and that are not."""
        return list(_missing(shown, json.loads(self.output), "")) if shown else []


def _missing(shown: Any, found: Any, place: str) -> list[str]:  # noqa: ANN401 -- any JSON
    if isinstance(shown, list):
        pairs = zip(shown, found if isinstance(found, list) else [], strict=False)
        inner = [_missing(one, other, f"{place}[]") for one, other in pairs]
        short = [f"{place}[]"] if shown and not found else []
        return [*short, *(one for each in inner for one in each)]
    if not isinstance(shown, dict):
        return []
    if not isinstance(found, dict):
        return [place]
    absent = [f"{place}.{name}" for name in shown.keys() - found.keys()]
    inner = [
        _missing(shown[one], found[one], f"{place}.{one}") for one in shown if one in found
    ]
    return absent + [one for each in inner for one in each]


@dataclass(slots=True)
class Reader:
    material: Material
    _known: dict[str, str] = field(default_factory=dict)

    async def types(self, command: str) -> Said:
        await self._prepare(command)
        text = await self._filled(command)
        if text.startswith("SELECT "):
            return await self._ask_the_database(text)
        return await self._run(text, enough=ENDLESS.get(command, ""))

    def changed(self) -> list[str]:
        """Of what is committed: what is not in the copy as it is in the repository."""
        return [
            str(one)
            for one in committed_files()
            if (there := self.material.folder / str(one)).exists()
            and there.read_bytes() != one.path.read_bytes()
        ]

    async def _prepare(self, command: str) -> None:
        for pattern, prepare in BEFORE.items():
            if re.search(pattern, command):
                await prepare(self.material)

    async def _filled(self, command: str) -> str:
        text = command
        for pattern, value in REPLACED.items():
            if re.search(pattern, text):
                text = re.sub(pattern, _said_plainly(await self._value(value)), text)
        left = re.findall(r"<[a-z_]+>|…", text)
        assert not left, f"{left} is left to the reader in\n{command}\n{ADVICE}"
        return text

    async def _value(self, value: "Value") -> str:
        if value in FRESH:
            return await value(self.material)
        name = value.__qualname__
        if name not in self._known:
            self._known[name] = await value(self.material)
        return self._known[name]

    async def _variables(self, text: str) -> dict[str, str]:
        named = set(re.findall(r"\$\{?([A-Z][A-Z_]*)", text))
        unknown = sorted(named - VARIABLES.keys())
        assert not unknown, f"nobody says what {unknown} is in\n{text}\n{ADVICE}"
        return {name: await self._value(VARIABLES[name]) for name in named}

    async def _run(self, text: str, *, enough: str) -> Said:
        surroundings = {**self._surroundings(text), **await self._variables(text)}
        told = [f"{name}={value}" for name, value in surroundings.items()]
        # What the shared stack was told holds for commands about it, and for no other.
        apart = TOLD_BY_TESTS if text.startswith(A_TIER) else OF_PYTHON
        shell = ("bash", "-euo", "pipefail", "-c", f"{PROGRAMS}\n{text}")
        process = await asyncio.create_subprocess_exec(
            *("env", *INTERRUPTED, *(f"--unset={name}" for name in apart), *told, *shell),
            cwd=self.material.folder,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )
        try:
            within_s = A_TIER_WITHIN_S if text.startswith(A_TIER) else TYPED_WITHIN_S
            async with asyncio.timeout(within_s):
                begun = await _until(process, enough)
                rest, complaints = await process.communicate()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode is not None
        output = begun + rest.decode()
        stopped = bool(enough) and enough in output
        return Said(text, 0 if stopped else process.returncode, output, complaints.decode())

    async def _ask_the_database(self, text: str) -> Said:
        connection = await asyncpg.connect(self.material.client.stack.database_url)
        try:
            rows = await connection.fetch(text)
        except asyncpg.PostgresError as error:
            return Said(text, 1, "", str(error))
        finally:
            await connection.close()
        return Said(text, 0, json.dumps([list(row.keys()) for row in rows]), "")

    def _surroundings(self, text: str) -> dict[str, str]:
        state = self.material.client.stack.state
        home = str(self.material.home)
        plain = {"CURL_HOME": home, "HOME": home, "PAPERLINE_STATE": str(state.root)}
        if _RABBITMQ.match(text):
            return {**plain, **rabbitmq.tools(state, remembered(state))}
        module = _MODULE.search(text)
        if module is None or text.startswith("./paperline"):
            return plain
        if module[2] == "topology":
            return plain | rights(state, "topology")
        named = _OF_A_SERVICE.search(text)
        owner = named[1] if named else module[2]
        return plain | rights(state, owner if owner in SERVICES else "ingest")


def _said_plainly(text: str) -> Callable[[re.Match[str]], str]:
    """A backslash in it means nothing."""
    return lambda _: text


async def _until(process: asyncio.subprocess.Process, enough: str) -> str:
    """Reads on until these words were said, and then interrupts it."""
    said = ""
    while enough and enough not in said:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            return said
        said += line.decode()
    if enough:
        os.killpg(process.pid, signal.SIGINT)
    return said


Value = Callable[[Material], Awaitable[str]]
VARIABLES: Mapping[str, Value] = {
    "PAPERLINE": Material.ingest,
    "INGEST": Material.ingest,
    "REVIEW": Material.review,
    "MONITOR": Material.monitor,
    "STORAGE": Material.storage,
    "KEY": Material.key,
    "ID": Material.document,
    "LETTER": Material.letter,
    "BATCH": Material.batch,
    "PWD": Material.checkout,
}
# What a guide leaves to its reader to put in, the particular before the general.
REPLACED: Mapping[str, Value] = {
    r"(?<=evaluate )FOLDER\b": Material.corpus,
    r"(?<=watch )FOLDER\b": Material.inbox,
    r"(?<==)FILE\b": Material.configuration,
    r"\bKEY_ID\b": Material.key_of_somebody,
    r"(?<=sign-out )OWNER\b": Material.somebody_signed_in,
    r"(?<=services\.)<name>": Material.service,
    r"<queue>": Material.queue,
    r"<id>": Material.document,
    r"<address>": Material.tls_server,
    r"<pid>": Material.session,
    r"(?<=--reason )…": Material.word,
    r"(?<=import_definitions )FILE\b": Material.definitions,
    r'(?<="sha256": ")…': Material.batch_digest,
    r"…(?=\"})": Material.reason,
}
# Those that a command uses up.
FRESH = {Material.key_of_somebody, Material.somebody_signed_in, Material.letter}
# What has been done when a reader comes to the command.
BEFORE: Mapping[str, Callable[[Material], Awaitable[object]]] = {
    r"/batches\b": Material.batch,
    r"/resume\b": Material.pause_the_queue,
    r"pre-commit install": Material.repository,
    r"delete_user guest": Material.guest,
}


@asynccontextmanager
async def reader_of(client: Client, folder: Path) -> AsyncIterator[Reader]:
    await asyncio.to_thread(_copy_the_checkout, folder)
    (folder / "invoice-17.pdf").write_bytes(invoice())
    async with AsyncExitStack() as undo:
        home = folder.with_name("home")
        home.mkdir(exist_ok=True)
        # An answer of 4xx or 5xx is shown, and is a failure.
        (home / ".curlrc").write_text("fail-with-body\n")
        yield Reader(Material(client, folder, home, undo))


def _copy_the_checkout(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for one in committed_files():
        there = folder / str(one)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(one.path, there)
    # The program of this checkout: the stack runs its code, and would be restarted for another.
    (folder / "paperline").unlink()
    (folder / "paperline").symlink_to(ROOT / "paperline")
    (folder / ".venv").symlink_to(VENV)

"""What stands before a reader who has come to a command: documents, keys, letters, folders."""

import asyncio
import json
import re
import ssl
import subprocess
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from secrets import token_hex
from typing import Any

import asyncpg

from deploy.local import rabbitmq
from deploy.local.account import node_account, node_folder
from deploy.local.broker_node import DEFINITIONS
from shared.access.keys import key_id_of
from tests.eventually import eventually
from tests.house.repository import ROOT
from tests.system.client import Client
from tests.system.invoices import invoice
from tests.system.keys import issued_key
from tests.system.operating import locked
from tests.system.payloads import e_invoice

# Nothing comes through it while no file is split.
CALM = "ingest.split"
EXAMPLE = re.compile(r"^```json\n(.+?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(slots=True)
class Material:
    client: Client
    folder: Path
    home: Path
    undo: AsyncExitStack
    _batch: dict[str, Any] = field(default_factory=dict)

    async def ingest(self) -> str:
        return self.client.stack.address("ingest_api")

    async def review(self) -> str:
        return self.client.stack.address("review_api")

    async def monitor(self) -> str:
        return self.client.stack.address("monitor_api")

    async def storage(self) -> str:
        return self.client.stack.address("storage_api")

    async def key(self) -> str:
        return self.client.stack.key

    async def checkout(self) -> str:
        return str(self.folder)

    async def document(self) -> str:
        """Read, and at the desk."""
        return str(await self.client.to_review(invoice(), filename="read.pdf"))

    async def letter(self) -> str:
        document_id = await locked(self.client, "locked.pdf")
        [letter] = await self.client.letters(document_id)
        return str(letter["letter_id"])

    async def batch(self) -> str:
        return str((await self._given())["batch_id"])

    async def batch_digest(self) -> str:
        return str((await self._given())["sha256"])

    async def _given(self) -> dict[str, Any]:
        """Of the consumer in the guide, which is given the same until it acknowledges it."""
        if not self._batch:
            certain = e_invoice("Nord", f"G-{token_hex(4)}")
            document_id = await self.client.to_review(certain, filename="erp.xml")
            approved = await self.client.approve(document_id)
            assert approved.status_code == HTTPStatus.OK, approved.text
            put = await self.client.put("storage", "/v1/consumers/erp", json={})
            assert put.is_success, put.text

            async def is_given() -> bool:
                answer = await self.client.post("storage", "/v1/consumers/erp/batches")
                if answer.status_code == HTTPStatus.OK:
                    self._batch = answer.json()
                return bool(self._batch)

            await eventually(is_given, within_s=30, every_s=0.2)
        return self._batch

    async def corpus(self) -> str:
        """A document with known answers, in the form that the guide shows."""
        folder = self.folder / "corpus"
        (folder / "files").mkdir(parents=True, exist_ok=True)
        shown = EXAMPLE.findall((ROOT / "deploy/EVALUATION.md").read_text())
        documents, truth = (json.loads(one) for one in shown)
        (folder / documents["file"]).write_bytes(invoice())
        for name, one in (("documents", documents), ("truth", truth)):
            (folder / f"{name}.jsonl").write_text(json.dumps(one) + "\n")
        return str(folder)

    async def inbox(self) -> str:
        folder = self.folder / "inbox"
        folder.mkdir(exist_ok=True)
        (folder / "dropped.pdf").write_bytes(invoice())
        return str(folder)

    async def configuration(self) -> str:
        return str(self.folder / "deploy/configs/extraction_module_schema.yaml")

    async def key_of_somebody(self) -> str:
        key = await issued_key(self.client.stack, f"bob-{token_hex(3)}", "submitter")
        return str(key_id_of(key))

    async def somebody_signed_in(self) -> str:
        owner = f"carol-{token_hex(3)}"
        key = await issued_key(self.client.stack, owner, "reviewer")
        address = await self.ingest()
        answer = await self.client.http.post(
            f"{address}/v1/session", json={"key": key}, headers={"Origin": address}
        )
        assert answer.is_success, answer.text
        self.client.http.cookies.clear()
        return owner

    async def service(self) -> str:
        return "storage"

    async def queue(self) -> str:
        return CALM

    async def reason(self) -> str:
        return "as the guide says"

    async def word(self) -> str:
        return "stolen"

    async def session(self) -> str:
        """Of the database, with somebody who has forgotten it."""
        connection = await asyncpg.connect(self.client.stack.database_url)
        self.undo.callback(connection.terminate)
        return str(await connection.fetchval("SELECT pg_backend_pid()"))

    async def definitions(self) -> str:
        folder = node_folder(self.client.stack.state, rabbitmq.COMPONENT, node_account())
        return str(folder / DEFINITIONS)

    async def pause_the_queue(self) -> str:
        why = {"reason": "to be resumed by the guide", "for_s": 600}
        paused = await self.client.post("monitor", f"/ops/v1/queues/{CALM}/pause", json=why)
        assert paused.is_success, paused.text
        return CALM

    async def repository(self) -> str:
        await asyncio.to_thread(_run, "git", "init", "--quiet", str(self.folder))
        return str(self.folder)

    async def guest(self) -> str:
        """The account that a broker comes with, which ours never had."""
        name = "guest"
        await self.client.stack.control("add_user", name, token_hex(16))
        return name

    async def tls_server(self) -> str:
        """Somebody's, with a certificate that ends tomorrow."""
        certificate, key = self.home / "certificate.pem", self.home / "key.pem"
        made = ("openssl", "req", "-x509", "-nodes", "-days", "1", "-subj", "/CN=localhost")
        await asyncio.to_thread(
            _run, *made, "-newkey", "rsa:2048", "-keyout", str(key), "-out", str(certificate)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)

        async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()

        server = await asyncio.start_server(hang_up, "127.0.0.1", 0, ssl=context)
        self.undo.callback(server.close)
        return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)

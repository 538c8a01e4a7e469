"""`./paperline backup`: everything of a stack that cannot be made again, taken while it works.

Most objects are copied before anything is held back. Then comes the moment of the snapshot, the
dump of what it shows, and what the store has got meanwhile: so the objects are at least as new
as the rows. The broker is not in it: at that moment it holds nothing that is not a row.
"""

import asyncio
import os
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from deploy.local import archive, keys, postgres, processes, provision, rabbitmq, servers
from deploy.local.archive import Archive, Gathering, Manifest
from deploy.local.credentials import credentials
from deploy.local.endpoints import (
    endpoints,
    has_private_broker,
    has_private_database,
    has_private_store,
)
from deploy.local.errors import StackError
from deploy.local.moment import Moment, moment
from deploy.local.report import say, step
from deploy.local.state import State, changing, read_json, write_json, write_private

# A dump is smaller than its tables; the store's own copy is not.
ROOM_FACTOR = 1.1
MEBIBYTE = 1 << 20


def backup(state: State, folder: Path, *, within_s: float) -> int:
    require_private("backup")
    for node in (postgres.COMPONENT, rabbitmq.COMPONENT):
        if processes.running(state, node) is None:
            raise StackError(
                f"{node} of this stack does not run, and a backup is taken from a running one: "
                f"./paperline{state.named} up"
            )
    began = time.monotonic()
    with changing(state):
        target = Archive(folder.resolve())
        target.create()
        _require_room(state, target)
        manifest = _take(state, target, within_s)
        _keep_secrets(state, target)
        archive.write_manifest(target, manifest)
        told = {"folder": str(target.root), "taken_at": manifest.taken_at}
        write_json(state.root / "backup.json", told)
    _tell(target, manifest, time.monotonic() - began)
    return 0


def last_backup(state: State) -> dict[str, str]:
    """Where it lies and when it was taken; nothing when none was."""
    return read_json(state.root / "backup.json")


def require_private(command: str) -> None:
    """Elsewhere the servers' own tools know more than we: how far back, on how many disks."""
    if not (has_private_database() and has_private_broker() and has_private_store()):
        raise StackError(
            f"{command} is for the private servers of a stack, and DATABASE_URL, AMQP_URL or "
            "S3_ENDPOINT names others. How those are kept and brought back: deploy/RUNBOOK.md, "
            '"Backup, and what comes back"'
        )


def _take(state: State, target: Archive, within_s: float) -> Manifest:
    gathering = Gathering(state.blobs, target.objects)
    with step("objects, while everything goes on") as work:
        work.note(f"{gathering.look()} copied")
    taken = asyncio.run(_dump(state, target, within_s))
    with step("objects that came meanwhile") as work:
        work.note(f"{gathering.look()} copied")
        archive.write_index(target, gathering.digests)
    owner = endpoints(state).database_owner
    revisions = {name: sorted(known) for name, known in provision.revisions(owner).items()}
    with step("digests"):
        return Manifest(
            taken_at=taken.taken_at,
            held_s=taken.held_s,
            server_major=taken.server_major,
            revisions=revisions,
            rows=taken.rows,
            left=taken.left,
            dump_sha256=archive.digest_of(target.dump),
            dump_bytes=target.dump.stat().st_size,
            index_sha256=archive.digest_of(target.index),
            objects=len(gathering.digests),
            object_bytes=gathering.object_bytes,
        )


async def _dump(state: State, target: Archive, within_s: float) -> Moment:
    owner = endpoints(state).database_owner
    with step("the moment: nothing is sent until the queues are empty") as work:
        async with moment(state, owner, within_s=within_s) as taken:
            work.note(f"{taken.held_s} s")
            await asyncio.to_thread(_run_dump, owner, taken.snapshot, target.dump)
            work.note(f"{target.dump.stat().st_size / MEBIBYTE:.1f} MiB dumped")
    return taken


def _run_dump(owner: str, snapshot: str, dump: Path) -> None:
    programs = servers.require(servers.postgres_programs(), "postgresql")
    run_with_password(
        [
            str(programs / "pg_dump"),
            "--format=custom",
            "--compress=1",
            f"--snapshot={snapshot}",
            "--lock-wait-timeout=60s",
            f"--file={dump}",
        ],
        owner,
    )


def run_with_password(command: list[str], url: str) -> None:
    """A program of PostgreSQL at this address; the list of processes shows no password."""
    parts = urlsplit(url)
    named = f"{parts.username}@{parts.hostname}:{parts.port}"
    attempt = subprocess.run(
        [*command, "--no-password", f"--dbname={urlunsplit(parts._replace(netloc=named))}"],
        env={**os.environ, "PGPASSWORD": unquote(parts.password or "")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if attempt.returncode:
        said = "\n".join(attempt.stderr.strip().splitlines()[-8:])
        raise StackError(f"{Path(command[0]).name} failed:\n{said}")


def _require_room(state: State, target: Archive) -> None:
    wanted = asyncio.run(_database_bytes(endpoints(state).database_owner))
    wanted += archive.bytes_in(state.blobs)
    free = shutil.disk_usage(target.root).free
    if free < wanted * ROOM_FACTOR:
        raise StackError(
            f"A backup needs up to {wanted * ROOM_FACTOR / MEBIBYTE:.0f} MiB, and "
            f"{target.root} has {free / MEBIBYTE:.0f} MiB free: name a folder on a larger disk"
        )


async def _database_bytes(owner: str) -> int:
    connection = await provision.connect(owner)
    try:
        return int(await connection.fetchval("SELECT pg_database_size(current_database())"))
    finally:
        await connection.close()


def _keep_secrets(state: State, target: Archive) -> None:
    write_json(target.secrets, archive.kept_secrets(credentials(state)))
    write_private(target.key, keys.remembered(state) + "\n")


def _tell(target: Archive, manifest: Manifest, took_s: float) -> None:
    documents = manifest.rows.get("ingest.documents", 0)
    say()
    say(f"  backed up to   {target.root}")
    say(f"  as it was at   {manifest.taken_at}; the whole took {took_s:.0f} s")
    say(
        f"  in it          {documents} documents, {sum(manifest.rows.values())} rows in "
        f"{len(manifest.rows)} tables, {manifest.objects} objects "
        f"({manifest.object_bytes / MEBIBYTE:.1f} MiB)"
    )
    for line in of_left(manifest.left):
        say(f"  {line}")
    say("  It holds everything your documents say, and the key of this stack: keep it as safe.")


def of_left(left: dict[str, int]) -> list[str]:
    if not left:
        return ["not in it      nothing: the broker was empty"]
    told = ", ".join(f"{count} of {name}" for name, count in sorted(left.items()))
    return [
        f"not in it      messages that the broker still held: {told}. Documents among them are "
        "ordered again by the sweep after a restore; deploy/RUNBOOK.md says about the others"
    ]

"""`./paperline restore`: a stack as it was at the moment of a backup, where there is none yet.

Whatever could go wrong is asked before anything is made: is the backup whole, do we know its
migrations, can our server read its dump, is the folder free. Then rows, objects and what only
one of both knows; the broker begins empty and gets its queues from the table, as ever.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from pathlib import Path

import asyncpg

from deploy.local import (
    agreement,
    archive,
    nodes,
    ports,
    postgres,
    processes,
    provision,
    servers,
    services,
    stack,
)
from deploy.local.agreement import Agreement
from deploy.local.archive import Archive, Manifest
from deploy.local.backup import of_left, require_private, run_with_password
from deploy.local.credentials import SERVICES, credentials
from deploy.local.endpoints import endpoints
from deploy.local.errors import StackError
from deploy.local.report import say, step
from deploy.local.state import REPOSITORY, State, changing, read_json, write_json, write_private

AUDITED = ("ingest", "storage", "review", "monitor")
SHOWN = 5
REVISION = re.compile(r'^revision = "(\w+)"$', re.MULTILINE)
MISSING = "missing-after-restore.txt"


def restore(state: State, folder: Path) -> int:
    """0 when all that the rows name is there, 1 when something is missing for good."""
    require_private("restore")
    source = Archive(folder.resolve())
    manifest = archive.read_manifest(source)
    _require_free(state)
    require_known(manifest.revisions, known_revisions(REPOSITORY))
    servers.install_servers(postgres=True, rabbitmq=True)
    _require_readable(manifest)
    with step("the backup is whole"):
        digests = _checked(source, manifest)
    with changing(state):
        agreed = _bring_back(state, source, manifest, digests)
    stack.up(state)
    for service in AUDITED:
        _verify_audit(state, service)
    return _tell(state, manifest, agreed)


def _require_free(state: State) -> None:
    running = [name for name in (*nodes.NODES, *SERVICES) if processes.running(state, name)]
    if running:
        raise StackError(
            f"A stack runs in {state.root} ({', '.join(running)}), and a restore would replace "
            "it: name another folder with --state, or stop it and move its folder away"
        )
    if (state.root / "secrets.json").exists() or any(state.root.glob("blobs/*")):
        raise StackError(
            f"{state.root} holds a stack already, and nothing of it is overwritten: name "
            "another folder with --state, or move this one away first"
        )


def known_revisions(repository: Path) -> set[str]:
    found = (
        REVISION.search(path.read_text())
        for path in repository.glob("s*/*/migrations/[0-9]*.py")
    )
    return {named[1] for named in found if named}


def require_known(revisions: Mapping[str, Sequence[str]], known: Set[str]) -> None:
    unknown = sorted({*chain(*revisions.values())} - known)
    if unknown:
        raise StackError(
            "The backup was made by a newer version, with migrations that are not known here "
            f"({', '.join(unknown[:SHOWN])}): restore it with that version"
        )


def _require_readable(manifest: Manifest) -> None:
    programs = servers.require(servers.postgres_programs(), "postgresql")
    ours = servers.major_version(programs)
    if ours < manifest.server_major:
        raise StackError(
            f"The backup is of PostgreSQL {manifest.server_major} and here is {ours}, which "
            "cannot read it: install the newer one, or set PAPERLINE_POSTGRES_BIN"
        )


def _checked(source: Archive, manifest: Manifest) -> dict[str, str]:
    for path, digest in (
        (source.dump, manifest.dump_sha256),
        (source.index, manifest.index_sha256),
    ):
        found = archive.digest_of(path) if path.exists() else "that of no file"
        if found != digest:
            raise StackError(
                f"{path} is not what was backed up (its digest is {found}, not {digest}): this "
                "copy of the backup is damaged, take another one"
            )
    return archive.read_index(source)


def _bring_back(
    state: State, source: Archive, manifest: Manifest, digests: dict[str, str]
) -> Agreement:
    write_json(state.root / "secrets.json", read_json(source.secrets))
    credentials(state)
    nodes.start_nodes(state)
    owner = endpoints(state).database_owner
    with step("rows") as work:
        _run_restore(state, source.dump)
        work.note(f"{_require_all(owner, manifest)} in {len(manifest.rows)} tables")
    with step("objects") as work:
        archive.put_objects_back(source, digests, state.blobs)
        work.note(f"{len(digests)}, each with its digest")
    write_private(state.root / "key", source.key.read_text())
    with step("rows and objects") as work:
        agreed = asyncio.run(agreement.reach(owner, digests))
        work.note(agreed.in_words())
    return agreed


def _run_restore(state: State, dump: Path) -> None:
    programs = servers.require(servers.postgres_programs(), "postgresql")
    port = ports.remembered(state)[postgres.COMPONENT]
    run_with_password(
        [str(programs / "pg_restore"), "--exit-on-error", "--jobs=2", str(dump)],
        postgres.admin_url(state, port, database="paperline"),
    )


def _require_all(owner: str, manifest: Manifest) -> int:
    found = asyncio.run(_counts(owner, list(manifest.rows)))
    differing = [
        f"{name}: {found[name]} instead of {count}"
        for name, count in manifest.rows.items()
        if found[name] != count
    ]
    if differing:
        raise StackError(
            f"Not everything came back ({', '.join(differing[:SHOWN])}): delete the state "
            "folder and restore again, from another copy if this repeats"
        )
    return sum(found.values())


async def _counts(owner: str, tables: Sequence[str]) -> dict[str, int]:
    connection: asyncpg.Connection = await provision.connect(owner)
    try:
        # The planner knows nothing of what has just come.
        await connection.execute("ANALYZE")
        return {
            name: await connection.fetchval(f"SELECT count(*) FROM {name}") for name in tables
        }
    finally:
        await connection.close()


def _verify_audit(state: State, service: str) -> None:
    with step(f"audit log of {service}") as work:
        said = services.run_module(
            ["shared.audit", "verify", "--service", service],
            {"PAPERLINE_DATABASE_URL": endpoints(state).database[service]},
        )
        work.note(f"{said.stdout.split()[0]} lines, whole")


def _tell(state: State, manifest: Manifest, agreed: Agreement) -> int:
    say()
    say(f"  as it was at   {manifest.taken_at}; what was accepted later has to come again:")
    say("                 who repeats it with the same Idempotency-Key doubles nothing")
    for line in of_left(manifest.left):
        say(f"  {line}")
    if not agreed.missing:
        return 0
    report = state.root / MISSING
    write_private(report, "".join(f"{key}\t{whose}\n" for key, whose in agreed.missing))
    for key, whose in agreed.missing[:SHOWN]:
        say(f"  ✗ missing      {whose}: {key}")
    say(
        f"  {len(agreed.missing)} objects that rows name are in no part of the backup; all of "
        f"them: {report}. Bring them back under these keys from elsewhere, or hand the "
        "documents in again."
    )
    return 1

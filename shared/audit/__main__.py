"""The audit log from the command line: `python -m shared.audit verify | head | export | check`.

`verify` proves a service's log in its database, against an earlier export when one is given;
`check` proves an export by itself, on any machine. What is broken ends with 1 and is named.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict

from shared.addresses import with_authority
from shared.audit.chain import Broken, Link
from shared.audit.reader import AuditLog, check_export, written, written_head
from shared.database.pool import DatabaseSettings, open_pool
from shared.errors import Retryable
from shared.secret_files import SettingsWithSecretFiles

EX_UNAVAILABLE = 69
EX_CONFIG = 78
SCHEMAS = ("ingest", "storage", "review", "monitor")


class Settings(SettingsWithSecretFiles):
    model_config = SettingsConfigDict(env_prefix="PAPERLINE_", frozen=True, extra="ignore")

    database_url: SecretStr
    # Whom the server has to be certified by, as every service is told.
    ca_file: Path | None = None

    @property
    def database_address(self) -> str:
        return with_authority(self.database_url.get_secret_value(), self.ca_file)


def main(arguments: list[str] | None = None) -> int:
    wanted = _parser().parse_args(arguments)
    if wanted.command == "check":
        return _say(_check(wanted.file))
    try:
        settings = Settings()
    except ValidationError:
        return _fail("PAPERLINE_DATABASE_URL must name the database of the log", EX_CONFIG)
    try:
        return asyncio.run(_run(wanted, settings))
    except Retryable as error:
        return _fail(f"the database does not answer: {error}", EX_UNAVAILABLE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m shared.audit", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="prove the chain in the database")
    verify.add_argument("--against", type=Path, help="an export whose head must still stand")
    head = commands.add_parser("head", help="the newest link, to be kept elsewhere")
    export = commands.add_parser("export", help="all of it as JSON Lines, to standard output")
    for command in (verify, head, export):
        command.add_argument("--service", choices=SCHEMAS, default="review")
    check = commands.add_parser("check", help="prove an export, without a database")
    check.add_argument("file", type=Path)
    return parser


async def _run(wanted: argparse.Namespace, settings: Settings) -> int:
    kept = _check(wanted.against) if getattr(wanted, "against", None) else None
    if isinstance(kept, Broken):
        return _say(kept)
    database = DatabaseSettings(dsn=settings.database_address, pool_min=1, pool_max=1)
    pool = await open_pool(database, schema=wanted.service, application="paperline-audit")
    try:
        return await _answer(AuditLog(pool), wanted.command, [kept] if kept else [])
    finally:
        await pool.close()


async def _answer(audit: AuditLog, command: str, kept: Sequence[Link]) -> int:
    if command == "export":
        async with aclosing(audit.export()) as parts:
            async for part in parts:
                text = written_head(part) if isinstance(part, Link) else written(part)
                sys.stdout.buffer.write(text)
        return 0
    if command == "head":
        return _say(await audit.head())
    proof = await audit.prove(kept)
    return _say(proof.broken or proof.head)


def _check(file: Path) -> Broken | Link:
    with file.open(encoding="utf-8") as lines:
        return check_export(lines)


def _say(found: Broken | Link) -> int:
    if isinstance(found, Broken):
        return _fail(f"line {found.seq}: {found.why}", 1)
    print(f"{found.seq}\t{found.hash.hex()}")
    return 0


def _fail(sentence: str, code: int) -> int:
    print(sentence, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

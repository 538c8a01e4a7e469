"""Keys and sign-ins from the command line: `python -m shared.access issue | limit | …`.

The first key of an installation cannot come through an API that asks for a key. It is written
to standard output alone, once, so that a script can keep it; everything else goes to stderr.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict

from shared.access.access import Access, KeyFacts
from shared.access.keys import Quota
from shared.access.roles import ROLES
from shared.access.sessions import Sessions
from shared.addresses import with_authority
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.errors import Retryable
from shared.secret_files import SettingsWithSecretFiles

EX_UNAVAILABLE = 69
EX_CONFIG = 78
DAY_S = 86_400


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
    try:
        settings = Settings()
    except ValidationError:
        return _fail("PAPERLINE_DATABASE_URL must name the database of the keys", EX_CONFIG)
    try:
        return asyncio.run(_run(wanted, settings))
    except Retryable as error:
        return _fail(f"the database does not answer: {error}", EX_UNAVAILABLE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m shared.access", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    issue = commands.add_parser("issue", help="make a key and write it to standard output")
    issue.add_argument("--owner", required=True)
    issue.add_argument("--role", required=True, action="append", choices=sorted(ROLES))
    issue.add_argument("--name", default="issued at the command line")
    issue.add_argument("--scope", action="append", default=[], help="narrow it to this")
    issue.add_argument("--days", type=float, help="how long it lives; for ever without")
    _add_quota(issue, required=False)
    limit = commands.add_parser("limit", help="agree on another quota for a key")
    limit.add_argument("key_id")
    _add_quota(limit, required=True)
    revoke = commands.add_parser("revoke", help="end a key and its sessions")
    revoke.add_argument("key_id")
    revoke.add_argument("--reason", required=True)
    sign_out = commands.add_parser("sign-out", help="end all sessions of somebody")
    sign_out.add_argument("owner")
    listing = commands.add_parser("list", help="what may be shown of the keys")
    listing.add_argument("--owner")
    return parser


def _add_quota(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Of one day in UTC. A change names both: what is not said must not go back to nothing."""
    for name in ("documents", "bytes"):
        parser.add_argument(
            f"--{name}-per-day",
            type=_amount,
            required=required,
            help=f"{name} handed in from midnight to midnight, UTC; `none` for no limit",
        )


def _amount(text: str) -> int | None:
    if text == "none":
        return None
    amount = int(text)
    if not 0 < amount < 1 << 63:
        raise ValueError
    return amount


async def _run(wanted: argparse.Namespace, settings: Settings) -> int:
    database = DatabaseSettings(dsn=settings.database_address, pool_min=1, pool_max=1)
    pool = await open_pool(database, schema="access", application="paperline-access")
    try:
        return await _answer(Access(pool), pool, wanted)
    finally:
        await pool.close()


async def _answer(access: Access, pool: Pool, wanted: argparse.Namespace) -> int:
    match wanted.command:
        case "issue":
            return await _issue(access, wanted)
        case "revoke":
            ended = await access.revoke(
                wanted.key_id, actor="command line", reason=wanted.reason
            )
            return 0 if ended else _fail(f"no living key {wanted.key_id}", 1)
        case "sign-out":
            count = await Sessions(pool).end_all(wanted.owner)
            return 0 if count else _fail(f"nobody is signed in as {wanted.owner}", 1)
        case "limit":
            agreed = await access.limit_key(wanted.key_id, _quota(wanted))
            return 0 if agreed else _fail(f"no living key {wanted.key_id}", 1)
        case _:
            for facts in await access.list_keys(wanted.owner):
                print(_one_line(facts))
            return 0


async def _issue(access: Access, wanted: argparse.Namespace) -> int:
    try:
        key = await access.issue(
            owner_id=wanted.owner,
            name=wanted.name,
            roles=wanted.role,
            scopes=wanted.scope,
            lifetime_s=wanted.days and wanted.days * DAY_S,
            quota=_quota(wanted),
        )
    except ValueError as error:
        return _fail(str(error), 2)
    print(key)
    return 0


def _quota(wanted: argparse.Namespace) -> Quota:
    return Quota(wanted.documents_per_day, wanted.bytes_per_day)


def _one_line(facts: KeyFacts) -> str:
    ends = facts.expires_at.isoformat() if facts.expires_at else "never ends"
    state = f"revoked {facts.revoked_at.isoformat()}" if facts.revoked_at else ends
    agreed = (facts.quota.documents_per_day, facts.quota.bytes_per_day)
    quota = "/".join("none" if one is None else str(one) for one in agreed)
    told = [facts.key_id, facts.owner_id, ",".join(facts.roles), state, quota, facts.name]
    return "\t".join(told)


def _fail(sentence: str, code: int) -> int:
    print(sentence, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())

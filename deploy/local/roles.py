"""The roles of the database, and how much each may take of it, wherever they are made.

A service that runs away must leave the others their connections. Its sessions set shorter times
by themselves; these hold for whoever enters with its password by another way.
"""

from collections.abc import Iterator, Mapping

from deploy.local.credentials import READER, SERVICES

OWNER = "paperline"
SERVICE_ROLES = tuple(f"{OWNER}_{service}" for service in SERVICES)
ROLES = (OWNER, READER, *SERVICE_ROLES)
# Of one service: ten for each process, with room for replicas and a deploy that overlaps.
SERVICE_CONNECTIONS_MAX = 60
# Migrations take turns, so a few are enough.
OWNER_CONNECTIONS_MAX = 20
LIMITS: Mapping[str, str] = {
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "60s",
    "lock_timeout": "30s",
}


def statements_for(role: str, password: str, *, exists: bool) -> Iterator[str]:
    # A role statement takes no parameters; names are ours and passwords are safe in a URL.
    most = OWNER_CONNECTIONS_MAX if role == OWNER else SERVICE_CONNECTIONS_MAX
    verb = "ALTER" if exists else "CREATE"
    yield f"{verb} ROLE {role} LOGIN PASSWORD '{password}' CONNECTION LIMIT {most}"
    if role != OWNER:
        for setting, value in LIMITS.items():
            yield f"ALTER ROLE {role} SET {setting} = '{value}'"


def statements_for_all(passwords: Mapping[str, str]) -> Iterator[str]:
    """All that a database with all of its roles is told."""
    for role in ROLES:
        yield from statements_for(role, passwords[f"database_{role}"], exists=True)
    yield from closing_statements(OWNER)
    yield from reader_statements(OWNER)


def closing_statements(database: str) -> Iterator[str]:
    """Of a database that belongs to the owner already."""
    yield f"REVOKE ALL ON DATABASE {database} FROM PUBLIC"
    for role in SERVICE_ROLES:
        yield f"GRANT CONNECT ON DATABASE {database} TO {role}"


def reader_statements(database: str) -> Iterator[str]:
    """Of whoever judges the system. It is let into each schema by the migrations, because
    `pg_read_all_data` would show it the passwords' hashes, too."""
    yield f"GRANT CONNECT ON DATABASE {database} TO {READER}"
    yield f"GRANT pg_read_all_stats TO {READER}"
    yield f"ALTER ROLE {READER} SET default_transaction_read_only = on"

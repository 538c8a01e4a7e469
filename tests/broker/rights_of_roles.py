"""What each role of the database may do: the table is the documentation, and it is tried.

A statement runs as each role, in a transaction that is rolled back. Rights are asked for before
rows are looked at, so `WHERE false` shows them and touches nothing. `{own}` is the role's own
schema, `{other}` each of the others in turn; the owner and the reader, who have none, are asked
about one of them all.
"""

from collections.abc import Mapping
from dataclasses import dataclass

SERVICES = ("ingest", "extractor", "storage", "review", "monitor")
OWNER = "owner"
# Of whoever verifies the system, and of nothing that runs.
READER = "reader"
ROLES = (OWNER, *SERVICES, READER)
EVERYBODY = frozenset(ROLES)
WHOSE_IT_IS = EVERYBODY - {READER}
NOBODY = frozenset[str]()
OWNER_ALONE = frozenset({OWNER})
EVERY_SERVICE = frozenset(SERVICES)
NOT_THE_OWNER = EVERYBODY - {OWNER}
WITH_AN_AUDIT = frozenset({"ingest", "storage", "review", "monitor"})
INGEST = frozenset({OWNER, "ingest"})


@dataclass(frozen=True, slots=True)
class Deed:
    what: str
    sql: str
    may: frozenset[str]
    # Of these alone it is asked: the others have no such table.
    asked: frozenset[str] = EVERYBODY


OWN_TABLES = "its own tables"
OWN_SHAPE = "the shape of its own schema"
AUDIT = "its own audit log"
OTHERS = "tables of others"
KEYS = "the keys, which ingest gives out and everybody reads"
SERVER = "the database and its server"

TABLE: Mapping[str, tuple[Deed, ...]] = {
    OWN_TABLES: (
        Deed("read", "SELECT * FROM {own}.outbox", EVERYBODY),
        Deed(
            "add",
            "INSERT INTO {own}.pauses SELECT * FROM {own}.pauses WHERE false",
            WHOSE_IT_IS,
        ),
        Deed("change", "UPDATE {own}.outbox SET type = type WHERE false", WHOSE_IT_IS),
        Deed("take away", "DELETE FROM {own}.outbox WHERE false", WHOSE_IT_IS),
        Deed("empty at once", "TRUNCATE {own}.outbox_later", OWNER_ALONE),
        Deed("see which migrations ran", "SELECT * FROM {own}.alembic_version", EVERYBODY),
        Deed(
            "say which migrations ran",
            "UPDATE {own}.alembic_version SET version_num = '' WHERE false",
            OWNER_ALONE,
        ),
    ),
    OWN_SHAPE: (
        Deed("make a table", "CREATE TABLE {own}.mine (id int)", OWNER_ALONE),
        Deed("add a column", "ALTER TABLE {own}.outbox ADD COLUMN mine int", OWNER_ALONE),
        Deed("drop a table", "DROP TABLE {own}.outbox_later", OWNER_ALONE),
        Deed("make an index", "CREATE INDEX mine ON {own}.outbox (type)", OWNER_ALONE),
        Deed(
            "make a function",
            "CREATE FUNCTION {own}.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            OWNER_ALONE,
        ),
        Deed(
            "turn its triggers off",
            "ALTER TABLE {own}.outbox DISABLE TRIGGER USER",
            OWNER_ALONE,
        ),
        Deed(
            "take a table over", "ALTER TABLE {own}.outbox OWNER TO CURRENT_USER", OWNER_ALONE
        ),
    ),
    AUDIT: (
        Deed(
            "read it",
            "SELECT * FROM {own}.audit_log, {own}.audit_head",
            EVERYBODY,
            asked=WITH_AN_AUDIT | {OWNER, READER},
        ),
        Deed(
            "add a line",
            "INSERT INTO {own}.audit_log (entry) SELECT entry FROM {own}.audit_log WHERE false",
            WHOSE_IT_IS,
            asked=WITH_AN_AUDIT | {OWNER, READER},
        ),
        # Even the owner, who would have to take the trigger away first.
        Deed(
            "change a line",
            "UPDATE {own}.audit_log SET entry = entry WHERE false",
            NOBODY,
            asked=WITH_AN_AUDIT | {OWNER, READER},
        ),
        Deed(
            "take a line away",
            "DELETE FROM {own}.audit_log WHERE false",
            NOBODY,
            asked=WITH_AN_AUDIT | {OWNER, READER},
        ),
        Deed(
            "empty it",
            "TRUNCATE {own}.audit_log",
            NOBODY,
            asked=WITH_AN_AUDIT | {OWNER, READER},
        ),
        Deed(
            "take its head away",
            "DELETE FROM {own}.audit_head WHERE false",
            NOBODY,
            asked=WITH_AN_AUDIT | {OWNER, READER},
        ),
        Deed(
            "move its head",
            "UPDATE {own}.audit_head SET seq = seq WHERE false",
            NOBODY,
            asked=WITH_AN_AUDIT | {READER},
        ),
    ),
    OTHERS: (
        Deed("read", "SELECT * FROM {other}.outbox", frozenset({READER}), asked=NOT_THE_OWNER),
        Deed(
            "add",
            "INSERT INTO {other}.outbox DEFAULT VALUES",
            NOBODY,
            asked=NOT_THE_OWNER,
        ),
        Deed("change", "UPDATE {other}.pauses SET reason = ''", NOBODY, asked=NOT_THE_OWNER),
        Deed("take away", "DELETE FROM {other}.inbox", NOBODY, asked=NOT_THE_OWNER),
        Deed("make a table", "CREATE TABLE {other}.mine (id int)", NOBODY, asked=NOT_THE_OWNER),
        Deed(
            "change what a document is",
            "UPDATE ingest.documents SET status = status WHERE false",
            INGEST,
        ),
        Deed(
            "change what was read, or a person decided",
            "UPDATE review.extracted_fields SET path = path WHERE false",
            frozenset({OWNER, "review"}),
        ),
        Deed(
            "change what was stored",
            "UPDATE storage.stored_results SET version = version WHERE false",
            frozenset({OWNER, "storage"}),
        ),
        Deed(
            "change a dead letter",
            "UPDATE monitor.dead_letters SET state = state WHERE false",
            frozenset({OWNER, "monitor"}),
        ),
    ),
    KEYS: (
        Deed(
            "read",
            "SELECT * FROM access.api_keys, access.sessions, access.revocations",
            EVERYBODY,
        ),
        Deed(
            "give one out",
            "INSERT INTO access.api_keys SELECT * FROM access.api_keys WHERE false",
            INGEST,
        ),
        Deed("change its roles", "UPDATE access.api_keys SET roles = '{{admin}}'", INGEST),
        Deed(
            "begin a session",
            "INSERT INTO access.sessions SELECT * FROM access.sessions WHERE false",
            INGEST,
        ),
        Deed(
            "say that somebody is still there",
            "SELECT access.touch_session(''::bytea)",
            WHOSE_IT_IS,
        ),
        Deed("sign out by a token", "SELECT access.end_session(''::bytea)", WHOSE_IT_IS),
        Deed(
            "change why a key ended",
            "UPDATE access.revocations SET reason = '' WHERE false",
            OWNER_ALONE,
        ),
        Deed(
            "forget that a key ended", "DELETE FROM access.revocations WHERE false", OWNER_ALONE
        ),
        Deed("make a table", "CREATE TABLE access.mine (id int)", OWNER_ALONE),
    ),
    SERVER: (
        Deed("make a schema", "CREATE SCHEMA mine", OWNER_ALONE),
        Deed("make a temporary table", "CREATE TEMP TABLE mine (id int)", OWNER_ALONE),
        Deed("make a table in public", "CREATE TABLE public.mine (id int)", OWNER_ALONE),
        Deed("make a role", "CREATE ROLE mine", NOBODY),
        Deed(
            "lift its own limit of connections",
            "ALTER ROLE CURRENT_USER CONNECTION LIMIT -1",
            NOBODY,
        ),
        Deed("become the owner", "SET ROLE paperline", OWNER_ALONE),
        Deed("become another service", "SET ROLE paperline_{another}", NOBODY),
        Deed("read the passwords' hashes", "SELECT rolpassword FROM pg_authid", NOBODY),
        Deed("read a file of the server", "SELECT pg_read_file('PG_VERSION')", NOBODY),
        Deed("write one", "COPY (SELECT 1) TO '/dev/null'", NOBODY),
        Deed("start a program", "COPY (SELECT 1) TO PROGRAM 'true'", NOBODY),
        Deed("set the server", "ALTER SYSTEM SET fsync = off", NOBODY),
    ),
}

"""`deploy/PERMISSIONS.md`: the two tables of rights, as they are tried, for people to read.

`python -m tests.contract.permissions > deploy/PERMISSIONS.md` writes it anew; a test compares.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from deploy.local.broker_limits import (
    CHANNELS_MAX,
    CONNECTIONS_MAX,
    MESSAGE_BYTES_MAX,
    PUBLISHER_CONNECTIONS_MAX,
    QUEUES_MAX,
)
from deploy.local.broker_users import definitions
from deploy.local.credentials import SERVICES, USERS
from deploy.local.roles import LIMITS, OWNER_CONNECTIONS_MAX, SERVICE_CONNECTIONS_MAX
from tests.broker import rights_of_roles, rights_of_users
from tests.conformance import rights_of_keys

_HEAD = """\
# Who may do what

Written by `python -m tests.contract.permissions` from the tables that are tried on a real
PostgreSQL, RabbitMQ and SeaweedFS (`tests/broker/test_what_a_role_may_do.py`,
`test_what_a_broker_user_may_do.py`, `tests/conformance/test_rights_of_keys.py`). ✓ it may;
– it is refused; an empty cell: there is no such thing for it. Who may use which route of the
APIs: `shared/access/roles.py`, tried in
`tests/unit/shared/test_access_matrix.py`.
"""
_ROLES = """\
## Roles of the database

`paperline` owns all schemas and runs migrations, never a service. Each service has a role
`paperline_<service>`, made with the database (`deploy/local/roles.py`,
`deploy/compose/database.sh`, `deploy/k8s/examples/database.yaml`) and granted its own schema by
its migrations. `paperline_reader` is for `./paperline verify` and for whoever audits: it reads
every schema and changes nothing. On Kubernetes a service may have as many connections as its
replicas open, and the reader ten.
What guards single rows (a person's value, the chain of the audit log) are triggers, which hold
for the owner too.
"""
_USERS = """\
## Users of the broker

Made with the broker (`deploy/local/broker_users.py`); `guest` never exists. Patterns are
RabbitMQ's own: `configure`, `write` and `read` are matched with names of exchanges and
queues, `topics` with routing keys on `events`: each service says its own facts
(`deploy/local/sayers.py`). Every upgrade imports the definitions first.
"""


_KEYS = """\
## Keys of the object store

Each service has its own (`deploy/secrets/store_rights.py`); `python3 -m deploy.secrets` makes
them and tells the store of the compose file. Elsewhere give them the same rights, by how keys
begin: in a policy of AWS `s3:GetObject`; `s3:PutObject`, `s3:DeleteObject` and
`s3:AbortMultipartUpload`; `s3:ListBucket` (of the whole bucket, or AWS says of what is missing
that it is forbidden); and for storage `s3:ListBucketMultipartUploads`. Ingest also reads the
buckets of `PAPERLINE_SOURCE_BUCKETS`. The bucket is made by the store, or by you, before.
"""


def render() -> str:
    parts = [_HEAD, _ROLES, *_roles(), "", _USERS, *_users(), "", _KEYS, *_keys()]
    return "\n".join(parts) + "\n"


def _roles() -> Iterator[str]:
    yield f"| limit | {rights_of_roles.OWNER} | each service, and the reader |"
    yield "|---|---|---|"
    yield f"| connections at once | {OWNER_CONNECTIONS_MAX} | {SERVICE_CONNECTIONS_MAX} |"
    for setting, value in LIMITS.items():
        yield f"| `{setting}`, unless the session sets its own | – | {value} |"
    for group, deeds in rights_of_roles.TABLE.items():
        yield ""
        yield from _heading(group, rights_of_roles.ROLES)
        for deed in deeds:
            marks = [
                _mark(role in deed.may) if role in deed.asked else ""
                for role in rights_of_roles.ROLES
            ]
            yield _row([deed.what, *marks])


def _users() -> Iterator[str]:
    told = definitions({f"broker_{user}": "" for user in USERS})
    topics = {one["user"]: one["write"] for one in told["topic_permissions"]}
    yield "| user | configure | write | read | topics |"
    yield "|---|---|---|---|---|"
    for one in told["permissions"]:
        patterns = [one[right] for right in ("configure", "write", "read")]
        yield _row([one["user"], *map(_code, patterns), _code(topics.get(one["user"], ".*"))])
    yield ""
    yield from _limits()
    for group, deeds in rights_of_users.TABLE.items():
        yield ""
        yield from _heading(group, USERS)
        for deed in deeds:
            note = f" ({deed.note})" if deed.note else ""
            yield _row([f"{deed.what}{note}", *(_mark(user in deed.may) for user in USERS)])


def _keys() -> Iterator[str]:
    for nth, (group, deeds) in enumerate(rights_of_keys.TABLE.items()):
        if nth:
            yield ""
        yield from _heading(group, SERVICES)
        for deed in deeds:
            yield _row([deed.what, *(_mark(service in deed.may) for service in SERVICES)])


def _limits() -> Iterator[str]:
    yield "| limit | at most |"
    yield "|---|---|"
    yield f"| connections of all, and queues | {CONNECTIONS_MAX}, {QUEUES_MAX} |"
    yield f"| connections of `publisher` | {PUBLISHER_CONNECTIONS_MAX} |"
    yield f"| channels of a connection (`channel_max`) | {CHANNELS_MAX} |"
    yield f"| bytes of a message (`max_message_size`) | {MESSAGE_BYTES_MAX} |"


def _heading(group: str, who: Sequence[str]) -> Iterator[str]:
    yield _row([f"**{group}**", *who])
    yield "|---|" + ":-:|" * len(who)


def _row(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(cells)} |"


def _mark(may: bool) -> str:
    return "✓" if may else "–"


def _code(pattern: str) -> str:
    return f"`{pattern.replace('|', chr(92) + '|')}`"


if __name__ == "__main__":
    print(render(), end="")  # noqa: T201 -- the command answers on standard output

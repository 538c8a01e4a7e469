"""Who may do what on the broker, as the definitions file a private node imports at start.

Only `topology` configures anything; a service publishes to exchanges and reads its own queues,
so a bug in one service cannot drain or delete another's work, and it says its own facts only
(`sayers.py`). Only ingest may write to the default exchange, because only ingest answers.
`publisher` is for programs outside: it hands documents in, and reads answers from queues that
the broker has named for it.
"""

import hashlib
import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from deploy.local.broker_limits import of_a_user, of_a_vhost
from deploy.local.credentials import SERVICES, USERS
from deploy.local.sayers import said_by

VHOST = "paperline"
EVENTS = "events"
EVERYTHING = ".*"
NOTHING = "^$"
# A rung passes on by itself what has rested, so nobody publishes to `delay.home`; and the door
# `ingest` is for programs outside.
EXCHANGES = r"^(jobs|events|dead|delay\.\d\d)$"
ANSWERING = r"^(jobs|events|dead|delay\.\d\d|amq\.default)$"
# As the broker has it.
SALT_BYTES = 4
OWN_REPLIES = r"^amq\.gen-"


def definitions(
    passwords: Mapping[str, str], hashes: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """`hashes` are those of before, by user: of the same password the same one is told."""
    known = hashes or {}
    tags = {"admin": "administrator", "topology": "monitoring", "monitor": "monitoring"}
    return {
        "vhosts": [{"name": VHOST}],
        "parameters": [of_a_vhost(VHOST)],
        "users": [
            {
                "name": user,
                "password_hash": _hash(passwords[f"broker_{user}"], known.get(user, "")),
                "hashing_algorithm": "rabbit_password_hashing_sha256",
                "tags": tags.get(user, ""),
                "limits": of_a_user(user),
            }
            for user in USERS
        ],
        "permissions": [{"user": user, "vhost": VHOST, **permissions(user)} for user in USERS],
        # Later brokers (seen on 4.3) refuse a right to an exchange that is not there yet.
        "exchanges": [
            {
                "name": EVENTS,
                "vhost": VHOST,
                "type": "topic",
                "durable": True,
                "auto_delete": False,
                "internal": False,
                "arguments": {},
            }
        ],
        "topic_permissions": [
            {
                "user": user,
                "vhost": VHOST,
                "exchange": EVENTS,
                "write": sayings(user),
                # Nobody but the topology binds a queue.
                "read": NOTHING,
            }
            for user in SERVICES
        ],
    }


def sayings(service: str) -> str:
    """The routing keys of its facts, as the broker matches them."""
    return rf"^({'|'.join(re.escape(fact) for fact in said_by(service))})$"


def permissions(user: str) -> dict[str, str]:
    if user in ("admin", "topology"):
        return {"configure": EVERYTHING, "write": EVERYTHING, "read": EVERYTHING}
    if user == "publisher":
        return {"configure": OWN_REPLIES, "write": "^ingest$", "read": OWN_REPLIES}
    writes = ANSWERING if user == "ingest" else EXCHANGES
    return {"configure": NOTHING, "write": writes, "read": _queues_of(user)}


def _hash(password: str, known: str) -> str:
    same = known and password_hash(password, b64decode(known)[:SALT_BYTES]) == known
    return known if same else password_hash(password)


def password_hash(password: str, salt: bytes = b"") -> str:
    salt = salt or secrets.token_bytes(SALT_BYTES)
    return b64encode(salt + hashlib.sha256(salt + password.encode()).digest()).decode()


def _queues_of(service: str) -> str:
    if service == "monitor":
        return r"\.dead$|^unroutable$|^monitor\..*"
    # Its dead queues are the monitor's to drain.
    return rf"^{service}\..*(?<!\.dead)$"

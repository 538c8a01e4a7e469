"""What a running server was told of accounts and rights, and whether this version needs more.

A server hears of them when it starts. One that goes on while the checkout becomes a newer one
would cut off whoever says a new fact, and that outbox would stand still: so it is told again.
A version that says less than was told takes nothing away: it is one that somebody went back
to, and what is still owed may be a fact of the newer.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from deploy.local import postgres, processes
from deploy.local.broker_users import definitions
from deploy.local.credentials import SERVICES, credentials
from deploy.local.roles import statements_for_all
from deploy.local.sayers import said_by
from deploy.local.state import State, read_json, write_json


def is_told(state: State, component: str) -> bool:
    """Of that process: whatever started another one may have told it something else."""
    known, wanted = read_json(_record(state, component)), _wanted(state, component)
    facts = set(wanted.pop("facts")) - set(known.pop("facts", ()))
    return known == wanted and not facts


def remember(state: State, component: str) -> None:
    write_json(_record(state, component), _wanted(state, component))


def _record(state: State, component: str) -> Path:
    return state.root / f"told-{component}.json"


def _wanted(state: State, component: str) -> dict[str, Any]:
    process = processes.running(state, component)
    passwords = credentials(state)
    of_database = component == postgres.COMPONENT
    rest = list(statements_for_all(passwords)) if of_database else _definitions(passwords)
    return {
        "process": [process.pid, process.ticks] if process else [],
        "digest": hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest(),
        "facts": [] if of_database else list(_facts()),
    }


def _definitions(passwords: Mapping[str, str]) -> dict[str, Any]:
    """Without the hashes, which are others each time, and the facts, which may be fewer."""
    told = definitions(passwords)
    for user in told["users"]:
        user["password_hash"] = passwords[f"broker_{user['name']}"]
    for right in told["topic_permissions"]:
        del right["write"]
    return told


def _facts() -> Iterator[str]:
    for service in SERVICES:
        yield from (f"{service} {fact}" for fact in said_by(service))

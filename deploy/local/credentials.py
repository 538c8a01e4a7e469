"""Generated secrets of a stack, one per account, made once and readable by the owner only.

They are letters, digits, dash and underscore, so they stand in a URL without quoting. All are
made before anything starts: servers start side by side and must not both write this file.
"""

import secrets

from deploy.local.errors import StackError
from deploy.local.state import State, read_json, write_json

SERVICES = ("ingest", "extractor", "storage", "review", "monitor")
# Whoever judges the system: it reads everything and changes nothing.
READER = "paperline_reader"
ROLES = ("postgres", "paperline", READER, *(f"paperline_{service}" for service in SERVICES))
USERS = ("admin", "topology", "publisher", *SERVICES)
NAMES = (
    "erlang_cookie",
    "cursor_secret",
    "webhook_secret",
    *(f"database_{role}" for role in ROLES),
    *(f"broker_{user}" for user in USERS),
)


def credentials(state: State) -> dict[str, str]:
    path = state.root / "secrets.json"
    known = read_json(path)
    if not known and (state.root / "postgres" / "data" / "PG_VERSION").exists():
        raise StackError(
            f"{state.root} holds a database but its secrets.json is gone: "
            "put the file back, or delete the folder to begin anew"
        )
    missing = {name: secrets.token_urlsafe(24) for name in NAMES if name not in known}
    if missing:
        write_json(path, known | missing)
    return known | missing

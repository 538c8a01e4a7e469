"""The processes of a stack on this machine: what they hold, and whether they are ready."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

READY_WITHIN_S = 5.0
# Of what a process may open; beyond, it is running out.
OPEN_SHARE_MAX = 0.8
# Three times what each is to hold at rest; its children are apart and have limits of their own.
RESIDENT_BYTES_MAX: Mapping[str, int] = {
    "ingest": 270_000_000,
    "extractor": 450_000_000,
    "storage": 510_000_000,
    "review": 270_000_000,
    "monitor": 270_000_000,
}


@dataclass(frozen=True, slots=True)
class Machine:
    # By name, which stands for the process as it is now.
    pids: Mapping[str, int] = field(default_factory=dict)
    ops_ports: Mapping[str, int] = field(default_factory=dict)
    logs: Path | None = None
    # What must not stand in them.
    secrets: tuple[str, ...] = ()
    resident_bytes_max: Mapping[str, int] = field(default_factory=lambda: RESIDENT_BYTES_MAX)


def excess(pid: int, resident_bytes_max: int) -> str | None:
    """What it holds too much of, or held; empty when nothing, None when it is gone."""
    home = Path(f"/proc/{pid}")
    try:
        opened = sum(1 for _ in (home / "fd").iterdir())
        limits, status = (home / "limits").read_text(), (home / "status").read_text()
    except OSError:
        return None
    # The most of its whole life: what it holds now says little of what a document made of it.
    resident = int(_line(status, "VmHWM:").split()[0]) * 1024
    if resident > resident_bytes_max:
        return f"{resident >> 20} MiB resident, of {resident_bytes_max >> 20}"
    allowed = _line(limits, "Max open files").split()[0]
    if allowed.isdigit() and opened > int(allowed) * OPEN_SHARE_MAX:
        return f"{opened} of {allowed} files open"
    return ""


def _line(text: str, start: str) -> str:
    found = (one for one in text.splitlines() if one.startswith(start))
    return next(found, f"{start} 0").removeprefix(start).strip()


def unready(port: int) -> str:
    """Why; empty when it is ready."""
    try:
        status, body = _asked(port, "/readyz")
    except (OSError, http.client.HTTPException) as error:
        return f"no answer ({error})"
    return "" if status == http.client.OK else body[:500].decode(errors="replace")


def metrics_of(port: int) -> bytes | None:
    """None when nobody answers."""
    try:
        _, body = _asked(port, "/metrics")
    except (OSError, http.client.HTTPException):
        return None
    return body


def _asked(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=READY_WITHIN_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()

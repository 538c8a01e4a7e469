"""Which addresses given processes listen on, read from the kernel's tables.

A configuration file tells what was meant; this tells what is.
"""

import ipaddress
import struct
from collections.abc import Iterable
from pathlib import Path

LISTENING = "0A"


def listening(pids: Iterable[int]) -> list[str]:
    ours = {inode for pid in pids for inode in _socket_inodes(pid)}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING and fields[9] in ours:
                found.add(decode(fields[1]))
    return sorted(found)


def is_loopback(address: str) -> bool:
    host = ipaddress.ip_address(address.rpartition(":")[0].strip("[]"))
    mapped = getattr(host, "ipv4_mapped", None)
    return (mapped or host).is_loopback


def decode(entry: str) -> str:
    """`0100007F:1F90` is 127.0.0.1:8080: words in the machine's order, the port in the
    network's."""
    host, _, port = entry.partition(":")
    words = [int(host[at : at + 8], 16) for at in range(0, len(host), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    address = ipaddress.ip_address(packed)
    shown = f"[{address}]" if address.version == 6 else str(address)  # noqa: PLR2004
    return f"{shown}:{int(port, 16)}"


def _socket_inodes(pid: int) -> set[str]:
    found = set()
    try:
        for handle in Path(f"/proc/{pid}/fd").iterdir():
            target = str(handle.readlink())
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:
        # Gone meanwhile, or not ours to look into.
        return found
    return found

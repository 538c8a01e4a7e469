"""Which API the commands about documents speak to: this stack's, or the one they are told.

A key never stands in an argument, where everybody on the machine could read it.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path

from deploy.local import keys, stack, tls
from deploy.local.errors import StackError
from deploy.local.state import State
from shared.client import Client

ADDRESS, KEY = "PAPERLINE_URL", "PAPERLINE_KEY"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """As the command line and the surroundings say it; empty where they say nothing."""

    url: str = ""
    key: str = ""
    # Whom the API has to be certified by, when it speaks TLS; else as the machine says.
    ca_file: Path | None = None


def told(url: str | None, key_file: Path | None, ca_file: Path | None = None) -> Elsewhere:
    key = _first_line(key_file) if key_file else os.environ.get(KEY, "").strip()
    return Elsewhere(url or os.environ.get(ADDRESS, ""), key, ca_file or tls.authority())


def door(
    state: State, elsewhere: Elsewhere, *, sleep: Callable[[float], object] = time.sleep
) -> Client:
    if not elsewhere.url:
        if not stack.is_up(state):
            raise StackError("The stack is not running: ./paperline up")
        address, own = keys.address(state), elsewhere.key or keys.remembered(state)
        return Client(address, own, sleep=sleep, ca_file=tls.authority())
    if not elsewhere.key:
        raise StackError(f"The key for {elsewhere.url} goes into {KEY} or a --key-file.")
    return Client(elsewhere.url, elsewhere.key, sleep=sleep, ca_file=elsewhere.ca_file)


def password(*, from_stdin: bool, file: Path | None) -> str | None:
    """Of a locked document; asked for where somebody sits there to answer."""
    if file is not None:
        return _first_line(file)
    if not from_stdin:
        return None
    if sys.stdin.isatty():
        return getpass("Password of the documents: ")
    return sys.stdin.readline().rstrip("\r\n")


def _first_line(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            return opened.readline().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise StackError(f"{file} cannot be read: {error}") from error

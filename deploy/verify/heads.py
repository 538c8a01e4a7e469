"""Heads of audit logs that were kept elsewhere: what they vouch for cannot be written anew.

A chain proves each line by the one behind it, and the last one by its head. Whoever may write
all of the database can make both anew, and only a head that he could not reach tells.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.verify.promises import CannotJudge

LOGS = ("ingest", "monitor", "review", "storage")


@dataclass(frozen=True, slots=True)
class Head:
    seq: int
    hash: bytes


def kept_heads(given: Sequence[str]) -> Mapping[str, Head]:
    """Each as SERVICE=FILE: an export, whose last line is its head, or what `head` has said."""
    heads = {}
    for one in given:
        service, _, file = one.partition("=")
        if service not in LOGS or not file:
            raise CannotJudge(f"{one!r} is not SERVICE=FILE, of {', '.join(LOGS)}")
        heads[service] = _head_in(Path(file))
    return heads


def _head_in(file: Path) -> Head:
    try:
        last = file.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
        if last.startswith("{"):
            told = json.loads(last)["head"]
            return Head(int(told["seq"]), bytes.fromhex(told["hash"]))
        seq, digest = last.split()
        return Head(int(seq), bytes.fromhex(digest))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CannotJudge(f"{file} does not end with the head of an audit log") from error

"""Does each audit log hold, line by line? Computed here, and not asked of those who wrote it.

A line is the digest of the one before and of its own text, so whoever changes, removes or adds
one breaks every line behind it; the head says where the log ends. A head that was kept
elsewhere has to be met on the way: who makes the last lines anew makes their head anew too.
"""

from contextlib import aclosing
from hashlib import sha256

from deploy.verify.database import Row
from deploy.verify.heads import LOGS
from deploy.verify.looking import Check, Look, Notes


async def chains(look: Look, notes: Notes) -> None:
    heads = {row["home"]: row for row in await look.snapshot.fetch("audit_heads")}
    told = []
    for home in LOGS:
        fault, seq = await _fault(look, home, heads.get(home))
        if fault:
            notes.add(f"{home}.audit_log", fault, fault)
        told.append(f"{home} {seq}")
    notes.note = f"lines: {', '.join(told)}"


async def _fault(look: Look, home: str, head: Row | None) -> tuple[str, int]:
    """What is wrong first, and how many lines there are."""
    kept, seq, digest = look.sources.audit_heads.get(home), 0, bytes(32)
    async with aclosing(look.snapshot.stream(f"audit_lines_of_{home}")) as lines:
        async for line in lines:
            if fault := _broken(line, seq, digest):
                return fault, seq
            seq, digest = line["seq"], bytes(line["hash"])
            if kept and kept.seq == seq and kept.hash != digest:
                return f"line {seq} is not the one whose head was kept", seq
    if head is None:
        return "the head is gone", seq
    if (head["seq"], bytes(head["hash"])) != (seq, digest):
        return f"ends at line {seq}, and the head says {head['seq']}", seq
    if kept and kept.seq > seq:
        return f"ends at line {seq}, and {kept.seq} were there when its head was kept", seq
    return "", seq


def _broken(line: Row, seq: int, digest: bytes) -> str:
    if line["seq"] != seq + 1:
        return f"line {seq + 1} is missing"
    if bytes(line["previous"]) != digest:
        return f"line {line['seq']} is not linked to the line before"
    if sha256(digest + bytes(line["text"])).digest() != bytes(line["hash"]):
        return f"line {line['seq']} was altered"
    return ""


CHECKS = (Check("I9", "chains", chains),)

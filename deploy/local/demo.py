"""From nothing to a table of what was read, and the way to every page.

The samples hold a few documents that no machine can read: the demo shows how those end, and
counts it as a failure when they do not.
"""

from collections.abc import Sequence
from pathlib import Path

from deploy.local import keys, ports, reading, stack, tls
from deploy.local.reading import Document
from deploy.local.report import say
from deploy.local.state import REPOSITORY, State
from shared.client import Client

SAMPLES = REPOSITORY / "deploy" / "samples"
UNREADABLE = SAMPLES / "unreadable"
PATIENCE_S = 600.0


def demo(state: State, files: Sequence[Path], *, once: bool, with_double: bool = False) -> int:
    chosen = reading.files_in(files or [SAMPLES])
    was_up = stack.is_up(state)
    try:
        stack.up(state, with_double=with_double)
        unexpected = _read(state, chosen)
        if was_up or not once:
            show_pages(state)
    except KeyboardInterrupt:
        if not once:
            again = f"./paperline{state.named}"
            say(f"What was started keeps running: {again} status, {again} down")
        raise
    finally:
        if once and not was_up:
            stack.down(state)
    for document in unexpected:
        say(f"  unexpected: {document.file.name} is {document.state} {document.trouble}")
    return 1 if unexpected else 0


def show_pages(state: State) -> None:
    known = ports.remembered(state)
    base = {name: tls.address(known[name]) for name in known if name.endswith("_api")}
    say()
    say(f"  upload page            {base['ingest_api']}/")
    say(f"  documents API          {base['ingest_api']}/v1/documents")
    say(f"  review desk            {base['review_api']}/")
    say(f"  review API             {base['review_api']}/v1/items")
    say(f"  results and exports    {base['storage_api']}/v1/exports")
    say(f"  operators' console     {base['monitor_api']}/")
    say(f"  operations API         {base['monitor_api']}/ops/v1/overview")
    say(f"  key for all of them    {(state.root / 'key').read_text().strip()}")
    say(f"  documents by message   the broker's address in {state.root / 'publisher'}")
    if "broker_api" in base:
        # Of a private node, which is loopback's own and speaks plain HTTP.
        pages = f"http://127.0.0.1:{known['broker_api']}/"
        say(f"  broker management      {pages}  (user admin: see secrets.json)")
    say(f"  everything it keeps    {state.root}")
    say(f"  stop it with           ./paperline{state.named} down")


def _read(state: State, files: Sequence[Path]) -> list[Document]:
    """Shows what was read; returns the documents that did not end as they should."""
    address, key = keys.address(state), keys.remembered(state)
    with Client(address, key, ca_file=tls.authority()) as client:
        documents = reading.submit(client, files)
        reading.watch(client, documents, patience_s=PATIENCE_S)
    say()
    reading.show(documents)
    return [document for document in documents if not as_expected(document)]


def as_expected(document: Document) -> bool:
    if UNREADABLE in document.file.resolve().parents:
        return document.state in ("failed", "refused")
    return document.was_read

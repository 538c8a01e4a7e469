"""`python3 -m deploy.secrets [FOLDER]`: make what is missing, keep what is there.

A second run adds what a newer version needs and changes nothing else: the servers' volumes
know the first passwords. `--database` and `--broker` name hosts of a cluster; with `--tls` they
are spoken to over TLS only, and believed when the authority in that file has certified them.
What was said once holds for later runs; `--plaintext` takes `--tls` back. `--renew` makes
another password in place of one that was stolen; the server has to be told, and whoever shows
it started again.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from deploy.local.state import write_private
from deploy.secrets import kept
from deploy.secrets.files import PASSWORDS, Hosts, folders, passwords, write


def main() -> None:
    options = _options()
    root: Path = options.folder
    file = root / "passwords.json"
    known = json.loads(file.read_text()) if file.exists() else {}
    if unknown := sorted({*options.renew} - known.keys()):
        raise SystemExit(f"{file} has no {', '.join(unknown)} that could be renewed")
    remaining = {name: text for name, text in known.items() if name not in options.renew}
    made = passwords(remaining)
    told = folders(made, _hosts(options, kept.hosts(root)), kept.hashes(root))
    first = not (root / "broker").exists()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if made != known:
        # First of all: cut off, the next run goes on from here.
        write_private(file, json.dumps(made, indent=2))
    changed = write(root, told)
    new = len(made.keys() - remaining.keys())
    said = f"{new} made" if new else "nothing new"
    print(f"{root}/: {said}; {len(told)} folders, readable by you only")
    for name in () if first else changed:
        print(f"  changed: {name}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m deploy.secrets", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("secrets"))
    parser.add_argument("--database", metavar="HOST")
    parser.add_argument("--broker", metavar="HOST")
    closed = parser.add_mutually_exclusive_group()
    closed.add_argument("--tls", type=Path, metavar="CA_FILE")
    closed.add_argument("--plaintext", action="store_true")
    parser.add_argument(
        "--renew", action="append", default=[], choices=PASSWORDS, metavar="NAME"
    )
    return parser.parse_args()


def _hosts(options: argparse.Namespace, before: Hosts) -> Hosts:
    hosts = replace(
        before,
        database=options.database or before.database,
        broker=options.broker or before.broker,
    )
    if options.tls:
        return replace(hosts, tls=True, authority=options.tls.read_text())
    return replace(hosts, tls=False, authority="") if options.plaintext else hosts


if __name__ == "__main__":
    main()

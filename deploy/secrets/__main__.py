"""`python3 -m deploy.secrets [FOLDER]`: make what is missing, keep what is there.

A second run adds what a newer version needs and changes nothing else: the servers' volumes
know the first passwords. `--database` and `--broker` name hosts of a cluster; with `--tls` they
are spoken to over TLS only, and believed when the authority in that file has certified them.
"""

import argparse
import json
from pathlib import Path

from deploy.secrets.files import COMPOSE, Hosts, folders, passwords, write


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m deploy.secrets", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("secrets"))
    parser.add_argument("--database", default=COMPOSE.database, metavar="HOST")
    parser.add_argument("--broker", default=COMPOSE.broker, metavar="HOST")
    parser.add_argument("--tls", type=Path, metavar="CA_FILE")
    options = parser.parse_args()
    authority = options.tls.read_text() if options.tls else ""
    hosts = Hosts(options.database, options.broker, bool(authority), authority)
    kept = options.folder / "passwords.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    made = passwords(known)
    told = folders(made, hosts)
    write(options.folder, told)
    if made != known:
        kept.touch(mode=0o600)
        kept.write_text(json.dumps(made, indent=2))
    new = len(made.keys() - known.keys())
    said = f"{new} made" if new else "nothing new"
    print(f"{options.folder}/: {said}; {len(told)} folders, readable by you only")


if __name__ == "__main__":
    main()

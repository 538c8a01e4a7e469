"""How documents stand, asked from the network of the containers: one JSON object, id → status.

A program of its own, since a process can only be in one network.
"""

import json
import sys
from pathlib import Path
from uuid import UUID

from shared.client import Client


def main() -> None:
    address, key_file, *ids = sys.argv[1:]
    with Client(address, Path(key_file).read_text().strip()) as client:
        told = {one: client.status(UUID(one)).status for one in ids}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()

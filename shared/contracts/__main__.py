"""`python -m shared.contracts`: write the JSON Schema of every type's newest version."""

import json
from pathlib import Path

from shared.contracts.json_schema import schemas

FOLDER = Path(__file__).parent / "schemas"


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        (FOLDER / name).write_text(json.dumps(schema, indent=2) + "\n")
        print(FOLDER.name, name, sep="/")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

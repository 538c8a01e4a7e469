"""What was published and may not change any more: samples of messages and their schemas.

`python -m tests.contract.freezer` adds what is new to the list of digests. It never rewrites a
line: to change a published version, one would have to edit that list by hand, in sight of a
reviewer. A new version is a new file beside the old one.
"""

from hashlib import sha256
from pathlib import Path

from tests.house.repository import ROOT

SAMPLES = ROOT / "tests/contract/samples"
SCHEMAS = ROOT / "shared/contracts/schemas"
FROZEN = ROOT / "tests/contract/frozen.sha256"


def published() -> list[Path]:
    return sorted([*SAMPLES.glob("*.json"), *SCHEMAS.glob("*.json")])


def frozen() -> dict[str, str]:
    """The digest of each published file, by its path from the root."""
    lines = FROZEN.read_text().splitlines() if FROZEN.exists() else []
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def main() -> None:
    known = frozen()
    added = {name(path): digest(path) for path in published() if name(path) not in known}
    lines = [f"{found}  {path}\n" for path, found in sorted({**known, **added}.items())]
    FROZEN.write_text("".join(lines))


if __name__ == "__main__":
    main()

"""What a process has written into its log since some moment."""

from pathlib import Path


def length_of(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0


def lines_since(log: Path, length: int) -> list[str]:
    """Also when what it has written since began a new file."""
    if not log.exists():
        return []
    text = log.read_bytes()
    return text[length if len(text) >= length else 0 :].decode(errors="replace").splitlines()

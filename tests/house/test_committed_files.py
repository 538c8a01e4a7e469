"""A committed file belongs to the project: it names no machine, no index and no secret.

A path of somebody's home or the address of somebody's mirror works for one person and fails
for everybody else, usually months later.
"""

import re

from tests.house.repository import ROOT, Source, committed_files, require

README_LINES_MAX = 220
FILE_BYTES_MAX = 1_000_000

MACHINE_PATH = re.compile(r"(?<![\w./:}-])/(?:home|root|Users|work|mnt|media)/[\w.-]+")
INDEX_ADDRESS = re.compile(
    r"pythonhosted\.org|pypi\.org|/simple/|artifactory|nexus\.|registry\.npmjs|"
    r"\b(?:ghcr|quay|gcr|docker|mcr\.microsoft)\.(?:io|com)/|--(?:extra-)?index-url[ =]\S"
)
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----|AIza[0-9A-Za-z_-]{35}")

# This file has to write down what it forbids.
TEXTS = [one for one in committed_files() if one.path.name != "test_committed_files.py"]


def _text(file: Source) -> str:
    """What is not text names nothing: samples are images and documents."""
    try:
        return file.text()
    except UnicodeDecodeError:
        return ""


def test_a_file_names_no_machine_no_index_and_no_secret() -> None:
    def named(file: Source) -> list[str]:
        return [
            match[0]
            for pattern in (MACHINE_PATH, INDEX_ADDRESS, PRIVATE_KEY)
            for match in pattern.finditer(_text(file))
        ]

    require(named, TEXTS)


def test_a_text_ends_with_one_newline() -> None:
    def end(file: Source) -> str:
        text = _text(file)
        good = not text or (text.endswith("\n") and not text.endswith("\n\n"))
        return "" if good else repr(text[-10:])

    require(end, TEXTS)


def test_a_file_stays_small() -> None:
    def too_large(file: Source) -> int:
        size = file.path.stat().st_size
        return size if size > FILE_BYTES_MAX else 0

    require(too_large, TEXTS)


def test_the_readme_is_read_to_its_end() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES_MAX


def test_what_is_made_is_not_committed() -> None:
    ignored = (ROOT / ".gitignore").read_text().split()

    assert {".venv", ".paperline/", ".env", "/secrets/", "data/", "__pycache__/"} <= set(
        ignored
    )

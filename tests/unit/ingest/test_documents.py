"""Names and keys as clients give them, made harmless."""

import pytest

from services.ingest.domain.documents import Details, Scan, clean_filename, request_hash
from shared.contracts.body import Priority

SCAN = Scan("sha256/ab/cd", "abcd", 4, "application/pdf")
NAMES = {
    "a plain name stays": ("invoice.pdf", "invoice.pdf"),
    "folders are dropped": ("../../etc/passwd", "passwd"),
    "folders of another system too": ("C:\\scans\\a.pdf", "a.pdf"),
    "a line break cannot start a header": ("a\r\nX-Evil: 1.pdf", "aX-Evil: 1.pdf"),
    "a NUL ends nothing": ("a.pdf\x00.exe", "a.pdf.exe"),
    "letters cannot be shown backwards": ("a\u202efdp.exe", "afdp.exe"),
    "accents are composed": ("Rechnung Mu\u0308ller.pdf", "Rechnung M\u00fcller.pdf"),
    "nothing but dots and slashes is no name": ("//", ""),
}


@pytest.mark.parametrize(("given", "kept"), NAMES.values(), ids=NAMES.keys())
def test_a_filename_is_kept_only_to_be_recognised(given: str, kept: str) -> None:
    assert clean_filename(given) == kept


def test_a_filename_without_end_is_cut() -> None:
    assert len(clean_filename("a" * 10_000)) == 255


@pytest.mark.parametrize(
    "other",
    [
        Details("acme", "b.pdf"),
        Details("acme", "a.pdf", Priority.URGENT),
        Details("acme", "a.pdf\x003"),
    ],
    ids=["another name", "another priority", "a name that imitates both"],
)
def test_requests_that_differ_have_different_hashes(other: Details) -> None:
    assert request_hash(SCAN, other) != request_hash(SCAN, Details("acme", "a.pdf"))


def test_the_same_request_has_the_same_hash_whoever_sends_it() -> None:
    first = Details("acme", "a.pdf", idempotency_key="one")
    again = Details("acme", "a.pdf", idempotency_key="two")

    assert request_hash(SCAN, first) == request_hash(SCAN, again)

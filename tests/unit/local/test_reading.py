"""Which files are handed in, and which endings the demo accepts."""

from pathlib import Path

import pytest

from deploy.local import demo
from deploy.local.errors import StackError
from deploy.local.reading import Document, files_in


def test_a_folder_stands_for_every_document_below_it(tmp_path: Path) -> None:
    for name in ("b.pdf", "deep/a.JPG", "make.py", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert files_in([tmp_path]) == [tmp_path / "b.pdf", tmp_path / "deep" / "a.JPG"]


def test_a_file_that_was_named_is_handed_in_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "scan").touch()

    assert files_in([tmp_path / "scan"]) == [tmp_path / "scan"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"gone\.pdf"):
        files_in([tmp_path / "gone.pdf"])


@pytest.mark.parametrize(
    ("folder", "status", "expected"),
    [
        (demo.SAMPLES, "completed", True),
        (demo.SAMPLES, "duplicate", True),
        (demo.SAMPLES, "failed", False),
        (demo.SAMPLES, "processing", False),
        (demo.UNREADABLE, "failed", True),
        (demo.UNREADABLE, "completed", False),
    ],
)
def test_the_demo_expects_an_unreadable_sample_to_fail_and_no_other(
    folder: Path, status: str, expected: bool
) -> None:
    document = Document(folder / "sample.pdf", "d1", status={"status": status})

    assert demo.as_expected(document) is expected


def test_a_value_is_shown_whether_it_comes_with_its_confidence_or_bare() -> None:
    result = {"fields": {"total": {"value": "12.30", "confidence": 0.9}, "currency": "EUR"}}
    document = Document(Path("a.pdf"), result=result)

    shown = [document.value(name) for name in ("total", "currency", "seller.name")]

    assert shown == ["12.30", "EUR", ""]

"""A folder that is not right is told of in a sentence, and counts nothing against an engine."""

import json
import sys
from pathlib import Path

import pytest

from deploy.evaluation.__main__ import main
from deploy.evaluation.corpus import truths_of, with_fields

DOCUMENT = {"id": "1", "file": "1.pdf", "tier": "text"}
TRUTH = {"id": "1", "tier": "text", "fields": {"total": "1.00"}}


def put(folder: Path, documents: object, truth: object) -> None:
    (folder / "documents.jsonl").write_text(json.dumps(documents))
    (folder / "truth.jsonl").write_text(json.dumps(truth))


@pytest.mark.parametrize(
    ("document", "truth", "says"),
    [
        (DOCUMENT, TRUTH, "1 files are not there, such as"),
        ({"id": "1"}, TRUTH, "line 1: 'file' is missing"),
        (DOCUMENT | {"file": "truth.jsonl"}, {"id": "2", "fields": {}}, "no truth for 1"),
        (DOCUMENT | {"file": "truth.jsonl"}, {"id": "1", "fields": None}, "line 1: "),
    ],
)
def test_what_is_wrong_with_it_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    document: object,
    truth: object,
    says: str,
) -> None:
    put(tmp_path, document, truth)
    monkeypatch.setattr(sys, "argv", ["evaluate", str(tmp_path)])

    assert main() == 2

    assert says in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--at-once", "--limit"])
def test_nobody_waits_for_none_at_once(monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.setattr(sys, "argv", ["evaluate", "nowhere", option, "0"])

    with pytest.raises(SystemExit):
        main()


def test_what_no_engine_says_is_missed_by_none(tmp_path: Path) -> None:
    put(tmp_path, DOCUMENT, TRUTH | {"fields": {"total": "1.00", "colour": "red"}})

    counted, others = with_fields(truths_of(tmp_path), {"total"})

    assert (counted["1"].fields, others) == ({"total": ("1.00",)}, ["colour"])

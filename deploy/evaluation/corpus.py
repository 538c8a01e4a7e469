"""The folder that is evaluated: which documents there are and what is true of them."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from deploy.evaluation.forms import Cells, in_one_form, row_in_one_form

DOCUMENTS, TRUTH = "documents.jsonl", "truth.jsonl"


class BadCorpus(Exception):
    """What is wrong with the folder, in one sentence."""


@dataclass(frozen=True, slots=True)
class Document:
    document: str
    file: Path
    tier: str


@dataclass(frozen=True, slots=True)
class Truth:
    """By field: every value that is right, the first being the truth; none when the field is
    known not to be on the document. A field that is not there is not counted."""

    fields: Mapping[str, tuple[str, ...]]
    rows: Sequence[Cells] = ()
    # What the documents can be grouped by: tier, source, lang, kind, …
    traits: Mapping[str, str] = field(default_factory=dict)


def documents_of(folder: Path) -> list[Document]:
    found = []
    for at, row in _rows(folder / DOCUMENTS):
        try:
            file = (folder / str(row["file"])).resolve()
            found.append(Document(str(row["id"]), file, str(row.get("tier", ""))))
        except KeyError as error:
            raise BadCorpus(f"{folder / DOCUMENTS}, line {at}: {error} is missing") from error
    return found


def truths_of(folder: Path) -> dict[str, Truth]:
    found: dict[str, Truth] = {}
    for at, row in _rows(folder / TRUTH):
        try:
            found[str(row["id"])] = _truth(row)
        except (KeyError, TypeError, AttributeError) as error:
            raise BadCorpus(f"{folder / TRUTH}, line {at}: {error!r}") from error
    return found


def with_fields(
    truths: Mapping[str, Truth], known: Collection[str]
) -> tuple[dict[str, Truth], list[str]]:
    """What is counted of them, and the names of what is not: what nobody could say is not
    missed by anybody."""
    others = {name for one in truths.values() for name in one.fields} - {*known}
    counted = {
        document: replace(
            one,
            fields={name: right for name, right in one.fields.items() if name not in others},
        )
        for document, one in truths.items()
    }
    return counted, sorted(others)


def _truth(row: Mapping[str, Any]) -> Truth:
    others = row.get("alt") or {}
    return Truth(
        fields={
            name: tuple(
                form
                for one in (value, *others.get(name, ()))
                if (form := in_one_form(name, one)) is not None
            )
            for name, value in row["fields"].items()
        },
        rows=[row_in_one_form(one) for one in row.get("line_items") or ()],
        traits={name: str(one) for name, one in row.items() if isinstance(one, str)},
    )


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadCorpus(f"cannot read {file}: {error.strerror}") from error
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadCorpus(f"{file}, line {at}: {error}") from error
        if not isinstance(row, dict):
            raise BadCorpus(f"{file}, line {at}: not an object")
        yield at, row

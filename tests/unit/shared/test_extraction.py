"""The summary of an extraction: short and printable, whatever the document held."""

import pytest

from shared.contracts.extraction import SUMMARY_CHARS_MAX, ExtractedField
from tests.builders import extraction


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param("Nordlicht GmbH", "Nordlicht GmbH", id="a name stays as it is"),
        pytest.param("Nord\x00licht\nGmbH", "Nord licht GmbH", id="control characters go"),
        pytest.param("N" * 5000, "N" * SUMMARY_CHARS_MAX, id="what is long is cut"),
        pytest.param("Übung 日本", "Übung 日本", id="other scripts stay"),
        pytest.param("\ud800x", "x", id="half a character goes"),
    ],
)
def test_a_summary_takes_what_every_store_can_keep(value: str, shown: str) -> None:
    read = extraction(fields={"seller.name": ExtractedField.model_construct(value=value)})

    assert read.summary().vendor_name == shown


def test_what_was_not_read_stays_unknown() -> None:
    assert extraction(fields={}).summary().vendor_name is None

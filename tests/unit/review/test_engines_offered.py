"""By which engines a document can be read anew is what the extractor reads with."""

import pytest

from services.extractor.settings import Settings as ExtractorSettings
from services.extractor.wiring.provider import engine_names
from services.review.settings import Settings
from services.review.wiring import engines
from shared.configuration.load import load_configuration
from shared.configuration.marks import ConfigurationError


@pytest.fixture(autouse=True)
def around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENGINES", raising=False)
    for name, value in {
        "DATABASE_URL": "postgresql://nobody@localhost/none",
        "AMQP_URL": "amqp://nobody@localhost",
        "BLOBS_URL": "file:///nowhere",
        "CURSOR_SECRET": "a secret of this test",
    }.items():
        monkeypatch.setenv(f"PAPERLINE_{name}", value)


@pytest.mark.parametrize("told", [None, "", "offline", "einvoice, offline", "gemini,offline"])
def test_what_is_offered_is_what_reads(
    monkeypatch: pytest.MonkeyPatch, told: str | None
) -> None:
    if told is not None:
        monkeypatch.setenv("ENGINES", told)

    offered = engines(Settings())

    configuration = load_configuration().configuration
    assert offered == engine_names(ExtractorSettings(), configuration)
    assert offered == tuple((told or "einvoice,offline,gemini").replace(" ", "").split(","))


def test_what_could_not_read_is_not_started_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINES", "gemini")

    with pytest.raises(ConfigurationError, match="leaves out `offline`"):
        engines(Settings())

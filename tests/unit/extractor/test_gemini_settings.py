"""What the extractor is told of the model's provider, and that its key is shown to nobody."""

from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from services.extractor.settings import Settings

KEY = "AIza-not-a-key-of-anybody"


@pytest.fixture(autouse=True)
def around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "GEMINI_API_KEY_FILE", "GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://nobody@localhost/none")
    monkeypatch.setenv("PAPERLINE_AMQP_URL", "amqp://nobody@localhost")
    monkeypatch.setenv("PAPERLINE_BLOBS_URL", "file:///nowhere")


def test_without_a_key_there_is_no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "  ")

    assert Settings().gemini_key() is None


def test_a_key_comes_from_the_environment_or_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    monkeypatch.setenv("GEMINI_API_KEY_FILE", str(file))
    assert Settings().gemini_key() == KEY

    monkeypatch.setenv("GEMINI_API_KEY", "another")
    assert Settings().gemini_key() == "another"


def test_a_key_file_that_is_not_there_is_no_silent_start_without_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY_FILE", str(tmp_path / "none"))

    with pytest.raises(ValidationError, match="GEMINI_API_KEY_FILE cannot be read"):
        Settings()


def test_the_key_is_in_no_representation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)

    settings = Settings()

    assert KEY not in repr(settings)
    assert KEY not in settings.model_dump_json()


def test_a_model_without_a_price_is_not_started_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("PAPERLINE_GEMINI_MODEL", "gemini-9-ultra")

    with pytest.raises(ValidationError, match="PAPERLINE_GEMINI_PRICES must name") as refused:
        Settings()

    assert KEY not in str(refused.value)


@pytest.mark.parametrize("told", ["m=1/2", "m=1/2/x", "m", "m=1/2/3/4", "m=-1/2/3"])
def test_prices_in_another_form_are_refused(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("PAPERLINE_GEMINI_PRICES", told)

    with pytest.raises(ValidationError, match="model=input/cached/output"):
        Settings()


def test_prices_of_several_models_stand_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERLINE_GEMINI_PRICES", "a=1/0.1/4, b=2/0.2/8")

    assert Settings().gemini_price_list()["b"] == (Decimal(2), Decimal("0.2"), Decimal(8))

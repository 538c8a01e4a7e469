"""What the extractor is told of the model's provider, and that its key is shown to nobody."""

from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from services.extractor.adapters.gemini import Price
from services.extractor.settings import Settings
from services.extractor.wiring.provider import engine_names, options_of
from shared.configuration.load import load_configuration
from shared.configuration.marks import ConfigurationError

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


def test_only_another_place_may_be_certified_by_our_own_authority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("PAPERLINE_CA_FILE", "/run/secrets/ca.pem")
    of_the_provider = options_of(Settings(), load_configuration())
    monkeypatch.setenv("GEMINI_BASE_URL", "https://gateway.example")

    of_a_gateway = options_of(Settings(), load_configuration())

    assert of_the_provider.ca_file is None
    assert of_a_gateway.ca_file == Path("/run/secrets/ca.pem")


def price_of(model: str | None, monkeypatch: pytest.MonkeyPatch) -> Price:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    if model is not None:
        monkeypatch.setenv("PAPERLINE_GEMINI_MODEL", model)
    return options_of(Settings(), load_configuration()).price


def test_a_model_without_a_price_is_not_started_with(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="gemini-9-ultra has no price") as refused:
        price_of("gemini-9-ultra", monkeypatch)

    assert KEY not in str(refused.value)


def test_a_price_of_the_environment_comes_before_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_the_file = price_of(None, monkeypatch)
    model = load_configuration().configuration.engines.gemini.model
    monkeypatch.setenv("PAPERLINE_GEMINI_PRICES", f"{model}=7/0.7/70")

    assert price_of(None, monkeypatch) == Price(Decimal(7), Decimal("0.7"), Decimal(70))
    assert of_the_file != price_of(None, monkeypatch)


def test_the_engines_can_be_chosen_and_offline_is_always_among_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    configuration = load_configuration().configuration
    assert engine_names(Settings(), configuration) == ("einvoice", "offline", "gemini")

    monkeypatch.setenv("ENGINES", "offline, einvoice")
    assert engine_names(Settings(), configuration) == ("offline", "einvoice")

    monkeypatch.setenv("ENGINES", "gemini")
    with pytest.raises(ConfigurationError, match="leaves out `offline`"):
        engine_names(Settings(), configuration)


@pytest.mark.parametrize("told", ["m=1/2", "m=1/2/x", "m", "m=1/2/3/4", "m=-1/2/3"])
def test_prices_in_another_form_are_refused(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("PAPERLINE_GEMINI_PRICES", told)

    with pytest.raises(ValidationError, match="model=input/cached/output"):
        Settings()


def test_prices_of_several_models_stand_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERLINE_GEMINI_PRICES", "a=1/0.1/4, b=2/0.2/8")

    assert Settings().gemini_price_list()["b"] == (Decimal(2), Decimal("0.2"), Decimal(8))

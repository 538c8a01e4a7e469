"""What a process can be told, and what it refuses to start with."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from shared.process.settings import ProcessSettings

REQUIRED = {
    "PAPERLINE_DATABASE_URL": "postgresql://ingest:hunter2@127.0.0.1/paperline",
    "PAPERLINE_AMQP_URL": "amqp://ingest:hunter2@127.0.0.1/",
    "PAPERLINE_BLOBS_URL": "file:///var/lib/paperline",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in REQUIRED.items():
        monkeypatch.setenv(name, value)


def refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> str:
    monkeypatch.setenv(f"PAPERLINE_{name}", value)
    with pytest.raises(ValidationError) as caught:
        ProcessSettings()
    return str(caught.value)


def test_three_addresses_are_enough_to_start() -> None:
    settings = ProcessSettings()

    assert settings.environment == "local"
    assert settings.host == "127.0.0.1"
    assert settings.database().dsn == REQUIRED["PAPERLINE_DATABASE_URL"]
    assert settings.database().pool_max == 10


def test_no_secret_is_in_the_settings_text() -> None:
    assert "hunter2" not in repr(ProcessSettings())


def test_settings_never_change() -> None:
    with pytest.raises(ValidationError):
        ProcessSettings().drain_s = 1  # type: ignore[misc] # which is the point


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://root:hunter2@db"),
        ("AMQP_URL", "http://guest:hunter2@broker"),
        ("BLOBS_URL", "file:relative"),
        ("BLOBS_URL", "s3://"),
        ("OPS_PORT", "70000"),
        ("LOG_LEVEL", "LOUD"),
        ("BROKER_WORK_QUEUES", "stream"),
        ("OTLP_ENDPOINT", "collector:4317"),
        ("DRAIN_S", "-1"),
        ("POOL_MIN", "11"),
    ],
)
def test_a_wrong_setting_is_refused_without_being_quoted(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    assert "hunter2" not in refused(monkeypatch, name, value)


def test_a_failpoint_is_refused_in_production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERLINE_ENVIRONMENT", "production")

    assert "FAILPOINT" in refused(monkeypatch, "FAILPOINT", "consumer.before_ack:kill")


@pytest.mark.parametrize(
    ("host", "secret", "shown", "opens"),
    [
        ("127.0.0.1", None, "", True),
        ("0.0.0.0", None, "", False),  # noqa: S104 -- only said
        ("10.1.2.3", None, "Bearer None", False),
        ("10.1.2.3", "0123456789abcdef", "", False),
        ("10.1.2.3", "0123456789abcdef", "0123456789abcdef", False),
        ("10.1.2.3", "0123456789abcdef", "Bearer 0123456789abcdeX", False),
        ("10.1.2.3", "0123456789abcdef", "Bearer 0123456789abcdef", True),
        # Once there is one, it has to be shown everywhere.
        ("127.0.0.1", "0123456789abcdef", "", False),
        ("10.1.2.3", "0123456789abcdef", "Bearer \u00e9", False),
    ],
)
def test_metrics_are_shown_on_the_machine_or_to_who_has_the_secret(
    monkeypatch: pytest.MonkeyPatch, host: str, secret: str | None, shown: str, *, opens: bool
) -> None:
    monkeypatch.setenv("PAPERLINE_HOST", host)
    if secret is not None:
        monkeypatch.setenv("PAPERLINE_METRICS_SECRET", secret)

    settings = ProcessSettings()

    assert settings.may_scrape(shown) is opens
    assert settings.metrics_are_closed is (secret is None and host != "127.0.0.1")


def test_a_secret_that_can_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "at least 16" in refused(monkeypatch, "METRICS_SECRET", "short")


def test_a_certificate_needs_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "go together" in refused(monkeypatch, "TLS_CERTIFICATE_FILE", "/run/tls.crt")


@pytest.mark.parametrize("text", ["10.0.0.1/8", "proxy", "10.0.0.0/8;10.1.0.0/16"])
def test_a_proxy_is_named_by_its_network(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert "TRUSTED_PROXIES" in refused(monkeypatch, "TRUSTED_PROXIES", text).upper()


def test_an_authority_is_believed_for_every_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAPERLINE_AMQP_URL", "amqps://ingest:x@broker/v")
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://i@db/x?sslmode=verify-full")
    monkeypatch.setenv("PAPERLINE_CA_FILE", str(tmp_path / "ca.pem"))

    settings = ProcessSettings()

    for address in (settings.amqp_address, settings.database().dsn, settings.migrate_address):
        assert "ca.pem" in address
    assert settings.blob_options().ca_file == tmp_path / "ca.pem"

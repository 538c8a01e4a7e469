"""A door stays shut when a process would stand open without anybody having decided so."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from services.extractor.settings import Settings as ExtractorSettings
from services.ingest.settings import Settings
from shared.process.posture import describe, unsafe
from shared.process.settings import ProcessSettings
from tests.fakes.certificates import authority_for, certified_for
from tests.house.repository import ROOT
from tests.unit.shared.test_doors import Service, service

__all__ = ["service"]

LONG = "f3a9c1d27b604e58a0d6"
SAFE = {
    "database_url": SecretStr(f"postgresql://ingest:{LONG}@127.0.0.1/paperline"),
    "amqp_url": SecretStr(f"amqp://ingest:{LONG}@127.0.0.1/paperline"),
    "blobs_url": "file:///var/lib/paperline",
}
OPEN = "0.0.0.0"  # noqa: S104 -- which is what this is about


def _settings(**told: object) -> ProcessSettings:
    return ProcessSettings(**(SAFE | told))  # type: ignore[arg-type]  # checked when made


def _ingest(**told: object) -> Settings:
    secrets = {
        "cursor_secret": SecretStr(LONG),
        "webhook_secret": SecretStr(LONG[::-1] * 2),
    }
    return Settings(**(SAFE | secrets | told))  # type: ignore[arg-type]  # checked when made


def test_loopback_needs_nothing() -> None:
    assert unsafe(_settings()) == []
    assert unsafe(_ingest()) == []
    assert unsafe(_settings(host="::1")) == []
    assert unsafe(_settings(host="127.0.0.2")) == []


@pytest.mark.parametrize("host", [OPEN, "::", "10.1.2.3", "desk.example"])
def test_a_door_to_others_is_refused(host: str) -> None:
    [said] = unsafe(_settings(host=host))

    assert said.startswith(f"PAPERLINE_HOST is {host}, where others reach it")
    for way_out in ("TLS_CERTIFICATE_FILE", "TRUSTED_PROXIES", f"PLAINTEXT_HOSTS={host}"):
        assert f"PAPERLINE_{way_out}" in said


def _pair(folder: Path) -> dict[str, object]:
    certified_for(folder, "desk.example")
    both = folder / "server.pem"
    return {"tls_certificate_file": both, "tls_key_file": both}


FAR = {
    "PAPERLINE_OTLP_ENDPOINT": "otlp_endpoint",
    "GEMINI_BASE_URL": "gemini_base_url",
}


def _extractor(name: str, url: str, **told: object) -> ExtractorSettings:
    # By the name that a person sets, which for one of them is another's.
    field = ExtractorSettings.model_fields[name].validation_alias
    return ExtractorSettings(**(SAFE | {str(field or name): url} | told))  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("variable", FAR)
def test_spans_and_documents_do_not_go_far_in_the_clear(variable: str) -> None:
    [said] = unsafe(_extractor(FAR[variable], "http://elsewhere.example:4318"))

    assert said.startswith(f"{variable} goes to elsewhere.example without verified TLS")
    assert "use https://" in said
    assert "PAPERLINE_PLAINTEXT_HOSTS=elsewhere.example" in said


@pytest.mark.parametrize("name", FAR.values())
def test_they_go_where_it_is_closed_or_allowed(name: str) -> None:
    assert unsafe(_extractor(name, "https://elsewhere.example")) == []
    assert unsafe(_extractor(name, "http://127.0.0.1:4318")) == []
    assert unsafe(_extractor(name, "http://jaeger", plaintext_hosts="db,jaeger")) == []
    assert unsafe(_extractor(name, "http://jaeger", plaintext_hosts="db")) != []


def test_every_service_is_judged_by_where_its_spans_go() -> None:
    [said] = unsafe(_ingest(otlp_endpoint="http://collector:4318"))

    assert said.startswith("PAPERLINE_OTLP_ENDPOINT goes to collector")


def test_each_way_out_has_to_be_said(tmp_path: Path) -> None:
    assert unsafe(_settings(host=OPEN, **_pair(tmp_path))) == []
    assert unsafe(_settings(host=OPEN, trusted_proxies="10.1.0.0/16")) == []
    assert unsafe(_settings(host=OPEN, plaintext_hosts=OPEN)) == []
    assert unsafe(_settings(host=OPEN, plaintext_hosts="10.1.2.3")) != []


def test_files_that_are_no_pair_are_refused(tmp_path: Path) -> None:
    pair = _pair(tmp_path)
    (tmp_path / "server.pem").write_text("nothing")

    [said, *_] = unsafe(_settings(host=OPEN, **pair))

    assert said.startswith("PAPERLINE_TLS_CERTIFICATE_FILE is wrong")


def test_an_authority_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    assert unsafe(_settings(ca_file=authority_for(tmp_path))) == []

    [said] = unsafe(_settings(ca_file=tmp_path / "nothing"))

    assert "no server would be believed" in said


@pytest.mark.parametrize(
    ("name", "weak"),
    [
        ("cursor_secret", "please-change-me-now"),
        ("cursor_secret", "0123456789abcdef"),
        ("webhook_secret", "x" * 40),
        ("metrics_secret", "a secret that is said"),
        ("s3_secret_key", "minioadmin"),
    ],
)
def test_a_secret_that_others_know_is_refused(name: str, weak: str) -> None:
    [said] = unsafe(_ingest(**{name: SecretStr(weak)}))

    assert said.startswith(f"PAPERLINE_{name.upper()} ")
    assert weak not in said


def test_every_rule_that_is_broken_is_told_at_once() -> None:
    said = unsafe(
        _settings(
            host=OPEN,
            amqp_url=SecretStr("amqp://guest:guest@broker/"),
            s3_endpoint="http://objects:9000",
            metrics_secret=SecretStr("change-me-change-me"),
        )
    )

    assert len(said) == 5
    assert all(sentence.count("\n") == 0 and sentence.endswith(".") for sentence in said)


def test_how_it_stands_is_told_without_a_secret(tmp_path: Path) -> None:
    far = f"postgresql://ingest:{LONG}@db/paperline?sslmode=verify-full"
    settings = _settings(
        host=OPEN,
        database_url=SecretStr(far),
        trusted_proxies="10.1.0.0/16",
        s3_endpoint="http://objects",
        plaintext_hosts="objects",
    )

    assert describe(settings) == [
        "listens on 0.0.0.0: plain, behind a proxy that is trusted",
        "PAPERLINE_DATABASE_URL goes to db: TLS, verified",
        "PAPERLINE_AMQP_URL goes to 127.0.0.1: plain amqp, on this machine",
        "PAPERLINE_S3_ENDPOINT goes to objects: plain http, as allowed",
        "X-Forwarded-… is believed from 10.1.0.0/16",
    ]


@pytest.mark.parametrize("door", ["serve", "work", "all", "migrate", "check"])
def test_every_door_refuses_with_one_line_and_a_code_of_its_own(
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    door: str,
) -> None:
    monkeypatch.setenv("PAPERLINE_HOST", OPEN)

    assert service.enter(door) == 78
    [said] = capsys.readouterr().err.splitlines()
    assert said.startswith("PAPERLINE_HOST is 0.0.0.0")
    assert service.entered == []


def test_a_refusal_while_it_starts_ends_it_with_that_code(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    service.refusal = ["PostgreSQL runs with fsync=off."]

    assert service.enter("work") == 78
    assert capsys.readouterr().err.splitlines()[-1] == "PostgreSQL runs with fsync=off."


def test_the_queues_are_not_declared_in_the_clear() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "shared.topology", "apply"],
        env={"PAPERLINE_TOPOLOGY_AMQP_URL": f"amqp://topology:{LONG}@broker/paperline"},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )

    assert process.returncode == 78
    assert process.stderr.startswith("PAPERLINE_TOPOLOGY_AMQP_URL goes to broker")

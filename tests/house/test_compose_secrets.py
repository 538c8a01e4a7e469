"""No password stands in a compose file: each is a file, which only its container sees."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.secrets.files import COMPOSE, folders, passwords
from services.extractor.settings import Settings
from tests.house.compose_files import MAIN, REPLICAS, TLS, read, services
from tests.house.repository import ROOT

SECRET = re.compile(r"PASS|SECRET|TOKEN|CREDENTIAL|KEY|_URL$|_DSN$|AUTH", re.IGNORECASE)
IN_A_COMMAND = re.compile(r"(?i)pass(?:word|wd)?[= ]|://[^/\s]*@")
KEY = "gemini_api_key"
files = pytest.mark.parametrize("file", [MAIN, REPLICAS, TLS])


def _spelt_out(environment: Mapping[str, str | None]) -> list[str]:
    """What may be a secret and is neither a file's place, nor left out, nor a plain address."""
    named = (name for name in environment if SECRET.search(name))
    return [name for name in named if not _is_harmless(name, environment[name])]


def _is_harmless(name: str, value: str | None) -> bool:
    if value is None:
        # What the shell has set is the shell's.
        return True
    if name.endswith("_FILE"):
        return value.startswith("/run/")
    where = urlsplit(value)
    is_address = name.endswith("_URL") and bool(where.scheme and where.netloc)
    return is_address and "@" not in where.netloc and not where.query


@files
def test_no_password_stands_in_an_environment(file: str) -> None:
    told = read(file)
    templates = {name: one for name, one in told.items() if name.startswith("x-")}
    every = {name: one.get("environment") or {} for name, one in services(file).items()}
    every |= {name: one for name, one in templates.items() if "environment" in str(name)}

    assert [(name, _spelt_out(one)) for name, one in every.items() if _spelt_out(one)] == []


@files
def test_none_stands_elsewhere(file: str) -> None:
    assert "${" not in (ROOT / file).read_text()
    for name, one in services(file).items():
        words = str([one.get(place) for place in ("command", "entrypoint", "healthcheck")])
        assert not IN_A_COMMAND.search(words), name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POSTGRES_PASSWORD", "hunter2"),
        ("GF_SECURITY_ADMIN_PASSWORD", ""),
        ("GEMINI_API_KEY", "AIza-none"),
        ("POSTGRES_PASSWORD_FILE", "hunter2"),
        ("PAPERLINE_CURSOR_SECRET", "0123456789"),
        ("PAPERLINE_AMQP_URL", "amqp://ingest:hunter2@broker"),
        ("PAPERLINE_AMQP_URL", "hunter2"),
        ("PAPERLINE_DATABASE_URL", "postgresql://database/paperline?password=hunter2"),
        ("PAPERLINE_DATABASE_DSN", "host=database password=hunter2"),
        ("SOME_TOKEN", "hunter2"),
    ],
)
def test_one_that_is_spelt_out_is_noticed(name: str, value: str) -> None:
    assert _spelt_out({name: value}) == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("POSTGRES_PASSWORD_FILE", "/run/secrets/postgres"),
        ("GF_SECURITY_ADMIN_PASSWORD__FILE", "/run/secrets/admin_password"),
        ("PAPERLINE_OIDC_CLIENT_SECRET_FILE", None),
        ("PAPERLINE_BLOBS_URL", "s3://paperline"),
        ("PAPERLINE_REVIEW_URL", "http://127.0.0.1:8081"),
        ("PAPERLINE_LOG_LEVEL", "INFO"),
    ],
)
def test_what_is_none_is_let_through(name: str, value: str | None) -> None:
    assert _spelt_out({name: value}) == []


def test_the_key_of_the_provider_is_a_file_like_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Contained(Settings):
        secret_files = tmp_path

    told = {**folders(passwords({}), COMPOSE)["extractor"], KEY: "a key\n"}
    for name, text in told.items():
        (tmp_path / name).write_text(text)
    extractor = services()["extractor"]
    monkeypatch.delenv(KEY.upper(), raising=False)
    for name, value in extractor["environment"].items():
        if value is not None:
            monkeypatch.setenv(name, value)

    assert Contained().gemini_key() == "a key"
    assert not [name for name in extractor["environment"] if "KEY" in name]
    assert f"secrets/extractor as `{KEY}`" in (ROOT / MAIN).read_text()

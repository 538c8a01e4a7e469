"""How people sign in, as the settings of ingest say it: the whole of it, or not at all."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import ValidationError

from services.ingest.settings import Settings
from shared.access.provider import Client

SECRET = "hunter2 of the client"
RETURN = "https://papers.example/v1/sign-in/return"
PROVIDER = {
    "OIDC_ISSUER": "https://id.example",
    "OIDC_AUDIENCE": "paperline",
    "OIDC_ROLES": '{"desk": "reviewer"}',
}
WHOLE = {**PROVIDER, "OIDC_CLIENT_ID": "papers", "OIDC_REDIRECT_URL": RETURN}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "DATABASE_URL": "postgresql://db/paperline",
        "AMQP_URL": "amqp://broker/",
        "BLOBS_URL": "file:///var/lib/paperline",
        "CURSOR_SECRET": "a secret of this test",
        "WEBHOOK_SECRET": "another secret of this test, longer",
    }.items():
        monkeypatch.setenv(f"PAPERLINE_{name}", value)


def settings(monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str]) -> Settings:
    for name, value in given.items():
        monkeypatch.setenv(f"PAPERLINE_{name}", value)
    return Settings()


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    return file


@pytest.mark.parametrize("given", [{}, PROVIDER], ids=["nobody", "tokens alone"])
def test_nobody_signs_in_with_a_provider_unless_it_is_said(
    monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str]
) -> None:
    told = settings(monkeypatch, given)

    assert told.openid_client() is None
    assert told.keys_sign_in()


def test_a_client_is_what_the_settings_say(
    monkeypatch: pytest.MonkeyPatch, secret_file: Path
) -> None:
    more = {
        "OIDC_CLIENT_SECRET_FILE": str(secret_file),
        "OIDC_SCOPES": "openid  groups",
        "OIDC_SESSION_S": "900",
    }

    client = settings(monkeypatch, {**WHOLE, **more}).openid_client()

    assert client == Client("papers", RETURN, SECRET, "openid groups", session_s=900)
    assert SECRET not in repr(client)


def test_a_client_may_have_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings(monkeypatch, WHOLE).openid_client() == Client("papers", RETURN)


@pytest.mark.parametrize(
    ("given", "takes_keys"),
    [
        ({}, True),
        ({"ENVIRONMENT": "production"}, True),
        (WHOLE, True),
        ({**WHOLE, "ENVIRONMENT": "production"}, False),
        ({**WHOLE, "ENVIRONMENT": "production", "SIGN_IN_WITH_KEY": "true"}, True),
        ({**WHOLE, "SIGN_IN_WITH_KEY": "false"}, False),
    ],
    ids=str,
)
def test_people_sign_in_with_a_key_where_there_is_nothing_better(
    monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str], takes_keys: bool
) -> None:
    assert settings(monkeypatch, given).keys_sign_in() == takes_keys


HALVES: dict[str, tuple[Mapping[str, str], str]] = {
    "no provider": (
        {"OIDC_CLIENT_ID": "papers", "OIDC_REDIRECT_URL": RETURN},
        "needs PAPERLINE_OIDC_ISSUER too",
    ),
    "no way back": ({**PROVIDER, "OIDC_CLIENT_ID": "papers"}, "PAPERLINE_OIDC_REDIRECT_URL"),
    "no client": ({**PROVIDER, "OIDC_REDIRECT_URL": RETURN}, "PAPERLINE_OIDC_CLIENT_ID"),
    "a secret of nobody": (
        {**PROVIDER, "OIDC_CLIENT_SECRET_FILE": "/etc/hostname"},
        "PAPERLINE_OIDC_CLIENT_ID",
    ),
    "a secret that is not there": (
        {**WHOLE, "OIDC_CLIENT_SECRET_FILE": "/nowhere/secret"},
        "cannot be read: FileNotFoundError",
    ),
    "an empty secret": ({**WHOLE, "OIDC_CLIENT_SECRET_FILE": "/dev/null"}, "is empty"),
    "back over an open line": (
        {**WHOLE, "OIDC_REDIRECT_URL": "http://papers.example/v1/sign-in/return"},
        "must start with https://",
    ),
    "back to another page": (
        {**WHOLE, "OIDC_REDIRECT_URL": "https://papers.example/"},
        "/v1/sign-in/return",
    ),
    "back with a question": ({**WHOLE, "OIDC_REDIRECT_URL": f"{RETURN}?to=x"}, "our own"),
    "without saying who": ({**WHOLE, "OIDC_SCOPES": "profile"}, "openid among them"),
    "no way in at all": ({"SIGN_IN_WITH_KEY": "false"}, "nobody sign in"),
    "tokens for nobody": ({**WHOLE, "OIDC_AUDIENCE": ""}, "OIDC_AUDIENCE"),
}


@pytest.mark.parametrize(("given", "told"), HALVES.values(), ids=HALVES)
def test_half_of_it_stops_the_process_and_names_the_rest(
    monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str], told: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        settings(monkeypatch, given)

    assert told.lower() in str(caught.value).lower()

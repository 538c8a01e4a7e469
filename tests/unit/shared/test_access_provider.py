"""What the claims of a verified token mean here: whose documents, and which roles."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pydantic import ValidationError

from shared.access.keys import Quota
from shared.access.provider import OWNER_CHARS_MAX, Provider, caller_from
from shared.access.roles import ROLES
from shared.process.api_settings import ApiSettings, require_safe_url

PROVIDER = Provider(
    issuer="https://id.example",
    audience="paperline",
    roles={"desk": "reviewer", "in": "submitter", "spaced word": "admin"},
)
ISSUER = {"OIDC_ISSUER": "https://id.example"}
WHOLE = {**ISSUER, "OIDC_AUDIENCE": "paperline", "OIDC_ROLES": '{"desk": "reviewer"}'}


def roles_of(claims: Mapping[str, object], roles_claim: str) -> frozenset[str]:
    provider = replace(PROVIDER, roles_claim=roles_claim)
    caller = caller_from({"sub": "anna", **claims}, provider)
    assert caller is not None
    return caller.roles


@pytest.mark.parametrize(
    ("claims", "claim", "roles"),
    [
        ({"roles": ["desk", "in", "other"]}, "roles", {"reviewer", "submitter"}),
        ({"roles": ["reviewer", "submitter", "admin"]}, "roles", set()),
        ({"realm_access": {"roles": ["desk"]}}, "realm_access.roles", {"reviewer"}),
        ({"https://id.example/roles": ["desk"]}, "https://id.example/roles", {"reviewer"}),
        ({"a.b": ["desk"], "a": {"b": ["in"]}}, "a.b", {"reviewer"}),
        ({"a": ["desk"]}, "a.b", set()),
        ({"groups": "desk"}, "groups", {"reviewer"}),
        ({"groups": "desk in"}, "groups", set()),
        ({"groups": "spaced word"}, "groups", {"admin"}),
        ({"scope": "openid desk in"}, "scope", {"reviewer", "submitter"}),
        ({"roles": {"desk": True}}, "roles", set()),
        ({}, "roles", set()),
    ],
)
def test_only_words_of_the_mapping_become_roles(
    claims: Mapping[str, object], claim: str, roles: set[str]
) -> None:
    assert roles_of(claims, claim) == roles


def test_a_caller_may_what_its_roles_may_and_no_more() -> None:
    caller = caller_from({"sub": "anna", "roles": ["desk", "in"]}, PROVIDER)

    assert caller is not None
    assert caller.permissions == ROLES["reviewer"] | ROLES["submitter"]


def test_the_owner_stands_in_the_claim_that_was_agreed() -> None:
    provider = Provider("https://id.example", "p", {}, owner_claim="org.id", quota=Quota(5))

    caller = caller_from({"sub": "anna", "org": {"id": "acme"}}, provider)

    assert caller is not None
    assert (caller.owner_id, caller.quota) == ("acme", Quota(5))


@pytest.mark.parametrize(
    "owner",
    [None, "", " ", "anna ", 7, ["anna"], "a\x00b", "a\nb", "a" * (OWNER_CHARS_MAX + 1)],
)
def test_without_a_name_there_is_no_caller(owner: object) -> None:
    provider = Provider("https://id.example", "p", {}, owner_claim="who")

    assert caller_from({"sub": "anna", "who": owner}, provider) is None


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "DATABASE_URL": "postgresql://db/paperline",
        "AMQP_URL": "amqp://broker/",
        "BLOBS_URL": "file:///var/lib/paperline",
        "CURSOR_SECRET": "a secret of this test",
    }.items():
        monkeypatch.setenv(f"PAPERLINE_{name}", value)


def settings(monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str]) -> ApiSettings:
    for name, value in given.items():
        monkeypatch.setenv(f"PAPERLINE_{name}", value)
    return ApiSettings()


def test_nobody_is_believed_unless_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings(monkeypatch, {}).provider() is None


def test_a_provider_is_what_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"OIDC_OWNER_CLAIM": "org", "OIDC_BYTES_PER_DAY": "9", "OIDC_LEEWAY_S": "0"}

    provider = settings(monkeypatch, {**WHOLE, **more}).provider()

    assert provider == Provider(
        issuer="https://id.example",
        audience="paperline",
        roles={"desk": "reviewer"},
        owner_claim="org",
        quota=Quota(None, 9),
        leeway_s=0,
    )


@pytest.mark.parametrize(
    "given",
    [
        ISSUER,
        {**ISSUER, "OIDC_AUDIENCE": "paperline"},
        {**WHOLE, "OIDC_ROLES": "{}"},
        {**WHOLE, "OIDC_ROLES": '{"desk": "reviewr"}'},
        {**WHOLE, "OIDC_ROLES": "desk=reviewer"},
        {**WHOLE, "OIDC_AUDIENCE": ""},
        {**WHOLE, "OIDC_ISSUER": "http://id.example"},
        {**WHOLE, "OIDC_JWKS_URL": "http://id.example/keys"},
        {**WHOLE, "OIDC_LEEWAY_S": "3600"},
        {"OIDC_AUDIENCE": "paperline"},
        {"OIDC_JWKS_URL": "https://id.example/keys"},
    ],
    ids=str,
)
def test_half_a_provider_or_an_unsafe_one_stops_the_process(
    monkeypatch: pytest.MonkeyPatch, given: Mapping[str, str]
) -> None:
    with pytest.raises(ValidationError):
        settings(monkeypatch, given)


@pytest.mark.parametrize(
    "url", ["https://id.example/x", "http://localhost:1/", "http://[::1]:1"]
)
def test_an_address_is_safe_by_tls_or_on_the_machine_itself(url: str) -> None:
    require_safe_url(url)


@pytest.mark.parametrize(
    "url",
    ["http://id.example", "http://127.0.0.1.evil.example", "ftp://localhost", "https://a:b@c",
     "https://", "https://id.example/#x", "http://localhost@evil.example"],
)  # fmt: skip
def test_an_address_that_somebody_could_stand_before_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="must"):
        require_safe_url(url)

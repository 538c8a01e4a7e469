"""Which servers are far, which ways are closed, and what a secret must not be."""

from pathlib import Path

import pytest

from shared.addresses import (
    Plaintext,
    hosts_of,
    is_closed,
    networks_named,
    unsafe_addresses,
    weakness,
    with_authority,
    within,
)

NOBODY = Plaintext()
LONG = "f3a9c1d27b604e58"


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("postgresql://a:b@db:5432/x", ["db"]),
        ("postgresql://a:b@one:5432,two/x", ["one", "two"]),
        ("postgresql://a:b@[::1]:5432/x", ["::1"]),
        ("postgresql:///x?host=/run/postgresql", []),
        ("postgresql:///x?host=db.far", ["db.far"]),
        ("postgresql://a:p%40ss@127.0.0.1/x", ["127.0.0.1"]),
        ("amqps://a:b@broker/v?host=elsewhere", ["broker"]),
        ("https://objects.example", ["objects.example"]),
    ],
)
def test_the_hosts_of_an_address_are_found(url: str, hosts: list[str]) -> None:
    assert hosts_of(url) == hosts


@pytest.mark.parametrize(
    ("url", "closed"),
    [
        ("https://objects", True),
        ("http://objects", False),
        ("amqps://a:b@broker/v", True),
        ("amqps://a:b@broker/v?no_verify_ssl=1", False),
        ("amqps://a:b@broker/v?no_verify_ssl=0&no_verify_ssl=1", False),
        ("amqp://a:b@broker/v", False),
        ("postgresql://a@db/x?sslmode=verify-full", True),
        # Encrypted for whoever answers, or for whoever has any certificate of the authority.
        ("postgresql://a@db/x?sslmode=require", False),
        ("postgresql://a@db/x?sslmode=verify-ca", False),
        ("postgresql://a@db/x?sslmode=verify-full&sslmode=disable", False),
        ("postgresql://a@db/x", False),
    ],
)
def test_only_a_way_that_is_verified_is_closed(url: str, *, closed: bool) -> None:
    assert is_closed(url) is closed


def _said(plaintext: Plaintext = NOBODY, **urls: str) -> list[str]:
    return list(unsafe_addresses(urls, plaintext))


@pytest.mark.parametrize(
    "url",
    [
        f"amqp://ingest:{LONG}@broker/v",
        f"postgresql://ingest:{LONG}@10.1.2.3/x",
        "http://objects:8333",
        f"postgresql://ingest:{LONG}@127.0.0.1,10.1.2.3/x",
    ],
)
def test_a_plain_way_to_another_machine_is_named_with_what_to_do(url: str) -> None:
    [said] = _said(THE_URL=url)

    assert said.startswith("THE_URL goes to ")
    assert "PAPERLINE_PLAINTEXT_HOSTS=" in said
    assert LONG not in said


@pytest.mark.parametrize(
    "url",
    [
        "amqp://me:x@127.0.0.1/v",
        "amqp://me:x@localhost:5672/v",
        "postgresql://me@[::1]/x",
        "postgresql:///x?host=/run/postgresql",
        "http://127.0.0.1:8333",
        f"amqps://ingest:{LONG}@broker/v",
        f"postgresql://ingest:{LONG}@db/x?sslmode=verify-full",
        "https://objects",
    ],
)
def test_this_machine_and_closed_ways_need_no_permission(url: str) -> None:
    assert _said(THE_URL=url) == []


@pytest.mark.parametrize(
    ("allowed", "host", "covered"),
    [
        ("broker, database", "broker", True),
        ("broker", "Broker", True),
        ("broker", "broker.example", False),
        ("10.1.0.0/16", "10.1.2.3", True),
        ("10.1.0.0/16", "10.2.2.3", False),
        ("fd00::/8", "fd00::5", True),
        ("0.0.0.0", "0.0.0.0", True),  # noqa: S104 -- only said
        ("", "broker", False),
    ],
)
def test_what_is_allowed_in_the_clear_is_named_host_by_host(
    allowed: str, host: str, *, covered: bool
) -> None:
    plaintext = Plaintext.named(allowed)

    assert plaintext.covers(host) is covered


def test_a_host_that_is_allowed_lets_no_other_through() -> None:
    url = f"postgresql://ingest:{LONG}@db,elsewhere/x"

    [said] = _said(Plaintext.named("db"), THE_URL=url)

    assert "goes to elsewhere" in said


@pytest.mark.parametrize(
    "url",
    ["amqp://guest:guest@127.0.0.1/", "amqp://127.0.0.1/", f"amqps://guest:{LONG}@broker/"],
)
def test_the_account_that_everybody_knows_is_refused_everywhere(url: str) -> None:
    [said] = _said(THE_URL=url)

    assert "THE_URL uses the account guest" in said


@pytest.mark.parametrize("password", ["short", "change-me-please", "aaaaaaaaaaaaaaaa"])
def test_a_password_that_can_be_guessed_is_refused_where_others_can_try(password: str) -> None:
    [said] = _said(THE_URL=f"amqps://ingest:{password}@broker/v")

    assert said.startswith("The password in THE_URL ")
    assert password not in said
    assert _said(THE_URL=f"amqp://ingest:{password}@127.0.0.1/v") == []


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        ("f3a9c1d2", "has 8 characters"),
        ("please-CHANGE-ME-soon", "placeholder"),
        ("0123456789abcdef", "placeholder"),
        ("my-secret-of-production", "placeholder"),
        ("ababababababababab", "repeats"),
        ("f3a9c1d27b604e58", None),
        ("Qm9-x_Zr4TgVw1LkPs7d", None),
    ],
)
def test_a_secret_is_long_random_and_nobodys_example(secret: str, why: str | None) -> None:
    found = weakness(secret, 16)

    assert (why or "") in (found or "")
    assert (found is None) == (why is None)


@pytest.mark.parametrize(
    ("url", "believing"),
    [
        ("amqps://a:b@broker/v", "amqps://a:b@broker/v?cafile=%2Frun%2Fca.pem"),
        ("amqps://a:b@broker/v?cafile=/own", "amqps://a:b@broker/v?cafile=/own"),
        ("amqp://a:b@broker/v", "amqp://a:b@broker/v"),
        (
            "postgresql://a@db/x?sslmode=verify-full",
            "postgresql://a@db/x?sslmode=verify-full&sslrootcert=%2Frun%2Fca.pem",
        ),
        ("postgresql://a@db/x", "postgresql://a@db/x"),
    ],
)
def test_an_authority_goes_with_the_addresses_that_speak_tls(url: str, believing: str) -> None:
    assert with_authority(url, Path("/run/ca.pem")) == believing
    assert with_authority(url, None) == url


def test_a_client_of_ipv4_is_known_on_a_socket_of_ipv6() -> None:
    assert within("::ffff:10.1.2.3", networks_named("10.1.0.0/16"))
    assert not within("unknown", networks_named("10.1.0.0/16"))

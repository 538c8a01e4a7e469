"""An authority and its pairs: made once, renewed in time, and for the names that were asked."""

import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography import x509

from deploy.certificates.making import CertificateError, make
from deploy.secrets.files import Hosts, folders, passwords
from tests.house.repository import ROOT

ONE = {"broker": ["broker", "10.1.0.5"]}


def _shown(folder: Path, server: str = "broker") -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / server / "tls.crt").read_bytes())


def _names(certificate: x509.Certificate) -> set[str]:
    kind = x509.SubjectAlternativeName
    found = certificate.extensions.get_extension_for_class(kind).value
    return {str(one.value) for one in found}


def test_a_pair_bears_every_name_under_which_its_server_is_called(tmp_path: Path) -> None:
    assert make(tmp_path, ONE) == ["an authority", "broker"]

    assert _names(_shown(tmp_path)) == {"broker", "10.1.0.5", "localhost", "127.0.0.1", "::1"}


def test_the_authority_certifies_servers_and_nobody_below_it(tmp_path: Path) -> None:
    make(tmp_path, ONE)
    authority = x509.load_pem_x509_certificate((tmp_path / "ca.pem").read_bytes())

    limits = authority.extensions.get_extension_for_class(x509.BasicConstraints).value
    leaf = _shown(tmp_path).extensions.get_extension_for_class(x509.BasicConstraints).value
    assert (limits.ca, limits.path_length, leaf.ca) == (True, 0, False)
    _shown(tmp_path).verify_directly_issued_by(authority)


def test_the_folder_and_the_authoritys_key_are_their_owners_alone(tmp_path: Path) -> None:
    make(tmp_path / "tls", ONE)

    assert (tmp_path / "tls").stat().st_mode & 0o077 == 0
    assert (tmp_path / "tls" / "ca.key").stat().st_mode & 0o077 == 0


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, ONE)
    before = _shown(tmp_path)

    assert make(tmp_path, ONE) == []
    assert _shown(tmp_path) == before


def test_what_ends_soon_or_is_called_otherwise_is_made_anew(tmp_path: Path) -> None:
    make(tmp_path, ONE, days=20)

    assert make(tmp_path, ONE) == ["broker"]
    assert make(tmp_path, ONE) == []
    assert make(tmp_path, {"broker": ["rabbit"]}) == ["broker"]
    assert "rabbit" in _names(_shown(tmp_path))


def test_a_new_authority_certifies_all_anew(tmp_path: Path) -> None:
    make(tmp_path, ONE)
    (tmp_path / "ca.pem").unlink()

    assert make(tmp_path, ONE) == ["an authority", "broker"]


def test_without_the_authoritys_key_what_lasts_is_kept_and_nothing_is_made(
    tmp_path: Path,
) -> None:
    make(tmp_path, ONE)
    (tmp_path / "ca.key").unlink()

    assert make(tmp_path, ONE) == []
    with pytest.raises(CertificateError, match="put it back"):
        make(tmp_path, {"broker": ["rabbit"]})


def test_a_pair_can_be_served_with(tmp_path: Path) -> None:
    make(tmp_path, ONE)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "broker" / "tls.crt", tmp_path / "broker" / "tls.key")


def test_the_command_says_what_it_made(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "deploy.certificates", str(tmp_path / "tls")]
    words = ("--host", "broker=rabbit.internal,10.1.0.5")

    said = [
        subprocess.run([*command, *words], cwd=ROOT, check=True, capture_output=True, text=True)
        for _ in range(2)
    ]

    assert "an authority, broker, database" in said[0].stdout
    assert "nothing new" in said[1].stdout
    assert "rabbit.internal" in _names(_shown(tmp_path / "tls"))
    wrong = subprocess.run(
        [*command, "--host", "broker"], cwd=ROOT, capture_output=True, check=False
    )
    assert wrong.returncode == 2


def test_addresses_of_closed_servers_speak_tls_and_bring_the_authority() -> None:
    hosts = Hosts("db.far", "rabbit.far", tls=True, authority="-----BEGIN")

    told = folders(passwords({}), hosts)

    assert told["ingest"]["ca.pem"] == told["topology"]["ca.pem"] == "-----BEGIN"
    assert told["ingest"]["paperline_amqp_url"].startswith("amqps://ingest:")
    assert "@rabbit.far:5671/" in told["ingest"]["paperline_amqp_url"]
    assert told["ingest"]["paperline_database_url"].endswith("?sslmode=verify-full")
    assert told["migrate-ingest"]["paperline_migrate_url"].endswith("?sslmode=verify-full")
    assert told["monitor"]["paperline_broker_api_url"].startswith("https://monitor:")
    assert told["scaler"]["host"].startswith("https://")

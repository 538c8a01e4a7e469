"""Keys and certificates, made by `openssl`: one authority, and one pair for each server.

A certificate names every host under which its server is called: clients compare, and believe
no other. An authority is kept, or everybody would have to be told of a new one; pairs are made
anew when they end soon, bear other names, or are not of this authority.
"""

import ipaddress
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SERVERS = (
    "broker",
    "database",
    "objects",
    "ingest",
    "extractor",
    "storage",
    "review",
    "monitor",
)
# So that tools on the machine of a container reach it too, under names of their own.
ALSO = ("localhost", "127.0.0.1", "::1")
AUTHORITY_DAYS, LEAF_DAYS, RENEWED_BEFORE_DAYS = 3_650, 397, 30
DAY_S = 86_400
CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class CertificateError(Exception):
    """What `openssl` said, or that there is none."""


def make(
    folder: Path,
    names: Mapping[str, Sequence[str]],
    *,
    also: Sequence[str] = ALSO,
    days: int = LEAF_DAYS,
    authority_days: int = AUTHORITY_DAYS,
) -> list[str]:
    """What was made, in words; nothing when all is there and lasts."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    authority, key = folder / "ca.pem", folder / "ca.key"
    made = []
    if not authority.exists():
        _make_authority(authority, key, authority_days)
        made.append("an authority")
    for server, called in names.items():
        home = folder / server
        hosts = list(dict.fromkeys([*called, *also]))
        if _lasts(home / "tls.crt", authority, hosts):
            continue
        if not key.exists():
            raise CertificateError(
                f"{server} needs a certificate and {key} is not there: put it back for this."
            )
        home.mkdir(exist_ok=True)
        # Inside the closed folder: a container's own user has to read it.
        home.chmod(0o755)
        _make_pair(home, (authority, key), hosts, days)
        made.append(server)
    return made


def _make_authority(authority: Path, key: Path, days: int) -> None:
    key.touch(mode=0o600)
    _openssl(
        "req", "-x509", *CURVE, "-sha256", "-subj", "/CN=Paperline authority",
        "-days", str(days), "-keyout", str(key), "-out", str(authority),
        "-addext", "basicConstraints=critical,CA:TRUE,pathlen:0",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign",
    )  # fmt: skip


def _make_pair(home: Path, by: tuple[Path, Path], hosts: Sequence[str], days: int) -> None:
    authority, authority_key = by
    with tempfile.TemporaryDirectory(dir=home) as at:
        asked, rules, key, certificate = (
            Path(at) / name for name in ("asked", "rules", "key", "crt")
        )
        _openssl(
            "req", "-new", *CURVE, "-sha256", "-subj", f"/CN={hosts[0][:64]}",
            "-keyout", str(key), "-out", str(asked),
        )  # fmt: skip
        rules.write_text(
            "basicConstraints=critical,CA:FALSE\n"
            "keyUsage=critical,digitalSignature\n"
            "extendedKeyUsage=serverAuth\n"
            f"subjectAltName={_alternatives(hosts)}\n"
        )
        _openssl(
            "x509", "-req", "-in", str(asked), "-sha256", "-days", str(days),
            "-CA", str(authority), "-CAkey", str(authority_key), "-set_serial", _serial(),
            "-extfile", str(rules), "-out", str(certificate),
        )  # fmt: skip
        for fresh, name in ((key, "tls.key"), (certificate, "tls.crt")):
            fresh.chmod(0o444)
            fresh.replace(home / name)


def _alternatives(hosts: Sequence[str]) -> str:
    return ",".join(f"{'IP' if _is_address(one) else 'DNS'}:{one}" for one in hosts)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _lasts(certificate: Path, authority: Path, hosts: Sequence[str]) -> bool:
    if not certificate.exists() or not certificate.with_suffix(".key").exists():
        return False
    seconds = str(RENEWED_BEFORE_DAYS * DAY_S)
    ends_later = _says_yes("x509", "-in", str(certificate), "-noout", "-checkend", seconds)
    is_ours = _says_yes("verify", "-CAfile", str(authority), str(certificate))
    return ends_later and is_ours and all(_is_named(certificate, host) for host in hosts)


def _is_named(certificate: Path, host: str) -> bool:
    how = "-checkip" if _is_address(host) else "-checkhost"
    said = _openssl("x509", "-in", str(certificate), "-noout", how, host)
    return "does match" in said


def _serial() -> str:
    return f"0x{_openssl('rand', '-hex', '16').strip()}"


def _says_yes(*words: str) -> bool:
    try:
        _openssl(*words)
    except CertificateError:
        return False
    return True


def _openssl(*words: str) -> str:
    try:
        done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise CertificateError(
            "openssl is not installed; Debian and Ubuntu: apt-get install openssl"
        ) from error
    if done.returncode:
        raise CertificateError(f"openssl {words[0]}: {done.stderr.strip()[-500:]}")
    return done.stdout

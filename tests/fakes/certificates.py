"""A certificate that was made a moment ago, and whoever believes it."""

import ssl
import warnings
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.clock import WallClock


def certified_for(
    folder: Path, name: str, *, days: int = 1
) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """For the server of this name, and for its clients."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = WallClock().now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(path)
    text = certificate.public_bytes(serialization.Encoding.PEM).decode()
    return server, ssl.create_default_context(cadata=text)


def outdated(trust: ssl.SSLContext) -> ssl.SSLContext:
    """A client that would speak TLS 1.1, and nothing newer: only its server can refuse it."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        trust.set_ciphers("DEFAULT@SECLEVEL=0")
        trust.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        trust.maximum_version = ssl.TLSVersion.TLSv1_1
    return trust


def authority_for(folder: Path) -> Path:
    """The file of an authority, for whom only wants to name one."""
    certified_for(folder, "authority")
    return authority_in(folder)


def authority_in(folder: Path) -> Path:
    """The file of whoever certified the server there: itself."""
    path = folder / "authority.pem"
    path.write_text(_certificates((folder / "server.pem").read_text()))
    return path


def _certificates(text: str) -> str:
    return text[text.index("-----BEGIN CERTIFICATE") :]

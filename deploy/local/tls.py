"""Whether a stack's doors speak TLS, and whom its tools believe: the same variables that say it
to the services, so they are set for `up` and for whatever speaks to it afterwards."""

import os
import ssl
from pathlib import Path

CERTIFICATE, AUTHORITY = "PAPERLINE_TLS_CERTIFICATE_FILE", "PAPERLINE_CA_FILE"


def scheme() -> str:
    return "https" if os.environ.get(CERTIFICATE) else "http"


def address(port: int) -> str:
    """Of a door of this machine."""
    return f"{scheme()}://127.0.0.1:{port}"


def authority() -> Path | None:
    named = os.environ.get(AUTHORITY)
    return Path(named) if named else None


def trust() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=authority())


def no_trust() -> ssl.SSLContext:
    """For asking whether a process of this machine answers, and for nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context

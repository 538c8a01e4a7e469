"""The five services as background processes, each with its own accounts and ports.

A service is started anew when its code, the shared code, its packages or its surroundings
changed since it was started; the fingerprint of all of these is kept with its pid.
"""

import hashlib
import http.client
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from deploy.local import gemini_double, packages, ports, processes, tls
from deploy.local.credentials import SERVICES, credentials
from deploy.local.endpoints import Endpoints
from deploy.local.errors import StackError
from deploy.local.starting import listens, watch
from deploy.local.state import REPOSITORY, State

WITH_API = ("ingest", "storage", "review", "monitor")
PORTS = [f"{name}_api" for name in WITH_API] + [f"{name}_ops" for name in SERVICES]
READY_WITHIN_S = 60.0
DRAIN_WITHIN_S = 35.0
# What a door ends with when something it needs is away.
TRY_AGAIN = 75
AGAIN_AFTER_S = 2.0
# What the user may say about a service passes through; where it is comes from the stack.
PASSED_ON = ("PAPERLINE_", "OTEL_", "GEMINI_", "GOOGLE_", "ENGINES")
# Of who hands documents in: what they point at is none of a service's business.
OF_A_CLIENT = frozenset({"PAPERLINE_URL", "PAPERLINE_KEY"})
# Of the one service that speaks to the provider.
OF_THE_PROVIDER = ("GEMINI_", "GOOGLE_")
NOT_PASSED_ON = ("PAPERLINE_STATE", "PAPERLINE_TEST_", "PAPERLINE_STACK", "PAPERLINE_COMPONENT")


def environment(state: State, service: str, reach: Endpoints) -> dict[str, str]:
    known = ports.remembered(state)
    own = {
        "PAPERLINE_DATABASE_URL": reach.database[service],
        "PAPERLINE_AMQP_URL": reach.amqp[service],
        "PAPERLINE_HOST": "127.0.0.1",
        "PAPERLINE_API_PORT": str(known.get(f"{service}_api", 0)),
        "PAPERLINE_OPS_PORT": str(known[f"{service}_ops"]),
        **reach.blobs,
    }
    if service in WITH_API:
        own["PAPERLINE_CURSOR_SECRET"] = credentials(state)["cursor_secret"]
        own["PAPERLINE_WEBHOOK_SECRET"] = credentials(state)["webhook_secret"]
        own["PAPERLINE_REVIEW_URL"] = tls.address(known["review_api"])
        own["PAPERLINE_CONSOLE_URL"] = tls.address(known["monitor_api"])
        own["PAPERLINE_SIGN_IN_URL"] = tls.address(known["ingest_api"])
    if service == "monitor":
        own["PAPERLINE_BROKER_API_URL"] = reach.broker_api[service]
    if service == "extractor":
        return {**surroundings(), **own, **gemini_double.variables(state)}
    others = surroundings().items()
    return {name: text for name, text in others if not name.startswith(OF_THE_PROVIDER)} | own


def surroundings() -> dict[str, str]:
    """What every process of the stack gets; nothing of the user's shell beyond that."""
    plain = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in plain or (name.startswith(PASSED_ON) and not _is_ours(name))
    }
    return {"PAPERLINE_LOG_LEVEL": "INFO", **passed, "PYTHONPATH": str(REPOSITORY)}


def _is_ours(name: str) -> bool:
    return name in OF_A_CLIENT or name.startswith(NOT_PASSED_ON)


def fingerprint(service: str, surroundings: dict[str, str]) -> str:
    told = {name: text for name, text in surroundings.items() if name.startswith(PASSED_ON)}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    for path in sorted(_sources(service)):
        digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _sources(service: str) -> Iterator[Path]:
    yield packages.REQUIREMENTS
    for folder in (REPOSITORY / "shared", REPOSITORY / "services" / service):
        yield from (
            path
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        )


def start(state: State, service: str, reach: Endpoints) -> str | None:
    """Why it was started; None when it runs and nothing changed."""
    mine = environment(state, service, reach)
    print_now = fingerprint(service, mine)
    process = processes.running(state, service)
    if process is not None and process.fingerprint == print_now:
        return None
    why = "started"
    if process is not None:
        stop(state, service)
        why = "restarted: it changed"
    elif state.record(service).exists():
        why = "restarted: it had died"
    processes.sweep(state, service)
    command = [str(packages.PYTHON), "-m", f"services.{service}", "all"]
    launch = processes.Launch(service, command, mine, REPOSITORY, fingerprint=print_now)
    processes.start(state, launch)
    return why


def stop(state: State, service: str) -> bool:
    return processes.stop(state, service, patience_s=DRAIN_WITHIN_S)


def wait_ready(state: State, service: str) -> None:
    known = ports.remembered(state)
    own = {name: port for name, port in known.items() if name.rpartition("_")[0] == service}
    port = own[f"{service}_ops"]
    # A replica may have no API to open, and a door that is not the stack's own.
    opened = own.values() if service in WITH_API else (port,)

    def answers() -> bool:
        return readiness(port)[0] and all(listens(state, service, one) for one in opened)

    if not watch(state, {service: own}, until=answers, within_s=READY_WITHIN_S):
        raise StackError(
            f"{service} is not ready after {READY_WITHIN_S:.0f} s: {readiness(port)[1]}\n"
            f"its log: ./paperline{state.named} logs {service}"
        )


def readiness(port: int) -> tuple[bool, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3)
    if tls.scheme() == "https":
        untrusted = tls.no_trust()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", port, timeout=3, context=untrusted
        )
    try:
        connection.request("GET", "/readyz")
        response = connection.getresponse()
        return response.status == http.client.OK, response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return False, f"no answer ({error})"
    finally:
        connection.close()


def run_module(
    arguments: list[str], variables: dict[str, str], *, tries: int = 1
) -> subprocess.CompletedProcess[str]:
    """A short-lived door of the system (migrate, topology, a key) with its own rights; tried
    again where it says that this may help."""
    for left in reversed(range(tries)):
        attempt = subprocess.run(
            [str(packages.PYTHON), "-m", *arguments],
            env={**surroundings(), **variables},
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if attempt.returncode != TRY_AGAIN or not left:
            break
        time.sleep(AGAIN_AFTER_S)
    if attempt.returncode:
        said = (attempt.stdout + attempt.stderr).strip().splitlines()[-15:]
        raise StackError(f"python -m {' '.join(arguments)} failed:\n" + "\n".join(said))
    return attempt

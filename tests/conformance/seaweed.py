"""A real S3 server for the tests: SeaweedFS, started on this machine and ended again.

A mock of S3 accepts what a server refuses (wrong checksums, two winners of one key), so the
suite that must hold for every store runs against one. It listens on loopback, on ports that
were free a moment ago, and is ended by its own process id.
"""

import contextlib
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from deploy.local.ports import FIRST
from shared.blobs.open import BlobOptions, s3_client
from tests.eventually import eventually

BUCKET = "paperline-test"
# `mini` is a whole cluster in one process. The first is the one that we ask.
SPEAKERS = ("s3", "master", "volume", "filer", "admin")
WEED = Path(sys.executable).parent / "weed"
STOP_S = 15
# Whatever else it would serve takes ports of others.
HERE_ONLY = ("-webdav=false", "-admin.ui=false", "-s3.port.iceberg=0", "-s3.port.lance=0")


@dataclass(frozen=True, slots=True)
class Tls:
    """What a server shows that speaks nothing else, and who has certified it."""

    certificate: Path
    key: Path
    ca_file: Path


@contextlib.asynccontextmanager
async def seaweed(folder: Path, tls: Tls | None = None) -> AsyncIterator[BlobOptions]:
    """Options that reach the running server; the bucket is there."""
    access_key, secret_key = f"AKIA{secrets.token_hex(8).upper()}", secrets.token_hex(20)
    environment = {"AWS_ACCESS_KEY_ID": access_key, "AWS_SECRET_ACCESS_KEY": secret_key}
    told = (
        [f"-s3.cert.file={tls.certificate}", f"-s3.key.file={tls.key}"]
        if tls is not None
        else []
    )
    with _running(folder, [*HERE_ONLY, *told], environment) as (process, port):
        options = BlobOptions(
            s3_endpoint=f"https://localhost:{port}" if tls else f"http://127.0.0.1:{port}",
            ca_file=tls.ca_file if tls else None,
            s3_access_key=access_key,
            s3_secret_key=secret_key,
            connect_timeout_s=2,
            read_timeout_s=10,
        )
        await eventually(lambda: _has_bucket(process, options), within_s=30, every_s=0.1)
        yield options


@contextlib.asynccontextmanager
async def seaweed_with_keys(
    folder: Path, told: Sequence[str], keys: Mapping[str, tuple[str, str]]
) -> AsyncIterator[Mapping[str, BlobOptions]]:
    """A server that is told the rest, and for each name the options with its key."""
    with _running(folder, told, {}) as (process, port):
        endpoint = f"http://127.0.0.1:{port}"
        options = {
            name: BlobOptions(s3_endpoint=endpoint, s3_access_key=key, s3_secret_key=secret)
            for name, (key, secret) in keys.items()
        }
        await eventually(lambda: _lists(process, [*options.values()]), within_s=30, every_s=0.1)
        yield options


@contextlib.contextmanager
def _running(
    folder: Path, told: Sequence[str], environment: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    ports = _free_ports(2 * len(SPEAKERS))
    surroundings = {**environment, "HOME": str(folder), "TMPDIR": str(folder)}
    process = _start([*_command(folder, ports), *told], folder, surroundings)
    try:
        yield process, ports[0]
    finally:
        _stop(process)


def _start(
    command: list[str], folder: Path, environment: dict[str, str]
) -> subprocess.Popen[bytes]:
    with (folder / "weed.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)


def _command(folder: Path, ports: list[int]) -> list[str]:
    asked = [f"-{one}.port" for one in SPEAKERS] + [f"-{one}.port.grpc" for one in SPEAKERS]
    told = (f"{option}={port}" for option, port in zip(asked, ports, strict=True))
    home = (f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1")
    return [str(WEED), "mini", *home, *told]


def _has_bucket(process: subprocess.Popen[bytes], options: BlobOptions) -> bool:
    assert process.poll() is None, "the S3 server ended by itself; see weed.log"
    client = s3_client(options)
    try:
        client.create_bucket(Bucket=BUCKET)
    except ClientError as error:
        return error.response["Error"]["Code"] == "BucketAlreadyOwnedByYou"
    except BotoCoreError:
        return False
    finally:
        client.close()
    return True


def _lists(process: subprocess.Popen[bytes], options: Sequence[BlobOptions]) -> bool:
    """Whether anybody sees a bucket."""
    assert process.poll() is None, "the S3 server ended by itself; see weed.log"
    clients = [s3_client(one) for one in options]
    try:
        return any(client.list_buckets()["Buckets"] for client in clients)
    except (BotoCoreError, ClientError):
        return False
    finally:
        for client in clients:
            client.close()


def _free_ports(count: int) -> list[int]:
    # Below those of our stacks (`deploy/local/ports.py`), a service of which may be about to
    # start again, and so below those of outgoing connections.
    ports: list[int] = []
    while len(ports) < count:
        port = 10_000 + secrets.randbelow(FIRST - 10_000)
        if port not in ports and _is_free(port):
            ports.append(port)
    return ports


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_S)

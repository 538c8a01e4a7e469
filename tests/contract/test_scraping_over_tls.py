"""What is shipped for services that speak TLS, in a real Prometheus: each is scraped by its
address, which its certificate does not name, and believed by its name alone.

Only where a service is found differs: an address of this machine, instead of what a name
resolves to.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from deploy.certificates.making import make
from deploy.local.prometheus import ADVICE, prometheus_program
from tests.eventually import eventually
from tests.house.repository import ROOT, SERVICES
from tests.prometheus import Prometheus, free_port

SHIPPED = ROOT / "deploy" / "prometheus" / "prometheus-tls.yml"
SAID = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\n\r\n"
)


@pytest.fixture
def program() -> Path:
    found = prometheus_program()
    if found is None:
        pytest.skip(f"no Prometheus, so nothing was scraped: {ADVICE}")
    return found


@asynccontextmanager
async def _answering(
    folder: Path, certified: Mapping[str, str]
) -> AsyncIterator[dict[str, int]]:
    """The port of each service; `certified`: as whom it shows itself."""
    async with AsyncExitStack() as stack:
        ports = {}
        for service, name in certified.items():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder / name / "tls.crt", folder / name / "tls.key")
            server = await asyncio.start_server(_tells, "127.0.0.1", 0, ssl=context)
            await stack.enter_async_context(server)
            ports[service] = server.sockets[0].getsockname()[1]
        yield ports


async def _tells(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(SAID + b"alive 1\n")
    await writer.drain()
    writer.close()


@asynccontextmanager
async def _prometheus(
    program: Path, folder: Path, ports: Mapping[str, int]
) -> AsyncIterator[Prometheus]:
    (folder / "prometheus.yml").write_text(yaml.safe_dump(_configuration(folder, ports)))
    port = free_port()
    with (folder / "prometheus.log").open("w") as log:
        process = await asyncio.create_subprocess_exec(
            program,
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            stdout=log,
            stderr=log,
        )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            yield Prometheus(http)
    finally:
        process.terminate()
        await process.wait()


def _configuration(folder: Path, ports: Mapping[str, int]) -> dict[str, Any]:
    told: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
    del told["alerting"], told["rule_files"]
    told["global"] = {"scrape_interval": "1s"}
    (folder / "secret").write_text("shown")
    for one in told["scrape_configs"]:
        [found] = one.pop("dns_sd_configs")
        [service] = found["names"]
        one["static_configs"] = [{"targets": [f"127.0.0.1:{ports[service]}"]}]
        one["tls_config"]["ca_file"] = str(folder / "ca.pem")
        one["authorization"]["credentials_file"] = str(folder / "secret")
        # Looked up by no name, it has none to be called by.
        one["relabel_configs"][0] = {"target_label": "service", "replacement": service}
    return told


async def test_each_is_scraped_by_its_address_and_believed_by_its_name(
    program: Path, tmp_path: Path
) -> None:
    """And one that shows the certificate of another is not."""
    make(tmp_path, {service: [service] for service in SERVICES}, also=())
    shown = {service: service for service in SERVICES} | {"storage": "review"}

    async with (
        _answering(tmp_path, shown) as ports,
        _prometheus(program, tmp_path, ports) as prometheus,
    ):

        async def has_asked_all() -> bool:
            try:
                found = await prometheus.series('up{job="paperline"}')
            except (httpx.TransportError, ValueError):
                return False
            up = {one["metric"]["service"]: one["value"][1] for one in found}
            return up == dict.fromkeys(SERVICES, "1") | {"storage": "0"}

        await eventually(has_asked_all, within_s=30, every_s=0.2)
        targets = (await prometheus.http.get("/api/v1/targets")).json()["data"]

    errors = {one["labels"]["service"]: one["lastError"] for one in targets["activeTargets"]}
    assert "not storage" in errors.pop("storage")
    assert set(errors.values()) == {""}

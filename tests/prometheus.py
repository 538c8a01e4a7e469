"""A real Prometheus over five services: it scrapes them and goes by the rules we ship.

Only what time takes differs. It looks every second or more often, and an alert that would wait
before it fires does not. What a condition looks back over stays as it is, unless a test cannot
wait for that either.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from typing import Any

import httpx
import yaml

from deploy.local.state import REPOSITORY
from tests.eventually import eventually

SHIPPED = REPOSITORY / "deploy" / "prometheus"
RULES = ("recording.yml", "alerts.yml")
_RANGE = re.compile(r"\[(\d+[smhd])\]")


@dataclass(frozen=True, slots=True)
class Pace:
    every: str = "1s"
    # What is looked back over instead, by what is shipped; "" stands for all others.
    ranges: Mapping[str, str] = field(default_factory=dict)

    def shortened(self, expr: str) -> str:
        def shorter(found: re.Match[str]) -> str:
            return f"[{self.ranges.get(found[1], self.ranges.get('', found[1]))}]"

        return _RANGE.sub(shorter, expr)


IN_SECONDS = Pace()


@dataclass(frozen=True, slots=True)
class Prometheus:
    http: httpx.AsyncClient

    async def series(self, expr: str) -> list[dict[str, Any]]:
        answer = await self.http.get("/api/v1/query", params={"query": expr})
        told = answer.json()
        assert told["status"] == "success", f"{expr}: {told}"
        found: list[dict[str, Any]] = told["data"]["result"]
        return found

    async def sees(self, services: int) -> bool:
        """Whether so many of them answered when they were last asked."""
        try:
            found = await self.series('up{job="paperline"} == 1')
        except (httpx.TransportError, ValueError):
            return False
        return len(found) == services

    async def firing(self) -> dict[str, list[Mapping[str, str]]]:
        """The alerts that fire now, each with the labels of every one of them."""
        told = (await self.http.get("/api/v1/alerts")).json()["data"]["alerts"]
        found: dict[str, list[Mapping[str, str]]] = {}
        for one in told:
            if one["state"] == "firing":
                found.setdefault(one["labels"]["alertname"], []).append(one["labels"])
        return found

    async def fires(self, alert: str, *, within_s: float = 60, **labels: str) -> None:
        async def does_fire() -> bool:
            told = (await self.firing()).get(alert, [])
            return any(labels.items() <= one.items() for one in told)

        await eventually(does_fire, within_s=within_s, every_s=0.1)

    async def is_quiet(self, alert: str, *, within_s: float = 60, **labels: str) -> None:
        async def does_not() -> bool:
            told = (await self.firing()).get(alert, [])
            return not any(labels.items() <= one.items() for one in told)

        await eventually(does_not, within_s=within_s, every_s=0.1)

    async def exemplars(self, expr: str) -> list[str]:
        """The traces that it keeps beside a latency."""
        window = {"start": "2020-01-01T00:00:00Z", "end": "2100-01-01T00:00:00Z"}
        answer = await self.http.get(
            "/api/v1/query_exemplars", params={"query": expr, **window}
        )
        found = answer.json()["data"]
        return [one["labels"]["trace_id"] for group in found for one in group["exemplars"]]


@asynccontextmanager
async def watching(
    program: Path,
    ports: Mapping[str, int],
    folder: Path,
    *,
    pace: Pace = IN_SECONDS,
    secret: str = "",
) -> AsyncIterator[Prometheus]:
    """`ports`: where each service tells of itself; `secret`: what it wants to be shown."""
    port, log = free_port(), folder / "prometheus.log"
    _configure(ports, folder, pace, secret)
    with log.open("w") as told:
        process = await asyncio.create_subprocess_exec(
            program,
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            "--enable-feature=exemplar-storage",
            stdout=told,
            stderr=told,
        )
        try:
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
                watcher = Prometheus(http)
                await eventually(lambda: watcher.sees(len(ports)), within_s=60, every_s=0.1)
                yield watcher
        finally:
            process.terminate()
            await process.wait()


def _configure(ports: Mapping[str, int], folder: Path, pace: Pace, secret: str) -> None:
    for name in RULES:
        (folder / name).write_text(yaml.safe_dump(_impatient(SHIPPED / name, pace)))
    (folder / "secret").write_text(secret)
    shipped = yaml.safe_load((SHIPPED / "prometheus.yml").read_text())
    # Nobody is called by a test.
    del shipped["alerting"]
    [scraped] = shipped["scrape_configs"]
    # Everything else of how it is shipped stays: what it shows to the services, above all.
    for part in ("dns_sd_configs", "relabel_configs"):
        del scraped[part]
    scraped["authorization"]["credentials_file"] = str(folder / "secret")
    scraped["static_configs"] = [
        {"targets": [f"127.0.0.1:{port}"], "labels": {"service": service}}
        for service, port in ports.items()
    ]
    shipped["global"] = {"scrape_interval": pace.every, "evaluation_interval": pace.every}
    (folder / "prometheus.yml").write_text(yaml.safe_dump(shipped))


def _impatient(file: Path, pace: Pace) -> dict[str, Any]:
    rules: dict[str, Any] = yaml.safe_load(file.read_text())
    for group in rules["groups"]:
        group.pop("interval", None)
        for rule in group["rules"]:
            rule.pop("for", None)
            rule["expr"] = pace.shortened(rule["expr"])
    return rules


def free_port() -> int:
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port

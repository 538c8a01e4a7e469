"""A real Prometheus over a stack: it scrapes the five services and goes by the rules we ship.

Only what time takes differs: it looks every second, and an alert that would wait before it
fires does not. What a condition itself looks back over stays as it is.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import Any

import httpx
import yaml

from deploy.local.ports import remembered
from deploy.local.state import REPOSITORY
from tests.eventually import eventually
from tests.system.stack import SERVICES, Stack

SHIPPED = REPOSITORY / "deploy" / "prometheus"


@dataclass(frozen=True, slots=True)
class Prometheus:
    http: httpx.AsyncClient

    async def series(self, expr: str) -> list[dict[str, Any]]:
        answer = await self.http.get("/api/v1/query", params={"query": expr})
        told = answer.json()
        assert told["status"] == "success", f"{expr}: {told}"
        found: list[dict[str, Any]] = told["data"]["result"]
        return found

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

        await eventually(does_fire, within_s=within_s, every_s=0.5)

    async def is_quiet(self, alert: str, *, within_s: float = 60, **labels: str) -> None:
        async def does_not() -> bool:
            told = (await self.firing()).get(alert, [])
            return not any(labels.items() <= one.items() for one in told)

        await eventually(does_not, within_s=within_s, every_s=0.5)

    async def exemplars(self, expr: str) -> list[str]:
        """The traces that it keeps beside a latency."""
        window = {"start": "2020-01-01T00:00:00Z", "end": "2100-01-01T00:00:00Z"}
        answer = await self.http.get(
            "/api/v1/query_exemplars", params={"query": expr, **window}
        )
        found = answer.json()["data"]
        return [one["labels"]["trace_id"] for group in found for one in group["exemplars"]]


@asynccontextmanager
async def watching(program: Path, stack: Stack, folder: Path) -> AsyncIterator[Prometheus]:
    port, log = _free_port(), folder / "prometheus.log"
    _configure(stack, folder)
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
                await eventually(lambda: _sees_all(watcher), within_s=60, every_s=0.5)
                yield watcher
        finally:
            process.terminate()
            await process.wait()


async def _sees_all(watcher: Prometheus) -> bool:
    try:
        found = await watcher.series('up{job="paperline"} == 1')
    except (httpx.TransportError, ValueError):
        return False
    return len(found) == len(SERVICES)


def _configure(stack: Stack, folder: Path) -> None:
    known = remembered(stack.state)
    targets = [
        {"targets": [f"127.0.0.1:{known[f'{one}_ops']}"], "labels": {"service": one}}
        for one in SERVICES
    ]
    for name in ("recording.yml", "alerts.yml"):
        (folder / name).write_text(yaml.safe_dump(_impatient(SHIPPED / name)))
    told = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["recording.yml", "alerts.yml"],
        "scrape_configs": [{"job_name": "paperline", "static_configs": targets}],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(told))


def _impatient(file: Path) -> dict[str, Any]:
    rules: dict[str, Any] = yaml.safe_load(file.read_text())
    for group in rules["groups"]:
        group.pop("interval", None)
        for rule in group["rules"]:
            rule.pop("for", None)
    return rules


def _free_port() -> int:
    with socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port

"""What containers are asked for their health, tried on the probes themselves."""

import asyncio
import json
import re
import sys
from collections.abc import Mapping

import pytest
import yaml

from deploy.k8s.table import OPS_PORT
from shared.process.probes import Probes
from tests.house.repository import ROOT, SERVICES


def _of_compose(service: str) -> str:
    told = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return str(told["services"][service]["healthcheck"]["test"][-1])


def _of_image(service: str) -> str:
    text = (ROOT / "services" / service / "Dockerfile").read_text()
    found = re.search(r"^HEALTHCHECK .*\\\n\s*(\[.*\])$", text, re.MULTILINE)
    assert found
    return str(json.loads(found[1])[-1])


async def _code(program: str, surroundings: Mapping[str, str]) -> int:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program), env=surroundings, stderr=asyncio.subprocess.DEVNULL
    )
    return await process.wait()


@pytest.mark.parametrize("where", ["compose", "image"])
async def test_a_container_is_well_while_its_process_is_ready(where: str) -> None:
    [asked] = {(_of_compose if where == "compose" else _of_image)(one) for one in SERVICES}
    stopping = asyncio.Event()
    probes = Probes(stopping=stopping, may_scrape=lambda _: False)

    async with probes.listen("127.0.0.1", 0) as port:
        # Compose gives all of them the port that the image has anyway.
        program = asked.replace(f":{OPS_PORT}/", f":{port}/")
        surroundings = {"PAPERLINE_OPS_PORT": str(port)}
        starting = await _code(program, surroundings)
        probes.started.set()
        ready = await _code(program, surroundings)
        stopping.set()
        ending = await _code(program, surroundings)

    assert (starting, ready, ending) == (1, 0, 1)

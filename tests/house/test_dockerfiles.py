"""The images: what hadolint says of them (nothing), what is in them, and as whom they run."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from deploy.k8s.table import API_PORT, OPS_PORT, USER
from tests.house.repository import ROOT, SERVICES, SERVICES_WITH_AN_API, Source

HADOLINT = Path(sys.executable).with_name("hadolint")
DOCKERFILES = [
    *(ROOT / "services" / service / "Dockerfile" for service in SERVICES),
    *sorted((ROOT / "tests").rglob("Dockerfile")),
]
# The doubles of other people's images are never shipped: that Debian's own packages are not
# pinned, and that pip is not either, makes them follow their suite.
UNPINNED = ("DL3008", "DL3013")


@cache
def _instructions(service: str) -> tuple[str, ...]:
    """Each on one line, of both stages."""
    text = (ROOT / "services" / service / "Dockerfile").read_text()
    lines = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return tuple(re.sub(r" +", " ", line) for line in lines if line)


def _shipped(service: str) -> tuple[str, ...]:
    """Of the last stage: what becomes the image."""
    every = _instructions(service)
    starts = [place for place, line in enumerate(every) if line.startswith("FROM ")]
    return every[starts[-1] :]


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda one: str(Source(one)))
def test_hadolint_has_nothing_to_say(dockerfile: Path) -> None:
    lenient = [] if "services" in dockerfile.parts else [f"--ignore={one}" for one in UNPINNED]
    said = subprocess.run(
        [HADOLINT, "--no-color", *lenient, dockerfile],
        check=False,
        capture_output=True,
        text=True,
    )

    assert (said.returncode, said.stdout) == (0, "")


def test_a_bad_line_is_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "Dockerfile"
    bad.write_text("FROM python:latest\nRUN cd /app && sudo true\n")

    said = subprocess.run([HADOLINT, bad], check=False, capture_output=True, text=True)

    assert said.returncode != 0
    assert "DL3004" in said.stdout


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_built_beside_what_is_shipped(service: str) -> None:
    stages = [line for line in _instructions(service) if line.startswith("FROM ")]

    [base] = {line.split()[1] for line in stages}
    assert stages == [f"FROM {base} AS build", f"FROM {base}"]
    # Whatever it takes to install stays behind; the bill is of the base, which is the same.
    assert not [line for line in _shipped(service) if "pip " in line or "apt" in line]
    assert not [line for line in _instructions(service) if "apt" in line]


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_shipped_comes_from_the_build_alone(service: str) -> None:
    brought = [line.split() for line in _shipped(service) if line.startswith("COPY ")]

    assert {words[1] for words in brought} == {"--from=build"}
    assert {words[2] for words in brought} == {"/opt/venv", "/opt/sbom.cdx.json", "/app"}
    # The program that makes the bill stays behind.
    assert [line for line in _instructions(service) if line.endswith("&& rm -r deploy")]


@pytest.mark.parametrize("service", SERVICES)
def test_what_an_image_takes_in_is_let_into_its_build(service: str) -> None:
    let_in = [
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    ]
    given = [
        line.split()[1]
        for line in _instructions(service)
        if line.startswith("COPY ") and "--from" not in line
    ]

    assert [one for one in given if not one.startswith(tuple(let_in))] == []
    assert [one for one in let_in if one.startswith(("secrets", ".env", "/"))] == []


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_carries_its_bill(service: str) -> None:
    made = f"python -m deploy.sbom {service} --image / --packages /opt/venv"

    assert [line for line in _instructions(service) if made in line]
    assert (
        "COPY --from=build /opt/sbom.cdx.json /usr/share/paperline/sbom.cdx.json"
        in _shipped(service)
    )


@pytest.mark.parametrize("service", SERVICES)
def test_an_image_is_nobody_and_says_how_it_is(service: str) -> None:
    shipped = _shipped(service)
    ports = [API_PORT, OPS_PORT] if service in SERVICES_WITH_AN_API else [OPS_PORT]
    [health] = [line for line in shipped if line.startswith("HEALTHCHECK ")]
    [surroundings] = [line for line in shipped if line.startswith("ENV ")]

    assert f"USER {USER}" in shipped
    assert f"EXPOSE {' '.join(map(str, ports))}" in shipped
    assert f"PAPERLINE_OPS_PORT={OPS_PORT}" in surroundings
    assert "PAPERLINE_BUILD=$BUILD" in surroundings
    command = json.loads(health.partition("CMD ")[2])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "healthcheck", "exec")
    assert "/readyz" in command[2]
    assert shipped[-2:] == (
        f'ENTRYPOINT ["python", "-m", "services.{service}"]',
        'CMD ["all"]',
    )

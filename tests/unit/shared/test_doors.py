"""The doors of a service, entered as `python -m services.<name> <door>` would."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared import failpoints
from shared.errors import Retryable
from shared.process.doors import Door, ServiceDoors, main
from shared.process.drain import Lifetime
from shared.process.settings import ProcessSettings
from tests.unit.shared.test_settings import REQUIRED


class Service:
    def __init__(self) -> None:
        self.entered: list[str] = []
        self.problems: list[str] = []
        self.error: Exception | None = None
        self.refusal: list[str] = []
        self.doors = ServiceDoors(
            "ingest", ProcessSettings, self._run, self._migrate, self._check
        )

    def enter(self, *arguments: str) -> int:
        with pytest.raises(SystemExit) as exited:
            main(self.doors, arguments)
        assert isinstance(exited.value.code, int)
        return exited.value.code

    async def _run(self, settings: ProcessSettings, door: Door, life: Lifetime) -> None:
        self.entered.append(door)
        if self.error is not None:
            raise self.error
        if self.refusal:
            life.refuse(self.refusal)
            return
        os.kill(os.getpid(), signal.SIGTERM)
        await life.stopping.wait()

    async def _migrate(self, settings: ProcessSettings) -> None:
        self.entered.append("migrate")
        if self.error is not None:
            raise self.error

    async def _check(self, settings: ProcessSettings) -> list[str]:
        self.entered.append("check")
        return self.problems


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    for name, value in REQUIRED.items():
        monkeypatch.setenv(name, value)
    # It would end the tests, half a minute later; whether it ends a process is tried in one.
    monkeypatch.setattr("shared.process.doors._last_resort", lambda after_s: None)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield Service()
    failpoints.disarm()
    # A door takes over the log of its process, which here belongs to the tests.
    root.handlers, root.level = handlers, level
    logging.captureWarnings(False)


@pytest.mark.parametrize(
    ("arguments", "door"),
    [((), "all"), (("serve",), "serve"), (("work",), "work"), (("all",), "all")],
)
def test_a_running_door_ends_well_at_a_signal(
    service: Service, arguments: tuple[str, ...], door: str
) -> None:
    assert service.enter(*arguments) == 0
    assert service.entered == [door]


def test_the_migrate_door_migrates_and_leaves(service: Service) -> None:
    assert service.enter("migrate") == 0
    assert service.entered == ["migrate"]


def test_a_dependency_that_is_away_asks_to_be_tried_again(service: Service) -> None:
    service.error = Retryable("no connection", dependency="postgres")

    assert service.enter("migrate") == 75


def test_the_check_door_tells_every_problem(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert service.enter("check") == 0
    service.problems = ["ingest_0002 is pending", "queue ingest.submit is missing"]

    assert service.enter("check") == 1
    assert capsys.readouterr().err.splitlines()[-2:] == service.problems


def test_a_crash_at_the_start_is_a_failure(service: Service) -> None:
    service.error = ValueError("a bug")

    assert service.enter("work") == 1


def test_every_wrong_setting_is_told_at_once_in_a_sentence(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PAPERLINE_AMQP_URL")
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "mysql://root:hunter2@db")
    monkeypatch.setenv("PAPERLINE_OPS_PORT", "http")

    assert service.enter() == 78
    said = capsys.readouterr().err
    assert sorted(said.splitlines()) == [
        "PAPERLINE_AMQP_URL is not set, and there is no default.",
        "PAPERLINE_DATABASE_URL is wrong: must be an address that starts with postgresql://.",
        "PAPERLINE_OPS_PORT is wrong: input should be a valid integer, "
        "unable to parse string as an integer.",
    ]
    assert service.entered == []


def test_an_unknown_failpoint_action_is_a_wrong_setting(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPERLINE_FAILPOINT", "consumer.before_ack:explode")

    assert service.enter() == 78
    assert "unknown action" in capsys.readouterr().err


def test_an_unknown_failpoint_is_a_wrong_setting(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPERLINE_FAILPOINT", "consumer.before_lunch:kill")

    assert service.enter() == 78
    assert "there is no failpoint 'consumer.before_lunch'" in capsys.readouterr().err
    assert service.entered == []


def test_an_unknown_door_is_refused(service: Service) -> None:
    assert service.enter("relay") == 2
    assert service.entered == []


STUBBORN = """
import asyncio, os, signal
from shared.process import doors
from shared.process.settings import ProcessSettings

doors.CLOSING_S = 0.1

async def run(settings, door, life):
    os.kill(os.getpid(), signal.SIGTERM)
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass

doors.main(doors.ServiceDoors("ingest", ProcessSettings, run, None, None), ["work"])
"""


def test_a_process_that_would_not_end_is_ended() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUBBORN],
        env={**REQUIRED, "PAPERLINE_DRAIN_S": "0.1"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert ended.returncode == 1
    assert b"process_would_not_end" in ended.stderr

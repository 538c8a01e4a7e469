"""When a running service must be started anew, and a door that ended tried again."""

from pathlib import Path

import pytest

from deploy.local import services
from deploy.local.errors import StackError
from deploy.local.services import fingerprint, run_module

AROUND = {"PAPERLINE_LOG_LEVEL": "INFO", "PATH": "/usr/bin"}


def test_changed_surroundings_change_the_fingerprint() -> None:
    assert fingerprint("ingest", AROUND) != fingerprint(
        "ingest", AROUND | {"PAPERLINE_LOG_LEVEL": "DEBUG"}
    )


def test_another_shell_does_not() -> None:
    assert fingerprint("ingest", AROUND) == fingerprint("ingest", AROUND | {"PATH": "/bin"})


def test_each_service_has_its_own() -> None:
    assert fingerprint("ingest", AROUND) != fingerprint("review", AROUND)


COUNTS = """
import pathlib, sys
told = pathlib.Path(__file__).with_suffix(".told")
told.write_text(told.read_text() + "." if told.exists() else ".")
sys.exit(int(sys.argv[1]) if len(told.read_text()) < 3 else 0)
"""


@pytest.mark.parametrize(
    ("ends_with", "tries", "begun"), [(75, 1, 1), (75, 2, 2), (75, 9, 3), (1, 9, 1)]
)
def test_a_door_is_tried_again_where_that_may_help(
    ends_with: int, tries: int, begun: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "AGAIN_AFTER_S", 0)
    (tmp_path / "door_that_counts.py").write_text(COUNTS)
    around = {"PYTHONPATH": str(tmp_path)}

    try:
        run_module(["door_that_counts", str(ends_with)], around, tries=tries)
        ended = True
    except StackError:
        ended = False

    assert ended == (begun == 3)
    assert len((tmp_path / "door_that_counts.told").read_text()) == begun

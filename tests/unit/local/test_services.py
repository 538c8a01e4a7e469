"""When a running service must be started anew."""

from deploy.local.services import fingerprint

AROUND = {"PAPERLINE_LOG_LEVEL": "INFO", "PATH": "/usr/bin"}


def test_changed_surroundings_change_the_fingerprint() -> None:
    assert fingerprint("ingest", AROUND) != fingerprint(
        "ingest", AROUND | {"PAPERLINE_LOG_LEVEL": "DEBUG"}
    )


def test_another_shell_does_not() -> None:
    assert fingerprint("ingest", AROUND) == fingerprint("ingest", AROUND | {"PATH": "/bin"})


def test_each_service_has_its_own() -> None:
    assert fingerprint("ingest", AROUND) != fingerprint("review", AROUND)

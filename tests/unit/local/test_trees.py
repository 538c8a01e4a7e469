"""Debian trees: where they come from, and what stands before a command that runs in one."""

from pathlib import Path

import pytest

from deploy.local.account import Account
from deploy.local.trees import NAMED, NoTree, mirror, with_programs_of

DEB822 = "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n"
ONE_LINE = "# ours\ndeb [arch=amd64 trusted=yes] http://mirror.example/debian bookworm main\n"
OF_OTHERS = "deb https://packages.example/apt stable main\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [("sources.list.d/debian.sources", DEB822), ("sources.list", ONE_LINE)],
    ids=["deb822", "one line"],
)
def test_a_tree_comes_from_where_the_machines_own_packages_come_from(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list.d" / "another.list").write_text(OF_OTHERS)
    (tmp_path / name).write_text(text)

    assert mirror(tmp_path) == "http://mirror.example/debian"


def test_a_machine_that_knows_no_archive_of_debian_is_told_how_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sources.list").write_text(OF_OTHERS)
    with pytest.raises(NoTree, match=NAMED):
        mirror(tmp_path)

    monkeypatch.setenv(NAMED, "http://another.example/debian")
    assert mirror(tmp_path) == "http://another.example/debian"


def test_rights_are_dropped_last_because_only_root_enters(tmp_path: Path) -> None:
    command = with_programs_of(tmp_path, Account("nobody", 65534, 65533))

    assert command[0] == "unshare"
    assert command[-5:] == [
        "setpriv",
        "--reuid=65534",
        "--regid=65533",
        "--clear-groups",
        "--",
    ]

"""The fresh machine: which commands it runs, and what it is told of the one it runs on."""

from pathlib import Path

import pytest

from deploy.local.fresh import commands_for, paths_in, this_machine


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        ([], [["demo", "--once"], ["test"]]),
        (["demo"], [["demo", "--once"]]),
        (["unit", "demo"], [["test", "unit"], ["demo", "--once"]]),
        (["unit", "-k", "ladder"], [["test", "unit", "-k", "ladder"]]),
        (["-x"], [["demo", "--once"], ["test", "-x"]]),
    ],
    ids=str,
)
def test_words_choose_what_runs_and_the_rest_goes_along_with_the_tests(
    words: list[str], commands: list[list[str]]
) -> None:
    assert commands_for(words) == commands


def test_paths_are_found_however_they_are_written_and_none_twice(tmp_path: Path) -> None:
    for name in ("wheels", "index", "index/simple", "index/more"):
        (tmp_path / name).mkdir()
    texts = [
        # The pages of an index lead to the files beside them.
        f"file://{tmp_path}/index/simple file://{tmp_path}/index/more",
        f"{tmp_path}/wheels",
        f"https://packages.example{tmp_path}/index",
        f"{tmp_path}/gone",
    ]

    assert paths_in(texts) == [f"{tmp_path}/index", f"{tmp_path}/wheels"]


def test_of_the_machine_only_its_network_is_told(tmp_path: Path) -> None:
    surroundings = {
        "PIP_CERT": "/etc/ssl/certs",
        "https_proxy": "http://proxy.example:3128",
        "GEMINI_API_KEY": "secret",
        "PAPERLINE_STATE": "/somewhere",
    }
    of_pip = {"find-links": str(tmp_path), "extra-index-url": "\\nfile:///a\\nfile:///b"}

    machine = this_machine(surroundings, of_pip)

    assert set(machine.variables) == {
        "PIP_CERT",
        "https_proxy",
        "PIP_FIND_LINKS",
        "PIP_EXTRA_INDEX_URL",
    }
    assert machine.variables["PIP_EXTRA_INDEX_URL"] == "file:///a file:///b"
    assert list(machine.shown) == [str(tmp_path)]
    # What a package of the fresh machine may want to write is its own.
    assert all(path.startswith("/etc/") for path in machine.copied)

"""What the READMEs and guides show is tried: here or by a test that is named.

A command that was right when it was written is wrong after the next change of an option, and
its reader is the first to know.
"""

import shlex

import pytest

from deploy.local.arguments import parser
from tests.house.cited import code_of, files_in, parts, pieces
from tests.house.commands_elsewhere import COMMANDS, GUIDES, Elsewhere, beginning_of, elsewhere
from tests.house.guides import Shown, commands, guides, shown_in
from tests.house.repository import ROOT, require

ACTIVATED = "`source .venv/bin/activate`"
EXCEPTIONS = {**COMMANDS, **GUIDES}
TEXT = """
Say `./paperline up`, or \
`python -m shared.topology
verify`. `python3` alone is only spoken of, and so is `kubectl`.

| `curl -sS $X/a\\|b` | a bar in a table |

```
./paperline demo     begins everything
no program
```

1. Indented:
   ```sh
   # A comment.
   curl -sS "$PAPERLINE/v1/documents" \\
        -d '{"a": 1}'
   # {"document_id": "0199…", "links": {"status": "…", …}}
   for one in a b; do
       echo "$one"
   done
   ```
"""


def test_a_command_is_found_wherever_it_stands() -> None:
    found = {one.text: one for one in shown_in(TEXT, "GUIDE.md")}

    assert set(found) == {
        "./paperline up",
        "python -m shared.topology verify",
        "curl -sS $X/a|b",
        "./paperline demo",
        'curl -sS "$PAPERLINE/v1/documents" \\\n     -d \'{"a": 1}\'',
        'for one in a b; do\n    echo "$one"\ndone',
    }
    assert [one.line for one in found.values()] == [8, 15, 18, 2, 2, 5]


def test_what_is_said_to_be_answered_is_read() -> None:
    [told] = [one.fields for one in shown_in(TEXT, "GUIDE.md") if one.answer]

    assert told == {"document_id": "0199…", "links": {"status": "…"}}


def test_a_command_without_an_end_is_told() -> None:
    with pytest.raises(AssertionError, match=r"GUIDE.md:2: a command without an end"):
        list(shown_in("```sh\nfor one in a b; do\n```\n", "GUIDE.md"))


def test_the_guides_are_looked_into() -> None:
    some = {"README.md", "CONTRIBUTING.md", "deploy/RUNBOOK.md", "services/ingest/README.md"}

    assert some <= {str(one) for one in guides()}
    assert len(commands()) > 50


def _before_python(text: str, guide: str) -> str | None:
    """What is said before the first command for which Debian has no program: no `python`."""
    lines, plain = text.splitlines(keepends=True), " ".join(text.split())
    for one in sorted(shown_in(text, guide), key=lambda shown: shown.line):
        # A page that only says what writes it asks nobody to type that.
        if one.text.startswith("python -m ") and f"ritten by `{one.text}" not in plain:
            return "".join(lines[: one.line - 1]) + lines[one.line - 1].partition("python ")[0]
    return None


def _lacks_how_python_is_found(text: str, guide: str) -> bool:
    said = _before_python(text, guide)
    # The pages of services send their readers to the runbook.
    wanted = "`deploy/RUNBOOK.md`" if guide.startswith("services/") else ACTIVATED
    return said is not None and wanted not in said


def test_a_reader_is_told_how_python_is_found_before_it_is_needed() -> None:
    require(lambda one: _lacks_how_python_is_found(one.text(), str(one)), guides())
    asking = {str(one) for one in guides() if _before_python(one.text(), str(one)) is not None}
    assert {"README.md", "CONTRIBUTING.md", "deploy/SIZING.md", "deploy/RUNBOOK.md"} <= asking


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("Try `python -m shared.contracts`, `source .venv/bin/activate` first.", True),
        ("```sh\npython -m shared.contracts\n```\nHow: `deploy/RUNBOOK.md`.", True),
        ("After `source .venv/bin/activate`: `python -m shared.contracts`.", False),
        ("Written by\n`python -m shared.contracts`.", False),
        ("Only spoken of: `python -m shared.access`.", False),
    ],
)
def test_a_guide_that_leaves_it_out_is_noticed(text: str, lacks: bool) -> None:
    assert _lacks_how_python_is_found(text, "deploy/GUIDE.md") == lacks


def test_an_exception_is_for_a_command_that_is_still_shown() -> None:
    shown = {one.guide for one in commands()} | {beginning_of(one.text) for one in commands()}
    forgotten = sorted(EXCEPTIONS.keys() - shown)

    assert not forgotten, "no guide shows it any more; tests/house/commands_elsewhere.py"


@pytest.mark.parametrize("exception", EXCEPTIONS.values(), ids=EXCEPTIONS.keys())
def test_an_exception_names_a_test_that_does_it(exception: Elsewhere) -> None:
    assert exception.why
    if "::" not in exception.test:
        assert (ROOT / exception.test).is_file(), f"{exception.test} is not there"
        return
    assert exception.test.partition("::")[2].startswith("test_"), exception.test
    code = code_of(exception.test)
    assert [one for one in exception.words if one not in code] == [], exception.test
    assert "shown_in(" in code or not exception.as_shown, exception.test


def _excepted() -> list[Shown]:
    return [one for one in commands() if one.guide not in GUIDES and elsewhere(one)]


@pytest.mark.parametrize("shown", _excepted(), ids=str)
def test_the_parts_of_a_command_are_in_the_test_that_runs_it(shown: Shown) -> None:
    assert _missing(shown.text, COMMANDS[beginning_of(shown.text)]) == []


def _missing(command: str, exception: Elsewhere) -> list[str]:
    """Of the command, in what is said to run it."""
    if exception.as_shown:
        return []
    if "::" not in exception.test:
        lines = (ROOT / exception.test).read_text().splitlines()
        typed = [line.partition(" <")[0] for line in lines]
        return [] if command in typed else [command]
    code = code_of(exception.test)
    lost = parts(command) - pieces(code)
    return [*sorted(lost), *(one for one in files_in(command) if one not in code)]


@pytest.mark.parametrize(
    ("command", "test", "lost"),
    [
        ("./paperline test nemesis", ".ci/run", ["./paperline test nemesis"]),
        ("./paperline down --kindly", COMMANDS["./paperline down"].test, ["--kindly"]),
        (
            # An option is another one when a part of it is the same.
            "docker compose --profile core up --no-wait",
            COMMANDS["docker compose --profile core up"].test,
            ["--no-wait"],
        ),
        (
            "docker compose -f deploy/compose/tls.yml --profile core up",
            COMMANDS["docker compose --profile core up"].test,
            ["deploy/compose/tls.yml"],
        ),
        (
            "./paperline backup --again",
            COMMANDS["./paperline backup"].test,
            ["--again"],
        ),
    ],
)
def test_a_test_that_does_something_else_is_noticed(
    command: str, test: str, lost: list[str]
) -> None:
    assert _missing(command, Elsewhere("it is not run there", test)) == lost


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("tests/house/test_nothing.py::test_a", "is not there"),
        ("tests/house/test_guides.py::test_which_has_gone", "has no test_which_has_gone"),
    ],
)
def test_a_citation_of_what_has_gone_is_noticed(test: str, said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        code_of(test)


def test_what_a_test_only_speaks_of_is_not_run_by_it() -> None:
    """Such as kindly_stop_everything."""
    code = code_of(
        "tests/house/test_guides.py::test_what_a_test_only_speaks_of_is_not_run_by_it"
    )

    # Nor kindly_stop_everything.
    assert "_".join(("kindly", "stop", "everything")) not in code
    assert "code_of(" in code


def test_every_command_of_ours_is_one_that_the_program_takes() -> None:
    """Also those that nobody types here: an option that was renamed is seen at once."""
    ours = [
        one
        for one in commands()
        if one.text.startswith("./paperline ") and not one.text.endswith("--help")
    ]

    assert len(ours) > 30
    for one in ours:
        words = shlex.split(one.text, comments=True)[1:]
        end = next((place for place, word in enumerate(words) if word in _ENDS), len(words))
        told, left = parser().parse_known_args(words[:end])
        assert told.command, one
        unknown = {word for word in left if word.startswith("-")}
        assert told.command in _HANDS_ON or not unknown, (str(one), left)


# Where the shell goes on, and commands that hand on what they do not know.
_ENDS = ("|", "&&", ";", ">", "&", "2>&1")
_HANDS_ON = ("bench", "evaluate")

"""What the READMEs and guides show is tried: here or by a test that is named.

A command that was right when it was written is wrong after the next change of an option, and
its reader is the first to know.
"""

import pytest

from tests.house.commands_elsewhere import COMMANDS, GUIDES, Elsewhere, beginning_of
from tests.house.guides import commands, guides, shown_in
from tests.house.repository import ROOT

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


def test_an_exception_is_for_a_command_that_is_still_shown() -> None:
    shown = {one.guide for one in commands()} | {beginning_of(one.text) for one in commands()}
    forgotten = sorted(EXCEPTIONS.keys() - shown)

    assert not forgotten, "no guide shows it any more; tests/house/commands_elsewhere.py"


@pytest.mark.parametrize("exception", EXCEPTIONS.values(), ids=EXCEPTIONS.keys())
def test_an_exception_names_a_test_that_does_it(exception: Elsewhere) -> None:
    file = ROOT / exception.test

    assert exception.why
    assert file.is_file(), f"{exception.test} is not there"
    assert exception.words in file.read_text(), f"{exception.test} says nothing like it"

"""What the guide for senders shows, typed from its beginning: a place to fetch from, and then
programs of somebody else, beside a copy of what they need.
"""

import re
import shutil
from pathlib import Path
from uuid import UUID

import pytest

from tests.house.guides import shown_in
from tests.house.repository import ROOT
from tests.system.client import Client
from tests.system.guide_reader import reader_of

GUIDE = (ROOT / "deploy/SUBMITTING.md").read_text()
BLOCK = re.compile(r"`(\w+\.py)`.*?^```python\n(.+?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
async def test_what_the_guide_says_is_enough(client: Client, folder: Path) -> None:
    programs = dict(BLOCK.findall(GUIDE))
    assert set(programs) == {"hand_in.py", "hand_in_bare.py"}
    said = {}
    # Of a session before; the guide makes its folders anew.
    shutil.rmtree(folder / "senders", ignore_errors=True)
    async with reader_of(client, folder / "senders" / "checkout") as reader:
        checkout = reader.material.folder
        (checkout / ".paperline").symlink_to(client.stack.state.root)
        try:
            for one in shown_in(GUIDE, "SUBMITTING.md"):
                for name, text in programs.items():
                    if name in one.text:
                        (checkout.parent / "sender" / name).write_text(text)
                typed = await reader.types(one.text)
                assert typed.code == 0, typed.story
                said[one.text] = typed.output
        finally:
            await client.stack.up()

    answers = [text.split() for command, text in said.items() if "hand_in" in command]
    assert [outcome for outcome, _ in answers] == ["accepted", "accepted"]
    for _, document_id in answers:
        # Promised to somebody else's program.
        client.promised.add(UUID(document_id))
        assert (await client.ends(UUID(document_id)))["status"] in ("completed", "duplicate")

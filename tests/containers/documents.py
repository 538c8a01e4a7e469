"""Documents handed in to a stack in containers, from its network, and how they stand."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes, token_hex

from tests.containers.engine import Engine
from tests.house.repository import ROOT

API = "http://127.0.0.1:8080"
ENDS_WITHIN_S = 240
FOLDER = ROOT / "deploy" / "samples"
# What `./paperline demo` sends: every form that a document may have.
DEMO = sorted(one for one in FOLDER.iterdir() if one.suffix in {".pdf", ".xml", ".jpg", ".tif"})
SAMPLES = [one for one in DEMO if one.suffix == ".pdf"]
PICTURE = FOLDER / "de-malerei-sonnhalde.jpg"
SCANS, TEXTS = 6, 4


def paperline(stack: Engine, key_file: Path, *words: str) -> str:
    command = [sys.executable, "-m", "deploy.local", *words]
    return stack.beside(*command, "--url", API, "--key-file", str(key_file))


def fresh(folder: Path) -> list[Path]:
    """Contents that nobody has seen: pictures, which take their seconds, and text."""
    made = []
    for number in range(SCANS):
        picture = PICTURE.read_bytes()
        # A comment behind the first marker: another content, the same picture.
        remark = b"\xff\xfe" + (2 + 16).to_bytes(2) + token_bytes(16)
        made.append(folder / f"{number}.jpg")
        made[-1].write_bytes(picture[:2] + remark + picture[2:])
    for number, sample in enumerate(SAMPLES[:TEXTS]):
        made.append(folder / f"{number}.pdf")
        made[-1].write_bytes(sample.read_bytes() + b"%" + token_hex(8).encode() + b"\n")
    return made


def hand_in(stack: Engine, key_file: Path, files: Sequence[Path]) -> list[str]:
    said = paperline(stack, key_file, "submit", *map(str, files))
    ids = re.findall(r"\.(?:jpg|pdf): ([0-9a-f-]{36})$", said, re.MULTILINE)
    assert len(ids) == len(files), said
    return ids


def standing(stack: Engine, key_file: Path, ids: Sequence[str]) -> dict[str, str]:
    module = ("-m", "tests.containers.standing")
    told = json.loads(stack.beside(sys.executable, *module, API, str(key_file), *ids))
    assert isinstance(told, dict)
    return told

"""Who knows one service knows all five: the same rooms, the same headings, the same doors."""

import re
import subprocess
import sys

import pytest

from tests.house.repository import ROOT, SERVICES, SERVICES_WITH_AN_API

ROOMS = ("__init__", "__main__", "wiring", "handlers", "ports", "domain", "settings")
FOLDERS = ("adapters", "sql", "migrations")
FILES = ("README.md", "Dockerfile", "requirements.in", "requirements.txt")
HEADINGS = ["Consumes", "Emits", "Stores", "Knobs", "What breaks"]
README_LINES_MAX = 150
# Of a paragraph, an entry of a list, and a row of a table: beyond it nobody reads on.
README_PIECE_MAX = 600

# Loading them costs most of a start; a consumer needs neither.
NOT_FOR_A_CONSUMER = "alembic fastapi sqlalchemy starlette uvicorn"
# Some 10 to 90 MB each, which a process never gives back: loaded by the first that needs it (a
# bucket, a webhook, an identity provider, a model), or in a child that ends.
NOT_BEFORE_IT_IS_NEEDED = (
    "PIL alembic boto3 botocore cryptography google.genai httpx httpx2 jwt numpy onnxruntime "
    "opentelemetry.sdk pyarrow pypdfium2 rapidocr sqlalchemy xlsxwriter"
)
# Parquet is what storage is there for.
NEEDED_AT_ONCE = {"storage": {"numpy", "pyarrow"}}

# They read from the YAML that comes with the program what is extracted and how, how much of a
# batch goes at a time, where results are kept, and what a person's values are checked by.
CONFIGURED = {"extractor", "ingest", "review", "storage"}
every_service = pytest.mark.parametrize("service", SERVICES)


@every_service
@pytest.mark.parametrize("room", ROOMS)
def test_every_service_has_every_room(service: str, room: str) -> None:
    home = ROOT / "services" / service
    found = (home / f"{room}.py").is_file() or (home / room / "__init__.py").is_file()

    assert found, f"services/{service}/{room} is missing"


@every_service
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_service_has_every_folder(service: str, folder: str) -> None:
    assert (ROOT / "services" / service / folder).is_dir()


@every_service
@pytest.mark.parametrize("name", FILES)
def test_every_service_has_every_file(service: str, name: str) -> None:
    assert (ROOT / "services" / service / name).is_file()


@every_service
def test_a_service_has_an_api_when_people_talk_to_it(service: str) -> None:
    home = ROOT / "services" / service
    has_api = (home / "api.py").is_file() or (home / "api").is_dir()

    assert has_api == (service in SERVICES_WITH_AN_API)


def test_the_services_folder_stays_a_namespace() -> None:
    # With an __init__.py here, an image that holds one service would hold a piece of all.
    assert not (ROOT / "services" / "__init__.py").exists()
    assert {one.name for one in (ROOT / "services").iterdir() if one.is_dir()} - {
        "__pycache__"
    } == set(SERVICES)


@every_service
def test_a_readme_answers_the_same_five_questions(service: str) -> None:
    text = (ROOT / "services" / service / "README.md").read_text()

    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == HEADINGS
    assert len(text.splitlines()) <= README_LINES_MAX


@every_service
def test_a_readme_can_be_read_piece_by_piece(service: str) -> None:
    text = (ROOT / "services" / service / "README.md").read_text()

    assert [one[:60] for one in _pieces(text) if len(one) > README_PIECE_MAX] == []


def _pieces(text: str) -> list[str]:
    """Paragraphs, entries of lists and rows of tables, each on one line; no code."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    begins = re.split(r"\n\s*\n|\n(?=\||- |#)", plain)
    return [" ".join(one.split()) for one in begins]


def test_a_wall_of_text_is_seen() -> None:
    wall = "word " * 100

    assert max(map(len, _pieces(f"{wall}\n{wall}"))) > README_PIECE_MAX
    assert max(map(len, _pieces(f"{wall}\n\n{wall}\n- {wall}\n| {wall}"))) < README_PIECE_MAX


@every_service
def test_an_image_holds_shared_code_and_one_service(service: str) -> None:
    text = (ROOT / "services" / service / "Dockerfile").read_text()
    copied = {
        word.rstrip("/")
        for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE)
        for word in line.split()[:-1]
    }
    own = f"services/{service}"

    configuration = {"deploy/configs"} if service in CONFIGURED else set()
    bill = {"deploy/__init__.py", "deploy/sbom"}
    assert copied == {"shared", own, f"{own}/requirements.txt"} | bill | configuration
    assert re.search(r"^USER (?!root|0\b)\w+", text, re.MULTILINE), "the image runs as root"
    assert f'ENTRYPOINT ["python", "-m", "services.{service}"]' in text


@every_service
def test_a_door_without_an_api_loads_no_web_framework(service: str) -> None:
    # The wiring is loaded by every door, so what it imports on top everybody pays for.
    program = (
        f"import sys, services.{service}.__main__, services.{service}.wiring\n"
        f"loaded = set({NOT_FOR_A_CONSUMER.split()!r}) & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(loaded)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr.strip().splitlines()[-1]


@every_service
def test_a_service_loads_nothing_heavy_before_it_is_needed(service: str) -> None:
    has_an_api = service in SERVICES_WITH_AN_API
    api = f"services.{service}.api, shared.web.entrance, shared.web.server"
    program = (
        f"import sys, services.{service}.__main__, services.{service}.wiring\n"
        f"{f'import {api}' if has_an_api else ''}\n"
        f"loaded = set({NOT_BEFORE_IT_IS_NEEDED.split()!r}) & set(sys.modules)\n"
        f"sys.exit(', '.join(sorted(loaded - {NEEDED_AT_ONCE.get(service, set())!r})) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr.strip().splitlines()[-1]

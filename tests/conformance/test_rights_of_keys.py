"""Key by key, deed by deed, on a real SeaweedFS that is started as compose starts it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from botocore.exceptions import ClientError

from deploy.local.credentials import SERVICES
from deploy.secrets.files import COMPOSE, folders, passwords
from deploy.secrets.store_rights import BUCKET, EVERYTHING, RIGHTS
from shared.blobs.open import BlobOptions, open_blobs, s3_client
from shared.blobs.port import Blobs
from shared.blobs.s3_upload import PART_BYTES
from shared.errors import Rejected, Retryable
from tests.conformance.rights_of_keys import FOLDERS, KEPT, TABLE, Deed
from tests.conformance.seaweed import seaweed_with_keys
from tests.house.repository import ROOT

Keys = Mapping[str, BlobOptions]

DEEDS = [
    pytest.param(deed, id=f"{group}: {deed.what}")
    for group, deeds in TABLE.items()
    for deed in deeds
]


@pytest.fixture(scope="module")
async def keys(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Keys]:
    folder, told = tmp_path_factory.mktemp("store"), folders(passwords({}), COMPOSE)
    (folder / "s3.json").write_text(told["objects"]["s3.json"])
    given = {
        service: (
            told[service]["paperline_s3_access_key"],
            told[service]["paperline_s3_secret_key"],
        )
        for service in SERVICES
    }
    async with seaweed_with_keys(folder, _as_compose_tells_it(folder), given) as options:
        with closing(s3_client(options["storage"])) as s3:
            for one in FOLDERS:
                s3.put_object(Bucket=BUCKET, Key=f"{one}{KEPT}", Body=b"kept")
        yield options


def _as_compose_tells_it(folder: Path) -> list[str]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    command = [one for one in services["objects"]["command"][1:] if one != "-dir=/data"]
    return [one.replace("/run/secrets", str(folder)) for one in command]


def _blobs(keys: Keys, service: str) -> Blobs:
    return open_blobs(f"s3://{BUCKET}", keys[service])


# In the order of the table: what deletes comes last.
@pytest.mark.parametrize("deed", DEEDS)
async def test_the_table_is_what_the_store_does(keys: Keys, deed: Deed) -> None:
    allowed = {service for service, options in keys.items() if _may(options, deed)}

    assert allowed == deed.may


def _may(options: BlobOptions, deed: Deed) -> bool:
    with closing(s3_client(options)) as s3:
        try:
            deed.act(s3)
        except ClientError as error:
            assert error.response["Error"]["Code"] == "AccessDenied"
            return False
    return True


@pytest.mark.parametrize("service", SERVICES)
async def test_a_stranger_with_its_name_gets_nothing(keys: Keys, service: str) -> None:
    blobs = open_blobs(f"s3://{BUCKET}", replace(keys[service], s3_secret_key="wrong" * 8))

    for folder in FOLDERS:
        with pytest.raises(Retryable):
            await blobs.read(f"{folder}{KEPT}")


@pytest.mark.parametrize("service", SERVICES)
async def test_where_it_may_write_our_own_code_works(
    keys: Keys, service: str, tmp_path: Path
) -> None:
    blobs, large = _blobs(keys, service), tmp_path / "large"
    large.write_bytes(b"page " * (PART_BYTES // 4))

    for folder in RIGHTS[service].write:
        small, whole = f"{folder}{service}/small", f"{folder}{service}/whole"
        await blobs.put(small, b"small")
        await blobs.put_file(whole, large)
        await blobs.delete(small)
        await blobs.delete(whole)


@pytest.mark.parametrize("service", SERVICES)
async def test_what_is_missing_is_told_from_what_is_forbidden(keys: Keys, service: str) -> None:
    for folder in RIGHTS[service].read:
        with pytest.raises(Rejected, match="source_missing"):
            await _blobs(keys, service).read(f"{folder}nothing")


async def test_ingest_asks_for_sizes_of_what_is_not_there(keys: Keys) -> None:
    assert await _blobs(keys, "ingest").size("sha256/nothing") is None


async def test_storage_copies_looks_and_sweeps(keys: Keys) -> None:
    blobs = _blobs(keys, "storage")

    assert await blobs.copy_all({"data/json/copy": f"data/versions/{KEPT}"}) == set()
    await blobs.check()
    assert await blobs.sweep_temp(older_than_s=3600) == 0


@pytest.mark.parametrize("service", [one for one in SERVICES if one != "storage"])
def test_only_storage_has_all_of_it(service: str) -> None:
    rights = RIGHTS[service]

    assert EVERYTHING not in (*rights.read, *rights.write)
    assert not {"data/", "data/versions/", "data/json/"} & set(rights.write)


def test_the_monitor_reads_no_document_and_the_desk_changes_none() -> None:
    assert RIGHTS["monitor"].read == ("logs/",)
    assert not {"sha256/", "words/"} & set(RIGHTS["review"].write)


def test_the_store_is_told_of_no_other_key() -> None:
    told = json.loads(folders(passwords({}), COMPOSE)["objects"]["s3.json"])

    assert [one["name"] for one in told["identities"]] == list(SERVICES)
    assert "Admin" not in {action for one in told["identities"] for action in one["actions"]}

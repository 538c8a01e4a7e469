"""A URL names a store or is refused with the words that mend it."""

import subprocess
import sys
from pathlib import Path

import pytest

from shared.blobs.filesystem import FilesystemBlobs
from shared.blobs.open import BlobOptions, open_blobs
from shared.blobs.s3 import S3Blobs


def test_a_folder_is_made_when_it_is_opened(tmp_path: Path) -> None:
    blobs = open_blobs(f"file://{tmp_path}/with%20space/blobs")

    assert isinstance(blobs, FilesystemBlobs)
    assert (tmp_path / "with space/blobs").is_dir()


def test_a_bucket_is_opened_without_asking_it() -> None:
    options = BlobOptions("http://127.0.0.1:9", "key", "secret-of-the-test")

    assert isinstance(open_blobs("s3://bucket/some/prefix", options), S3Blobs)
    assert "secret-of-the-test" not in repr(options)


@pytest.mark.parametrize(
    "url",
    ["", "/data", "file:data", "file://host/data", "s3://", "https://bucket", "S3 bucket"],
)
def test_a_url_that_names_no_store_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="neither file:///folder nor s3://bucket"):
        open_blobs(url)


def test_a_folder_does_not_pay_for_the_sdk_of_buckets(tmp_path: Path) -> None:
    program = (
        f"import sys; from shared.blobs.open import open_blobs; open_blobs('file://{tmp_path}')\n"
        "sys.exit({'boto3', 'botocore'} & set(sys.modules) and 'the SDK was loaded' or 0)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert done.returncode == 0, done.stderr

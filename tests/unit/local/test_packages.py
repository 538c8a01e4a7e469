"""What the bootstrap reads out of the requirement file."""

from deploy.local.packages import REQUIREMENTS, pinned


def test_uv_is_taken_from_the_hashed_requirements_with_all_its_hashes() -> None:
    line = pinned("uv", REQUIREMENTS.read_text()) or ""

    assert line.startswith("uv==")
    assert line.count("--hash=sha256:") > 1
    assert not line.rstrip().endswith("\\")


def test_a_package_whose_name_begins_alike_is_not_taken() -> None:
    text = (
        "uvicorn==1.0 \\\n    --hash=sha256:aa\nuv==2.0 \\\n    --hash=sha256:bb\nyarl==1.0\n"
    )

    assert pinned("uv", text) == "uv==2.0 \\\n    --hash=sha256:bb"


def test_an_unpinned_package_is_none() -> None:
    assert pinned("uv", "yarl==1.0\n") is None

"""A password may lie in a file: named as its variable, and read when no variable is set."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError
from pydantic_settings import SettingsConfigDict

from shared.secret_files import SettingsWithSecretFiles


def _settings(folder: Path) -> type[SettingsWithSecretFiles]:
    class Settings(SettingsWithSecretFiles):
        model_config = SettingsConfigDict(env_prefix="PAPERLINE_", hide_input_in_errors=True)
        secret_files = folder

        database_url: SecretStr

    return Settings


def _told(settings: type[SettingsWithSecretFiles]) -> str:
    secret = settings().model_dump()["database_url"]
    assert isinstance(secret, SecretStr)
    return secret.get_secret_value()


def test_a_setting_is_read_from_the_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERLINE_DATABASE_URL", raising=False)
    (tmp_path / "paperline_database_url").write_text("postgresql://from-a-file\n")

    assert _told(_settings(tmp_path)) == "postgresql://from-a-file"


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://from-the-environment")
    (tmp_path / "paperline_database_url").write_text("postgresql://from-a-file")

    assert _told(_settings(tmp_path)) == "postgresql://from-the-environment"


def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERLINE_DATABASE_URL", raising=False)
    inside = tmp_path / "secrets"
    inside.mkdir()
    (tmp_path / "elsewhere").write_text("postgresql://elsewhere")
    (inside / "paperline_database_url").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ValidationError), pytest.warns(UserWarning, match="database_url"):
        _settings(inside)()


def test_files_as_a_cluster_mounts_them_are_read_through_its_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAPERLINE_DATABASE_URL", raising=False)
    version = tmp_path / "..2026_01_01"
    version.mkdir()
    (version / "paperline_database_url").write_text("postgresql://mounted")
    (tmp_path / "..data").symlink_to(version.name)
    (tmp_path / "paperline_database_url").symlink_to("..data/paperline_database_url")

    assert _told(_settings(tmp_path)) == "postgresql://mounted"


def test_without_the_folder_nothing_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLINE_DATABASE_URL", "postgresql://from-the-environment")

    assert _told(_settings(tmp_path / "no-such-folder")) == "postgresql://from-the-environment"

"""Settings from the environment, or each from a file of its name: the place for passwords.

Environments are shown by `docker inspect`, by crash reports and to every child process; files
in `/run/secrets`, where container engines put them, are not. The environment wins.
"""

from pathlib import Path
from typing import ClassVar

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SecretsSettingsSource


class SettingsWithSecretFiles(BaseSettings):
    secret_files: ClassVar[Path] = Path("/run/secrets")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        sources = (init_settings, env_settings, dotenv_settings)
        if not cls.secret_files.is_dir():
            return sources
        return (*sources, SecretsSettingsSource(settings_cls, secrets_dir=cls.secret_files))

"""Where the topology command finds its broker: only this job may configure one."""

from typing import Literal

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from shared.secret_files import SettingsWithSecretFiles


class TopologySettings(SettingsWithSecretFiles):
    model_config = SettingsConfigDict(
        env_prefix="PAPERLINE_", frozen=True, extra="ignore", hide_input_in_errors=True
    )

    topology_amqp_url: SecretStr
    # With credentials in it; without it, bindings are declared but not compared.
    topology_api_url: SecretStr | None = None
    broker_work_queues: Literal["classic", "quorum"] = "classic"

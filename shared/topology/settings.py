"""Where the topology command finds its broker: only this job may configure one."""

from pathlib import Path
from typing import Literal

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from shared.addresses import Plaintext, unsafe_addresses, with_authority
from shared.secret_files import SettingsWithSecretFiles


class TopologySettings(SettingsWithSecretFiles):
    model_config = SettingsConfigDict(
        env_prefix="PAPERLINE_", frozen=True, extra="ignore", hide_input_in_errors=True
    )

    topology_amqp_url: SecretStr
    # With credentials in it; without it, bindings are declared but not compared.
    topology_api_url: SecretStr | None = None
    broker_work_queues: Literal["classic", "quorum"] = "classic"
    # As every service is told.
    ca_file: Path | None = None
    plaintext_hosts: str = ""

    @property
    def amqp_address(self) -> str:
        return with_authority(self.topology_amqp_url.get_secret_value(), self.ca_file)

    def unsafe(self) -> list[str]:
        """A sentence for each address that should not be used."""
        told = {"PAPERLINE_TOPOLOGY_AMQP_URL": self.topology_amqp_url.get_secret_value()}
        if self.topology_api_url is not None:
            told["PAPERLINE_TOPOLOGY_API_URL"] = self.topology_api_url.get_secret_value()
        return list(unsafe_addresses(told, Plaintext.named(self.plaintext_hosts)))

"""Every knob of the monitor, with its bounds; read once, when the process starts."""

from pydantic import Field, SecretStr

from shared.process.api_settings import ApiSettings


class Settings(ApiSettings):
    # The broker's management API, credentials in the address. Without it queue depths are
    # unknown and everything else works.
    broker_api_url: SecretStr | None = None
    broker_api_timeout_s: float = Field(default=5, ge=0.1, le=60)
    gauges_every_s: float = Field(default=15, ge=1, le=600)

"""Every knob of the monitor, with its bounds; read once, when the process starts."""

from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from shared.addresses import is_closed
from shared.ledger.port import MARKS_KEPT_DAYS
from shared.process.api_settings import ApiSettings
from shared.process.settings import HttpUrl, ProcessSettings

# A replay takes its time too, and fails again, and waits.
SPARE_DAYS = 7
TLS_PORTS = {"amqps": 5671, "https": 443}
# It is asked for TLS in words of its own, so its address says that it is one.
POSTGRES, POSTGRES_PORT = "postgresql://", 5432


def _addresses(text: str) -> str:
    for one in _listed(text):
        where = urlsplit(one if one.startswith(POSTGRES) else f"//{one}")
        if not where.hostname or not where.port or where.path:
            raise ValueError(f"{one} is no host:port")
    return text


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


class Settings(ApiSettings):
    servers: ClassVar[tuple[str, ...]] = (*ProcessSettings.servers, "broker_api_url")

    # The broker's management API, credentials in the address. Without it the broker itself is
    # asked, which tells no rates and nothing of what is unacknowledged.
    broker_api_url: SecretStr | None = None
    broker_api_timeout_s: float = Field(default=5, ge=0.1, le=60)
    # What one operation over dead letters may take, and how many may go back in a second.
    operation_letters_max: int = Field(default=1_000_000, ge=1, le=100_000_000)
    replay_rate_max: float = Field(default=5_000, ge=0.001, le=100_000)
    # In one transaction: cancelling waits for it.
    replay_batch: int = Field(default=500, ge=1, le=5_000)
    operations_every_s: float = Field(default=0.2, ge=0.01, le=10)
    # A letter can be replayed for so long, and one that is settled is kept for so long: the
    # mark of what its job did must outlive every replay of it.
    letters_kept_days: int = Field(default=30, ge=1, le=MARKS_KEPT_DAYS - SPARE_DAYS)
    # Of the documents of a day, such a share has to come to its end within its class's time.
    service_level_ratio_min: float = Field(default=0.99, ge=0, le=1)
    service_level_urgent_s: float = Field(default=60, gt=0)
    service_level_high_s: float = Field(default=120, gt=0)
    service_level_normal_s: float = Field(default=300, gt=0)
    service_level_bulk_s: float = Field(default=3_600, gt=0)
    # Hourly snapshots, and what timelines are made of.
    metrics_kept_days: int = Field(default=90, ge=1, le=3_650)
    facts_kept_days: int = Field(default=45, ge=7, le=3_650)
    gauges_every_s: float = Field(default=15, ge=1, le=600)
    # Where people sign in: the upload page, since only ingest may begin a session. Its cookie
    # belongs to the host: both are reached under the same name, on whatever ports.
    sign_in_url: HttpUrl | None = None
    # Where a trace is looked at, with {trace_id} for which; the console leads there.
    trace_url: str | None = Field(default=None, pattern=r"^https?://[^\s]*\{trace_id\}[^\s]*$")
    # Servers whose certificates are watched, `host:port` with commas between (a PostgreSQL as
    # `postgresql://host:port`): the proxy before the pages, above all. Those to which the
    # monitor itself speaks TLS are watched anyway.
    tls_addresses: Annotated[str, AfterValidator(_addresses)] = ""
    certificates_every_s: float = Field(default=3_600, ge=10, le=86_400)

    def watched_addresses(self) -> list[str]:
        api_url = self.broker_api_url.get_secret_value() if self.broker_api_url else ""
        others = (self.s3_endpoint or "", self.otlp_endpoint or "")
        own = map(urlsplit, (self.amqp_url.get_secret_value(), api_url, *others))
        met = [
            f"{one.hostname}:{one.port or TLS_PORTS[one.scheme]}"
            for one in own
            if one.scheme in TLS_PORTS
        ]
        return sorted({*_listed(self.tls_addresses), *met, *self._databases()})

    def _databases(self) -> list[str]:
        """Each of those that one address may name, under which the roles of all are."""
        url = self.database_url.get_secret_value()
        if not is_closed(url):
            return []
        places = urlsplit(url).netloc.rpartition("@")[2].split(",")
        return [
            f"{POSTGRES}{one if _has_port(one) else f'{one}:{POSTGRES_PORT}'}"
            for one in places
            if one
        ]


def _has_port(place: str) -> bool:
    return urlsplit(f"//{place}").port is not None

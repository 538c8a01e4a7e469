"""What every process of the system can be told, read from the environment exactly once.

A service adds its own knobs in its `settings.py`. Addresses carry passwords, so they are
secrets; what has no safe default has none, and a process with a wrong setting never starts.
"""

from hmac import compare_digest
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator
from pydantic_settings import SettingsConfigDict

from shared.addresses import Plaintext, is_loopback, networks_named, with_authority
from shared.blobs.open import BlobOptions, S3Encryption
from shared.database.pool import DatabaseSettings
from shared.process.tls import OwnTls, own_tls
from shared.secret_files import SettingsWithSecretFiles

ENV_PREFIX = "PAPERLINE_"
Port = Annotated[int, Field(ge=0, le=65_535)]


def _address(*schemes: str) -> AfterValidator:
    def check(value: SecretStr) -> SecretStr:
        if not value.get_secret_value().startswith(tuple(f"{name}://" for name in schemes)):
            # Never the value: it is a password's place.
            raise ValueError(f"must be an address that starts with {schemes[0]}://")
        return value

    return AfterValidator(check)


def _networks(text: str) -> str:
    networks_named(text)
    return text


def _hosts(text: str) -> str:
    Plaintext.named(text)
    return text


PostgresUrl = Annotated[SecretStr, _address("postgresql", "postgres")]
AmqpUrl = Annotated[SecretStr, _address("amqp", "amqps")]
BlobsUrl = Annotated[str, StringConstraints(pattern=r"^(file:///|s3://[a-z0-9])")]
HttpUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s]+$")]
NetworkList = Annotated[str, AfterValidator(_networks)]
HostList = Annotated[str, AfterValidator(_hosts)]


class ProcessSettings(SettingsWithSecretFiles):
    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, frozen=True, extra="ignore", hide_input_in_errors=True
    )

    # Settings that are addresses of servers, for the rules about the way there.
    servers: ClassVar[tuple[str, ...]] = (
        "database_url",
        "migrate_url",
        "amqp_url",
        "s3_endpoint",
        # Spans tell of documents and of those who handed them in.
        "otlp_endpoint",
    )

    environment: Literal["local", "production"] = "local"
    # Shown by the metric build_info; an image sets it to its commit.
    build: str = "dev"
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    otlp_endpoint: HttpUrl | None = None

    database_url: PostgresUrl
    # The owner of the schema, for the migrate door only: a running service cannot change it.
    migrate_url: PostgresUrl | None = None
    pool_min: int = Field(2, ge=0, le=100)
    pool_max: int = Field(10, ge=1, le=100)

    amqp_url: AmqpUrl
    broker_work_queues: Literal["classic", "quorum"] = "classic"
    # How often a process that only works looks for what others committed. One with all doors
    # open hears of its own commits at once, and looks no more than every other second.
    relay_poll_s: float = Field(0.25, ge=0.02, le=5)

    blobs_url: BlobsUrl
    s3_endpoint: HttpUrl | None = None
    s3_region: str = "us-east-1"
    s3_access_key: SecretStr | None = None
    s3_secret_key: SecretStr | None = None
    # Asked of the store with every object: `store` is a key of its own (SSE-S3), `kms` one of
    # its key service (SSE-KMS), by default the one that the bucket names.
    s3_encryption: S3Encryption = "none"
    s3_kms_key_id: str | None = None
    s3_connect_timeout_s: float = Field(5, gt=0, le=60)
    # Of one wait for bytes, not of a whole object.
    s3_read_timeout_s: float = Field(20, gt=0, le=120)
    # With less room than this on the disk of a folder, nothing more is written to it.
    blobs_free_bytes_min: int = Field(64 << 20, ge=0)

    # Whom servers have to be certified by, as PEM: all that are spoken to over TLS, unless an
    # address names an authority itself. Unset, those that the machine believes.
    ca_file: Path | None = None
    # With whom is spoken without TLS although they are not on this machine, with commas: names
    # as they stand in the addresses, networks, and PAPERLINE_HOST itself for our own doors. For
    # networks in which there is nobody else, such as that of a compose file.
    plaintext_hosts: HostList = ""

    # 0 lets the system choose a free port, which only a test wants.
    host: str = "127.0.0.1"
    api_port: Port = 0
    ops_port: Port = 9100
    # What a scraper shows as `Authorization: Bearer …` to read `/metrics` on the ops port.
    # Without it they are shown only where nobody else listens, on loopback.
    metrics_secret: SecretStr | None = Field(None, min_length=16)
    # Both, as PEM, and the API and the ops port speak TLS 1.2 or newer and nothing else. A
    # certificate that is replaced is taken within a minute.
    tls_certificate_file: Path | None = None
    tls_key_file: Path | None = None
    # Networks of the proxies before us, with commas: 10.1.0.0/16. Only they are believed when
    # they say for whom, how and under which name they were asked (X-Forwarded-For, -Proto,
    # -Host); from anybody else these headers mean nothing.
    trusted_proxies: NetworkList = ""

    # Below the 30 s that Kubernetes waits before it kills.
    drain_s: float = Field(25, ge=0, le=600)
    failpoint: str | None = None

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.pool_min > self.pool_max:
            raise ValueError(f"{ENV_PREFIX}POOL_MIN must not be above {ENV_PREFIX}POOL_MAX")
        if self.failpoint is not None and self.environment == "production":
            raise ValueError(f"{ENV_PREFIX}FAILPOINT must not be set in production")
        if self.s3_kms_key_id is not None and self.s3_encryption != "kms":
            raise ValueError(f"{ENV_PREFIX}S3_KMS_KEY_ID needs {ENV_PREFIX}S3_ENCRYPTION=kms")
        if (self.tls_certificate_file is None) != (self.tls_key_file is None):
            raise ValueError(
                f"{ENV_PREFIX}TLS_CERTIFICATE_FILE and {ENV_PREFIX}TLS_KEY_FILE go together"
            )
        return self

    @property
    def speaks_tls(self) -> bool:
        return self.tls_certificate_file is not None

    def tls(self) -> OwnTls | None:
        """Raises ValueError for files that are none."""
        if self.tls_certificate_file is None or self.tls_key_file is None:
            return None
        return own_tls(self.tls_certificate_file, self.tls_key_file)

    def plaintext(self) -> Plaintext:
        return Plaintext.named(self.plaintext_hosts)

    @property
    def metrics_are_closed(self) -> bool:
        """Nobody can read them, because nobody could be told from anybody."""
        return self.metrics_secret is None and not is_loopback(self.host)

    def may_scrape(self, authorization: str) -> bool:
        if self.metrics_secret is None:
            return not self.metrics_are_closed
        wanted = f"Bearer {self.metrics_secret.get_secret_value()}"
        return compare_digest(authorization.encode(), wanted.encode())

    def blob_options(self) -> BlobOptions:
        return BlobOptions(
            s3_endpoint=self.s3_endpoint,
            s3_access_key=_revealed(self.s3_access_key),
            s3_secret_key=_revealed(self.s3_secret_key),
            s3_region=self.s3_region,
            s3_encryption=self.s3_encryption,
            s3_kms_key_id=self.s3_kms_key_id,
            connect_timeout_s=self.s3_connect_timeout_s,
            read_timeout_s=self.s3_read_timeout_s,
            free_bytes_min=self.blobs_free_bytes_min,
            ca_file=self.ca_file,
        )

    @property
    def amqp_address(self) -> str:
        """With all that it takes to be sure who answers."""
        return with_authority(self.amqp_url.get_secret_value(), self.ca_file)

    @property
    def database_address(self) -> str:
        return with_authority(self.database_url.get_secret_value(), self.ca_file)

    @property
    def migrate_address(self) -> str:
        """Of the owner of the schema, where there is one."""
        url = self.migrate_url or self.database_url
        return with_authority(url.get_secret_value(), self.ca_file)

    def database(self) -> DatabaseSettings:
        return DatabaseSettings(
            self.database_address,
            pool_min=self.pool_min,
            pool_max=self.pool_max,
        )


def _revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()

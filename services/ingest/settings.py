"""Every knob of ingest. Read once, by the door; passed down by the wiring."""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, field_validator, model_validator

from shared.access.provider import RETURN_PATH, SCOPE, Client
from shared.blobs.source import named_sources
from shared.process.api_settings import ApiSettings, require_safe_url
from shared.process.settings import HttpUrl
from shared.topology.queues import EXTRACT

MEBIBYTE = 1 << 20


def _named(text: str) -> str:
    named_sources(text)
    return text


def _networks(text: str) -> str:
    for one in filter(None, text.split(",")):
        ip_network(one.strip())
    return text


class Settings(ApiSettings):
    # One document; counted while it streams in.
    upload_bytes_max: int = Field(default=25 * MEBIBYTE, ge=1024)
    # One archive of documents as it arrives, and everything in it unpacked.
    archive_bytes_max: int = Field(default=100 * MEBIBYTE, ge=1024)
    unpacked_bytes_max: int = Field(default=500 * MEBIBYTE, ge=1024)
    # Archives that one process takes in at once, each on its disk; more are told to come back.
    archives_max: int = Field(default=4, ge=1, le=100)
    # Locked PDFs opened at once by one process, and the limits of the child that opens each.
    unlocks_max: int = Field(default=2, ge=1, le=64)
    unlock_memory_bytes_max: int = Field(default=1 << 30, ge=256 * MEBIBYTE)
    unlock_cpu_s: int = Field(default=10, ge=1, le=300)
    unlock_wall_s: float = Field(default=20, gt=0, le=300)
    # For the child that cuts a file with several invoices into its parts.
    split_cpu_s: int = Field(default=60, ge=1, le=300)
    split_wall_s: float = Field(default=120, gt=0, le=240)
    # How long one upload may take.
    upload_s: float = Field(default=300, gt=0, le=3600)
    # All files of one batch together, and how long they may take to come in.
    batch_bytes_max: int = Field(default=1024 * MEBIBYTE, ge=1024)
    batch_s: float = Field(default=1_800, gt=0, le=86_400)
    # Requests served at once by one process, half of them of one key; more are told to come
    # back.
    requests_max: int = Field(default=200, ge=1, le=10_000)
    # Documents released to the broker and not yet extracted, of all clients; the rest waits in
    # PostgreSQL. Four times the extractor's slots of all replicas.
    pipeline_window: int = Field(default=4 * EXTRACT.slots, ge=1, le=100_000)
    # The file in which an operator says how documents are processed; unset, the one that comes
    # with the program. Where a setting below stands in both, the environment wins.
    extraction_config: Path | None = None
    # Documents of one batch that are under way at a time; the others are held.
    max_concurrent_tasks: int = Field(default=10, ge=1, le=1_000)
    # How often a process that only works looks for documents that another let wait; with all
    # doors open no more than every other second.
    release_poll_s: float = Field(default=0.25, gt=0, le=60)
    # How often batches are looked for that could go on and do not.
    advance_every_s: float = Field(default=30, ge=1, le=86_400)
    # How often documents are looked for that no fact has moved.
    sweep_every_s: float = Field(default=900, ge=1, le=86_400)
    # Without a fact for so long, a released document may have been lost.
    queued_stale_s: float = Field(default=3_600, ge=1, le=604_800)
    # The same for one that has been started, counted from its next attempt.
    processing_stale_s: float = Field(default=360, ge=1, le=604_800)
    # Silent for so long, a document is lost if anything released after it has come through.
    lost_after_s: float = Field(default=21_600, ge=1, le=604_800)
    # How long bytes lie in the object store without a document before they are erased. Whoever
    # submits by message does so within that time after putting them there.
    orphan_after_s: float = Field(default=86_400, ge=60, le=31_536_000)
    # Only tells, in metrics and at GET /v1/retention, what would be erased by its age.
    retention_dry_run: bool = False
    # How many documents one sweep erases by their age: a period that was shortened by mistake
    # can still be noticed.
    retention_erased_max: int = Field(default=1_000, ge=1, le=100_000)
    # How many objects one sweep looks at for that; the next one goes on from there.
    orphan_keys_max: int = Field(default=20_000, ge=100, le=1_000_000)
    # How often one process looks for what another deleted, or what could not be erased before.
    erase_poll_s: float = Field(default=5, gt=0, le=3_600)
    # How long what was read of an ended document may be answered from memory, and how much of
    # it one process keeps. Who may see it, and whether it is current, is asked every time.
    detail_cache_ttl_s: float = Field(default=300, ge=0, le=86_400)
    detail_cache_bytes_max: int = Field(default=32 * MEBIBYTE, ge=0, le=4096 * MEBIBYTE)
    # Who follows events at once in one process, half of them with one key; more are told to
    # come back.
    event_streams_max: int = Field(default=500, ge=1, le=10_000)
    # How long the same Idempotency-Key stands for the same request.
    idempotency_ttl_s: float = Field(default=86_400, ge=60)
    # From where a submission by message may have its bytes fetched, by name and with commas:
    # scans=s3://scans/inbox, mail=file:///srv/mail. A bucket is read with the store's own key.
    source_buckets: Annotated[str, AfterValidator(_named)] = ""
    # From it each webhook's secret is made; the same in all replicas. Changing it changes all.
    webhook_secret: SecretStr = Field(min_length=32)
    # Networks that webhooks may reach although they are not public, with commas: 10.1.0.0/16.
    webhook_allowed_networks: Annotated[str, AfterValidator(_networks)] = ""
    # Lets webhooks use http:// too; in the local environment they may anyway.
    webhook_plain_http: bool = False
    # Webhooks of one owner.
    webhooks_max: int = Field(default=10, ge=1, le=1_000)
    # How long a rotated secret is still signed with.
    webhook_overlap_s: float = Field(default=86_400, ge=0, le=604_800)
    # One delivery, from looking up the name to the end of the answer.
    webhook_timeout_s: float = Field(default=10, gt=0, le=60)
    # Deliveries under way in one process, and to one webhook from all of them.
    webhook_slots: int = Field(default=32, ge=1, le=1_000)
    webhook_at_once: int = Field(default=4, ge=1, le=100)
    # How often one process looks for deliveries that are due.
    webhook_poll_s: float = Field(default=1, gt=0, le=60)
    # After 10, 20, 40 … s, at most 6 h apart: fourteen take about a day.
    webhook_attempts_max: int = Field(default=14, ge=1, le=50)
    # A webhook that has only failed for so long is turned off.
    webhook_failing_s: float = Field(default=259_200, ge=60)
    # How long it can be seen, and replayed, what webhooks were told.
    webhook_log_days: int = Field(default=30, ge=2, le=3_650)
    # Where people find the review, so that the upload page can lead them there.
    review_url: HttpUrl | None = None
    # Where operators find their console, so that whoever came from there gets back.
    console_url: HttpUrl | None = None

    # As whom the identity provider knows us when people sign in at the page (OpenID Connect,
    # authorization code with PKCE). Without it nobody signs in with the provider.
    oidc_client_id: str | None = Field(default=None, min_length=1, max_length=500)
    # Where the client's secret stands; without it the client is a public one.
    oidc_client_secret_file: Path | None = None
    # Where the provider sends people back to, as it is registered there: our address as people
    # know it, and /v1/sign-in/return.
    oidc_redirect_url: HttpUrl | None = None
    # What is asked of the provider; `openid` among them. The claims above have to be in the ID
    # token then.
    oidc_scopes: str = Field(default="openid profile", max_length=500)
    # How long a sign-in with it holds before the provider is asked again: so long at most is
    # somebody still let in whom it does not know any more. Who is comes back by two clicks.
    oidc_session_s: float = Field(default=3_600, ge=300, le=43_200)
    # Whose sign-in it is, as people call it: "Sign in with …".
    oidc_label: str = Field(default="your organisation", min_length=1, max_length=60)
    # Whether people may sign in with a key. Unset, they may in the local environment, and
    # where there is no provider to sign in with. Programs use keys either way.
    sign_in_with_key: bool | None = None

    @model_validator(mode="after")
    def _name_the_whole_client(self) -> Self:
        if self.oidc_client_id is None:
            given = {
                "PAPERLINE_OIDC_CLIENT_SECRET_FILE": self.oidc_client_secret_file,
                "PAPERLINE_OIDC_REDIRECT_URL": self.oidc_redirect_url,
            }
            if others := [name for name, value in given.items() if value]:
                raise ValueError(f"{', '.join(others)}: needs PAPERLINE_OIDC_CLIENT_ID too")
            if self.sign_in_with_key is False:
                raise ValueError(
                    "PAPERLINE_SIGN_IN_WITH_KEY=false without PAPERLINE_OIDC_CLIENT_ID would "
                    "let nobody sign in"
                )
            return self
        wanted = {
            "PAPERLINE_OIDC_ISSUER": self.oidc_issuer,
            "PAPERLINE_OIDC_REDIRECT_URL": self.oidc_redirect_url,
        }
        if missing := [name for name, value in wanted.items() if not value]:
            raise ValueError(f"signing in with the provider needs {', '.join(missing)} too")
        if SCOPE not in self.oidc_scopes.split():
            raise ValueError(f"PAPERLINE_OIDC_SCOPES must have {SCOPE} among them")
        self.openid_client()
        return self

    @field_validator("oidc_redirect_url")
    @classmethod
    def _is_our_return(cls, url: str | None) -> str | None:
        if url is None:
            return None
        require_safe_url(url)
        where = urlsplit(url)
        if where.path != RETURN_PATH or where.query:
            raise ValueError(f"must be our own address and {RETURN_PATH}")
        return url

    def openid_client(self) -> Client | None:
        if self.oidc_client_id is None or self.oidc_redirect_url is None:
            return None
        return Client(
            client_id=self.oidc_client_id,
            redirect_url=self.oidc_redirect_url,
            secret=self._client_secret(),
            scopes=" ".join(self.oidc_scopes.split()),
            session_s=self.oidc_session_s,
        )

    def _client_secret(self) -> str | None:
        if self.oidc_client_secret_file is None:
            return None
        name = "PAPERLINE_OIDC_CLIENT_SECRET_FILE"
        try:
            secret = self.oidc_client_secret_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            # Never the content, and no start without what was asked for.
            raise ValueError(f"{name} cannot be read: {type(error).__name__}") from None
        if not secret:
            raise ValueError(f"{name} is empty")
        return secret

    def keys_sign_in(self) -> bool:
        if self.sign_in_with_key is not None:
            return self.sign_in_with_key
        return self.environment == "local" or self.oidc_client_id is None

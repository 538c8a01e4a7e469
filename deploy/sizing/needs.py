"""From a load to what it needs: processes, connections, disks, the provider, money.

Everything is worked out for the busiest hour, and kept for the days that were asked for. What
nobody can measure here (prices, what a page is in tokens) is an assumption that is given.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from deploy.k8s.table import WORKLOADS
from deploy.sizing.arrivals import WORKING_DAY
from deploy.sizing.figures import SERVICES, Figures, PerDocument
from shared.configuration.load import load_configuration
from shared.ledger.port import MARKS_KEPT_DAYS
from shared.process.settings import ProcessSettings
from shared.topology.queues import EXTRACT

# A process is one event loop: more than a core it cannot use, and near all of one it is late.
OF_A_CORE = 0.6
CORES_OF_A_READER = 2
# Two, so that one may be away.
REPLICAS_MIN = 2
# How much a table may hold of what is not rows any more, and of what is still to come.
DISK_SPARE = 1.5
DAYS_OF_A_MONTH = 30
# They go by their age, whatever is kept of a document.
LEDGER = ("inbox", "document_facts")


@dataclass(frozen=True, slots=True)
class Asked:
    per_hour: float
    einvoices: float = 0.1
    scans: float = 0.3
    pages: float = 2.0
    with_model: bool = False
    kept_days: int = 365
    # Of the pages, the share that somebody looks at in the review.
    looked_at: float = 0.2
    calls_per_s: float | None = None
    call_s: float = 4.0
    # What a document says to the model and is answered, in tokens: beside its pages.
    prompt_tokens: int = 2_500
    page_tokens: int = 560
    answer_tokens: int = 1_800
    # Of what is handed in: a page as a scanner sends it, any other file.
    scan_page_bytes: int = 300_000
    file_bytes: int = 80_000
    # A month of a core with 4 GiB beside it, and of a GB on a fast disk and in the store.
    core_usd: float = 30.0
    disk_usd: float = 0.10
    object_usd: float = 0.023

    @property
    def hours(self) -> float:
        """So many of the busiest hour make a day."""
        return sum(WORKING_DAY) / max(WORKING_DAY)

    @property
    def per_s(self) -> float:
        return self.per_hour / 3600

    @property
    def per_day(self) -> float:
        return self.per_hour * self.hours

    def shares(self) -> Mapping[str, float]:
        """By the kind that was measured. A model is asked for all but e-invoices; what it costs
        beside the reading itself was measured on texts."""
        return {"einvoice": self.einvoices, "scan": self.scans, "text": self._texts}

    @property
    def _texts(self) -> float:
        return 1 - self.einvoices - self.scans

    @property
    def asking(self) -> float:
        return 1 - self.einvoices if self.with_model else 0.0


@dataclass(frozen=True, slots=True)
class Needs:
    asked: Asked
    figures: Figures

    def cpu_s(self, part: str) -> float:
        """Of one document, on average, of a service or a server."""
        told = sum(
            share * self._of(kind, part) * (self.asked.pages if _by_page(kind, part) else 1)
            for kind, share in self.asked.shares().items()
        )
        beside = self._of("model", part) - self._of("text", part)
        return told + self.asked.asking * max(0.0, beside)

    def _of(self, kind: str, part: str) -> float:
        return self.figures.kinds[kind].cpu_s.get(part, 0.0)

    def cores(self, part: str) -> float:
        return self.cpu_s(part) * self.asked.per_s

    @property
    def services(self) -> Mapping[str, int]:
        """Processes of each, not counting those that only answer."""
        told = {one: _at_least(self.cores(one) / OF_A_CORE) for one in SERVICES}
        return told | {"extractor": max(self.readers_by_cpu, self.readers_by_slots)}

    @property
    def readers_by_cpu(self) -> int:
        return _at_least(self.cores("extractor") / OF_A_CORE / CORES_OF_A_READER)

    @property
    def readers_by_slots(self) -> int:
        return _at_least(self.calls_per_s * self.asked.call_s / EXTRACT.slots)

    @property
    def calls_per_s(self) -> float:
        return self.asked.per_s * self.asked.asking

    @property
    def quota_per_s(self) -> float:
        return self.asked.calls_per_s or _configured_calls_per_s()

    @property
    def is_above_quota(self) -> bool:
        return self.calls_per_s > self.quota_per_s

    @property
    def processes(self) -> int:
        """With the APIs, and while one of each is being replaced."""
        answering = [one for one in WORKLOADS if one.has_api]
        return sum(self.services.values()) + REPLICAS_MIN * len(answering) + len(WORKLOADS)

    @property
    def connections(self) -> int:
        return self.processes * int(ProcessSettings.model_fields["pool_max"].default)

    @property
    def broker_messages_per_s(self) -> float:
        return self.asked.per_s * self._mean(lambda one: one.queued)

    @property
    def wal_bytes_per_s(self) -> float:
        return self.asked.per_s * self._mean(lambda one: one.wal_bytes)

    @property
    def database_bytes(self) -> float:
        ledger = self._mean(lambda one: _tables(one, of_ledger=True))
        rows = self._mean(lambda one: _tables(one, of_ledger=False))
        days = rows * self.asked.kept_days + ledger * min(MARKS_KEPT_DAYS, self.asked.kept_days)
        return days * self.asked.per_day * DISK_SPARE

    @property
    def object_bytes(self) -> float:
        asked = self.asked
        results = self._mean(lambda one: one.object_bytes)
        originals = asked.scans * asked.pages * asked.scan_page_bytes
        originals += (1 - asked.scans) * asked.file_bytes
        shown = (1 - asked.einvoices) * asked.pages * asked.looked_at * self.figures.page_bytes
        return (results + originals + shown) * asked.per_day * asked.kept_days

    @property
    def objects(self) -> float:
        """How many: two dated files, a version and the scan, at the least."""
        return 4 * self.asked.per_day * self.asked.kept_days

    @property
    def model_usd(self) -> float:
        """Of a month."""
        price, asked = _price(), self.asked
        told = asked.prompt_tokens + asked.page_tokens * asked.pages
        one = (told * price[0] + asked.answer_tokens * price[1]) / 1_000_000
        return one * asked.asking * asked.per_day * DAYS_OF_A_MONTH

    @property
    def machine_usd(self) -> float:
        """Of a month: for processes that share machines, and two standbys of the database."""
        cores = sum(self.cores(one) for one in SERVICES) / OF_A_CORE
        cores += (3 * self.cores("database") + 3 * self.cores("broker")) / OF_A_CORE
        gigabytes = 3 * self.database_bytes / 1e9
        return (
            max(cores, REPLICAS_MIN) * self.asked.core_usd
            + gigabytes * self.asked.disk_usd
            + self.object_bytes / 1e9 * self.asked.object_usd
        )

    def _mean(self, of: Callable[[PerDocument], float]) -> float:
        kinds = self.figures.kinds
        return sum(share * of(kinds[kind]) for kind, share in self.asked.shares().items())


def _by_page(kind: str, part: str) -> bool:
    """Only recognising takes its time by the page; the scan that was measured has one."""
    return kind == "scan" and part == "extractor"


def _tables(one: PerDocument, *, of_ledger: bool) -> float:
    return sum(size for name, size in one.tables.items() if name.endswith(LEDGER) == of_ledger)


def _at_least(replicas: float) -> int:
    return max(REPLICAS_MIN, math.ceil(replicas))


def _configured_calls_per_s() -> float:
    told = load_configuration().configuration.processing.engines.gemini
    return float(told.requests_per_second) if told and told.requests_per_second else math.inf


def _price() -> tuple[float, float]:
    engines = load_configuration().configuration.engines
    price = engines.prices[engines.gemini.model]
    return float(Decimal(price.input)), float(Decimal(price.output))

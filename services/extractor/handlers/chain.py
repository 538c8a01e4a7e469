"""The engines as one: each asked in its turn, and their answers made into one reading.

An e-invoice's XML is exact and free, so nothing else is asked but whether the page shows the
same. Without one our own engine reads, and the provider too when there is one: two readers
who agree are better than either. A provider that is away leaves a degraded reading.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from services.extractor.domain.providers import NoReading, NotAsked
from services.extractor.domain.reading import Finding, Reading, Scan
from services.extractor.domain.trust.consensus import agreed
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.trust.page_check import checked_against_page
from services.extractor.domain.vendors import Memory, as_hint, vendor_key
from services.extractor.handlers.protection import ProviderFailed
from services.extractor.ports import Engine, Progress
from shared.errors import Rejected

FALLBACK = "offline_fallback"
XML_READ, PAGE_READ, MODEL_READ = 25, 45, 65
Recall = Callable[[Scan, Reading], Awaitable[Memory]]


@dataclass(frozen=True, slots=True)
class Chain:
    """Behind the port of a single engine, because that is what it is to whoever calls."""

    einvoice: Engine | None
    offline: Engine
    provider: Engine | None
    # Makes of a reading one that can be trusted as far as it says.
    judge: Judge
    # What is known of whose invoice it seems to be.
    recall: Recall
    name: str = "chain"

    @property
    def config(self) -> str:
        engines = (self.einvoice, self.offline, self.provider)
        return "+".join([one.config for one in engines if one] + [self.judge.version])

    async def read(self, scan: Scan, progress: Progress) -> Reading | None:
        xml = await self.einvoice.read(scan, progress) if self.einvoice else None
        if xml is not None and xml.fields:
            await progress(XML_READ, "reading")
            read = await self._with_its_page(xml, scan, progress)
            return self.judge.judged(read, await self.recall(scan, read), scan.accepted_on)
        page = await self.offline.read(scan, progress)
        if page is None:
            return None
        if xml is not None:
            # An XML that cannot be understood is worth telling, and the page is read instead.
            page = replace(page, findings=(*xml.findings, *page.findings))
        await progress(PAGE_READ, "reading")
        memory, vendor = await self.recall(scan, page), vendor_key(page)
        if self.provider is not None:
            told = replace(scan, hint=as_hint(memory))
            page = await self._with_the_model(self.provider, page, told, progress)
            if vendor_key(page) != vendor:
                memory = await self.recall(scan, page)
        await progress(MODEL_READ, "checking")
        return self.judge.judged(page, memory, scan.accepted_on)

    async def _with_its_page(self, xml: Reading, scan: Scan, progress: Progress) -> Reading:
        if not xml.page_count:
            return xml
        try:
            page = await self.offline.read(scan, progress)
        except Rejected as error:
            # Nobody knows what people would be shown: the XML may say something else.
            unseen = Finding("page_not_read", "block", str(error))
            return replace(xml, findings=(*xml.findings, unseen))
        return xml if page is None else checked_against_page(xml, page)

    async def _with_the_model(
        self, provider: Engine, page: Reading, scan: Scan, progress: Progress
    ) -> Reading:
        try:
            model = await provider.read(scan, progress)
        except NotAsked as error:
            return _degraded(page, error.finding)
        except ProviderFailed as error:
            if not scan.is_last_attempt:
                raise
            return _degraded(page, error.missed.finding)
        except NoReading as error:
            findings = (*page.findings, error.finding)
            return replace(page, findings=findings, usage=error.usage)
        return page if model is None else agreed(model, page)


def _degraded(page: Reading, finding: Finding) -> Reading:
    findings: Sequence[Finding] = (*page.findings, finding)
    return replace(page, engine=FALLBACK, findings=tuple(findings), degraded=True)

"""The engines as one: each asked in its turn, and their answers made into one reading.

An e-invoice's XML is exact and free, so nothing else is asked but whether the page shows the
same. Without one our own engine reads, and the provider too when there is one: two readers
who agree are better than either. A provider that is away leaves a degraded reading.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from services.extractor.domain.providers import NoReading, NotAsked
from services.extractor.domain.reading import Finding, Reading, Scan
from services.extractor.domain.sightings import identities
from services.extractor.domain.trust.consensus import agreed
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.trust.page_check import checked_against_page
from services.extractor.domain.vendors import Memory, as_hint
from services.extractor.handlers.long_documents import thought_about
from services.extractor.handlers.protection import ProviderFailed
from services.extractor.handlers.waiting import WaitingRoom
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
    # None where nobody waits: then nothing is kept between two attempts.
    waiting: WaitingRoom | None = None
    # Whether other rules are another answer.
    rules_in_key: bool = True
    # Asked for by somebody, and not here.
    missing: str | None = None
    name: str = "chain"

    @property
    def config(self) -> str:
        engines = (self.einvoice, self.offline, self.provider)
        rules = self.judge.version if self.rules_in_key else "rules"
        absent = [f"no {self.missing}"] if self.missing else []
        return "+".join([*(one.config for one in engines if one), rules, *absent])

    def wanted(self, name: str | None) -> "Chain":
        """Our own engine stays whichever is wanted: the others are held against it. One that
        is not here is told of and not waited for, and the usual ones read instead."""
        chosen = [one for one in (self.einvoice, self.provider) if one and one.name == name]
        if name is None:
            return self
        if not chosen and name != self.offline.name:
            return replace(self, missing=name)
        return replace(
            self,
            einvoice=self.einvoice if self.einvoice in chosen else None,
            provider=self.provider if self.provider in chosen else None,
        )

    async def read(self, scan: Scan, progress: Progress) -> Reading | None:
        xml = await self.einvoice.read(scan, progress) if self.einvoice else None
        if xml is not None and xml.fields:
            await progress(XML_READ, "reading")
            read = await self._with_its_page(xml, scan, progress)
            return await self._judged(read, await self.recall(scan, read), scan)
        kept = await self._kept(scan)
        page = own = kept or await self.offline.read(scan, progress)
        if page is None or own is None:
            return None
        if xml is not None:
            # An XML that cannot be understood is worth telling, and the page is read instead.
            page = replace(page, findings=(*xml.findings, *page.findings))
        await progress(PAGE_READ, "reading")
        memory, issuer = await self.recall(scan, page), identities(page)
        if self.provider is not None:
            told = replace(scan, hint=as_hint(memory))
            async with self._beside(scan, own, is_kept=kept is not None):
                page = await self._with_the_model(self.provider, page, told, progress)
            if identities(page) != issuer:
                memory = await self.recall(scan, page)
        await progress(MODEL_READ, "checking")
        return await self._judged(page, memory, scan)

    async def _judged(self, reading: Reading, memory: Memory, scan: Scan) -> Reading:
        judged = self.judge.judged
        if self.missing:
            told = Finding("engine_missing", "warn", f"{self.missing} does not read here")
            reading = replace(reading, findings=(*reading.findings, told))
        return await thought_about(reading.is_long, judged, reading, memory, scan.accepted_on)

    async def _kept(self, scan: Scan) -> Reading | None:
        """Of an earlier attempt. Without a provider no document waits for one."""
        if self.provider is None or self.waiting is None:
            return None
        return await self.waiting.find(scan)

    @asynccontextmanager
    async def _beside(self, scan: Scan, own: Reading, *, is_kept: bool) -> AsyncIterator[None]:
        if self.waiting is None:
            yield
            return
        async with self.waiting.beside(scan, own, is_kept=is_kept):
            yield

    async def _with_its_page(self, xml: Reading, scan: Scan, progress: Progress) -> Reading:
        if not xml.page_count:
            return xml
        try:
            page = await self.offline.read(scan, progress)
        except Rejected as error:
            # Nobody knows what people would be shown: the XML may say something else.
            unseen = Finding("page_not_read", "block", str(error))
            return replace(xml, findings=(*xml.findings, unseen))
        if page is None:
            return xml
        is_long = xml.is_long or page.is_long
        return await thought_about(is_long, checked_against_page, xml, page)

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
        if model is None:
            return page
        return await thought_about(model.is_long or page.is_long, agreed, model, page)


def _degraded(page: Reading, finding: Finding) -> Reading:
    findings: Sequence[Finding] = (*page.findings, finding)
    return replace(page, engine=FALLBACK, findings=tuple(findings), degraded=True)

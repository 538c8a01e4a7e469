"""The engines as one: who is asked, and what is made of their answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from uuid import uuid4

import pytest

from services.extractor.domain.providers import NotAsked, Refused
from services.extractor.domain.reading import Field, Finding, Reading, Scan, Usage
from services.extractor.domain.sightings import Sighting
from services.extractor.domain.trust.calibrators import ColdStart
from services.extractor.domain.trust.judging import Judge
from services.extractor.domain.vendors import Memory
from services.extractor.handlers.chain import Chain
from services.extractor.handlers.protection import ProviderFailed
from services.extractor.ports import Progress
from shared.checks.book import RuleBook
from shared.checks.scope import Knowledge
from shared.errors import Deferred, Rejected
from tests import builders
from tests.fakes.extractor import unwatched
from tests.unit.extractor.pages import page

TODAY = date(2026, 3, 14)
TOTAL = Field("119.00", "119,00", 0.9, "extracted", (), "pdf_text")
WORDS = tuple(page("Invoice RE-7", "Total  119,00 EUR"))
PAGE = Reading("offline", 1, {"total": TOTAL}, words=WORDS)
XML = Reading("einvoice", 1, {"total": replace(TOTAL, source="einvoice_xml")})
MODEL = Reading("gemini", 1, {"total": replace(TOTAL, source="gemini")})
REFUSAL = Finding("model_refused", "block", "the model will not read it")


@dataclass
class Told:
    """An engine that is told its answer, and notes what it was asked."""

    name: str
    answer: Reading | Exception | None
    asked: list[Scan] = field(default_factory=list)

    @property
    def config(self) -> str:
        return f"{self.name}/1"

    async def read(self, scan: Scan, progress: Progress) -> Reading | None:
        self.asked.append(scan)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def nobody_knows(scan: Scan, reading: Reading) -> Memory:
    return Memory()


class ToldJudge(Judge):
    def judged(self, reading: Reading, memory: Memory, today: date) -> Reading:
        assert today == TODAY
        return replace(reading, versions={**reading.versions, "judged": "yes"})


JUDGE = ToldJudge(RuleBook((), (), (), (), Knowledge()), "1", ColdStart())


def chain(
    einvoice: Reading | Exception | None = None,
    offline: Reading | Exception | None = PAGE,
    provider: Reading | Exception | None = None,
    *,
    asks_provider: bool = True,
) -> tuple[Chain, Mapping[str, Told]]:
    engines = {
        "einvoice": Told("einvoice", einvoice),
        "offline": Told("offline", offline),
        "gemini": Told("gemini", provider),
    }
    made = Chain(
        einvoice=engines["einvoice"],
        offline=engines["offline"],
        provider=engines["gemini"] if asks_provider else None,
        judge=JUDGE,
        recall=nobody_knows,
    )
    return made, engines


def scan(media_type: str = "application/pdf") -> Scan:
    return Scan(uuid4(), builders.OWNER, builders.SHA256, media_type, b"%PDF", TODAY)


async def test_an_einvoice_asks_no_model() -> None:
    one, engines = chain(einvoice=XML, provider=MODEL)

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert reading.engine == "einvoice"
    assert not engines["gemini"].asked
    assert reading.versions["judged"] == "yes"


async def test_an_einvoice_gets_the_place_on_its_page_as_evidence() -> None:
    one, _ = chain(einvoice=XML)

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    [span] = reading.fields["total"].evidence
    assert span.text == "119,00 EUR"


async def test_bare_xml_has_no_page_to_be_held_against() -> None:
    one, engines = chain(einvoice=replace(XML, page_count=0))

    reading = await one.read(scan("application/xml"), unwatched)

    assert reading is not None
    assert not engines["offline"].asked


async def test_an_einvoice_whose_page_cannot_be_read_is_read_all_the_same() -> None:
    one, _ = chain(einvoice=XML, offline=Rejected("parser_crashed", "signal 11"))

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert [finding.code for finding in reading.findings] == ["page_not_read"]


async def test_an_xml_that_cannot_be_understood_is_told_of_and_the_page_is_read() -> None:
    broken = Finding("einvoice_unreadable", "warn", "not well-formed")
    one, _ = chain(einvoice=Reading("einvoice", 1, findings=(broken,)), asks_provider=False)

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert (reading.engine, reading.findings) == ("offline", (broken,))


async def test_two_readers_who_agree_say_so() -> None:
    one, _ = chain(provider=MODEL)

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert reading.engine == "gemini"
    assert reading.fields["total"].signals["agree"] == 1.0


async def test_without_a_provider_our_own_reading_stands_and_is_whole() -> None:
    one, _ = chain(asks_provider=False)

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert (reading.engine, reading.degraded) == ("offline", False)


async def test_a_provider_that_is_not_asked_leaves_a_degraded_reading() -> None:
    one, _ = chain(provider=NotAsked("outage", "away since 14:00"))

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert (reading.engine, reading.degraded) == ("offline_fallback", True)
    assert [finding.code for finding in reading.findings] == ["engine_away"]


async def test_a_model_that_refuses_leaves_a_finding_and_what_it_cost() -> None:
    spent = (Usage("gemini-x", prompt_tokens=7),)
    one, _ = chain(provider=Refused(REFUSAL, spent))

    reading = await one.read(scan(), unwatched)

    assert reading is not None
    assert reading.findings == (REFUSAL,)
    assert reading.usage == spent
    assert not reading.degraded


async def test_a_provider_that_is_to_be_asked_later_defers_the_document() -> None:
    one, _ = chain(provider=Deferred("breaker open", after_s=5))

    with pytest.raises(Deferred):
        await one.read(scan(), unwatched)


async def test_a_provider_that_fails_is_asked_again_until_the_last_attempt() -> None:
    one, _ = chain(provider=ProviderFailed("gemini: server_error"))

    with pytest.raises(ProviderFailed):
        await one.read(scan(), unwatched)
    reading = await one.read(replace(scan(), is_last_attempt=True), unwatched)

    assert reading is not None
    assert (reading.engine, reading.degraded) == ("offline_fallback", True)


async def test_the_model_is_told_what_is_known_of_the_issuer() -> None:
    one, engines = chain(provider=MODEL)
    seen = Sighting(number_shape="RE-<4>", currency="EUR", identities=("vat_id:1",))

    async def known(scan: Scan, reading: Reading) -> Memory:
        return Memory([seen, seen], seen.identities)

    await replace(one, recall=known).read(scan(), unwatched)

    [asked] = engines["gemini"].asked
    assert "RE-<4>" in asked.hint


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("einvoice", {"einvoice", "offline"}),
        ("offline", {"offline"}),
        ("gemini", {"offline", "gemini"}),
        (None, {"einvoice", "offline", "gemini"}),
    ],
)
async def test_who_is_wanted_reads_beside_our_own_engine(
    name: str | None, asked: set[str]
) -> None:
    one, engines = chain(provider=MODEL)
    wanted = one.wanted(name)

    reading = await wanted.read(scan(), unwatched)

    assert {told.name for told in engines.values() if told.asked} == asked
    assert reading is not None
    assert reading.findings == ()
    # Kept as another answer than that of all, or one would serve for the other.
    assert (wanted.config == one.config) is (name is None)


async def test_an_xml_is_passed_over_for_the_page_when_somebody_wants_that() -> None:
    one, engines = chain(XML, provider=MODEL)

    reading = await one.wanted("offline").read(scan(), unwatched)

    assert reading is not None
    assert (reading.engine, engines["einvoice"].asked) == ("offline", [])


async def test_who_does_not_read_here_is_told_of_and_not_waited_for() -> None:
    one, engines = chain(asks_provider=False)
    wanted = one.wanted("gemini")

    reading = await wanted.read(scan(), unwatched)

    assert reading is not None
    [finding] = reading.findings
    assert (finding.code, finding.severity) == ("engine_missing", "warn")
    assert finding.detail == "gemini does not read here"
    assert engines["einvoice"].asked
    assert wanted.config == f"{one.config}+no gemini"


async def test_its_configuration_names_every_engine_and_the_rules() -> None:
    one, _ = chain()

    assert one.config == "einvoice/1+offline/1+gemini/1+rules-1/cold-2"


async def test_rules_that_are_no_part_of_the_key_leave_its_configuration_the_same() -> None:
    one, _ = chain()

    told = replace(one, rules_in_key=False).config

    assert told == "einvoice/1+offline/1+gemini/1+rules"


async def test_progress_only_ever_moves_forwards() -> None:
    told: list[int] = []

    async def watched(percent: int, stage: str) -> None:
        told.append(percent)

    one, _ = chain(provider=MODEL)
    await one.read(scan(), watched)

    assert told == sorted(told)
    assert len(told) >= 2

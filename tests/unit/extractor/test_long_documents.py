"""A long document is thought about beside the loop, on which all the others go on."""

import asyncio
import threading
from dataclasses import dataclass, field, replace
from datetime import date

import pytest

from services.extractor.adapters import offline
from services.extractor.adapters.parser import answers
from services.extractor.adapters.parser.sandbox import (
    RECOGNISING,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.domain import extraction
from services.extractor.domain.reading import LONG, Reading, Scan
from services.extractor.domain.trust import consensus, page_check
from services.extractor.domain.vendors import Memory
from services.extractor.handlers import chain as chains
from services.extractor.handlers import extract
from services.extractor.handlers.chain import Chain
from services.extractor.handlers.long_documents import thought_about
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import ExtractDocumentV1
from tests.fakes.extractor import unwatched
from tests.unit.extractor.test_chain import (
    JUDGE,
    MODEL,
    PAGE,
    WORDS,
    XML,
    ToldJudge,
    chain,
    scan,
)
from tests.unit.extractor.world import World

BOOK = replace(PAGE, words=WORDS * (LONG // len(WORDS) + 1))
PATIENCE_S = 30.0


@dataclass(frozen=True)
class SlowJudge(ToldJudge):
    """Judges only when the loop has moved on meanwhile."""

    moved: threading.Event = field(default_factory=threading.Event)

    def judged(self, reading: Reading, memory: Memory, today: date) -> Reading:
        assert self.moved.wait(PATIENCE_S), "the loop stands still"
        return super().judged(reading, memory, today)


def _judged_by(made: Chain, judge: ToldJudge) -> Chain:
    return replace(made, judge=judge)


async def test_the_loop_moves_on_while_a_long_document_is_judged() -> None:
    made, _ = chain(offline=BOOK, asks_provider=False)
    judge = SlowJudge(JUDGE.book, JUDGE.rules_version, JUDGE.calibrator)
    asyncio.get_running_loop().call_soon(judge.moved.set)
    reading = await _judged_by(made, judge).read(scan(), unwatched)

    assert reading is not None
    assert reading.versions["judged"] == "yes"


@pytest.mark.parametrize(("page", "beside"), [(PAGE, False), (BOOK, True)])
async def test_only_long_documents_are_thought_about_in_a_thread(
    monkeypatch: pytest.MonkeyPatch, page: Reading, *, beside: bool
) -> None:
    threads: dict[str, bool] = {}
    here = threading.current_thread()

    def agreed(model: Reading, ours: Reading) -> Reading:
        threads["agreed"] = threading.current_thread() is not here
        return consensus.agreed(model, ours)

    def checked(xml: Reading, shown: Reading) -> Reading:
        threads["checked"] = threading.current_thread() is not here
        return page_check.checked_against_page(xml, shown)

    monkeypatch.setattr(chains, "agreed", agreed)
    monkeypatch.setattr(chains, "checked_against_page", checked)
    with_a_model, _ = chain(offline=page, provider=MODEL)
    with_an_xml, _ = chain(einvoice=XML, offline=page)

    await with_a_model.read(scan(), unwatched)
    await with_an_xml.read(scan(), unwatched)

    assert threads == {"agreed": beside, "checked": beside}


@pytest.mark.parametrize(("page", "beside"), [(PAGE, False), (BOOK, True)])
async def test_a_long_answer_is_written_down_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch, page: Reading, *, beside: bool
) -> None:
    world, here = World(), threading.current_thread()
    world.engine.answer = page
    apart: list[bool] = []

    def noted(
        order: ExtractDocumentV1, reading: Reading, config: str, *, words_key: str | None
    ) -> ExtractionV1:
        apart.append(threading.current_thread() is not here)
        return extraction.extraction_of(order, reading, config, words_key=words_key)

    monkeypatch.setattr(extract, "extraction_of", noted)
    await world.deliver()

    assert apart == [beside]


@pytest.mark.parametrize(("page", "beside"), [(PAGE, False), (BOOK, True)])
async def test_a_long_answer_of_the_parser_is_heard_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch, page: Reading, *, beside: bool
) -> None:
    here = threading.current_thread()
    apart: list[bool] = []

    async def answered(sandbox: Sandbox, task: str, scan: Scan) -> answers.Answer:
        return answers.told(page)

    def noted(answer: answers.Answer) -> Reading:
        apart.append(threading.current_thread() is not here)
        return answers.heard(answer)

    monkeypatch.setattr(Sandbox, "ask", answered)
    monkeypatch.setattr(offline, "heard", noted)
    engine = offline.OfflineEngine(Sandbox(SandboxLimits(ReadLimits(1, 1), RECOGNISING)))

    assert (await engine.read(scan(), unwatched)).page_count == page.page_count
    assert apart == [beside]


async def test_what_goes_wrong_there_comes_out_here() -> None:
    def wrong() -> None:
        raise LookupError("of the rules")

    with pytest.raises(LookupError, match="of the rules"):
        await thought_about(True, wrong)

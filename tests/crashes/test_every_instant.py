"""At every instant that the code names somebody dies, fails or is held, and nothing is lost."""

from collections import Counter

from tests.crashes.case import Case
from tests.crashes.sweep import Ground


async def test_nothing_is_lost_and_nothing_is_there_twice(
    case: Case, ground: Ground, survived: Counter[str]
) -> None:
    verdict = await ground.survives(case)

    survived[case.row.point] += 1
    if case.then is not None:
        survived[case.then.point] += 1
    survived["documents"] += verdict.documents
    survived["documents that recovered"] += verdict.recovered


async def test_in_the_end_every_byte_of_it_is_as_it_was_promised(ground: Ground) -> None:
    await ground.judge.require_all_of_it()

"""Hours of steady work with rolling restarts: nothing is lost, and nothing grows."""

from tests.soak.soak import Soak


async def test_all_comes_to_its_end_and_nothing_grows(soak: Soak, lines: list[str]) -> None:
    verdict, report = await soak.run()

    lines += [str(verdict), *report.lines()]
    assert verdict.holds, f"{verdict}\n{verdict.lost}\n{verdict.doubled}"
    assert not soak.forced, f"did not stop by themselves: {soak.forced}"
    assert report.poison, "too short, or too slow, for any poison"
    assert not report.unbounded, report.unbounded
    await soak.require_promises()

"""`python -m deploy.sizing --documents-per-hour 5000 --scans 0.3 --pages 2`: what that needs.

`--simulate` runs a day of it instead, `--page` writes the tables of SIZING.md anew, and
`--adopt FILE` takes over what `./paperline bench sizing` has measured.
"""

import argparse
from dataclasses import fields
from pathlib import Path

from deploy.sizing import cluster, days, page
from deploy.sizing.arrivals import Burst
from deploy.sizing.figures import adopt, measured
from deploy.sizing.needs import Asked, Needs
from deploy.sizing.tables import plain, rows


def main() -> None:
    told = _parser().parse_args()
    if told.adopt:
        adopt(told.adopt)
    if told.adopt or told.page:
        page.FILE.write_text(page.written(page.FILE.read_text()))
        print(f"{page.FILE.name} is written")
        return
    asked = Asked(**{one.name: getattr(told, one.name) for one in fields(Asked)})
    if told.simulate:
        _simulate(asked, told.burst)
        return
    print(plain(rows(Needs(asked, measured()))))


def _simulate(asked: Asked, burst: int) -> None:
    """A working day whose busiest hour is as asked."""
    mean = asked.per_day / 24
    scene = days.Scene(
        "asked",
        mean,
        cluster.readers_scaling(),
        calls_per_s=asked.calls_per_s or days.CALLS_PER_S,
        bursts=[Burst(days.DRAWER.at_s, burst)] if burst else [],
    )
    day = scene.run()
    print(plain(list(zip(days.HEAD, days.row(scene, day), strict=True))))
    print("\nhour  replicas  longest queue")
    for hour in range(24):
        print(f"{hour:4}  {day.replicas_in(hour):8}  {day.backlog_in(hour):13,}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.sizing", description=__doc__)
    parser.add_argument(
        "--documents-per-hour", dest="per_hour", type=float, default=5_000.0, metavar="N"
    )
    for name, text in (
        ("einvoices", "share that are XML"),
        ("scans", "share that are pictures"),
        ("pages", "of a document, on average"),
        ("looked_at", "share of pages that somebody looks at"),
        ("call_s", "seconds of a call of the provider"),
        ("core_usd", "a month of a core"),
        ("disk_usd", "a month of a GB for the database"),
        ("object_usd", "a month of a GB in the object store"),
    ):
        _option(parser, name, float, text)
    for name, text in (
        ("kept_days", "how long documents are kept"),
        ("prompt_tokens", "of a document, beside its pages"),
        ("page_tokens", "of a page"),
        ("answer_tokens", "of an answer"),
        ("scan_page_bytes", "of a scanned page"),
        ("file_bytes", "of any other file"),
    ):
        _option(parser, name, int, text)
    parser.add_argument("--calls-per-s", type=float, help="the provider's; else the configured")
    parser.add_argument(
        "--model", dest="with_model", action="store_true", help="ask a provider"
    )
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument(
        "--burst", type=int, default=0, help="documents at once, at half past ten"
    )
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--adopt", type=Path, metavar="FILE")
    return parser


def _option(parser: argparse.ArgumentParser, name: str, kind: type, text: str) -> None:
    [default] = [one.default for one in fields(Asked) if one.name == name]
    parser.add_argument(
        f"--{name.replace('_', '-')}",
        type=kind,
        default=default,
        help=f"{text} ({default:g})",
        metavar="N",
    )


if __name__ == "__main__":
    main()

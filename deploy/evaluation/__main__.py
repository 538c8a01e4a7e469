"""`./paperline evaluate FOLDER`: read documents with known answers and say how well it went."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from deploy.evaluation.corpus import (
    BadCorpus,
    Document,
    Truth,
    documents_of,
    truths_of,
    with_fields,
)
from deploy.evaluation.reading import PATHS, Answered, read_all
from deploy.evaluation.report import as_json, errors, lines, scored
from services.extractor.settings import Settings
from services.extractor.wiring import engines
from shared.configuration.marks import ConfigurationError

MISUSED = 2


def main() -> int:
    options = _options()
    try:
        documents, truths = _selected(options)
    except BadCorpus as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return MISUSED
    try:
        answers = asyncio.run(_read(options, documents))
    except ConfigurationError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return MISUSED
    if answers is None:
        return MISUSED
    _tell(options, documents, truths, answers)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./paperline evaluate", description=__doc__)
    parser.add_argument("folder", type=Path, help="with documents.jsonl and truth.jsonl")
    parser.add_argument("--engine", default="chain", help="einvoice, offline, gemini, chain")
    parser.add_argument("--tier", action="append", default=[], help="only these (repeat)")
    parser.add_argument("--by", default="tier,source", help="traits to group by")
    parser.add_argument("--limit", type=_count, help="only the first so many")
    parser.add_argument("--at-once", type=_count, default=os.cpu_count() or 1)
    parser.add_argument("--errors", type=int, default=0, metavar="N", help="show so many")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the figures as JSON too")
    return parser.parse_args()


def _count(text: str) -> int:
    if (count := int(text)) < 1:
        raise ValueError
    return count


def _selected(options: argparse.Namespace) -> tuple[list[Document], dict[str, Truth]]:
    every = documents_of(options.folder)
    tiers = set(options.tier)
    documents = [one for one in every if not tiers or one.tier in tiers][: options.limit]
    if not documents:
        known = ", ".join(sorted({one.tier for one in every}))
        raise BadCorpus(f"nothing to read; the tiers of {options.folder} are: {known}")
    if absent := [one.file for one in documents if not one.file.is_file()]:
        raise BadCorpus(f"{len(absent)} files are not there, such as {absent[0]}")
    truths, others = with_fields(truths_of(options.folder), PATHS)
    unknown = [one.document for one in documents if one.document not in truths]
    if unknown:
        raise BadCorpus(f"no truth for {len(unknown)} documents, such as {unknown[0]}")
    if others:
        print(f"evaluate: no engine says, so not counted: {', '.join(others)}", file=sys.stderr)
    return documents, truths


async def _read(
    options: argparse.Namespace, documents: Sequence[Document]
) -> dict[str, Answered] | None:
    async with engines(_settings()) as known:
        if options.engine not in known:
            there_are = ", ".join(known)
            print(
                f"evaluate: no engine {options.engine}; there are: {there_are}", file=sys.stderr
            )
            return None
        return await read_all(
            known[options.engine],
            documents,
            options.at_once,
            lambda done: _progress(done, len(documents)),
        )


def _settings() -> Settings:
    # No server is asked; a service merely cannot do without saying where they are.
    return Settings(
        database_url=SecretStr("postgresql://nowhere"),
        amqp_url=SecretStr("amqp://nowhere"),
        blobs_url="file:///nowhere",
    )


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty() or done == of or not done % 50:
        print(f"\r  read {done} of {of}", end="", file=sys.stderr, flush=True)
    if done == of:
        print(file=sys.stderr)


def _tell(
    options: argparse.Namespace,
    documents: Sequence[Document],
    truths: dict[str, Truth],
    answers: dict[str, Answered],
) -> None:
    scores = scored(documents, truths, answers)
    print(f"{len(scores)} documents, engine {options.engine}")
    print(*lines(scores, ["engine", *options.by.split(",")]), sep="\n")
    if options.errors:
        print("", *errors(scores, options.errors), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(as_json(scores), indent=1))


if __name__ == "__main__":
    sys.exit(main())

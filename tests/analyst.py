"""What an analyst does with a store: the queries of the repository, in DuckDB."""

from pathlib import Path
from typing import Any

import duckdb

from tests.house.repository import ROOT

QUERIES = ROOT / "deploy" / "queries"
VIEW = "invoices"


def asked(root: Path, name: str) -> list[dict[str, Any]]:
    """What a query answers in this store."""
    return rows_of(f"SET VARIABLE store = '{root}/'", *map(text_of, (VIEW, name)))


def text_of(name: str) -> str:
    return (QUERIES / f"{name}.sql").read_text()


def rows_of(*queries: str) -> list[dict[str, Any]]:
    """Of the last one."""
    with duckdb.connect() as connection:
        for query in queries:
            found = connection.execute(query)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

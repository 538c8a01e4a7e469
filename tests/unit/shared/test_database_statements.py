"""SQL is found beside the module that runs it, or the process does not start."""

from pathlib import Path

import pytest

from shared.database.statements import statement


def test_a_statement_is_found_beside_its_module(tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "claim.sql").write_text("-- why\nSELECT 1;\n")

    assert statement(str(tmp_path / "relay.py"), "claim") == "-- why\nSELECT 1;\n"


def test_an_adapter_finds_the_statements_of_its_service(tmp_path: Path) -> None:
    (tmp_path / "adapters").mkdir()
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "claim.sql").write_text("SELECT 2")

    assert statement(str(tmp_path / "adapters" / "items.py"), "claim") == "SELECT 2"


def test_a_missing_statement_names_itself(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"sql/forgotten\.sql"):
        statement(str(tmp_path / "relay.py"), "forgotten")

"""SQL lives in files, one statement each, named after the method that runs it.

A file can be read, explained and prepared by a test without starting the program. Loading
happens at import, so a renamed or forgotten file stops the process at its start and not at
the one document that needed it.
"""

from pathlib import Path


def statement(module_file: str, name: str) -> str:
    """`sql/<name>.sql` beside the module, or beside its package (an adapter's service)."""
    folder = Path(module_file).parent
    for room in (folder, folder.parent):
        path = room / "sql" / f"{name}.sql"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise FileNotFoundError(f"no sql/{name}.sql for {module_file}")

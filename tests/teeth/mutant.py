"""A safeguard as a mistake would leave it, and how a copy of the code gets it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """Stands exactly once in its file, so that no edit misses or does more than it says."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mutant:
    name: str
    file: str
    edits: tuple[Edit, ...]
    missed_by: str

    def changed(self, text: str) -> str:
        for edit in self.edits:
            if text.count(edit.before) != 1:
                raise ValueError(
                    f"{self.name}: {self.file} holds this {text.count(edit.before)} times, "
                    f"and not once: {edit.before!r}. The safeguard has moved: move the mutant."
                )
            text = text.replace(edit.before, edit.after)
        return text

    def apply(self, root: Path) -> str:
        """Returns what the file held."""
        whole = (root / self.file).read_text()
        (root / self.file).write_text(self.changed(whole))
        return whole


def mutant(name: str, file: str, *edits: tuple[str, str], missed_by: tuple[str, str]) -> Mutant:
    """`missed_by`: a test's file and its name."""
    return Mutant(name, file, tuple(Edit(*one) for one in edits), "::".join(missed_by))

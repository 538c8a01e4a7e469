"""When something is erased for good, and who has to say that it was."""

from dataclasses import dataclass

# Who keeps something of a document, and reports when nothing of it is left.
REPORTING = ("ingest", "extractor", "storage", "review", "monitor")
OURS = "ingest"
# The stage of a tombstone until all of them have.
ERASING = "erasing"
RETRY_FIRST_S, RETRY_LONGEST_S = 5.0, 300.0
# Longer than a dead letter can be replayed: its submission names bytes that must be there.
SPARED_S = 40 * 86_400.0
FOLDERS = 256


@dataclass(frozen=True, slots=True)
class OrphanRules:
    """`after_s`: how long a content lies in the store without a document before it is erased.

    An upload that was killed before its commit is sent again long before; whoever submits by
    message does so within that time after the bytes were put there.
    """

    after_s: float
    keys_max: int
    sweep_every_s: float
    erased_max: int = 1_000

    @property
    def lease_s(self) -> float:
        return max(4 * self.sweep_every_s, 3_600)

    @property
    def pause_s(self) -> float:
        """Without a walk for so long, nobody has been there to take submissions in."""
        return 4 * self.sweep_every_s


def folder_of(number: int) -> str:
    return f"sha256/{number:02x}/"

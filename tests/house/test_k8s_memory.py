"""Memory of pods: who opens a stranger's file has room for all of its children at their most.

They count to its container, and whoever exceeds that is ended whole: one hostile file would
take those along who are at work beside it, before the child's own limit is met.
"""

from collections.abc import Mapping

import pytest
import yaml

from deploy.k8s import __main__ as base
from deploy.k8s.table import WORKLOADS, Workload
from deploy.secrets.files import COMPOSE, folders, passwords
from services.extractor.adapters.parser.sandbox import ChildLimits
from services.extractor.settings import Settings as ExtractorSettings
from services.extractor.wiring.parsers import limits_of
from services.ingest.settings import Settings as IngestSettings
from services.review.settings import Settings as ReviewSettings
from shared.configuration.load import load_configuration
from shared.process.settings import ENV_PREFIX
from shared.topology.queues import SPLIT
from tests.house.repository import ROOT, files

K8S = ROOT / "deploy" / "k8s"
# Of a process without its children; idle, each service takes less than 140 MB.
OWN_BYTES = 512 << 20
# Who begins children, as far as they are counted below; the monitor's writes numbers of our
# own, and reserves what it does not use.
BEGINNERS = {
    "services/extractor/adapters/parser/sandbox.py",
    "services/ingest/wiring/opening.py",
    "services/monitor/adapters/snapshots.py",
    "services/review/adapters/painter/pooled.py",
}
UNITS = {"Mi": 1 << 20, "Gi": 1 << 30}

every_overlay = pytest.mark.parametrize("overlay", ["trial", "production"])


def _told(service: str, overlay: str) -> dict[str, str]:
    """As settings are named in the code."""
    [own] = [one for one in base.files()["settings.yaml"] if one["kind"] == "ConfigMap"]
    file = yaml.safe_load((K8S / "overlays" / overlay / "kustomization.yaml").read_text())
    [merged] = file["configMapGenerator"]
    told = {
        **own["data"],
        **dict(one.split("=", 1) for one in merged["literals"]),
        **folders(passwords({}), COMPOSE)[service],
    }
    return {name.lower().removeprefix(ENV_PREFIX.lower()): text for name, text in told.items()}


def _parsers(overlay: str) -> tuple[ChildLimits, ChildLimits]:
    settings = ExtractorSettings(**_told("extractor", overlay))  # type: ignore[arg-type]  # texts, as found
    limits = limits_of(settings, load_configuration().configuration)
    return limits.light, limits.heavy


def _children_bytes(overlay: str) -> Mapping[str, int]:
    """Of each deployment that opens strangers' files, what all of its children may take."""
    ingest = IngestSettings(**_told("ingest", overlay))  # type: ignore[arg-type]  # as above
    review = ReviewSettings(**_told("review", overlay))  # type: ignore[arg-type]  # as above
    parsers = _parsers(overlay)
    return {
        "ingest-serve": ingest.unlocks_max * ingest.unlock_memory_bytes_max,
        "ingest-work": SPLIT.slots * ingest.unlock_memory_bytes_max,
        "review-serve": review.painters_max * review.painter_memory_bytes_max,
        "extractor-work": sum(one.at_once * one.memory_bytes for one in parsers),
    }


def _bytes(text: str) -> int:
    return int(text[:-2]) * UNITS[text[-2:]]


@every_overlay
@pytest.mark.parametrize("one", WORKLOADS, ids=lambda one: one.name)
def test_a_hostile_file_ends_a_child_and_not_the_pod(one: Workload, overlay: str) -> None:
    most = OWN_BYTES + _children_bytes(overlay).get(one.name, 0)

    assert most <= _bytes(one.room.memory_max)
    assert _bytes(one.room.memory) <= _bytes(one.room.memory_max)


@every_overlay
def test_everyday_work_fits_into_what_a_reader_asks_for(overlay: str) -> None:
    """A child that holds more than this between two documents is replaced."""
    held = sum(one.at_once * one.resident_bytes_max for one in _parsers(overlay))
    [reader] = [one for one in WORKLOADS if one.service == "extractor"]

    assert OWN_BYTES + held <= _bytes(reader.room.memory)


def test_whoever_begins_children_is_counted() -> None:
    beginners = {str(one) for one in files("services", suffix=".py") if "Bounds(" in one.text()}

    assert beginners == BEGINNERS

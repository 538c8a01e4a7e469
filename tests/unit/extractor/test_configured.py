"""What the file says about processing is in force; the environment comes before it."""

from pathlib import Path

import pytest

from services.extractor.settings import Settings
from services.extractor.wiring.engines import configuration_of
from services.extractor.wiring.parsers import limits_of
from services.extractor.wiring.provider import options_of
from services.extractor.wiring.terms import model_time_s, queue_of, terms_of
from services.ingest.settings import Settings as IngestSettings
from services.ingest.wiring import batch_at_once
from shared.configuration.load import DEFAULT_FILE, ConfigurationError, Loaded

KEY = "key: [owner, sha256, engines, models, prompt, schema, rules]"
ADDRESSES = {
    "DATABASE_URL": "postgresql://nobody@localhost/none",
    "AMQP_URL": "amqp://nobody@localhost",
    "BLOBS_URL": "file:///nowhere",
    "CURSOR_SECRET": "c" * 32,
    "WEBHOOK_SECRET": "w" * 32,
}


class Written:
    """A configuration file of one's own, with some of its words changed."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._file = file
        self._text = DEFAULT_FILE.read_text()
        file.write_text(self._text)
        for name, value in ADDRESSES.items():
            monkeypatch.setenv(f"PAPERLINE_{name}", value)
        monkeypatch.setenv("PAPERLINE_EXTRACTION_CONFIG", str(file))

    def change(self, old: str, new: str) -> None:
        assert old in self._text
        self._text = self._text.replace(old, new)
        self._file.write_text(self._text)

    @property
    def loaded(self) -> Loaded:
        return configuration_of(Settings())


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    return Written(tmp_path / "own.yaml", monkeypatch)


def test_retries_are_those_of_the_file(written: Written) -> None:
    written.change("max_retries: 3", "max_retries: 6")
    written.change("backoff_base_seconds: 10", "backoff_base_seconds: 2.5")
    configuration = written.loaded.configuration

    queue = queue_of(Settings(), configuration)

    assert (queue.attempts_max, queue.backoff_base_s) == (7, 2.5)
    # Whoever asks the model knows which attempt is the last.
    assert terms_of(Settings(), configuration).attempts_max == 7


def test_how_long_an_answer_serves_is_told_by_the_file_and_by_the_environment_before_it(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.change("cache_ttl_s: 7776000", "cache_ttl_s: 3600")
    configuration = written.loaded.configuration

    assert terms_of(Settings(), configuration).cache_ttl_s == 3600
    monkeypatch.setenv("PAPERLINE_CACHE_TTL_S", "120")
    assert terms_of(Settings(), configuration).cache_ttl_s == 120


def test_whether_a_degraded_answer_serves_others_is_told_by_the_file(written: Written) -> None:
    assert not terms_of(Settings(), written.loaded.configuration).degraded_serves

    written.change("degraded_serves: false", "degraded_serves: true")

    assert terms_of(Settings(), written.loaded.configuration).degraded_serves


def test_a_part_that_is_left_out_of_the_key_makes_no_other_answer(written: Written) -> None:
    assert options_of(Settings(), written.loaded).key_parts >= {"models", "prompt", "schema"}

    written.change(KEY, "key: [owner, sha256, engines, models, schema]")

    told = options_of(Settings(), written.loaded).key_parts
    assert {"models", "schema"} <= told
    assert "prompt" not in told


@pytest.mark.parametrize("part", ["owner", "sha256", "engines"])
def test_nobody_can_be_given_anothers_answer(written: Written, part: str) -> None:
    parts = [one for one in ("owner", "sha256", "engines", "models") if one != part]
    written.change(KEY, f"key: [{', '.join(parts)}]")

    with pytest.raises(ConfigurationError, match=f"leaves out {part}"):
        _ = written.loaded


def test_parsers_are_as_many_as_quick_and_as_old_as_the_file_says(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.change("einvoice: {timeout_seconds: 20}", "einvoice: {timeout_seconds: 7}")
    written.change("{timeout_seconds: 60, max_concurrent: 2}",
                   "{timeout_seconds: 90, max_concurrent: 5}")  # fmt: skip
    written.change("ocr_pages_per_process: 200", "ocr_pages_per_process: 11")
    configuration = written.loaded.configuration

    limits = limits_of(Settings(), configuration)

    assert limits.wall_s == {"einvoice": 7, "offline": 90}
    assert (limits.light.at_once, limits.heavy.at_once) == (5, 5)
    assert limits.heavy.pages_max == 11
    monkeypatch.setenv("PAPERLINE_PARSER_WALL_S", "33")
    monkeypatch.setenv("PAPERLINE_RECOGNISERS_MAX", "1")
    limits = limits_of(Settings(), configuration)
    assert limits.wall_s == {"einvoice": 33, "offline": 33}
    assert (limits.light.at_once, limits.heavy.at_once) == (5, 1)


def test_a_batch_goes_as_the_file_says_and_the_environment_before_it(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.change("max_concurrent_tasks: 10", "max_concurrent_tasks: 3")

    assert batch_at_once(IngestSettings()) == 3
    monkeypatch.setenv("PAPERLINE_MAX_CONCURRENT_TASKS", "40")
    assert batch_at_once(IngestSettings()) == 40


def test_the_model_is_left_time_for_two_calls_or_most_of_a_delivery(written: Written) -> None:
    terms = terms_of(Settings(), written.loaded.configuration)

    assert model_time_s(terms, 20) == 40
    assert model_time_s(terms, 250) < terms.reading_s

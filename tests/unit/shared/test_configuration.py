"""The configuration says where it is wrong: file, line, key, and what to do."""

import pytest

from services.extractor.settings import Settings as ExtractorSettings
from services.ingest.settings import Settings as IngestSettings
from shared.configuration.load import (
    DEFAULT_FILE,
    ConfigurationError,
    load_configuration,
    loaded_from,
)
from shared.configuration.precedence import environment_first
from shared.topology.queues import EXTRACT

TEXT = DEFAULT_FILE.read_text()


def _refused(content: str | bytes) -> str:
    raw = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(ConfigurationError) as refused:
        loaded_from(raw, "a.yaml")
    return str(refused.value)


def _line(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_the_file_of_the_repository_is_right() -> None:
    loaded = load_configuration()

    assert loaded.configuration.processing.retry.max_retries == 3
    assert loaded.configuration.processing.circuit_breaker.failure_threshold == 5
    assert "NO" in loaded.configuration.validation.legal_rates
    assert len(loaded.digest) == 64


def test_the_file_does_not_contradict_what_stands_elsewhere() -> None:
    configuration = load_configuration().configuration
    extractor, ingest = ExtractorSettings.model_fields, IngestSettings.model_fields

    assert configuration.idempotency.cache_ttl_s == extractor["cache_ttl_s"].default
    offline = configuration.processing.engines.offline
    assert offline is not None
    assert offline.timeout_seconds == extractor["parser_wall_s"].default
    assert offline.max_concurrent == extractor["parsers_max"].default
    assert offline.max_concurrent == extractor["recognisers_max"].default
    assert configuration.engines.offline.ocr_pages_per_process == (
        extractor["recogniser_life_pages_max"].default
    )
    assert configuration.processing.max_concurrent_tasks == (
        ingest["max_concurrent_tasks"].default
    )
    assert 1 + configuration.processing.retry.max_retries == EXTRACT.attempts_max
    assert configuration.processing.retry.backoff_base_seconds == EXTRACT.backoff_base_s


@pytest.mark.parametrize(
    ("right", "wrong", "key", "says"),
    [
        ("max_retries: 3", "max_retries: -1", "processing.retry.max_retries", "is -1; write"),
        ("max_retries: 3", "max_retries: many", "processing.retry.max_retries", "is 'many'"),
        ("max_retries: 3", "max_retry: 3", "processing.retry.max_retry", "did you mean `max_r"),
        (
            "    einvoice: {time",
            "    einvoize: {time",
            "processing.engines.einvoize",
            "did you",
        ),
        ("{timeout_seconds: 20}", "{requests_per_second: 20}", "requests_per_second", "is no"),
        ("{doubt: 40,", "{doubt: 50,", "review.ranking.weights", "the weights make 110"),
        ("sample: 0.03", "sample: 0.5", "review.straight_through.sample", "is '0.5'; write"),
        ("same_number: block", "same_number: stop", "review.duplicates.same_number", "'stop'"),
        ("near: warn,", "near: block,", "review.duplicates.near", "is 'block'; write"),
        ("{same_number:", "{same_numbers:", "duplicates.same_numbers", "did you mean `same_n"),
        ("  hash: sha256", "  hash: md5", "idempotency.hash", "is 'md5'; write"),
        ("version: 1", "version: 2", "version", "is 2; write"),
        ("    model: gemini-3.8-flash", "    model: gemini-9", "engines", "has no price"),
        ("  atomic_writes: true", "  atomic_writes: false", "output.atomic_writes", "is False"),
        (
            "default: {days: forever}",
            "default: {days: 0}",
            "retention.default.days",
            "is 0; write",
        ),
        (
            "default: {days: forever}",
            "default: {days: ever}",
            "retention.default.days",
            "'ever'",
        ),
        (
            "classes: {}",
            "classes: {a: {tags: [x], days: 1}, b: {tags: [x], days: 2}}",
            "retention",
            "the tag x stands for a and for b",
        ),
        ("  compression: zstd", "  compression: lzw", "output.compression", "is 'lzw'; write"),
        ("- id: E5", "- id:  E4", "validation.rules[4].id", "E4 is taken"),
        ('pattern: "[0-9]{4}"', 'pattern: "(a+)+"', "payment.card_last4.pattern", "repeats"),
        ('pattern: "[0-9]{4}"', 'pattern: "["', "payment.card_last4.pattern", "is no pattern"),
        ("  hash: sha256", "  hash: sha256\n  hash: sha256", "idempotency.hash", "already on"),
        ("version: 1", "version: *it", None, "anchor"),
        ("version: 1", "version: &it 1", None, "anchor"),
        ("version: 1", "version: !!int 1", "version", "the tag"),
        ("version: 1", "version: [1", None, "is no YAML"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(
    right: str, wrong: str, key: str | None, says: str
) -> None:
    assert right in TEXT
    content = TEXT.replace(right, wrong, 1)

    told = _refused(content)

    assert says in told
    if key is not None:
        assert key in told
        # Of a section as a whole, the line where it begins.
        nearest = f"{key}:" if key in ("engines", "retention") else wrong.splitlines()[-1]
        line = _line(content, nearest) + wrong.count("\n")
        assert told.startswith(f"a.yaml, line {line}, ")


def test_answers_are_kept_by_what_reads_them_and_not_by_how_long_they_stay() -> None:
    known = loaded_from(TEXT.encode(), "a.yaml").digest

    longer = TEXT.replace("default: {days: forever}", "default: {days: 3651}")
    elsewhere = TEXT.replace("compression: zstd", "compression: gzip")
    patient = TEXT.replace("failure_threshold: 5", "failure_threshold: 6")
    cheaper = TEXT.replace("input: 0.75", "input: 0.5")
    stricter = TEXT.replace("<= 0.3", "<= 0.2")
    assert TEXT not in (longer, elsewhere, patient, cheaper, stricter)

    for text in (longer, elsewhere, patient, cheaper, f"{TEXT}# said in passing\n"):
        assert loaded_from(text.encode(), "a.yaml").digest == known
    assert loaded_from(stricter.encode(), "a.yaml").digest != known


def test_everything_that_is_wrong_is_told_at_once() -> None:
    content = TEXT.replace("max_retries: 3", "max_retries: -1").replace("hash: sha256", "h: 1")

    assert len(_refused(content).splitlines()) == 3


@pytest.mark.parametrize(
    "content",
    [b"", b"- 1", b"just words", b"\xff\xfe", b"a: \x00", b"[" * 5000, b"a: " * 50,
     b"{" * 100 + b"}" * 100, b"x" * 300_000, b"? [1]\n: 2\n", b"---\na: 1\n---\nb: 2\n"],
    ids=range(11),
)  # fmt: skip
def test_no_file_is_so_wrong_that_it_is_not_told_in_a_sentence(content: bytes) -> None:
    assert _refused(content).startswith("a.yaml")


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(ConfigurationError, match="PAPERLINE_EXTRACTION_CONFIG"):
        load_configuration(DEFAULT_FILE.with_name("none.yaml"))


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {
        "DATABASE_URL": "postgresql://localhost/x",
        "AMQP_URL": "amqp://localhost",
        "BLOBS_URL": "file:///tmp/x",
    }
    for name, value in addresses.items():
        monkeypatch.setenv(f"PAPERLINE_{name}", value)
    untold = ExtractorSettings()
    monkeypatch.setenv("PAPERLINE_CACHE_TTL_S", "120")
    told = ExtractorSettings()

    assert environment_first(untold, "cache_ttl_s", 77.0) == 77.0
    assert environment_first(told, "cache_ttl_s", 77.0) == 120


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("data/json/{accepted_at:%Y/%m/%d}/", "data/json/", "`json` lacks {accepted_at}"),
        ("%d}/{document_id}.json", "}/{document_id}.json", "`json` lacks %d of the date"),
        ("%d}/{document_id}.json", "%d-%b}/{document_id}.json", "more of the date than"),
        ("%d}/{document_id}.json", "%d}/all.json", "`json` lacks {document_id}"),
        ("data/json/{acc", "data/../{acc", "`json` is no path"),
        ("data/json/{acc", "/data/json/{acc", "`json` is no path"),
        ("data/json/{acc", "data/versions/{acc", "`json` lies in data/versions/"),
        ("data/parquet/{acc", "data/compacted/{acc", "`parquet` lies in data/compacted/"),
        ("data/parquet/{acc", "data/metrics/{acc", "`parquet` lies in data/metrics/"),
        ("data/parquet/{acc", "sha256/{acc", "`parquet` lies in sha256/"),
        ("{document_id}.parquet", "{document_id}.json", "does not end with .parquet"),
        ("{version}.json", "{version}/{owner_id}.json", "`version` holds {owner_id}"),
        ("{document_id}/{version}.json", "{version}/{document_id}.json", "leave it so"),
        ("data/versions/", "data/all/", "`version` is not data/versions/"),
    ],
)
def test_a_place_that_is_none_of_one_document_is_told(
    right: str, wrong: str, says: str
) -> None:
    assert right in TEXT

    told = _refused(TEXT.replace(right, wrong, 1))

    assert says in told
    assert "output.paths" in told

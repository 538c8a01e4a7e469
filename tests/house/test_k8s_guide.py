"""The guide of the cluster can be followed: its commands, in order, make all that is needed.

They are typed as they stand there. Certificates and passwords are really made; what is said to
the cluster is written down and judged (`accounted_cluster.py`).
"""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from deploy.local.broker_users import SALT_BYTES, VHOST, password_hash
from deploy.local.credentials import READER
from tests.house.accounted_cluster import Cluster, Manifest, typed
from tests.house.guides import shown_in
from tests.house.repository import ROOT, SERVICES
from tests.house.test_k8s import OVERLAYS, _built, builder

GUIDE = (ROOT / "deploy/k8s/README.md").read_text()
RUNBOOK = (ROOT / "deploy/RUNBOOK.md").read_text()
ORDER = GUIDE[GUIDE.index("## Once") : GUIDE.index("## What is outside of the cluster")]
# Who takes before who sends, as operators are told it.
RENEWED = re.compile(r"asked to stop: ([a-z, ]+) \(")
_BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FOR = re.compile(r"# (Trial|Production)\n")
OPERATORS = {"default", "envoy-gateway-system", "monitoring"}
PUBLIC_AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")
IMPORTED = "exec broker-server-0 rabbitmqctl import_definitions -"
APP, DATABASE = "paperline", "paperline-database"


def _commands(overlay: str) -> Iterator[str]:
    for block in _BLOCK.findall(ORDER):
        marked = _FOR.match(block)
        if marked is None or marked[1].lower() == overlay:
            yield from (one.text for one in shown_in(f"```sh\n{block}```\n", "README.md"))


@pytest.fixture(scope="module", params=OVERLAYS)
def overlay(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def cluster(overlay: str, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    if overlay == "production" and not PUBLIC_AUTHORITIES.exists():
        pytest.skip(f"{PUBLIC_AUTHORITIES} is not here")
    _built(overlay)
    folder = tmp_path_factory.mktemp(overlay)
    keys = folder / "keys.json"
    keys.write_text(json.dumps({f"objects_key_{one}": f"key-of-{one}" for one in SERVICES}))
    told = {
        **{name: f"key-of-{name}" for name in ("PROVIDER_KEY", "BACKUP_KEY", "BACKUP_SECRET")},
        "STORE_KEYS_FILE": str(keys),
        "CERTIFICATE_FILE": "secrets/tls/ingest/tls.crt",
        "KEY_FILE": "secrets/tls/ingest/tls.key",
    }
    made = Cluster(folder, set(OPERATORS), _built)
    for call in typed(list(_commands(overlay)), folder, builder(), told):
        made.does(call)
    return made


def test_what_the_guide_makes_is_all_that_the_cluster_wants(
    cluster: Cluster, overlay: str
) -> None:
    applied = {(kind, name) for namespace, kind, name in cluster.applied if namespace == APP}
    wanted = {(one["kind"], one["metadata"]["name"]) for one in _built(overlay)}

    assert wanted - {("Namespace", APP)} <= applied
    assert (DATABASE, "Cluster", "database") in cluster.applied
    assert cluster.definitions["vhosts"] == [{"name": VHOST}]


def test_a_secret_is_asked_for_by_somebody(cluster: Cluster) -> None:
    """And none lies in the namespace of our pods that only a server should know."""
    named = {name for namespace, name in cluster.secrets if namespace == APP}
    pods = {f"paperline-{one}" for one in (*SERVICES, "topology", "scaler")}

    assert named - {"paperline-tls"} == pods | {f"paperline-migrate-{one}" for one in SERVICES}


def test_whoever_knocks_is_let_in(cluster: Cluster) -> None:
    for service in SERVICES:
        url = urlsplit(
            cluster.secrets[APP, f"paperline-{service}"].keys["paperline_database_url"]
        )
        known = cluster.secrets[DATABASE, f"database-paperline-{service}"].keys
        assert (url.username, url.password) == (known["username"], known["password"])
        owner = cluster.secrets[APP, f"paperline-migrate-{service}"].keys
        url, known = (
            urlsplit(owner["paperline_migrate_url"]),
            cluster.secrets[DATABASE, "database-paperline"].keys,
        )
        assert (url.username, url.password) == (known["username"], known["password"])
    reader = cluster.secrets[DATABASE, f"database-{READER.replace('_', '-')}"]
    assert reader.keys["username"] == READER


def test_a_role_has_the_secret_with_its_own_name(cluster: Cluster) -> None:
    database = cluster.applied[DATABASE, "Cluster", "database"]["spec"]

    for role in database["managed"]["roles"]:
        secret = cluster.secrets[DATABASE, role["passwordSecret"]["name"]]
        assert secret.keys["username"] == role["name"]
    owner = database["bootstrap"]["initdb"]
    assert cluster.secrets[DATABASE, owner["secret"]["name"]].keys["username"] == owner["owner"]


def test_whoever_speaks_tls_believes_who_certified_the_servers(
    cluster: Cluster, overlay: str
) -> None:
    ours = (cluster.folder / "secrets/tls/ca.pem").read_text()
    closed = overlay == "production"
    scaler = cluster.secrets[APP, "paperline-scaler"].keys

    assert (ours in scaler.get("ca", "")) == closed
    said = (scaler["tls"], urlsplit(scaler["host"]).scheme)
    assert said == (("enable", "https") if closed else ("disable", "http"))
    for service in SERVICES:
        told = cluster.secrets[APP, f"paperline-{service}"].keys
        assert (ours in told.get("ca.pem", "")) == closed
        assert (told["paperline_s3_access_key"] == f"key-of-{service}") == closed
    assert cluster.secrets[DATABASE, "database-server-ca"].keys["ca.crt"] == ours
    told = cluster.secrets[APP, "paperline-extractor"].keys
    assert told.get("gemini_api_key") == ("key-of-PROVIDER_KEY" if closed else None)


def test_an_image_of_a_pod_is_built_and_to_be_had(cluster: Cluster, overlay: str) -> None:
    images = {container["image"] for container in _containers(overlay)}

    assert images == cluster.images
    assert {one["imagePullPolicy"] for one in _containers(overlay)} == {"IfNotPresent"}
    assert not [one for one in images if one.endswith(":latest") or ":" not in one]


@pytest.mark.parametrize("overlay", ["production"], indirect=True)
def test_a_release_renews_who_takes_messages_before_who_sends_them(
    cluster: Cluster, overlay: str
) -> None:
    before, done = _around(cluster.said, "delete job")
    done, _ = _around(done, "delete secret database-paperline-ingest")
    told = RENEWED.search(" ".join(RUNBOOK.split()))
    assert told
    wanted = [*_named("Job", overlay), "wait job"]
    for service in told[1].split(", "):
        wanted += _named("Deployment", overlay, service)
        wanted.append(f"rollout status deployment app.kubernetes.io/name={service}")

    assert {*told[1].split(", ")} == set(SERVICES)
    assert [one for one in done if one.startswith(("Job", "wait", "Depl", "roll"))] == wanted
    others = {f"{one['kind']} {one['metadata']['name']}" for one in _built(overlay)}
    assert others - {f"Namespace {APP}"} <= set(done)
    settled = done[: done.index("wait job")]
    assert "ConfigMap paperline" in settled
    # A fact that the broker has not heard of would be refused as soon as it is said.
    assert before[-1] == IMPORTED


def _around(said: list[str], done: str) -> tuple[list[str], list[str]]:
    place = said.index(done)
    return said[:place], said[place + 1 :]


@pytest.mark.parametrize("overlay", ["production"], indirect=True)
def test_a_stolen_password_is_another_for_who_shows_it_and_who_asks_for_it(
    cluster: Cluster, overlay: str
) -> None:
    told = {one["name"]: one["password_hash"] for one in cluster.definitions["users"]}
    folder = cluster.folder / "secrets/cluster"

    for service in SERVICES:
        url = urlsplit(cluster.secrets[APP, f"paperline-{service}"].keys["paperline_amqp_url"])
        salt = b64decode(told[service])[:SALT_BYTES]
        assert password_hash(url.password or "", salt) == told[service]
    for (namespace, name), secret in cluster.secrets.items():
        made = folder / name.removeprefix("paperline-")
        if namespace == APP and made.is_dir():
            assert secret.keys == {one.name: one.read_text() for one in made.iterdir()}
    _, done = _around(
        cluster.said, "label secret database-paperline-ingest cnpg.io/reload=true"
    )
    named = "deployment app.kubernetes.io/name=ingest"
    assert done.index(f"rollout restart {named}") < done.index(f"rollout status {named}")
    assert IMPORTED not in done


def _named(kind: str, overlay: str, service: str | None = None) -> list[str]:
    return [
        f"{kind} {one['metadata']['name']}"
        for one in _built(overlay)
        if one["kind"] == kind
        if service in (None, one["metadata"]["labels"]["app.kubernetes.io/name"])
    ]


@pytest.mark.parametrize("overlay", ["production"], indirect=True)
def test_prometheus_gets_its_rules_as_they_stand_in_their_files(
    cluster: Cluster, overlay: str
) -> None:
    """Made by the shell, line by line: what was lost in between would be an alert less."""
    for name in ("recording", "alerts"):
        file = yaml.safe_load((ROOT / f"deploy/prometheus/{name}.yml").read_text())
        made = cluster.applied["monitoring", "PrometheusRule", f"paperline-{name}"]
        assert made["apiVersion"] == "monitoring.coreos.com/v1"
        assert made["spec"] == file
    assert ("monitoring", "PodMonitor", "paperline") in cluster.applied


def test_a_job_that_is_there_is_not_applied_again(cluster: Cluster) -> None:
    with pytest.raises(AssertionError, match="topology is there and cannot be changed"):
        cluster.takes({**cluster.applied[APP, "Job", "topology"], "of": "another release"})


@pytest.mark.parametrize("overlay", ["production"], indirect=True)
def test_a_module_is_run_as_the_runbook_says(
    cluster: Cluster, overlay: str, tmp_path: Path
) -> None:
    """Also the one whose job is made anew, from the overlay: it is told another word, and what
    else the overlay holds stays as it is."""
    ways = [one.text for one in shown_in(RUNBOOK, "RUNBOOK.md")]
    there = {**cluster.applied}
    asked = Cluster(tmp_path, cluster.namespaces, _built, cluster.secrets, {**there})

    for call in typed(
        [one for one in ways if one.startswith("kubectl ")], tmp_path, builder(), {}
    ):
        asked.does(call)

    place = (APP, "Job", "topology")
    [container] = asked.applied.pop(place)["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["verify"]
    del there[place]
    assert asked.applied == there
    assert asked.said.index("logs job/topology") > asked.said.index("Job topology")


def _containers(overlay: str) -> Iterator[Manifest]:
    for one in _built(overlay):
        if one["kind"] in ("Deployment", "Job"):
            yield from one["spec"]["template"]["spec"]["containers"]


def test_a_secret_of_another_type_is_found(cluster: Cluster) -> None:
    database = cluster.applied[DATABASE, "Cluster", "database"]
    there = dict(cluster.secrets)
    there[DATABASE, "database-paperline-review"] = there[DATABASE, "database-server-ca"]

    with pytest.raises(AssertionError, match="is Opaque, not"):
        Cluster(cluster.folder, cluster.namespaces, _built, there).takes(database)


def test_a_namespace_that_nobody_made_is_found(cluster: Cluster) -> None:
    database = cluster.applied[DATABASE, "Cluster", "database"]

    with pytest.raises(AssertionError, match=f"no namespace {DATABASE}"):
        Cluster(cluster.folder, set(OPERATORS), _built, cluster.secrets).takes(database)

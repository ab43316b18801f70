import json
from collections.abc import Callable
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_infra.rollout.bucket import BucketObjects
from firnline_infra.rollout.environment import EngineEnvironment
from firnline_infra.rollout.errors import RecordUnreadable
from firnline_infra.rollout.jobs import job_document, recorded_job
from firnline_infra.rollout.records import DeploymentRecord, Outcome, before_that
from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import rendering_of
from tests.infra.runtimes.environments import SERVERLESS
from tests.infra.runtimes.services.conftest import StubbedAws
from tests.infra.specifications import smallest
from tests.ingest.config.test_model import document


def deployment(
    number: int, hash_: str, outcome: Outcome = Outcome.GOOD, went_back_to: int | None = None
) -> DeploymentRecord:
    return DeploymentRecord(
        number=number, hash=hash_, job={}, by="me", began="now", outcome=outcome, went_back_to=went_back_to
    )


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([], None),
        ([deployment(1, "a")], None),
        ([deployment(2, "b"), deployment(1, "a")], 1),
        ([deployment(3, "b"), deployment(2, "b"), deployment(1, "a")], 1),
        ([deployment(3, "c", Outcome.FAILED), deployment(2, "b"), deployment(1, "a")], 1),
        ([deployment(4, "b", went_back_to=2), deployment(3, "c"), deployment(2, "b"), deployment(1, "a")], 1),
        ([deployment(3, "a", went_back_to=1), deployment(2, "b"), deployment(1, "a")], None),
    ],
    ids=["none", "one", "two", "the same again", "a failed one", "from a rollback on", "nothing further back"],
)
def test_a_rollback_goes_to_what_ran_before_what_runs(history: list[DeploymentRecord], expected: int | None) -> None:
    found = before_that(iter(history))
    assert (found.number if found else None) == expected


@pytest.mark.parametrize(
    ("running", "expected"), [(["c"], 2), (["b"], 1), ([], 1), (["", "x"], 1)], ids=["it", "the old", "none", "unknown"]
)
def test_a_rollback_from_a_run_whose_deployer_was_killed_goes_to_what_ran_before_it(
    running: list[str], expected: int
) -> None:
    history = [deployment(3, "c", Outcome.OPEN), deployment(2, "b"), deployment(1, "a")]
    assert before_that(iter(history), running).number == expected


def test_a_job_comes_back_from_its_record_as_it_was(job: Callable[..., EngineJob]) -> None:
    """Everything that decides what runs: the request that it renders is the same one."""
    made = job()
    text = DeploymentRecord(number=1, hash=made.hash, job=job_document(made), by="me", began="now").to_text()
    again = recorded_job(DeploymentRecord.of_text(text, "s3://b/1").job)
    assert again == made
    assert rendering_of(again).hash_of(again) == made.hash


def test_two_environments_in_one_bucket_have_a_history_each(aws: StubbedAws) -> None:
    """A rollback of the one would start the other's engine."""
    for name, bucket in {"dev": {"origin": "adopt", "name": "theirs"}, "prod": {"origin": "create"}}.items():
        spec = smallest(name=name, aws={"bucket": bucket})
        history = BucketObjects.of(aws.client("s3"), spec)
        place = {"dev": "s3://theirs/firnline-dev/", "prod": "s3://firnline-prod-123456789012-eu-central-1/"}[name]
        assert history.place == f"{place}deployments/"
        found = {"Contents": [{"Key": f"{history.folder}00000001.json"}]}
        asked = {"Bucket": history.bucket, "Prefix": history.folder}
        aws.answers("s3", "list_objects_v2", found, asked)
        assert history.names() == ["00000001.json"]


def looked_after(aws: StubbedAws, said: list[str]) -> EngineEnvironment:
    """With an epoch of 40 s."""
    accounts: Any = SimpleNamespace(aws=aws.client)
    return EngineEnvironment(
        spec=smallest(aws={"runtime": SERVERLESS}, epoch={"seconds": 40}),
        accounts=accounts,
        outputs=dict,
        env_argument="dev",
        say=said.append,
    )


def test_a_pause_waits_for_the_longer_epoch_of_what_is_specified_and_what_was_deployed(
    aws: StubbedAws, job: Callable[..., EngineJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firnline_infra.rollout.environment.check_aws", lambda *_: None)
    made = job()
    record = DeploymentRecord(number=1, hash=made.hash, job=job_document(made), by="me", began="now").to_text()
    aws.answers("s3", "list_objects_v2", {"Contents": [{"Key": "deployments/00000001.json"}]})
    aws.answers("s3", "get_object", {"Body": BytesIO(record.encode())})
    aws.answers("s3", "get_object", {"Body": BytesIO(json.dumps(document(epoch={"seconds": 60})).encode())})
    assert looked_after(aws, []).pause("orders").epoch_s == 60


def test_who_may_not_see_what_was_deployed_may_pause_all_the_same(
    aws: StubbedAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firnline_infra.rollout.environment.check_aws", lambda *_: None)
    aws.refuses("s3", "list_objects_v2", "AccessDenied")
    said: list[str] = []
    assert looked_after(aws, said).pause("orders").epoch_s == 40
    assert "can't be read, so an epoch is taken to last 40 s" in said[0]


RECURSIVE = {"type": "record", "name": "Node", "fields": [{"name": "next", "type": ["null", "Node"]}]}
OF_NOTHING = {"type": "array", "items": "null"}
ARRAY = {"type": "record", "name": "Order", "fields": [{"name": "lines", "type": OF_NOTHING}]}
MISSING = {"type": "callable", "callable": "nowhere.at_all:change", "version": "1"}


def pipelines(**options: Any) -> dict[str, Any]:
    (one,) = document()["pipelines"]
    return {"pipelines": [{**one, **options}]}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ""),
        (pipelines(transforms=[MISSING]), ""),
        ({"patterns": [{"streams": "shop-.*", "database": "LAKE", "schema": "RAW"}]}, ""),
        (
            pipelines(format={"type": "avro", "framing": "none", "avro_schema": json.dumps(RECURSIVE)}),
            "contains itself",
        ),
        (pipelines(format={"type": "avro", "framing": "none", "avro_schema": json.dumps(ARRAY)}), "in no bytes"),
        ({"epoch": {"seconds": "soon"}}, "epoch.seconds"),
        ({"of_a_later_release": 1}, "of_a_later_release"),
    ],
    ids=[
        "good",
        "a callable, which is the artefact's",
        "a pattern",
        "a recursive schema",
        "an array of nothing",
        "no number",
        "unknown",
    ],
)
def test_what_the_engines_own_code_refuses_is_a_problem_of_the_job(
    changes: dict[str, Any], said: str, aws: StubbedAws, job: Callable[..., EngineJob]
) -> None:
    aws.answers("s3", "get_object", {"Body": BytesIO(json.dumps(document(**changes)).encode())})
    found = looked_after(aws, [])._jobs.unfit(job())
    assert [said in each.what and bool(each.next_step) for each in found] == ([True] if said else [])


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"version": 2}), json.dumps({"version": 1, "x": 1})])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordUnreadable, match="s3://b/1"):
        DeploymentRecord.of_text(text, "s3://b/1")

"""Tests of what the engine calls in AWS is what it declares, as the embedded AWS saw it: none missing, none unused,
none to spare.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.engine import SIDS, EngineAccess, engine_statements
from firnline_ingest.__main__ import main
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.missing import gone_shards
from firnline_ingest.permissions import PERMISSIONS, Feature, features_of
from firnline_ingest.permissions.permission import Resource
from firnline_ingest.shard.receipt import ShardProblem
from firnline_local.aws.policy import applies, is_allowed
from firnline_local.running import RunningEnvironment
from tests.contract.account import LOGIN, Account, EngineWithoutSpark, Statement
from tests.fakes.confluent_registry import Registry, serving
from tests.iam.request import Access
from tests.tiers import every_third

pytestmark = [
    pytest.mark.contract,
    # snowflake-ingest asks datetime.utcnow (1.0.13), which Python 3.12 is to lose.
    pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning"),
]

LEDGERS = ((), (Feature.LEDGER_KEY,), (Feature.LEDGER_CREATION,))
"""The engine makes its table with a key of AWS's, so the last two exclude each other."""
SECRETS = ((), (Feature.SECRET,), (Feature.SECRET, Feature.SECRET_KEY))
STREAMS = ((), (Feature.STREAM_KEY,))
FOLDERS = (
    (),
    (Feature.S3_CHECKPOINT,),
    (Feature.S3_JOB_FILES,),
    (Feature.S3_LOGS,),
    (Feature.S3_CHECKPOINT, Feature.S3_JOB_FILES, Feature.S3_LOGS),
)
BUCKETS = (*FOLDERS, *((*folders, Feature.BUCKET_KEY) for folders in FOLDERS if folders))
LETTERS = (
    {Feature.S3_DEAD_LETTERS},
    {Feature.S3_DEAD_LETTERS, Feature.BUCKET_KEY},
    {Feature.STREAM_DEAD_LETTERS},
    {Feature.STREAM_DEAD_LETTERS, Feature.LETTER_STREAM_KEY},
    {Feature.S3_DEAD_LETTERS, Feature.S3_OVERSIZE_ROWS},
    {Feature.S3_DEAD_LETTERS, Feature.S3_OVERSIZE_ROWS, Feature.BUCKET_KEY},
)
"""In place of a folder of the machine."""
ENGINES = [
    *(frozenset((*ledger, *secret, *stream)) for ledger, secret, stream in product(LEDGERS, SECRETS, STREAMS)),
    *map(frozenset, LETTERS),
    frozenset({Feature.FAN_OUT, Feature.STREAM_KEY}),
    frozenset({Feature.FAN_OUT, Feature.REGISTRATION}),
    frozenset({Feature.STREAM_PATTERNS}),
    frozenset({Feature.GLUE_REGISTRY}),
    frozenset({Feature.REGISTRY_LOGIN}),
    frozenset({Feature.REGISTRY_LOGIN, Feature.REGISTRY_LOGIN_KEY}),
]
REMOVES = "dynamodb:DeleteItem"
FULLEST = (
    frozenset({Feature.LEDGER_CREATION, Feature.SECRET, Feature.SECRET_KEY, Feature.STREAM_KEY, *LETTERS[5]}),
    frozenset({Feature.LEDGER_KEY, Feature.SECRET, Feature.SECRET_KEY, Feature.STREAM_KEY, *LETTERS[3]}),
    frozenset({Feature.FAN_OUT, Feature.STREAM_KEY}),
    frozenset({Feature.FAN_OUT, Feature.REGISTRATION}),
)


def everything_an_engine_does(engine: EngineWithoutSpark, folder: Path) -> None:
    """A run, and each command that goes with it."""
    stream = engine.config.pipelines[0].stream
    file = folder / f"{stream}.json"
    file.write_text(engine.config.model_dump_json(by_alias=True, exclude_none=True))
    assert main(["validate", "--config", str(file)]) == 0
    assert engine.run() == [None]
    assert engine.retire(engine.preflight())
    assert main(["stop", "--config", str(file)]) == 0
    assert main(["deregister", "--config", str(file)]) == 0
    assert main(["resume", "--stream", stream, "--from", "proven", "--config", str(file)]) == 0


def what_spark_does(access: EngineAccess, s3: Any) -> None:
    """Calls what Hadoop's S3 client calls for a streaming checkpoint, and spark-submit for a job's files."""
    bucket = str(access.bucket).rpartition(":")[2]
    if access.checkpoint_folder:
        s3.list_objects_v2(Bucket=bucket, Prefix="checkpoint/offsets/", Delimiter="/")
        s3.put_object(Bucket=bucket, Key="checkpoint/offsets/0", Body=b"v1")
        s3.head_object(Bucket=bucket, Key="checkpoint/offsets/0")
        s3.get_object(Bucket=bucket, Key="checkpoint/offsets/0")
        s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": "checkpoint/offsets/0"}]})
    if access.job_folders:
        s3.get_object(Bucket=bucket, Key="configuration/engine.json")
    if access.log_folder:
        s3.put_object(Bucket=bucket, Key="logs/driver/stdout.gz", Body=b"")


def rendered(access: EngineAccess) -> list[Statement]:
    statements: list[Statement] = policy_document(engine_statements(access))["Statement"]
    return statements


def missing(statements: list[Statement], accesses: Iterable[Access]) -> set[tuple[str, str]]:
    return {
        (one.action, one.resource)
        for one in accesses
        if not is_allowed(statements, one.action, one.resource, one.context)
    }


def unused(statements: list[Statement], accesses: list[Access]) -> set[tuple[str, str]]:
    return {
        (statement["Sid"], action)
        for statement in statements
        for action in statement["Action"]
        if not any(one.action == action and applies(statement, action, one.resource, one.context) for one in accesses)
    }


@pytest.fixture(scope="module")
def account(
    local_environment: RunningEnvironment,
    engine_of: Callable[..., EngineWithoutSpark],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Account]:
    with serving(Registry(login=LOGIN)) as registry:
        yield Account(local_environment, engine_of, tmp_path_factory.mktemp("account"), registry)


@pytest.fixture(scope="module")
def watched(account: Account) -> Callable[[frozenset[Feature]], tuple[EngineAccess, list[Access]]]:
    """Returns what an engine of some features works with, and all that the embedded AWS saw of it; run once for all tests."""

    @cache
    def watch(features: frozenset[Feature]) -> tuple[EngineAccess, list[Access]]:
        access = account.made_for(features)
        (key,) = access.streams
        with account.acting_as(key):
            if not features & {Feature.S3_CHECKPOINT, Feature.S3_JOB_FILES, Feature.S3_LOGS}:
                engine = account.engine(access)
                assert features_of(engine.config, beside=access.features) == features_of(engine.config) | features
                assert engine.run() == [None]
                gone_shards(engine.kinesis, key, ["shardId-000000000009"])
            if access.bucket:
                what_spark_does(access, s3_client(account, key))
        return access, account.accesses_by(key)

    return watch


def s3_client(account: Account, key: str) -> Any:
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=account.environment.endpoints.aws,
        region_name=account.environment.endpoints.region,
        aws_access_key_id=key,
        aws_secret_access_key="x",
    )


Watch = Callable[[frozenset[Feature]], tuple[EngineAccess, list[Access]]]


@pytest.mark.parametrize(
    "features", every_third([(each,) for each in ENGINES]), ids=lambda features: "+".join(sorted(features)) or "least"
)
def test_an_engine_is_allowed_all_that_it_does_and_does_all_that_it_is_allowed(
    watched: Watch, features: frozenset[Feature]
) -> None:
    access, accesses = watched(features)
    statements = rendered(access)
    assert missing(statements, accesses) == set()
    assert unused(statements, accesses) == set()


@pytest.mark.parametrize("features", every_third([(each,) for each in BUCKETS if each]), ids="+".join)
def test_spark_is_allowed_all_that_it_does_in_the_bucket_and_does_all_that_it_is_allowed(
    watched: Watch, features: tuple[Feature, ...]
) -> None:
    access, accesses = watched(frozenset(features))
    of_the_bucket = [
        one for one in rendered(access) if one["Sid"] not in {s["Sid"] for s in rendered(watched(frozenset())[0])}
    ]
    assert missing(rendered(access), accesses) == set()
    assert unused(of_the_bucket, accesses) == set()


@pytest.mark.slow
def test_every_permission_is_used_in_some_combination(watched: Watch) -> None:
    used: set[tuple[str, str]] = set()
    for features in (*ENGINES, *map(frozenset, BUCKETS)):
        access, accesses = watched(features)
        allowed = {(one["Sid"], action) for one in rendered(access) for action in one["Action"]}
        used |= allowed - unused(rendered(access), accesses)
    assert used == {(SIDS[one.on], one.action) for one in PERMISSIONS}


@pytest.mark.parametrize("features", FULLEST, ids=lambda features: "+".join(sorted(features)))
def test_an_engine_works_under_exactly_its_policy(account: Account, features: frozenset[Feature]) -> None:
    access = account.made_for(features)
    (key,) = access.streams
    with account.acting_as(key, rendered(access)):
        everything_an_engine_does(account.engine(access), account.folder)


def removals() -> Iterator[tuple[frozenset[Feature], str, str]]:
    """Each action of the two policies, once."""
    seen: set[tuple[str, str]] = set()
    for features in FULLEST:
        on = features | features_always() | (set() if Feature.FAN_OUT in features else {Feature.POLLING})
        for permission in PERMISSIONS:
            case = (SIDS[permission.on], permission.action)
            if permission.action != REMOVES and permission.is_needed(on) and case not in seen:
                seen.add(case)
                yield features, *case


def features_always() -> frozenset[Feature]:
    return frozenset({Feature.STREAMS, Feature.LEDGER})


@pytest.mark.parametrize(
    ("features", "sid", "action"), every_third(removals()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_without_one_action_the_run_ends_and_names_it_with_its_resource(
    account: Account, features: frozenset[Feature], sid: str, action: str
) -> None:
    access = account.made_for(features)
    (key,) = access.streams
    statements = rendered(access)
    (resource,) = next(one for one in statements if one["Sid"] == sid)["Resource"]
    with account.acting_as(key, list(without(statements, sid, action))):
        error = failure_of(account.engine(access))
    assert not error.is_retryable
    assert action in error.what
    named = resource.removesuffix("/*").removesuffix(":*").rpartition("/")[2].rpartition(":::")[2]
    assert named in error.what
    assert action in error.next_step


def test_without_the_right_to_remove_rows_the_engine_runs_and_says_what_it_lacks(
    account: Account, caplog: pytest.LogCaptureFixture
) -> None:
    access = account.made_for(FULLEST[0])
    (key,) = access.streams
    with account.acting_as(key, list(without(rendered(access), SIDS[Resource.LEDGER_ITEMS], REMOVES))):
        assert account.engine(access).run() == [None]
    (warning,) = [record for record in caplog.records if record.message == "stream.retire_failed"]
    assert REMOVES in warning.cause


def without(statements: list[Statement], sid: str, action: str) -> Iterator[Statement]:
    for statement in statements:
        actions = [each for each in statement["Action"] if (statement["Sid"], each) != (sid, action)]
        if actions:
            yield {**statement, "Action": actions}


def failure_of(engine: EngineWithoutSpark) -> FirnlineError | ShardProblem:
    try:
        (problem,) = engine.run()
    except FirnlineError as error:
        return error
    assert problem is not None
    return problem


def test_a_policy_of_one_stream_does_not_open_the_ledgers_items_of_another(account: Account, watched: Watch) -> None:
    access, accesses = watched(frozenset())
    other = replace(access, streams={"other": "arn:aws:kinesis:us-east-1:000000000000:stream/other"})
    refused = {action for action, _ in missing(rendered(other), accesses)}
    assert {"dynamodb:Query", "dynamodb:GetItem", "kinesis:GetRecords"} <= refused

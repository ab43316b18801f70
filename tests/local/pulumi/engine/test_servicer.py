"""The provider over gRPC, against the real embedded services; what it made is looked at with boto3 and the connector."""

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import grpc
import pytest
from pulumi.runtime.proto import plugin_pb2, provider_pb2

from firnline_local.pulumi.properties import UNKNOWN, decode, encode
from tests.local.pulumi.conftest import Engine

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
STREAM, DATABASE = "aws:kinesis/stream:Stream", "snowflake:index/database:Database"
Provider = Any  # the fixtures' class
DIFF = provider_pb2.DiffResponse


@pytest.fixture
def name() -> str:
    return f"plugin-{uuid4().hex[:8]}"


def summary(environment: "RunningEnvironment", name: str) -> dict[str, Any]:
    found: dict[str, Any] = environment.client("kinesis").describe_stream_summary(StreamName=name)
    return dict(found["StreamDescriptionSummary"])


def test_a_stream_lives_through_its_whole_life(
    aws: Provider, local_environment: "RunningEnvironment", name: str
) -> None:
    inputs, failures = aws.check(STREAM, {"name": name, "shardCount": 2, "tags": {"a": "b"}})
    assert failures == {}
    id_, state = aws.create(STREAM, inputs)
    assert id_ == state["arn"] == summary(local_environment, name)["StreamARN"]

    assert aws.read(STREAM, id_, inputs=inputs, state=state) == (id_, state, inputs)

    wanted = {**inputs, "retentionPeriod": 48}
    state = aws.update(STREAM, id_, old=inputs, new=wanted, state=state)
    assert state["retentionPeriod"] == summary(local_environment, name)["RetentionPeriodHours"] == 48

    aws.delete(STREAM, id_, state)
    assert aws.read(STREAM, id_, inputs=inputs, state=state) == ("", {}, {})


def test_a_change_behind_the_engines_back_shows_in_the_inputs_and_is_repaired(
    aws: Provider, local_environment: "RunningEnvironment", name: str
) -> None:
    inputs = {"name": name, "shardCount": 1}
    id_, state = aws.create(STREAM, inputs)
    local_environment.client("kinesis").increase_stream_retention_period(StreamName=name, RetentionPeriodHours=72)

    _, state, drifted = aws.read(STREAM, id_, inputs=inputs, state=state)
    assert drifted == {**inputs, "retentionPeriod": 72}
    diff = aws.diff(STREAM, old=drifted, new=inputs, state=state)
    assert (diff.changes, list(diff.diffs), list(diff.replaces)) == (DIFF.DIFF_SOME, ["retentionPeriod"], [])

    aws.update(STREAM, id_, old=drifted, new=inputs, state=state)
    assert summary(local_environment, name)["RetentionPeriodHours"] == 24
    aws.delete(STREAM, id_, state)


def test_an_import_brings_the_inputs_that_a_program_would_have(aws: Provider, name: str) -> None:
    id_, state = aws.create(STREAM, {"name": name, "shardCount": 3})
    imported_id, properties, inputs = aws.read(STREAM, name, inputs={}, state={})
    assert imported_id == properties["arn"] == id_  # whatever it was asked for by
    assert {key: inputs[key] for key in ("name", "shardCount")} == {"name": name, "shardCount": 3}
    assert aws.diff(STREAM, old=inputs, new={"name": name, "shardCount": 3}, state=properties).changes == DIFF.DIFF_NONE
    aws.delete(STREAM, id_, state)


def test_a_new_name_replaces_and_says_why(aws: Provider) -> None:
    diff = aws.diff(STREAM, old={"name": "a"}, new={"name": "b", "tags": {"a": "b"}}, state={"name": "a"})
    assert list(diff.diffs) == ["name", "tags"]
    assert list(diff.replaces) == ["name"]
    assert not diff.deleteBeforeReplace
    assert diff.detailedDiff["name"].kind == provider_pb2.PropertyDiff.UPDATE_REPLACE
    assert diff.detailedDiff["tags"].kind == provider_pb2.PropertyDiff.ADD


def test_a_preview_makes_nothing_and_knows_only_what_the_program_says(aws: Provider, name: str) -> None:
    id_, outputs = aws.create(STREAM, {"name": name, "shardCount": 1, "kmsKeyId": UNKNOWN}, preview=True)
    assert id_ == ""
    assert (outputs["name"], outputs["arn"], outputs["kmsKeyId"]) == (name, UNKNOWN, UNKNOWN)
    assert aws.read(STREAM, name, inputs={}, state={})[0] == ""


def test_the_preview_of_an_update_keeps_the_outputs(aws: Provider) -> None:
    state = {"name": "a", "arn": "arn:a", "retentionPeriod": 48}
    old, new = {"name": "a", "retentionPeriod": 48}, {"name": "a"}
    assert aws.update(STREAM, "arn:a", old=old, new=new, state=state, preview=True) == {"name": "a", "arn": "arn:a"}


def test_all_mistakes_are_failures_of_one_check(aws: Provider) -> None:
    _, failures = aws.check(STREAM, {"shardCount": "many", "retention": 1})
    assert failures.keys() == {"shardCount", "retention"}
    assert "did you mean 'retentionPeriod'?" in failures["retention"]


def test_a_missing_name_is_made_up_and_kept(aws: Provider) -> None:
    inputs, _ = aws.check(STREAM, {"shardCount": 1}, name="orders")
    assert inputs["name"].startswith("orders-")
    again, _ = aws.check(STREAM, {"shardCount": 1}, name="orders", old=inputs)
    assert again == inputs


def test_the_stacks_own_autonaming_is_followed(aws: Provider) -> None:
    options = provider_pb2.CheckRequest.AutonamingOptions
    urn = "urn:pulumi:dev::firnline::aws:kinesis/stream:Stream::orders"
    proposed = aws.stub.Check(
        provider_pb2.CheckRequest(urn=urn, news=encode({"shardCount": 1}), autonaming=options(proposed_name="mine"))
    )
    assert decode(proposed.inputs)["name"] == "mine"
    off = aws.stub.Check(
        provider_pb2.CheckRequest(urn=urn, news=encode({"shardCount": 1}), autonaming=options(mode=options.DISABLE))
    )
    assert [failure.property for failure in off.failures] == ["name"]


def test_a_taken_name_is_refused_in_a_sentence_with_the_services_word_and_the_next_step(
    aws: Provider, name: str
) -> None:
    id_, state = aws.create(STREAM, {"name": name, "shardCount": 1})
    with pytest.raises(grpc.RpcError) as refused:
        aws.create(STREAM, {"name": name, "shardCount": 1})
    said = refused.value.details()
    assert f"[FL-6054] {STREAM} it: CreateStream was refused: ResourceInUseException" in said
    assert f"pulumi import {STREAM} it <id>" in said
    aws.delete(STREAM, id_, state)


def test_a_database_lives_through_its_whole_life(snowflake: Provider, local_environment: "RunningEnvironment") -> None:
    name = f"PLUGIN_{uuid4().hex[:8].upper()}"
    inputs, failures = snowflake.check(DATABASE, {"name": name, "comment": "one"})
    assert failures == {}
    id_, state = snowflake.create(DATABASE, inputs)
    _, rows = local_environment.query(f"SHOW DATABASES LIKE '{name}'", login="admin")
    assert len(rows) == 1

    local_environment.query(f"ALTER DATABASE {name} SET COMMENT = 'two'", login="admin")
    _, state, drifted = snowflake.read(DATABASE, id_, inputs=inputs, state=state)
    assert drifted == {**inputs, "comment": "two"}

    snowflake.delete(DATABASE, id_, state)
    assert snowflake.read(DATABASE, id_, inputs=inputs, state=state)[0] == ""


def test_a_taken_database_is_refused_with_snowflakes_own_words(snowflake: Provider) -> None:
    name = f"PLUGIN_{uuid4().hex[:8].upper()}"
    id_, state = snowflake.create(DATABASE, {"name": name})
    with pytest.raises(grpc.RpcError, match=rf"(?s)a statement was refused: .*{name}.*already exists.*Next: adopt"):
        snowflake.create(DATABASE, {"name": name})
    snowflake.delete(DATABASE, id_, state)


def test_a_preview_feature_needs_the_configuration(snowflake: Provider) -> None:
    table = "snowflake:index/table:Table"
    inputs = {"name": "T", "database": "D", "schema": "S", "columns": [{"name": "V", "type": "VARIANT"}]}
    _, failures = snowflake.check(table, inputs)
    assert failures.keys() == {"previewFeaturesEnabled"}
    snowflake.configure(previewFeaturesEnabled='["snowflake_table_resource"]')
    assert snowflake.check(table, inputs)[1] == {}


def test_a_type_that_nothing_here_makes_is_refused_by_name(aws: Provider) -> None:
    with pytest.raises(grpc.RpcError, match="can't make a aws:sqs/queue:Queue"):
        aws.check("aws:sqs/queue:Queue", {})


def test_sts_answers_with_the_specifications_account(aws: Provider, local_environment: "RunningEnvironment") -> None:
    def ask(name: str) -> dict[str, Any]:
        token = f"aws:index/{name}:{name}"
        return decode(getattr(aws.stub.Invoke(provider_pb2.InvokeRequest(tok=token)), "return"))

    endpoints = local_environment.endpoints
    assert ask("getCallerIdentity")["accountId"] == endpoints.aws_account
    assert ask("getRegion")["region"] == endpoints.region
    assert ask("getPartition")["partition"] == "aws"
    with pytest.raises(grpc.RpcError, match="getVpc"):
        ask("getVpc")


def test_the_account_of_another_stack_is_refused(aws: Provider) -> None:
    answer = aws.stub.CheckConfig(
        provider_pb2.CheckRequest(news=encode({"allowedAccountIds": '["111111111111"]', "region": "us-east-1"}))
    )
    assert [failure.property for failure in answer.failures] == ["allowedAccountIds"]
    with pytest.raises(grpc.RpcError, match=r"(?s)FL-6052.*111111111111"):
        aws.configure(allowedAccountIds='["111111111111"]')


def test_tags_of_the_configuration_are_on_everything(aws: Provider) -> None:
    aws.configure(defaultTags='{"tags": {"team": "data", "a": "default"}}')
    inputs, _ = aws.check(STREAM, {"name": "orders", "shardCount": 1, "tags": {"a": "own"}})
    assert inputs["tags"] == {"team": "data", "a": "own"}


def test_each_up_is_warned_once_that_it_is_the_embedded_cloud(
    aws: Provider, snowflake: Provider, engine: Engine, local_environment: "RunningEnvironment"
) -> None:
    for provider in (aws, snowflake):
        provider.stub.Attach(plugin_pb2.PluginAttach(address=engine.address))
        provider.configure(role="ACCOUNTADMIN") if provider is snowflake else provider.configure(region="us-east-1")
    (message,) = engine.messages
    assert message.startswith("EMBEDDED")
    assert str(local_environment.folder.path) in message


def test_a_change_of_configuration_replaces_nothing(aws: Provider) -> None:
    changed = aws.stub.DiffConfig(
        provider_pb2.DiffRequest(old_inputs=encode({"region": "a"}), news=encode({"region": "b"}))
    )
    assert (changed.changes, list(changed.replaces)) == (DIFF.DIFF_SOME, [])
    same = aws.stub.DiffConfig(provider_pb2.DiffRequest(old_inputs=encode({"a": "1"}), news=encode({"a": "1"})))
    assert same.changes == DIFF.DIFF_NONE


def test_the_plugin_has_the_version_of_the_sdk(aws: Provider) -> None:
    from importlib.metadata import version

    from google.protobuf import empty_pb2

    assert aws.stub.GetPluginInfo(empty_pb2.Empty()).version == version("pulumi-aws")
    assert '"name": "aws"' in aws.stub.GetSchema(provider_pb2.GetSchemaRequest()).schema

"""The engine's policy: what is switched on, and no more."""

from dataclasses import replace

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.engine import SIDS, EngineAccess, engine_statements
from firnline_infra.blueprint.value import Reference
from firnline_ingest.permissions import Resource, required

LEAST = EngineAccess(
    region="eu-central-1",
    streams={"orders": "arn:aws:kinesis:eu-central-1:123456789012:stream/orders"},
    ledger_table="arn:aws:dynamodb:eu-central-1:123456789012:table/lake",
    ledger_name="lake",
)


def by_sid(access: EngineAccess) -> dict[str, PolicyStatement]:
    return {statement.sid: statement for statement in engine_statements(access)}


def test_streams_are_listed_only_for_a_pattern_and_read_only_where_their_names_begin_as_it_does() -> None:
    logs = "arn:aws:kinesis:eu-central-1:123456789012:stream/logs-*"
    statements = by_sid(replace(LEAST, patterns={"logs-*": logs}))
    assert statements["FindStreams"].actions == ("kinesis:ListStreams",)
    assert statements["FindStreams"].resources == ("*",)
    assert statements["FindStreams"].conditions == {"StringEquals": {"aws:RequestedRegion": "eu-central-1"}}
    assert statements["ReadStreams"].resources == (LEAST.streams["orders"], logs)


def test_a_schema_of_glue_s_is_read_in_the_region_and_a_registry_s_login_by_its_name() -> None:
    secret, key = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:registry-AbCdEf", "arn:aws:kms:x"
    statements = by_sid(
        replace(LEAST, asks_glue=True, registry_logins=(secret,), registry_login_keys=(key,)),
    )
    assert statements["ReadSchemas"].actions == ("glue:GetSchemaVersion",)
    assert statements["ReadSchemas"].conditions == {"StringEquals": {"aws:RequestedRegion": "eu-central-1"}}
    assert statements["ReadRegistryLogins"].resources == (secret,)
    assert statements["DecryptRegistryLogins"].resources == (key,)
    assert statements["DecryptRegistryLogins"].conditions["StringEquals"]["kms:EncryptionContext:SecretARN"] == (
        (secret,)
    )


def test_an_engine_that_only_subscribes_may_not_poll() -> None:
    consumer = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders/consumer/us:1"
    statements = by_sid(replace(LEAST, polls=False, consumers=(consumer,)))
    assert "kinesis:GetRecords" not in statements["ReadStreams"].actions
    assert statements["Subscribe"].resources == (consumer,)
    assert statements["Subscribe"].actions == ("kinesis:DescribeStreamConsumer", "kinesis:SubscribeToShard")


def test_the_ledger_is_fenced_to_the_items_of_the_engines_streams(everything: EngineAccess) -> None:
    assert by_sid(everything)["KeepLedger"].conditions == {
        "ForAllValues:StringLike": {"dynamodb:LeadingKeys": ("orders@*", "clicks@*", "logs-*@*", "@application")}
    }


def test_keys_are_never_written_with_but_for_the_checkpoint_dead_letters_and_logs(everything: EngineAccess) -> None:
    writers = [sid for sid, one in by_sid(everything).items() if "kms:GenerateDataKey" in one.actions]
    assert writers == ["EncryptDeadLetters", "UseBucketKey"]
    without = by_sid(replace(everything, checkpoint_folder=None, letters_folder=None, log_folder=None))
    assert without["UseBucketKey"].actions == ("kms:Decrypt",)
    for written in ("letters_folder", "log_folder"):
        others = {name: None for name in ("checkpoint_folder", "letters_folder", "log_folder") if name != written}
        alone = by_sid(replace(everything, job_folders=(), **others))
        assert alone["UseBucketKey"].actions == ("kms:GenerateDataKey",)


def test_an_engine_that_replays_by_file_reads_dead_letters_and_lists_no_other_names(everything: EngineAccess) -> None:
    statements = by_sid(replace(everything, reads_letters=True))
    assert statements["KeepDeadLetters"].actions == ("s3:PutObject", "s3:GetObject")
    assert statements["ListDeadLetters"].actions == ("s3:ListBucket",)
    assert statements["ListDeadLetters"].conditions == {"StringLike": {"s3:prefix": "dead-letters/*"}}
    assert "ListDeadLetters" not in by_sid(replace(everything, reads_letters=True, letters_folder=None))


def test_dead_letters_go_to_their_own_stream_alone(everything: EngineAccess) -> None:
    statements = by_sid(everything)
    assert statements["SendDeadLetters"].resources == (everything.letters_stream,)
    assert everything.letters_stream not in statements["ReadStreams"].resources
    context = statements["EncryptDeadLetters"].conditions["StringEquals"]
    assert context["kms:EncryptionContext:aws:kinesis:arn"] == everything.letters_stream


def test_a_bucket_in_which_the_engine_has_nothing_needs_no_key(everything: EngineAccess) -> None:
    statements = by_sid(
        replace(everything, checkpoint_folder=None, job_folders=(), letters_folder=None, log_folder=None)
    )
    assert "UseBucketKey" not in statements


def test_what_exists_only_once_made_stays_a_reference(everything: EngineAccess) -> None:
    access = replace(everything, secrets=(Reference("secret/ingest"),), secret_key=Reference("key"))
    statements = by_sid(access)
    assert statements["ReadPrivateKey"].resources == (Reference("secret/ingest"),)
    assert statements["DecryptPrivateKey"].resources == (Reference("key"),)
    assert statements["DecryptPrivateKey"].conditions["StringEquals"]["kms:EncryptionContext:SecretARN"] == (
        Reference("secret/ingest")
    )


def test_two_streams_with_one_key_name_it_once(everything: EngineAccess) -> None:
    assert len(by_sid(everything)["DecryptStreams"].resources) == 2


def test_every_kind_of_resource_has_a_statement_of_its_own() -> None:
    assert set(SIDS) == set(Resource)
    assert len(set(SIDS.values())) == len(SIDS)


def test_a_policy_allows_exactly_what_its_features_require(every_access: list[EngineAccess]) -> None:
    for access in every_access:
        rendered = {(statement.sid, action) for statement in engine_statements(access) for action in statement.actions}
        assert rendered == {(SIDS[one.on], one.action) for one in required(access.features)}


def test_no_statement_is_without_a_resource(every_access: list[EngineAccess]) -> None:
    assert all(statement.resources for access in every_access for statement in engine_statements(access))


def test_in_china_a_service_is_known_by_both_of_its_names() -> None:
    access = replace(LEAST, region="cn-north-1", ledger_key="arn:aws-cn:kms:cn-north-1:123456789012:key/k")
    assert by_sid(access)["DecryptLedger"].conditions["StringEquals"]["kms:ViaService"] == (
        "dynamodb.cn-north-1.amazonaws.com",
        "dynamodb.cn-north-1.amazonaws.com.cn",
    )

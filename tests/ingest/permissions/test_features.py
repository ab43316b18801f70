"""Tests of which permissions an engine needs."""

from typing import Any

import pytest

from firnline_ingest.permissions import ALWAYS, PERMISSIONS, Caller, Feature, Resource, features_of, required
from tests.fakes.configs import SNOWFLAKE, config, reading


@pytest.mark.parametrize(
    ("sections", "feature"),
    [
        ({"ledger": {"table": "a", "create": True}}, Feature.LEDGER_CREATION),
        ({"snowflake": SNOWFLAKE | {"private_key": {"secret_arn": "arn:x"}}}, Feature.SECRET),
        ({"spark": {"checkpoint": "s3://bucket/checkpoint"}}, Feature.S3_CHECKPOINT),
        ({"spark": {"checkpoint": "s3a://bucket/checkpoint"}}, Feature.S3_CHECKPOINT),
        ({"dead_letters": {"s3": "s3://bucket/letters/"}}, Feature.S3_DEAD_LETTERS),
        ({"dead_letters": {"stream": "letters"}}, Feature.STREAM_DEAD_LETTERS),
    ],
)
def test_a_switch_of_the_configuration_is_one_feature_more(sections: dict[str, Any], feature: Feature) -> None:
    assert features_of(config()) == ALWAYS | {Feature.POLLING}
    assert features_of(config(**sections)) == ALWAYS | {Feature.POLLING, feature}


def test_an_engine_that_replays_by_file_reads_dead_letters_of_a_bucket() -> None:
    by_file = {"pipelines": [reading(oversize_rows="file")]}
    in_bucket = features_of(config(**by_file, dead_letters={"s3": "s3://bucket/letters/"}))
    assert in_bucket == ALWAYS | {Feature.POLLING, Feature.S3_DEAD_LETTERS, Feature.S3_OVERSIZE_ROWS}
    assert features_of(config(**by_file)) == ALWAYS | {Feature.POLLING}


def test_a_stream_that_is_read_by_fan_out_needs_no_right_to_poll() -> None:
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/s/consumer/c:1"
    given, lazy = (reading(reader={"fan_out": each}) for each in ({"consumer_arn": arn}, {"registration": "lazy"}))
    assert features_of(config(pipelines=[given])) == ALWAYS | {Feature.FAN_OUT}
    assert features_of(config(pipelines=[lazy])) == ALWAYS | {Feature.FAN_OUT, Feature.REGISTRATION}


def test_a_registry_is_asked_for_the_schemas_of_avro_alone() -> None:
    def features(**format_: Any) -> frozenset[Feature]:
        return features_of(config(pipelines=[reading(format=format_)])) - ALWAYS - {Feature.POLLING}

    def of_registry(**login: str) -> frozenset[Feature]:
        return features(type="avro", framing="confluent", registry={"url": "https://registry", "login": login})

    key = "arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555"
    secret = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:registry-AbCdEf"
    assert features(type="avro", framing="glue") == {Feature.GLUE_REGISTRY}
    assert features(type="json", framing="glue") == frozenset()
    assert of_registry(username_env="U", password_env="P") == frozenset()
    assert of_registry(secret_arn=secret) == {Feature.REGISTRY_LOGIN}
    assert of_registry(secret_arn=secret, secret_key_arn=key) == {Feature.REGISTRY_LOGIN, Feature.REGISTRY_LOGIN_KEY}


def test_what_a_configuration_does_not_say_is_given_beside_it() -> None:
    assert features_of(config(), beside=[Feature.STREAM_KEY]) == ALWAYS | {Feature.POLLING, Feature.STREAM_KEY}


def test_every_feature_needs_something_and_every_permission_some_feature() -> None:
    assert {feature for one in PERMISSIONS for feature in one.features | one.either} == set(Feature)
    for feature in set(Feature) - ALWAYS:
        assert set(required(Feature)) >= set(required(set(Feature) - {feature})), feature
    keys = {feature for feature in Feature if feature.name.endswith("_KEY")}
    for feature in set(Feature) - ALWAYS - keys:
        assert set(required({feature})) > set(required(())), feature
    for feature in keys:
        assert set(required(Feature)) > set(required(set(Feature) - {feature})), feature


def test_a_bucket_s_key_is_used_for_what_is_done_in_the_bucket_alone() -> None:
    def uses(*features: Feature) -> set[str]:
        return {one.action for one in required(features) if one.on is Resource.BUCKET_KEY}

    assert uses(Feature.BUCKET_KEY) == set()
    assert uses(Feature.BUCKET_KEY, Feature.S3_JOB_FILES) == {"kms:Decrypt"}
    assert uses(Feature.BUCKET_KEY, Feature.S3_DEAD_LETTERS) == {"kms:GenerateDataKey"}
    assert uses(Feature.BUCKET_KEY, Feature.S3_CHECKPOINT) == {"kms:Decrypt", "kms:GenerateDataKey"}


def test_all_features_together_need_every_permission_once() -> None:
    assert required(Feature) == PERMISSIONS
    assert len({(permission.action, permission.on) for permission in PERMISSIONS}) == len(PERMISSIONS)


def test_a_key_is_used_by_a_service_and_never_by_the_engine_itself() -> None:
    assert {
        permission.action.partition(":")[0] for permission in PERMISSIONS if permission.caller is Caller.ENGINE
    } == {
        "kinesis",
        "dynamodb",
        "secretsmanager",
        "glue",
        "s3",
    }


def test_every_permission_says_in_a_sentence_why() -> None:
    assert all(permission.why.endswith(".") and permission.why[0].isupper() for permission in PERMISSIONS)

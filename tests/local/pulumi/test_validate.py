from typing import Any

import pytest

from firnline_local.pulumi.properties import UNKNOWN
from firnline_local.pulumi.validate import check_inputs

STREAM, ROLE = "aws:kinesis/stream:Stream", "aws:iam/role:Role"
TABLE, GRANT = (
    "snowflake:index/table:Table",
    "snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole",
)
COLUMNS = [{"name": "V", "type": "VARIANT"}]


def test_what_the_provider_takes_has_no_problems() -> None:
    inputs = {"name": "orders", "shardCount": 2, "tags": {"a": "b"}, "streamModeDetails": {"streamMode": "PROVISIONED"}}
    assert check_inputs(STREAM, inputs) == []


def test_five_mistakes_are_five_problems() -> None:
    inputs = {
        "retentionPerid": 24,
        "shardCount": "many",
        "encryptionType": "AES",
        "streamModeDetails": {"mode": "ON_DEMAND"},
        "tags": ["a"],
    }
    assert check_inputs(STREAM, inputs) == [
        "retentionPerid: unknown input; did you mean 'retentionPeriod'?",
        "shardCount: expected a number, got 'many'.",
        "streamModeDetails.mode: unknown input; expected one of: streamMode.",
        "streamModeDetails.streamMode: is required.",
        "tags: expected a mapping, got ['a'].",
        "encryptionType: 'AES' is none of KMS, NONE.",
    ]


@pytest.mark.parametrize(
    ("mode", "shards", "is_taken"), [("ON_DEMAND", 4, False), ("ON_DEMAND", None, True), (None, 0, False)]
)
def test_a_number_of_shards_belongs_to_a_provisioned_stream(
    mode: str | None, shards: int | None, is_taken: bool
) -> None:
    said = {"name": "orders", "shardCount": shards, "streamModeDetails": mode and {"streamMode": mode}}
    found = check_inputs(STREAM, {name: value for name, value in said.items() if value is not None})
    assert found == [] if is_taken else found[0].startswith("shardCount: shard_count must")


def test_numbers_are_in_their_ranges() -> None:
    found = check_inputs(STREAM, {"shardCount": 1, "retentionPeriod": 23, "maxRecordSizeInKib": 10241})
    assert found == [
        "retentionPeriod: expected to be in the range (24 - 8760), got 23.",
        "maxRecordSizeInKib: expected to be in the range (1024 - 10240), got 10241.",
    ]


def test_a_required_input_is_missed_unless_pulumi_makes_it_up() -> None:
    assert check_inputs(STREAM, {"shardCount": 1}) == []
    assert check_inputs(ROLE, {"name": "r"}) == ["assumeRolePolicy: is required."]


def test_an_output_is_no_input() -> None:
    assert check_inputs(STREAM, {"tagsAll": {}, "shardCount": 1}) == ["tagsAll: is an output, and can't be given."]


def test_the_mistakes_in_a_list_are_found_where_they_are() -> None:
    inputs = {"database": "D", "schema": "S", "columns": [*COLUMNS, {"name": "W", "typ": "NUMBER"}]}
    assert check_inputs(TABLE, inputs) == [
        "columns[1].typ: unknown input; did you mean 'type'?",
        "columns[1].type: is required.",
    ]


@pytest.mark.parametrize(
    ("inputs", "is_taken"),
    [
        ({"shardCount": "2"}, True),
        ({"shardCount": True}, False),
        ({"enforceConsumerDeletion": "true"}, True),
        ({"enforceConsumerDeletion": "yes"}, False),
        ({"kmsKeyId": 7}, True),
        ({"kmsKeyId": {}}, False),
        ({"shardLevelMetrics": "ALL"}, False),
        ({"tags": {"a": 1}}, True),
        ({"tags": {"a": {}}}, False),
    ],
)
def test_a_value_may_be_another_spelling_and_nothing_else(inputs: dict[str, Any], is_taken: bool) -> None:
    assert (check_inputs(STREAM, {"shardCount": 1, **inputs}) == []) is is_taken


def test_a_policy_may_be_a_document_or_its_text() -> None:
    assert check_inputs(ROLE, {"assumeRolePolicy": {"Version": "2012-10-17"}}) == []
    assert check_inputs(ROLE, {"assumeRolePolicy": "{}"}) == []
    assert check_inputs(ROLE, {"assumeRolePolicy": ["{}"]}) == ["assumeRolePolicy: expected a text, got ['{}']."]


def test_what_is_not_known_yet_is_not_judged() -> None:
    unknown = {"encryptionType": UNKNOWN, "shardCount": UNKNOWN, "tags": UNKNOWN, "streamModeDetails": UNKNOWN}
    assert check_inputs(STREAM, unknown) == []


def test_inputs_that_exclude_each_other_are_named_together() -> None:
    inputs = {"accountRoleName": "R", "onAccount": True, "privileges": ["USAGE"], "allPrivileges": True}
    problems = check_inputs(GRANT, inputs)
    assert problems == ["allPrivileges: conflicts with privileges; give one of them."]


def test_a_preview_feature_is_refused_where_the_configuration_does_not_enable_it() -> None:
    inputs = {"database": "D", "schema": "S", "columns": COLUMNS}
    assert check_inputs(TABLE, inputs) == []
    assert check_inputs(TABLE, inputs, preview_features=["snowflake_table_resource"]) == []
    (problem,) = check_inputs(TABLE, inputs, preview_features=[])
    assert problem.startswith("previewFeaturesEnabled: snowflake_table_resource is a preview feature")


def test_the_value_of_a_secret_is_not_shown() -> None:
    (problem,) = check_inputs(STREAM, {"shardCount": "hush"}, secrets=["shardCount"])
    assert "hush" not in problem
    (problem,) = check_inputs(STREAM, {"encryptionType": "hush"}, secrets=["encryptionType"])
    assert "hush" not in problem


def test_an_unknown_type_is_refused_by_name() -> None:
    (problem,) = check_inputs("aws:sqs/queue:Queue", {})
    assert problem.startswith("The embedded environment can't make a aws:sqs/queue:Queue; it makes: aws:")


POLICY = "aws:iam/rolePolicy:RolePolicy"


@pytest.mark.parametrize(
    ("token", "inputs", "problem"),
    [
        (
            ROLE,
            {"name": "rôle", "assumeRolePolicy": "{}"},
            "name: 'rôle' is not a text of letters, digits and _+=,.@-.",
        ),
        (
            ROLE,
            {"name": "r" * 65, "assumeRolePolicy": "{}"},
            "name: expected length to be in the range (1 - 64), got 65.",
        ),
        (ROLE, {"name": "r", "assumeRolePolicy": "{"}, "assumeRolePolicy: contains an invalid JSON"),
        (POLICY, {"role": "r", "policy": "[]"}, "policy: expected a JSON object"),
    ],
)
def test_names_and_documents_have_the_form_that_the_provider_asks_for(
    token: str, inputs: dict[str, Any], problem: str
) -> None:
    (found,) = check_inputs(token, inputs)
    assert found.startswith(problem)

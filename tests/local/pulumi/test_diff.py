"""Against the rules of one type of each provider, spelt out here so that the tests don't move with the files."""

from typing import Any

import pytest

from firnline_local.providers.kind import Rules
from firnline_local.providers.registry import kind_of
from firnline_local.pulumi.diff import Change, ChangeKind, changes, inputs_as_found, is_in_the_way, wanted
from firnline_local.pulumi.properties import UNKNOWN

STREAM, TABLE, POLICY = (
    "aws:kinesis/stream:Stream",
    "aws:dynamodb/table:Table",
    "aws:iam/rolePolicy:RolePolicy",
)
RULES = Rules(replaced_by=frozenset({"name"}), defaults={"retentionPeriod": 24, "tags": {}, "kmsKeyId": None})
ADD, DELETE, UPDATE = ChangeKind.ADD, ChangeKind.DELETE, ChangeKind.UPDATE
Values = dict[str, Any]


def diff(old: Values, new: Values, state: Values | None = None, token: str = STREAM) -> list[Change]:
    return changes(token, RULES, old=old, state=state or {}, new=new)


def found(inputs: Values, properties: Values, token: str = STREAM) -> Values:
    return inputs_as_found(token, RULES, inputs=inputs, found=properties)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"retentionPeriod": 24}, {"retentionPeriod": 48}, [Change("retentionPeriod", UPDATE, replaces=False)]),
        ({"name": "a"}, {"name": "b"}, [Change("name", UPDATE, replaces=True)]),
        ({}, {"retentionPeriod": 48}, [Change("retentionPeriod", ADD, replaces=False)]),
        ({"retentionPeriod": 48}, {}, [Change("retentionPeriod", DELETE, replaces=False)]),
        ({"tags": {"a": "b"}}, {"tags": {}}, [Change("tags", UPDATE, replaces=False)]),
        ({"name": "a"}, {"name": UNKNOWN}, [Change("name", UPDATE, replaces=True)]),
    ],
)
def test_a_change_is_named_with_its_kind_and_whether_it_replaces(old: Values, new: Values, expected: Any) -> None:
    assert diff(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"retentionPeriod": 24}, {}),
        ({}, {"retentionPeriod": 24}),
        ({"tags": {}}, {}),
        ({"shardLevelMetrics": ["A", "B"]}, {"shardLevelMetrics": ["B", "A"]}),
    ],
)
def test_what_means_the_same_is_no_change(old: Values, new: Values) -> None:
    assert diff(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "replaces"),
    [
        ({"size": "B"}, {"size": "A"}, [True]),
        ({"size": "A"}, {"size": "B"}, [False]),
        ({"size": "A"}, {}, [True]),
        ({}, {"size": "A"}, []),
    ],
)
def test_only_some_changes_of_an_input_replace_and_those_do_though_both_mean_the_same(
    old: Values, new: Values, replaces: list[bool]
) -> None:
    rules = Rules(
        replaced_by=frozenset(),
        replaced_where={"size": lambda before, now: now is None or (before, now) == ("B", "A")},
        defaults={"size": "A"},
    )
    assert [change.replaces for change in changes(STREAM, rules, old=old, state={}, new=new)] == replaces


def test_what_the_service_chooses_stays_as_it_was_where_it_is_not_asked_for_any_more() -> None:
    recovery = {"pointInTimeRecovery": {"enabled": True}}
    assert diff({"name": "a", **recovery}, {"name": "a"}, token=TABLE) == []
    asked = wanted(TABLE, RULES, old={**recovery, "tags": {"a": "b"}}, new={"name": "a"})
    assert asked == {"name": "a", **recovery}


def test_a_parameter_of_snowflake_is_unset_where_it_is_not_asked_for_any_more() -> None:
    token, days = "snowflake:index/database:Database", {"dataRetentionTimeInDays": 7}
    assert diff(days, {}, token=token) == [Change("dataRetentionTimeInDays", DELETE, replaces=False)]
    assert wanted(token, RULES, old=days, new={}) == {}


def test_a_document_that_is_only_spaced_otherwise_is_no_change() -> None:
    assert diff({"policy": '{"a": [1]}'}, {"policy": '{"a":[1]}'}, token=POLICY) == []


def test_what_the_service_may_choose_is_left_to_it_when_the_program_no_longer_says_it() -> None:
    assert diff({"maxRecordSizeInKib": 2048}, {}) == []


def test_an_imported_resource_that_has_the_value_already_is_not_changed() -> None:
    assert diff({}, {"name": "orders", "shardCount": 2}, state={"name": "orders", "shardCount": 2}) == []
    assert diff({}, {"shardCount": 3}, state={"shardCount": 2}) == [Change("shardCount", ADD, replaces=False)]


def test_a_replacement_with_the_same_name_has_to_wait_until_the_name_is_free() -> None:
    assert is_in_the_way(TABLE, old={"name": "t", "hashKey": "a"}, new={"name": "t", "hashKey": "b"})
    assert not is_in_the_way(TABLE, old={"name": "t"}, new={"name": "u"})
    assert not is_in_the_way("aws:s3/bucketPolicy:BucketPolicy", old={"bucket": "b"}, new={"bucket": "b"})


def test_a_read_without_drift_gives_the_inputs_in_their_own_words() -> None:
    inputs = {"name": "orders", "shardLevelMetrics": ["B", "A"], "retentionPeriod": 24}
    there = {"name": "orders", "shardLevelMetrics": ["A", "B"], "retentionPeriod": 24, "arn": "arn", "tags": {}}
    assert found(inputs, there) == inputs


def test_drift_shows_in_an_input_that_was_given() -> None:
    assert found({"retentionPeriod": 24}, {"retentionPeriod": 48}) == {"retentionPeriod": 48}


def test_drift_shows_in_an_input_that_was_left_at_its_default() -> None:
    assert found({"name": "o"}, {"name": "o", "retentionPeriod": 48}) == {"name": "o", "retentionPeriod": 48}
    assert found({"name": "o"}, {"name": "o", "tags": {"by": "hand"}}) == {"name": "o", "tags": {"by": "hand"}}


def test_what_has_gone_is_gone_from_the_inputs() -> None:
    assert found({"name": "o", "kmsKeyId": "alias/k"}, {"name": "o"}) == {"name": "o"}


def test_an_absent_answer_means_the_default() -> None:
    assert found({"name": "o", "retentionPeriod": 24}, {"name": "o"}) == {"name": "o", "retentionPeriod": 24}
    assert found({"name": "o", "retentionPeriod": 30}, {"name": "o"}) == {"name": "o", "retentionPeriod": 24}


def test_what_has_no_default_and_was_not_given_is_the_services_business() -> None:
    assert found({"name": "o"}, {"name": "o", "shardCount": 4, "maxRecordSizeInKib": 1024}) == {"name": "o"}


def test_an_import_takes_what_can_be_given_and_is_not_as_by_default() -> None:
    there = {
        "name": "orders",
        "arn": "arn:aws:kinesis:us-east-1:000000000000:stream/orders",
        "region": "us-east-1",
        "retentionPeriod": 24,
        "shardCount": 2,
        "enforceConsumerDeletion": False,
        "tags": {"a": "b"},
        "tagsAll": {"a": "b"},
    }
    assert found({}, there) == {"name": "orders", "shardCount": 2, "tags": {"a": "b"}}


def test_what_only_the_service_says_of_a_column_is_not_among_the_inputs() -> None:
    told = [{"name": "A", "type": "NUMBER", "schemaEvolutionRecord": "a record"}]
    given = [{"name": "A", "type": "NUMBER"}]
    token = "snowflake:index/table:Table"
    assert found({"columns": given}, {"columns": told}, token) == {"columns": given}
    assert found({"columns": []}, {"columns": told}, token) == {"columns": given}
    assert found({}, {"columns": told}, token) == {"columns": given}


def test_other_subnets_are_another_application_of_emr_serverless() -> None:
    """terraform-provider-aws 5.100.0 plans it so; another release is an update."""
    token = "aws:emrserverless/application:Application"
    old = {"releaseLabel": "emr-spark-8.1.0", "networkConfiguration": {"subnetIds": ["subnet-1"]}}
    new = {"releaseLabel": "emr-spark-8.2.0", "networkConfiguration": {"subnetIds": ["subnet-2"]}}
    found = {each.property: each.replaces for each in changes(token, kind_of(token).rules, old=old, state={}, new=new)}
    assert found == {"releaseLabel": False, "networkConfiguration": True}

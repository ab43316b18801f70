from typing import Any

import pytest

from firnline_local.aws.policy import is_allowed, is_allowed_on, names, statements_of

STREAM = "arn:aws:kinesis:us-east-1:111122223333:stream/orders"
TABLE = "arn:aws:dynamodb:us-east-1:111122223333:table/ledger"
ROLE = "arn:aws:iam::111122223333:role/engine"
ROOT = {"AWS": "arn:aws:iam::111122223333:root"}


def allow(action: Any, resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def deny(action: Any, resource: Any = "*", **more: Any) -> dict[str, Any]:
    return {**allow(action, resource, **more), "Effect": "Deny"}


def test_what_nothing_allows_is_refused() -> None:
    assert not is_allowed([], "kinesis:GetRecords", STREAM)
    assert not is_allowed([deny("s3:*")], "kinesis:GetRecords", STREAM)


@pytest.mark.parametrize(
    ("action", "resource", "is_covered"),
    [
        ("kinesis:GetRecords", STREAM, True),
        ("KINESIS:getrecords", STREAM, True),  # actions know no case
        ("kinesis:Get*", STREAM, True),
        (["kinesis:PutRecord", "kinesis:GetRecord?"], [STREAM], True),
        ("*", "*", True),
        ("kinesis:GetRecords", "arn:aws:kinesis:*:*:stream/ord*", True),
        ("kinesis:GetRecords", STREAM.upper(), False),  # resources do
        ("kinesis:GetRecords", STREAM + "s", False),
        ("kinesis:GetRecord", STREAM, False),
    ],
)
def test_patterns_of_actions_and_resources(action: Any, resource: Any, is_covered: bool) -> None:
    assert is_allowed([allow(action, resource)], "kinesis:GetRecords", STREAM) is is_covered


def test_a_deny_wins_over_every_allow() -> None:
    statements = [allow("*"), deny("kinesis:*", STREAM)]
    assert not is_allowed(statements, "kinesis:GetRecords", STREAM)
    assert is_allowed(statements, "kinesis:GetRecords", STREAM + "2")


def test_not_action_and_not_resource_cover_everything_else() -> None:
    statement = {"Effect": "Allow", "NotAction": "iam:*", "NotResource": TABLE}
    assert is_allowed([statement], "kinesis:GetRecords", STREAM)
    assert not is_allowed([statement], "iam:CreateRole", STREAM)
    assert not is_allowed([statement], "kinesis:GetRecords", TABLE)


@pytest.mark.parametrize(
    ("operator", "wanted", "found", "is_held"),
    [
        ("StringEquals", "a", "a", True),
        ("StringEquals", ["a", "b"], "b", True),
        ("StringEquals", "a", "A", False),
        ("StringEqualsIgnoreCase", "a", "A", True),
        ("StringNotEquals", ["a", "b"], "c", True),
        ("StringNotEquals", ["a", "b"], "b", False),
        ("StringNotEquals", "a", None, True),  # a key that is not there equals nothing
        ("StringEquals", "a", None, False),
        ("StringEqualsIfExists", "a", None, True),
        ("StringEqualsIfExists", "a", "b", False),
        ("StringLike", "orders@*", "orders@1", True),
        ("StringNotLike", "orders@*", "orders@1", False),
        ("ArnLike", "arn:aws:kinesis:*:*:stream/*", STREAM, True),
        ("ArnEquals", "arn:aws:kinesis:*:*:stream/o*", STREAM, True),
        ("ArnNotLike", "arn:aws:s3:::*", STREAM, True),
        ("Bool", "false", "false", True),
        ("Bool", "false", "true", False),
        ("Null", "true", None, True),
        ("Null", "true", "a", False),
        ("Null", "false", "a", True),
        ("NumericLessThanEquals", "10", "10", True),
        ("ForAllValues:StringLike", ["orders@*", "@application"], ["orders@1", "@application"], True),
        ("ForAllValues:StringLike", ["orders@*"], ["orders@1", "clicks@1"], False),
        ("ForAllValues:StringLike", ["orders@*"], None, True),  # as documented: nothing that is there fails
        ("ForAnyValue:StringEquals", ["a"], ["a", "b"], True),
        ("ForAnyValue:StringEquals", ["a"], None, False),
    ],
)
def test_conditions(operator: str, wanted: Any, found: Any, is_held: bool) -> None:
    statement = allow("dynamodb:GetItem", TABLE, Condition={operator: {"dynamodb:LeadingKeys": wanted}})
    context = {} if found is None else {"DynamoDB:leadingkeys": found}
    assert is_allowed([statement], "dynamodb:GetItem", TABLE, context) is is_held


def test_all_conditions_have_to_hold() -> None:
    condition = {"StringEquals": {"a": "1", "b": "2"}, "StringLike": {"c": "x*"}}
    statement = allow("s3:*", Condition=condition)
    assert is_allowed([statement], "s3:GetObject", "*", {"a": "1", "b": "2", "c": "xy"})
    for missing in "abc":
        context = {key: value for key, value in {"a": "1", "b": "2", "c": "xy"}.items() if key != missing}
        assert not is_allowed([statement], "s3:GetObject", "*", context)


def test_an_operator_that_is_not_known_is_said_and_not_guessed() -> None:
    statement = allow("s3:*", Condition={"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}})
    with pytest.raises(ValueError, match="IpAddress is not known"):
        is_allowed([statement], "s3:GetObject", "*")


def test_variables_stand_for_what_the_request_says() -> None:
    statement = allow("s3:GetObject", "arn:aws:s3:::home/${aws:username}/*")
    assert is_allowed([statement], "s3:GetObject", "arn:aws:s3:::home/ann/a", {"aws:username": "ann"})
    assert not is_allowed([statement], "s3:GetObject", "arn:aws:s3:::home/bob/a", {"aws:username": "ann"})
    assert not is_allowed([statement], "s3:GetObject", "arn:aws:s3:::home//a")


def test_statements_of_a_document_in_both_spellings() -> None:
    assert statements_of('{"Statement": {"Effect": "Allow"}}') == [{"Effect": "Allow"}]
    assert statements_of({"Statement": [{"Effect": "Allow"}, {"Effect": "Deny"}]})[1] == {"Effect": "Deny"}


@pytest.mark.parametrize(
    ("principal", "is_named", "is_named_itself"),
    [
        ("*", True, True),
        ({"AWS": "*"}, True, True),
        ({"AWS": ROLE}, True, True),
        ({"AWS": ["arn:aws:iam::1:role/other", ROLE]}, True, True),
        (ROOT, True, False),
        ({"AWS": "111122223333"}, True, False),
        ({"AWS": "444455556666"}, False, False),
        ({"Service": "ec2.amazonaws.com"}, False, False),
    ],
)
def test_who_a_statement_is_about(principal: Any, is_named: bool, is_named_itself: bool) -> None:
    statement = {"Effect": "Allow", "Principal": principal}
    assert names(statement, {ROLE}) is is_named
    assert names(statement, {ROLE}, by_account=False) is is_named_itself


def test_what_a_key_leaves_to_the_account_has_to_be_granted_on() -> None:
    key = "arn:aws:kms:us-east-1:111122223333:key/1"
    granted = [allow("kms:Decrypt", key)]

    def can(own: list[dict[str, Any]], granted: list[dict[str, Any]]) -> bool:
        return is_allowed_on(own, granted, "kms:Decrypt", key, principal=ROLE, needs_own=True)

    assert can([allow("kms:*", Principal=ROOT)], granted)
    assert not can([allow("kms:*", Principal=ROOT)], [])
    assert not can([], granted)
    assert can([allow("kms:*", Principal={"AWS": ROLE})], [])
    assert not can([allow("kms:*", Principal={"AWS": ROLE})], [deny("kms:Decrypt")])

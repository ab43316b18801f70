from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_infra.pulumi_cli.recovery.lookups import BY_NAME, REPEATED, aws_lookups, lookup_of
from firnline_local.providers.registry import known_types


def no_client(service: str) -> Any:
    raise AssertionError(f"{service} is not to be asked")


@pytest.mark.parametrize(
    ("type_", "inputs", "import_id"),
    [
        ("aws:kinesis/stream:Stream", {"name": "orders"}, "orders"),
        ("aws:s3/bucket:Bucket", {"bucket": "lake"}, "lake"),
        ("snowflake:index/database:Database", {"name": "RAW"}, '"RAW"'),
        ("snowflake:index/schema:Schema", {"database": "RAW", "name": "IN"}, '"RAW"."IN"'),
        ("snowflake:index/table:Table", {"database": "RAW", "schema": "IN", "name": "ORDERS"}, "RAW|IN|ORDERS"),
        (
            "snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment",
            {"userName": "ENGINE", "authenticationPolicyName": '"RAW"."IN"."KEYS"'},
            '"ENGINE"|"RAW"."IN"."KEYS"',
        ),
    ],
)
def test_ids_that_are_made_of_names(type_: str, inputs: dict[str, str], import_id: str) -> None:
    lookup = lookup_of(type_, {})
    assert lookup is not None
    assert list(lookup(inputs)) == [import_id]


def test_every_type_that_we_make_is_adopted_here_or_made_again() -> None:
    known = {*BY_NAME, *REPEATED, *aws_lookups(no_client)}
    assert set(known_types()) - known == set()
    assert not REPEATED & set(BY_NAME)


def test_a_lookup_that_the_caller_brings_wins() -> None:
    stream = "aws:kinesis/stream:Stream"
    lookup = lookup_of(stream, {stream: lambda inputs: ["another"]})
    assert lookup is not None
    assert list(lookup({"name": "orders"})) == ["another"]


def test_of_a_type_that_nobody_knows_there_is_no_lookup() -> None:
    assert lookup_of("aws:sns/topic:Topic", {}) is None


KEY = "aws:kms/key:Key"
OURS = {"firnline:application": "firnline-dev"}


class Pages:
    def __init__(self, page: dict[str, Any]) -> None:
        self.page = page

    def paginate(self, **request: str) -> list[dict[str, Any]]:
        return [self.page]


class Keys:
    """KMS as it answers somebody who may look at nothing but keys of one tag."""

    def __init__(self, **tags: dict[str, str] | str) -> None:
        self.tags = tags

    def get_paginator(self, operation: str) -> Any:
        return self if operation == "list_resource_tags" else Pages({"Keys": [{"KeyId": id_} for id_ in self.tags]})

    def paginate(self, **request: str) -> Any:
        tags = self.tags[request["KeyId"]]
        if isinstance(tags, str):
            raise ClientError({"Error": {"Code": tags, "Message": ""}}, "ListResourceTags")
        return [{"Tags": [{"TagKey": key, "TagValue": value} for key, value in tags.items()]}]

    def describe_key(self, **request: str) -> dict[str, Any]:
        return {"KeyMetadata": {"KeyState": "PendingDeletion" if request["KeyId"] == "going" else "Enabled"}}


def found(keys: Keys) -> list[str]:
    return list(aws_lookups(lambda service: keys)[KEY]({"tags": OURS}))


@pytest.mark.parametrize(
    ("caller", "given", "arn"),
    [
        ("arn:aws:iam::123456789012:user/ana", {}, "arn:aws:iam::123456789012:policy/engine"),
        (
            "arn:aws-cn:sts::123456789012:assumed-role/deploy/ci",
            {"path": "/firnline/"},
            "arn:aws-cn:iam::123456789012:policy/firnline/engine",
        ),
    ],
)
def test_a_policy_is_looked_for_in_the_account_of_who_asks(caller: str, given: dict[str, str], arn: str) -> None:
    class Sts:
        def get_caller_identity(self) -> dict[str, str]:
            return {"Arn": caller}

    lookup = aws_lookups(lambda service: {"sts": Sts()}[service])["aws:iam/policy:Policy"]
    assert list(lookup({"name": "engine", **given})) == [arn]


def test_a_key_is_found_among_keys_that_are_not_for_us_to_look_at() -> None:
    assert found(Keys(foreign="AccessDeniedException", other={"team": "b"}, going=OURS, ours={**OURS, "x": "y"})) == [
        "ours"
    ]


def test_another_refusal_is_not_an_answer() -> None:
    with pytest.raises(ClientError, match="Throttling"):
        found(Keys(foreign="ThrottlingException"))

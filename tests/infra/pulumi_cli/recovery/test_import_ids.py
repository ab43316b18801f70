from typing import Any

import pytest

from firnline_infra.pulumi_cli.recovery.aws import aws_lookups
from firnline_infra.pulumi_cli.recovery.import_ids import BY_NAME, REPEATED, lookup_of
from firnline_local.materialise.registry import FILES


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


def test_every_type_that_we_make_can_be_looked_for_or_made_again() -> None:
    known = {*BY_NAME, *REPEATED, *aws_lookups(no_client)}
    assert set(FILES) - known == set()
    assert not REPEATED & set(BY_NAME)


def test_a_lookup_that_the_caller_brings_wins() -> None:
    stream = "aws:kinesis/stream:Stream"
    lookup = lookup_of(stream, {stream: lambda inputs: ["another"]})
    assert lookup is not None
    assert list(lookup({"name": "orders"})) == ["another"]


def test_of_a_type_that_nobody_knows_there_is_no_lookup() -> None:
    assert lookup_of("aws:sns/topic:Topic", {}) is None

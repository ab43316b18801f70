"""Counts of objects by kind that a preview would change, of what either tool prints."""

import pytest

from firnline_infra.observe.changes import changes_table

PULUMI = """\
Previewing update (dev):
  pulumi:pulumi:Stack: (same)
    [urn=urn:pulumi:dev::firnline::pulumi:pulumi:Stack::firnline-dev]
    ~ aws:dynamodb/table:Table: (refresh)
        [id=ledger]
    + firnline:index:SnowflakeLanding: (create)
        + snowflake:index/table:Table: (create)
            [urn=urn:pulumi:dev::firnline::firnline:index:SnowflakeLanding$snowflake:index/table:Table::a]
        + snowflake:index/table:Table: (create)
          + name: "x: (create)"
        ~ aws:kinesis/stream:Stream: (update)
        --aws:iam/role:Role: (delete-replaced)
        +-aws:iam/role:Role: (replace)
        ++aws:iam/role:Role: (create-replacement)
        - aws:ssm/parameter:Parameter: (delete)
Resources:
    + 2 to create
"""
TERRAFORM = """\
  # aws_kinesis_stream.orders will be updated in-place
  # module.dev.snowflake_table.a will be created
  # snowflake_table.b will be created
  # (because snowflake_table.c is not in configuration)
  # aws_iam_role.engine must be replaced
  # aws_ssm_parameter.url will be destroyed
  # aws_s3_bucket.kept has moved to aws_s3_bucket.here
Plan: 2 to add, 1 to change, 1 to destroy.
"""
KINDS = """\
kind             create  update  replace  delete
---------------  ------  ------  -------  ------
snowflake table       2       0        0       0
iam role              0       0        1       0
kinesis stream        0       1        0       0
ssm parameter         0       0        0       1"""


@pytest.mark.parametrize("said", [PULUMI, TERRAFORM], ids=["pulumi", "terraform"])
def test_both_tools_are_counted_alike(said: str) -> None:
    assert changes_table(said.splitlines()) == KINDS


def test_nothing_to_change_has_no_table() -> None:
    assert changes_table(["Resources:", "    51 unchanged", "No changes. Your infrastructure matches."]) == ""

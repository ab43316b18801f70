"""The role has exactly the policies of AWS's page, and the statements are those of the page."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.blueprint.redshift import RedshiftDestination, sql
from firnline_infra.environment import Environment
from firnline_infra.kinds.iam import ROLE, ROLE_POLICY
from firnline_infra.kinds.redshift import CLUSTER, reading_roles, refreshing_roles
from firnline_infra.kinds.resource import Component
from firnline_infra.redshift.difference import normalized
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements
from firnline_infra.render.bootstrap.redshift import statement_rights
from firnline_ingest.errors import ConfigError
from tests.infra.specifications import smallest

KEY = "arn:aws:kms:eu-central-1:123456789012:key/1a2b3c4d-0000-1111-2222-333344445555"
READ = {
    "Sid": "ReadStream",
    "Effect": "Allow",
    "Action": [
        "kinesis:DescribeStreamSummary",
        "kinesis:GetShardIterator",
        "kinesis:GetRecords",
        "kinesis:DescribeStream",
    ],
    "Resource": ["arn:aws:kinesis:eu-central-1:123456789012:stream/orders"],
}
DECRYPT = {"Sid": "DecryptStream", "Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": [KEY]}
LIST = {
    "Sid": "ListStream",
    "Effect": "Allow",
    "Action": ["kinesis:ListStreams", "kinesis:ListShards"],
    "Resource": ["*"],
}


def destination(*, aws: dict[str, Any] | None = None, streams: Any = None, **section: Any) -> RedshiftDestination:
    said = {"workgroup": {}, "views": [{"stream": "orders"}], **section}
    changes = {"aws": aws or {"key": {"origin": "skip"}}, "redshift": said}
    found = blueprint_of(smallest(**changes, **({"streams": streams} if streams else {}))).redshift
    assert found is not None
    return found


def policies_of(components: Iterable[Component]) -> Iterator[tuple[PolicyStatement, ...]]:
    rows = (row for each in components for row in each.resources() if row.type == ROLE_POLICY.terraform_type)
    return (row.arguments["policy"].statements for row in rows)


def trust_of(place: dict[str, Any]) -> tuple[PolicyStatement, ...]:
    """The trust of the role that reads streams."""
    spec = smallest(redshift={"views": [{"stream": "orders"}], **place})
    rows = (row for each in reading_roles(Environment.of(spec)) for row in each.resources())
    (role,) = (row for row in rows if row.type == ROLE.terraform_type)
    trust: tuple[PolicyStatement, ...] = role.arguments["assume_role_policy"].statements
    return trust


def test_a_plain_stream_has_the_first_policy_and_an_encrypted_one_the_second() -> None:
    assert policy_document(destination().policy)["Statement"] == [READ, LIST]
    encrypted = destination(aws={"key": {"origin": "adopt", "arn": KEY}})
    assert policy_document(encrypted.policy)["Statement"] == [READ, DECRYPT, LIST]


def test_a_role_of_more_streams_than_iam_takes_is_refused() -> None:
    names = [f"clickstream-of-the-shop-{number:03}" for number in range(160)]
    views = [{"stream": name} for name in names]
    with pytest.raises(ConfigError, match="the policy of the role firnline-dev-redshift would have about 1"):
        destination(streams=[{"name": name} for name in ["orders", *names]], views=views)


def test_a_comment_at_the_end_takes_nothing_with_it() -> None:
    over = {"name": "kinds", "select": "SELECT kind FROM public.orders -- all"}
    view = {"stream": "orders", "unreadable": "skip", "where": "kinesis_data.kind = 'a' -- no b", "views": [over]}
    (found,) = destination(views=[view]).views
    said = (sql.select(found), sql.create_dependent(found.dependents[0]))
    without = ["".join(line.partition("--")[0] for line in each.splitlines()).split() for each in said]
    assert without[0][-1] == ")"
    assert without[1][-4:] == ["WITH", "NO", "SCHEMA", "BINDING"]


def test_redshift_alone_may_be_the_role_for_what_is_in_this_account() -> None:
    (group,) = policy_document(trust_of({"workgroup": {}}))["Statement"]
    (cluster,) = policy_document(trust_of({"cluster": {"origin": "adopt", "identifier": "analytics"}}))["Statement"]
    assert cluster["Principal"] == {"Service": "redshift.amazonaws.com"}
    assert "redshift.amazonaws.com" in group["Principal"]["Service"]
    users = "arn:aws:redshift:eu-central-1:123456789012:dbuser"
    assert group["Condition"] == {"StringLike": {"sts:ExternalId": f"{users}:serverless-123456789012-*/*"}}
    assert cluster["Condition"] == {"StringLike": {"sts:ExternalId": f"{users}:analytics/*"}}


def _pairs(statements: tuple[PolicyStatement, ...]) -> set[tuple[str, object]]:
    return {(action, resource) for each in statements for action in each.actions for resource in each.resources}


def test_a_protected_cluster_leaves_a_snapshot_that_its_deployer_may_make_and_an_ephemeral_one_none() -> None:
    section = {"cluster": {"identifier": "analytics"}, "views": [{"stream": "orders"}]}
    snapshot = "arn:aws:redshift:eu-central-1:123456789012:snapshot:analytics/analytics-final"
    for durability, days, last in (("PROTECTED", 7, "analytics-final"), ("EPHEMERAL", 1, None)):
        found = smallest(aws={"key": {"origin": "skip"}}, redshift=section, durability=durability)
        (made,) = CLUSTER.instances(blueprint_of(found))
        given = made.arguments
        assert given["final_snapshot_identifier"] == last
        assert (given["skip_final_snapshot"], given["automated_snapshot_retention_period"]) == (last is None, days)
        assert (given["publicly_accessible"], given["encrypted"]) == (False, "true")
        deployer = _pairs(deployer_statements(blueprint_of(found)))
        assert (("redshift:CreateClusterSnapshot", snapshot) in deployer) is (last is not None)


@pytest.mark.parametrize(
    ("place", "uses"),
    [({"cluster": {}}, True), ({"cluster": {"origin": "adopt", "identifier": "a"}}, False), ({"workgroup": {}}, False)],
)
def test_the_key_of_a_cluster_that_is_made_is_used_through_redshift_by_who_runs_statements(
    place: dict[str, Any], uses: bool
) -> None:
    """KMS is asked in the name of who makes the cluster, and of who runs a statement in it (Management Guide)."""
    view = {"stream": "orders", **({"refresh_every_minutes": 15} if uses else {})}
    found = smallest(aws={"key": {"origin": "adopt", "arn": KEY}}, redshift={**place, "views": [view]})
    blueprint = blueprint_of(found)
    refreshing = [statement for each in policies_of(refreshing_roles(blueprint.environment)) for statement in each]
    assert bool(refreshing) is uses
    for statements in (deployer_statements(blueprint), refreshing):
        granted = [
            each for each in statements if "kms:CreateGrant" in each.actions and "redshift" in str(each.conditions)
        ]
        assert [each.resources for each in granted] == ([(KEY,)] if uses else [])
        through = {"kms:ViaService": "redshift.eu-central-1.amazonaws.com"}
        assert all(each.conditions == {"StringEquals": through} for each in granted)


def test_the_key_of_a_secret_is_used_through_secrets_manager_for_that_secret_alone() -> None:
    secret = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:owner-AbCdEf"
    section = {"workgroup": {}, "secret_arn": secret, "secret_key_arn": KEY}
    found = smallest(redshift={**section, "views": [{"stream": "orders", "refresh_every_minutes": 15}]})
    (refreshing,) = policies_of(refreshing_roles(Environment.of(found)))
    context = {
        "kms:ViaService": "secretsmanager.eu-central-1.amazonaws.com",
        "kms:EncryptionContext:SecretARN": secret,
    }
    for statements in (statement_rights(blueprint_of(found)), refreshing):
        (decrypt,) = (each for each in statements if each.actions == ("kms:Decrypt",))
        assert (decrypt.resources, decrypt.conditions) == ((KEY,), {"StringEquals": context})


def test_the_boundary_lets_the_role_do_all_that_its_policy_says() -> None:
    document = smallest(redshift={"workgroup": {}, "views": [{"stream": "orders"}]})
    blueprint = blueprint_of(document)
    assert blueprint.redshift is not None
    bounded = _pairs(boundary_statements(blueprint))
    asked = _pairs(blueprint.redshift.policy)
    assert asked <= bounded


def test_the_statements_are_those_of_the_page() -> None:
    page = (
        "CREATE MATERIALIZED VIEW my_view AUTO REFRESH YES AS SELECT approximate_arrival_timestamp, partition_key, shard_id, "
        "sequence_number, refresh_time, JSON_PARSE(kinesis_data) as kinesis_data FROM kds.orders "
        "WHERE CAN_JSON_PARSE(kinesis_data);"
    )
    view = {"stream": "orders", "name": "my_view", "unreadable": "skip"}
    found = destination(external_schema="kds", views=[view])
    assert normalized(sql.create_view(found.views[0])) == normalized(page)
    assert sql.create_view(found.views[0]).startswith(
        'CREATE MATERIALIZED VIEW "public"."my_view" AUTO REFRESH YES AS SELECT'
    )
    role = "arn:aws:iam::123456789012:role/firnline-dev-redshift"
    assert sql.create_schema(found.schemas[0]) == f"CREATE EXTERNAL SCHEMA \"kds\" FROM KINESIS IAM_ROLE '{role}'"
    by_default = destination(default_role=True)
    assert sql.create_schema(by_default.schemas[0]) == 'CREATE EXTERNAL SCHEMA "kinesis" FROM KINESIS IAM_ROLE default'


def test_streams_of_another_region_have_a_schema_with_the_region() -> None:
    far = {"name": "far", "origin": "adopt", "arn": "arn:aws:kinesis:us-west-2:123456789012:stream/far"}
    found = destination(streams=[{"name": "orders"}, far], views=[{"stream": "orders"}, {"stream": "far"}])
    assert [(schema.name, schema.region) for schema in found.schemas] == [
        ("kinesis", None),
        ("kinesis_us_west_2", "us-west-2"),
    ]
    assert "REGION 'us-west-2'" in sql.create_schema(found.schemas[1])
    assert 'FROM "kinesis_us_west_2"."far"' in sql.create_view(found.views[1])


def test_columns_conditions_and_what_a_manual_view_says() -> None:
    view = {
        "stream": "orders",
        "refresh": "manual",
        "metadata": ["sequence_number"],
        "columns": [{"name": "kind", "type": "VARCHAR(8)", "path": ["it's", "kind"]}],
        "where": "shard_id <> 'x'",
        "readers": ["analysts"],
    }
    (found,) = destination(views=[view]).views
    assert sql.create_view(found) == (
        'CREATE MATERIALIZED VIEW "public"."orders" AUTO REFRESH NO AS SELECT sequence_number, '
        "JSON_EXTRACT_PATH_TEXT(FROM_VARBYTE(kinesis_data, 'utf-8'), 'it''s', 'kind')::VARCHAR(8) AS \"kind\" "
        'FROM "kinesis"."orders" WHERE shard_id <> \'x\''
    )
    skipping = destination(views=[{**view, "unreadable": "skip"}]).views[0]
    assert sql.select(skipping).endswith(
        "WHERE (CAN_JSON_PARSE(kinesis_data) AND LENGTH(kinesis_data) < 65355) AND (shard_id <> 'x'\n)"
    )
    assert [key for _, key in sql.grants(found)] == [
        ("USAGE", "public", "analysts"),
        ("SELECT", "public.orders", "analysts"),
    ]


def test_a_view_with_aggregates_groups_by_its_columns_its_span_and_its_metadata() -> None:
    view = {
        "stream": "orders",
        "columns": [{"name": "kind", "type": "VARCHAR(8)"}],
        "per": "hour",
        "aggregates": [
            {"name": "n", "function": "count"},
            {"name": "amounts", "function": "count", "path": ["amount"]},
            {"name": "total", "function": "sum", "type": "DECIMAL(18,2)", "path": ["amount"]},
        ],
        "where": "partition_key <> 'x' -- all others",
    }
    (found,) = destination(views=[view]).views
    text = "JSON_EXTRACT_PATH_TEXT(FROM_VARBYTE(kinesis_data, 'utf-8'), {})"
    kind, amount = text.format("'kind'"), text.format("'amount'")
    assert sql.select(found) == (
        "SELECT DATE_TRUNC('hour', approximate_arrival_timestamp) AS \"per_hour\", "
        f'{kind}::VARCHAR(8) AS "kind", '
        f'COUNT(*) AS "n", COUNT({amount}) AS "amounts", SUM({amount}::DECIMAL(18,2)) AS "total" '
        'FROM "kinesis"."orders" WHERE (partition_key <> \'x\' -- all others\n) GROUP BY 1, 2'
    )
    (alone,) = destination(
        views=[{"stream": "orders", "unreadable": "skip", "aggregates": view["aggregates"][:1]}]
    ).views
    assert sql.select(alone) == (
        'SELECT COUNT(*) AS "n" FROM "kinesis"."orders" WHERE (CAN_JSON_PARSE(kinesis_data)\n)'
    )
    (by_shard,) = destination(
        views=[{"stream": "orders", "metadata": ["shard_id"], "aggregates": view["aggregates"][:1]}]
    ).views
    assert sql.select(by_shard) == 'SELECT shard_id, COUNT(*) AS "n" FROM "kinesis"."orders" GROUP BY 1'


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        ({"per": "hour"}, "per: groups belong to aggregates"),
        ({"aggregates": [{"name": "n", "function": "sum"}]}, "sum needs the type of its value"),
        ({"aggregates": [{"name": "n", "function": "count", "type": "INTEGER"}]}, "count counts values of any type"),
        ({"aggregates": [{"name": "n", "function": "median"}]}, "aggregates[0].function"),
        (
            {"metadata": ["sequence_number"], "aggregates": [{"name": "n", "function": "count"}]},
            "sequence_number is each record's own",
        ),
        (
            {"columns": [{"name": "n", "type": "INTEGER"}], "aggregates": [{"name": "n", "function": "count"}]},
            "columns: n is given twice",
        ),
        (
            {
                "columns": [{"name": "per_day", "type": "DATE"}],
                "per": "day",
                "aggregates": [{"name": "n", "function": "count"}],
            },
            "columns: per_day is given twice",
        ),
    ],
)
def test_groups_that_are_none_are_refused(view: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        destination(views=[{"stream": "orders", **view}])
    assert problem in str(refused.value)


def test_an_adopted_workgroup_is_the_only_one_that_a_deployer_reaches() -> None:
    """The Data API shows a caller the state of its own statements, wherever they ran."""
    arn = "arn:aws:redshift-serverless:eu-central-1:123456789012:workgroup/0f1e2d3c"
    section = {"workgroup": {"origin": "adopt", "name": "analytics", "arn": arn}, "views": [{"stream": "orders"}]}
    adopting = smallest(aws={"key": {"origin": "skip"}}, redshift=section)
    blueprint = blueprint_of(adopting)
    rights = {each.sid: each.resources for each in statement_rights(blueprint)}
    assert {sid for sid, places in rights.items() if places == (arn,)} == {
        "RunStatements",
        "BeDatabaseUser",
        "FindWorkgroup",
    }

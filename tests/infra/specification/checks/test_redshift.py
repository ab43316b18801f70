"""Redshift beside Snowflake: what can't be said of it, and what is told then."""

from typing import Any

import pytest

from tests.infra.specifications import problems

ADOPTED = "arn:aws:redshift-serverless:eu-central-1:123456789012:workgroup/0f1e2d3c"
STREAMS: list[dict[str, Any]] = [
    {"name": "orders"},
    {"name": "Orders"},
    {"name": "large", "max_record_kib": 4096},
    {
        "name": "theirs",
        "origin": "adopt",
        "arn": "arn:aws:kinesis:eu-central-1:999988887777:stream/theirs",
        "role_arn": "arn:aws:iam::999988887777:role/reader",
    },
    {"name": "far", "origin": "adopt", "arn": "arn:aws:kinesis:us-west-2:123456789012:stream/far"},
]


def said(*views: dict[str, Any], **section: Any) -> dict[str, Any]:
    return {"streams": STREAMS, "redshift": {"workgroup": {}, **section, "views": list(views)}}


ORDERS = {"stream": "orders"}
ADOPTED_CLUSTER = {"origin": "adopt", "identifier": "analytics"}
EVERY = {"refresh_every_minutes": 15}
BY_USER = {"workgroup": None, "cluster": {**ADOPTED_CLUSTER, "db_user": "deploy"}}


@pytest.mark.parametrize(
    "document",
    [
        said(ORDERS),
        said({"stream": "far"}, {**ORDERS, "name": "live"}),
        said({"stream": "Orders"}, case_sensitive=True),
        said({**ORDERS, "origin": "adopt"}, **BY_USER),
        said({**ORDERS, **EVERY}, workgroup=None, cluster={}),
        said(ORDERS, workgroup=None, cluster={"node_type": "ra3.4xlarge", "nodes": 2}),
        said({"stream": "Orders"}, case_sensitive=True, workgroup=None, cluster={"parameter_group": "capitals"}),
        said({**ORDERS, **EVERY, "name": "o" * 36}, **BY_USER),
        said({**ORDERS, "columns": [{"name": "kind", "type": "VARCHAR(64)", "path": ["order", "kind"]}]}),
    ],
)
def test_what_redshift_can_read_is_taken(document: dict[str, Any]) -> None:
    assert problems(**document) == []


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (said({"stream": "clicks"}), "redshift.views[0].stream: there is no stream clicks"),
        (said({"stream": "theirs"}), "another account's"),
        (said({"stream": "large"}), "records of 4096 KiB"),
        (said({"stream": "Orders"}), "has capitals"),
        (said(ORDERS, ORDERS), "public.orders is the view of redshift.views[0].name already"),
        (said({**ORDERS, "views": [{"name": "orders", "select": "SELECT 1"}]}), "public.orders is the view of"),
        (said({**ORDERS, "origin": "adopt"}), "has no view to adopt"),
        (said(ORDERS, workgroup={"base_capacity": 12}), "a multiple of 8 up to 512"),
        (said(ORDERS, workgroup={"base_capacity": 520}), "above that a multiple of 32 (RPUs; got 520)"),
        (said(ORDERS, workgroup={"subnets": ["subnet-0a1b2c3d", "subnet-1a1b2c3d"]}), "in three Availability Zones"),
        (said(ORDERS, workgroup={"origin": "adopt"}), "give the name of the workgroup"),
        (said(ORDERS, workgroup={"origin": "adopt", "name": "mine"}), "give the ARN of the workgroup"),
        (said(ORDERS, workgroup={"arn": ADOPTED}), "arn belongs to an adopted workgroup"),
        (
            said(ORDERS, workgroup={"origin": "adopt", "name": "mine", "arn": ADOPTED, "base_capacity": 8}),
            "remove base_capacity",
        ),
        (said(ORDERS, secret_key_arn="arn:aws:kms:eu-central-1:123456789012:key/1a"), "belongs to secret_arn"),
        (said(ORDERS, workgroup=None), "give workgroup or cluster"),
        (said(ORDERS, cluster={"identifier": "analytics"}), "give workgroup or cluster"),
        (said(ORDERS, workgroup=None, cluster={"origin": "adopt"}), "give the identifier"),
        (said(ORDERS, workgroup=None, cluster={**ADOPTED_CLUSTER, "nodes": 2}), "remove nodes"),
        (said(ORDERS, workgroup=None, cluster={"db_user": "me"}), "has the administrator admin"),
        (said(ORDERS, workgroup=None, cluster={"node_type": "ra3.16xlarge"}), "two nodes or more"),
        (said(ORDERS, workgroup=None, cluster={}, case_sensitive=True), "give cluster.parameter_group"),
        (said({**ORDERS, "origin": "adopt"}, workgroup=None, cluster={}), "has no view to adopt"),
        (said({**ORDERS, "where": "a = 1; DROP TABLE b"}), "SQL without a semicolon"),
        (said({**ORDERS, "columns": [{"name": "kind", "type": "TEXT"}]}), "a type of Redshift"),
        (said({**ORDERS, "columns": [{"name": "shard_id", "type": "DATE"}]}), "shard_id is given twice"),
        (said({**ORDERS, "name": "Orders"}), "a small letter"),
        (said({**ORDERS, **EVERY}), "only its owner may refresh a view"),
        (said({**ORDERS, **EVERY}, workgroup=None, cluster=ADOPTED_CLUSTER), "say secret_arn or cluster.db_user"),
        (said({**ORDERS, **EVERY, "origin": "adopt"}, **BY_USER), "the view is adopted, and only its owner"),
        (said({**ORDERS, **EVERY, "name": "o" * 40}, **BY_USER), "give a name with 4 less"),
        (said({**ORDERS, "refresh_every_minutes": 0}, **BY_USER), "refresh_every_minutes"),
        (said(), "redshift.views"),
    ],
)
def test_what_redshift_can_not_read_is_told(document: dict[str, Any], told: str) -> None:
    assert any(told in each for each in problems(**document)), problems(**document)


@pytest.mark.parametrize(
    ("where", "refresh", "why"),
    [
        ("strftime(refresh_time, '%Y') = '2026'", "manual", "no function strftime; use to_char"),
        ("REGEXP_EXTRACT(partition_key, 'a') = 'a'", "manual", "no function regexp_extract; use regexp_substr"),
        ("kinesis_data ->> 'kind' = 'order'", "manual", "no operator ->>"),
        ("refresh_time > GETDATE()", "auto", "getdate is a mutable function"),
        ("approximate_arrival_timestamp < sysdate", "auto", "sysdate is a mutable function"),
    ],
)
def test_a_condition_is_one_of_redshift(where: str, refresh: str, why: str) -> None:
    (problem,) = problems(**said({**ORDERS, "where": where, "refresh": refresh}))
    assert problem.startswith("redshift.views[0].where: ")
    assert why in problem


@pytest.mark.parametrize(
    "where",
    [
        "partition_key = 'strftime(now())' AND can_json_parse(kinesis_data)",
        "refresh_time > '2026-01-01' -- ->> getdate()",
        "kinesis_data.now = 1",
    ],
)
def test_what_stands_in_a_text_or_a_comment_is_no_code(where: str) -> None:
    assert problems(**said({**ORDERS, "where": where})) == []


def test_a_view_over_a_view_may_ask_for_the_time_and_not_for_another_databases_functions() -> None:
    live = {"name": "live", "select": "SELECT * FROM public.orders WHERE refresh_time > getdate() - 1"}
    other = {"name": "other", "select": "SELECT list_value(1)"}
    (problem,) = problems(**said({**ORDERS, "views": [live, other]}))
    assert problem == "redshift.views[0].views[1].select: Redshift has no function list_value; use array."

"""Tests of what AWS's pages on streaming ingestion from Kinesis say of views, roles and records; test_document.py has
their statements.
"""

import pytest

from tests.local.runtimes.redshift.conftest import LIST, READ, ROLE, STREAM, Account, StatementFailed, rows

SCHEMA = f"CREATE EXTERNAL SCHEMA kds FROM KINESIS IAM_ROLE '{ROLE}';"
METADATA = "approximate_arrival_timestamp, partition_key, shard_id, sequence_number, refresh_time"
STRICT = f"CREATE MATERIALIZED VIEW my_view AS SELECT {METADATA}, JSON_PARSE(kinesis_data) AS kinesis_data FROM kds.{STREAM};"
FORGIVING = (
    f"CREATE MATERIALIZED VIEW my_view AUTO REFRESH YES AS SELECT {METADATA}, JSON_PARSE(kinesis_data) as kinesis_data "
    f"FROM kds.{STREAM} WHERE CAN_JSON_PARSE(kinesis_data);"
)


def test_a_strict_view_is_blocked_by_a_record_that_is_no_json_and_keeps_what_it_had(account: Account) -> None:
    account.run(SCHEMA)
    account.run(STRICT)
    account.put(b'{"n": 1}')
    assert account.run("select * from my_view") == []  # manual: nothing comes by itself
    account.run("REFRESH MATERIALIZED VIEW my_view;")
    account.put(b"no json", b'{"n": 2}')
    for _ in range(2):
        with pytest.raises(StatementFailed, match="not valid JSON"):
            account.run("REFRESH MATERIALIZED VIEW my_view")
    assert account.run("select kinesis_data.n::int from my_view") == [(1,)]
    ((status,),) = account.run(
        "select status from sys_mv_refresh_history where mv_name = 'my_view' order by start_time desc limit 1"
    )
    assert str(status).startswith("Refresh failed")


def test_the_six_columns_have_the_types_of_the_page(account: Account) -> None:
    account.run(SCHEMA)
    account.run(f"CREATE MATERIALIZED VIEW v AUTO REFRESH YES AS SELECT {METADATA}, kinesis_data FROM kds.{STREAM}")
    account.put(b"\xff")
    (row,) = rows(account, f"SELECT {METADATA}, kinesis_data FROM v", 1)
    arrival, key, shard, number, refreshed, data = map(str, row)
    assert (key, shard[:8], data) == ("key-0", "shardId-", "ff")
    assert number.isdecimal()
    assert arrival <= refreshed


def test_columns_are_taken_as_the_tutorial_takes_them(account: Account) -> None:
    account.run(SCHEMA)
    account.run(
        "CREATE MATERIALIZED VIEW v AUTO REFRESH YES AS SELECT "
        "json_extract_path_text(from_varbyte(kinesis_data,'utf-8'),'a','b',true)::varchar(3) as word, "
        "json_extract_path_text(from_varbyte(kinesis_data,'utf-8'),'n',true)::integer as n "
        f"FROM kds.{STREAM} WHERE LENGTH(kinesis_data) < 65355"
    )
    account.put(b'{"a": {"b": "longer"}, "n": 7}', b"[]", b"x" * 65355)
    assert rows(account, "select word, n from v order by n nulls last", 2) == [("lon", 7), (None, None)]


@pytest.mark.parametrize("taken", [*READ["Action"], *LIST["Action"]])  # type: ignore[misc] # lists of texts
def test_each_right_of_the_page_is_needed(account: Account, taken: str) -> None:
    account.run(SCHEMA)
    account.policy(
        *({**each, "Action": [action for action in each["Action"] if action != taken]} for each in (READ, LIST))
    )
    with pytest.raises(StatementFailed, match=f"not authorized to perform: {taken}"):
        account.run(STRICT)


def test_an_encrypted_stream_needs_the_second_policy(account: Account) -> None:
    key = account.client("kms").create_key()["KeyMetadata"]["Arn"]
    account.client("kinesis").start_stream_encryption(StreamName=STREAM, EncryptionType="KMS", KeyId=key)
    account.run(SCHEMA)
    with pytest.raises(StatementFailed, match="kms:Decrypt"):
        account.run(STRICT)
    account.policy(READ, LIST, {"Effect": "Allow", "Action": ["kms:Decrypt"], "Resource": key})
    account.run(STRICT)


def test_what_redshift_refuses_is_refused(account: Account) -> None:
    account.run(SCHEMA)
    account.run(STRICT)
    for sql, why in {
        SCHEMA: "already exists",
        STRICT: "already exists",
        "CREATE MATERIALIZED VIEW w AS SELECT * FROM kds.absent": "was not found",
        f"SELECT * FROM kds.{STREAM}": "materialized view alone",
        "DROP SCHEMA kds": "depend on it",
        "SELECT 1; SELECT 2": "multiple commands",
        "TRUNCATE my_view": "syntax error",
        "GRANT SELECT ON my_view TO ROLE absent": "does not exist",
        "CREATE EXTERNAL SCHEMA other FROM KINESIS IAM_ROLE 'arn:aws:iam::123456789012:role/other'": "not associated",
    }.items():
        with pytest.raises(StatementFailed, match=why):
            account.run(sql)
    with pytest.raises(StatementFailed, match="database"):
        account.run("SELECT 1", database="elsewhere")


def test_a_role_that_redshift_may_not_be_reads_nothing(account: Account) -> None:
    account.run(SCHEMA)
    trust = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": "redshift.amazonaws.com"}, '
    trust += '"Action": "sts:AssumeRole", "Condition": {"StringLike": {"sts:ExternalId": "*:999999999999:dbuser:*"}}}]}'
    account.client("iam").update_assume_role_policy(RoleName="redshift", PolicyDocument=trust)
    with pytest.raises(StatementFailed, match="Not authorized to get credentials"):
        account.run(STRICT)


def test_capitals_are_small_letters_without_the_setting(account: Account) -> None:
    account.client("kinesis").create_stream(StreamName="Orders", ShardCount=1)
    account.run(SCHEMA)
    view = 'CREATE MATERIALIZED VIEW v AUTO REFRESH YES AS SELECT JSON_PARSE(kinesis_data) AS kinesis_data FROM kds."Orders"'
    with pytest.raises(StatementFailed, match="stream orders was not found"):
        account.run(view)
    parameters = [{"parameterKey": "enable_case_sensitive_identifier", "parameterValue": "true"}]
    account.client("redshift-serverless").update_workgroup(workgroupName="analytics", configParameters=parameters)
    account.run(view)
    account.put(b"1", stream="Orders")
    assert len(rows(account, "SELECT * FROM v", 1)) == 1


def test_views_over_a_view_and_their_readers(account: Account) -> None:
    account.run(SCHEMA)
    account.run(FORGIVING)
    account.run(
        "CREATE VIEW kinds AS SELECT kinesis_data.kind::varchar AS kind FROM public.my_view WITH NO SCHEMA BINDING"
    )
    account.run("CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n FROM public.my_view")
    account.run("CREATE ROLE analysts")
    account.run('GRANT USAGE ON SCHEMA "public" TO ROLE "analysts"')
    account.run('GRANT SELECT ON "public"."my_view" TO ROLE "analysts"')
    assert account.run(
        "SELECT relation_name, privilege_type FROM svv_relation_privileges WHERE identity_name = 'analysts'"
    ) == [("my_view", "SELECT")]
    account.put(b'{"kind": "order"}')
    assert rows(account, "SELECT kind FROM kinds", 1) == [("order",)]
    assert account.run("SELECT n FROM counted") == [(0,)]
    account.run("REFRESH MATERIALIZED VIEW counted")
    assert account.run("SELECT n FROM counted") == [(1,)]
    with pytest.raises(StatementFailed, match="depend on it"):
        account.run("DROP MATERIALIZED VIEW my_view")
    account.run("DROP MATERIALIZED VIEW counted")
    account.run("DROP MATERIALIZED VIEW my_view")
    with pytest.raises(StatementFailed):  # bound late: it is there, and has nothing to read
        account.run("SELECT kind FROM kinds")


@pytest.mark.parametrize(
    ("select", "why"),
    [
        ("SELECT partition_key AS a, shard_id AS A", 'column "a" duplicated'),
        (f"SELECT partition_key AS {'n' * 128}", "longer than 127 bytes"),
        ("SELECT strftime(refresh_time, '%Y') AS y", "no function strftime"),
        ("SELECT regexp_extract(partition_key, 'a') AS y", "no function regexp_extract"),
        ("SELECT refresh_time > getdate() AS y", "getdate is a mutable function"),
        ("SELECT random() AS y", "random is a mutable function"),
    ],
)
def test_what_redshift_does_not_take_is_refused_though_the_database_below_would(
    account: Account, select: str, why: str
) -> None:
    account.run(SCHEMA)
    with pytest.raises(StatementFailed, match=why):
        account.run(f"CREATE MATERIALIZED VIEW v AUTO REFRESH YES AS {select} FROM kds.{STREAM}")


def test_a_query_has_redshifts_functions_and_no_others(account: Account) -> None:
    for query in ("SELECT list_value(1, 2)", "SELECT '{}' ->> 'a'"):
        with pytest.raises(StatementFailed, match="Redshift has no"):
            account.run(query)

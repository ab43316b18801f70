"""Each statement of AWS's page "Getting started with streaming ingestion from Amazon Kinesis Data Streams", as it stands there
with a role in the place of the sample's, and forms around them: what the embedded Redshift takes, with which words it refuses.
"""

import pytest

from tests.local.runtimes.redshift.conftest import ROLE, STREAM, Account, StatementFailed, rows

SIX = "approximate_arrival_timestamp, partition_key, shard_id, sequence_number, refresh_time"
IN_THE_REGION = "CREATE EXTERNAL SCHEMA kds FROM KINESIS IAM_ROLE {};"
OF_A_REGION = "CREATE EXTERNAL SCHEMA kds FROM KINESIS REGION '{}' IAM_ROLE {};"
VIEW = (
    f"CREATE MATERIALIZED VIEW my_view AUTO REFRESH YES AS SELECT {SIX}, JSON_PARSE(kinesis_data) as kinesis_data "
    f"FROM kds.{STREAM} WHERE CAN_JSON_PARSE(kinesis_data);"
)
STRICT = (
    f"CREATE MATERIALIZED VIEW my_view AS SELECT {SIX}, JSON_PARSE(kinesis_data) AS kinesis_data FROM kds.{STREAM};"
)
AGAIN = ("DROP MATERIALIZED VIEW my_view;", "DROP SCHEMA kds;")
TAKEN = (
    *("CREATE EXTERNAL SCHEMA kds FROM KINESIS IAM_ROLE default;", VIEW, *AGAIN),
    *(IN_THE_REGION.format(f"'{ROLE}'"), STRICT, *AGAIN),
    *(OF_A_REGION.format("us-west-2", "default"), "DROP SCHEMA kds;"),
    *(OF_A_REGION.format("us-east-1", f"'{ROLE}'"), VIEW),
    *("REFRESH MATERIALIZED VIEW my_view;", "select * from my_view;"),
    "create materialized view joined as select a.kinesis_data from my_view a join my_view b using (sequence_number)",
    f"CREATE MATERIALIZED VIEW named AS SELECT s.shard_id, s.kinesis_data FROM kds.{STREAM} s",
    "REFRESH MATERIALIZED VIEW named",
    'CREATE MATERIALIZED VIEW hyphens AS SELECT kinesis_data FROM kds."web-orders"',
)
OF_ONE_STREAM = "over one stream, with the aggregates COUNT, SUM, MIN, MAX and AVG: without joins"
NOT_CARRIED = "or a form that the embedded Redshift does not carry"
REFUSED = {
    "CREATE EXTERNAL SCHEMA kds FROM KINESIS IAM_ROLE { default | 'iam-role-arn' };": NOT_CARRIED,
    "CREATE EXTERNAL SCHEMA other FROM KINESIS IAM_ROLE 'iam-role-arn'": "role iam-role-arn is not associated to cluster",
    f"CREATE MATERIALIZED VIEW v AS SELECT * FROM far.{STREAM}": "no region but us-east-1; the schema says us-west-2",
    f"CREATE MATERIALIZED VIEW v AS SELECT listagg(shard_id) AS n FROM kds.{STREAM}": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT shard_id FROM kds.{STREAM} GROUP BY shard_id HAVING count(*) > 1": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT DISTINCT shard_id FROM kds.{STREAM}": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT row_number() OVER (ORDER BY shard_id) AS n FROM kds.{STREAM}": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT shard_id FROM kds.{STREAM} LIMIT 1": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT a.shard_id FROM kds.{STREAM} a, kds.other b": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT a.shard_id FROM kds.{STREAM} a JOIN my_view b USING (shard_id)": OF_ONE_STREAM,
    f"CREATE MATERIALIZED VIEW v AS SELECT price FROM kds.{STREAM}": 'column "price" does not exist',
    f"CREATE MATERIALIZED VIEW v BACKUP NO AS SELECT * FROM kds.{STREAM}": NOT_CARRIED,
    f"CREATE MATERIALIZED VIEW v SORTKEY(shard_id) AS SELECT * FROM kds.{STREAM}": NOT_CARRIED,
    f"CREATE OR REPLACE MATERIALIZED VIEW my_view AS SELECT * FROM kds.{STREAM}": NOT_CARRIED,
    f"SELECT * FROM kds.{STREAM}": "can be read by a materialized view alone",
    f"CREATE VIEW v AS SELECT * FROM kds.{STREAM} WITH NO SCHEMA BINDING": "can be read by a materialized view alone",
    "CREATE EXTERNAL SCHEMA msk FROM MSK IAM_ROLE default AUTHENTICATION none CLUSTER_ARN 'a'": NOT_CARRIED,
}


def test_each_statement_of_the_document_is_taken_in_its_order_and_its_view_has_the_records(account: Account) -> None:
    account.put(b'{"kind": "order"}', b"no json", b'{"kind": "return"}')
    account.client("kinesis").create_stream(StreamName="web-orders", ShardCount=1)
    for statement in TAKEN:
        account.run(statement)
    found = rows(account, "select partition_key, kinesis_data.kind::varchar from my_view order by 1;", 2)
    assert found == [("key-0", "order"), ("key-2", "return")]
    account.put(b'{"kind": "late"}')
    assert len(rows(account, "select * from my_view;", 3)[0]) == 6
    assert len(account.run("SELECT shard_id FROM named")) == 3


def test_what_the_embedded_redshift_does_not_carry_is_refused_in_words_of_its_own(account: Account) -> None:
    """Redshift may take some of them: a specification's `select` over a view is the place for those."""
    for statement in (*TAKEN[:2], OF_A_REGION.format("us-west-2", "default").replace("kds", "far")):
        account.run(statement)
    for statement, words in REFUSED.items():
        with pytest.raises(StatementFailed) as refused:
            account.run(statement)
        assert words in str(refused.value), statement

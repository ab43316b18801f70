"""What an alarm says to whoever is woken by it."""

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.aws import Alarm
from firnline_infra.specification import parse_spec
from firnline_ingest.metrics.embedded import embedded
from firnline_ingest.values import ShardKey

WITH_LOG_GROUP = (
    "runtime: {trust: emr-serverless, emr_serverless: {log_group: /firnline/prod, subnets: [subnet-0a1b2c3d], "
    "security_group: {vpc: vpc-0a1b2c3d}}}"
)


def alarms_of(stream: str, runtime: str = "runtime: {trust: emr-serverless}") -> tuple[Alarm, ...]:
    spec = parse_spec(
        f"""
        version: 1
        name: prod
        aws: {{region: eu-central-1, account: "123456789012", {runtime}}}
        snowflake: {{account: ORG-ACCOUNT}}
        streams: [{stream}]
        pipelines: [{{stream: orders, database: lake, schema: raw}}]
        alarms: {{topics: ["arn:aws:sns:eu-central-1:123456789012:on-call"]}}
        """,
        "prod.yaml",
    )
    return blueprint_of(spec).alarms


def lag_alarm_of(stream: str) -> Alarm:
    (alarm,) = [each for each in alarms_of(stream) if each.metric.endswith("IteratorAgeMilliseconds")]
    return alarm


def test_it_says_after_how_many_hours_records_of_a_stream_of_ours_are_lost() -> None:
    assert "records are lost after 48 hours. " in lag_alarm_of("{name: orders, retention_hours: 48}").description


def test_it_does_not_claim_to_know_the_retention_of_an_adopted_stream() -> None:
    description = lag_alarm_of("{name: orders, origin: adopt}").description
    assert "records are lost after the stream's own retention. " in description
    assert "hours" not in description


# As AWS documents them: the Kinesis guide, "Monitoring with CloudWatch", enhanced and stream-level metrics; the DynamoDB
# guide, "Metrics and dimensions". An alarm with other dimensions looks at a metric that nobody ever writes.
DIMENSIONS = {
    ("AWS/Kinesis", "GetRecords.IteratorAgeMilliseconds"): {"StreamName"},
    ("AWS/Kinesis", "WriteProvisionedThroughputExceeded"): {"StreamName"},
    ("AWS/DynamoDB", "SystemErrors"): {"TableName", "Operation"},
    ("Firnline", "Stopped"): {"Application", "Stream"},
}


def test_every_alarm_has_the_dimensions_that_its_metric_is_written_with() -> None:
    for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP):
        assert set(alarm.dimensions) == DIMENSIONS[alarm.namespace, alarm.metric], alarm.name


def test_each_operation_of_the_engine_on_the_ledgers_rows_has_its_alarm() -> None:
    operations = {each.dimensions["Operation"] for each in alarms_of("{name: orders}") if each.metric == "SystemErrors"}
    assert {"GetItem", "PutItem", "Query", "UpdateItem"} <= operations
    assert not {"CreateTable", "DescribeTable"} & operations


def test_what_the_engine_left_out_rings_where_cloudwatch_gets_its_figures() -> None:
    assert not [alarm for alarm in alarms_of("{name: orders}") if alarm.namespace == "Firnline"]
    (alarm,) = [alarm for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP) if alarm.namespace == "Firnline"]
    (line,) = embedded([], {ShardKey("orders", 1, "0")}, namespace="Firnline", application="firnline-prod", now_ms=1)
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert {name: line[name] for name in alarm.dimensions} == alarm.dimensions
    assert sorted(alarm.dimensions) in [sorted(names) for names in directive["Dimensions"]]
    assert line[alarm.metric] >= alarm.threshold

"""What an alarm says to whoever is woken by it."""

from pathlib import Path

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.alarms import ALARMS, About
from firnline_infra.blueprint.aws import Alarm
from firnline_infra.specification import parse_spec
from firnline_ingest.config.metrics import METRICS, Kind
from firnline_ingest.metrics.embedded import embedded
from firnline_ingest.metrics.figures import figures
from firnline_ingest.shard.receipt import Receipt, ShardState

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
}


def published() -> dict[tuple[str, str], list[dict[str, str]]]:
    """By namespace and metric, the dimensions that the engine publishes it with: taken from the lines that it writes."""
    receipt = Receipt(stream="orders", stream_created_ms=1, shard_id="0", epoch=1, state=ShardState.READING,
                      behind_ms=1, proof_delay_ms=1)  # fmt: skip # a value of everything
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for each in figures([receipt], {receipt.key}, {receipt.key: 1}):
        line = embedded(each, namespace="Firnline", application="firnline-prod", now_ms=1)
        (directive,) = line["_aws"]["CloudWatchMetrics"]
        for metric in directive["Metrics"]:
            found.setdefault((directive["Namespace"], metric["Name"]), []).extend(
                {name: line[name] for name in names} for names in directive["Dimensions"]
            )
    return found


def test_every_alarm_has_the_dimensions_that_its_metric_is_written_with() -> None:
    for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP):
        if alarm.namespace.startswith("AWS/"):
            assert set(alarm.dimensions) == DIMENSIONS[alarm.namespace, alarm.metric], alarm.name
        else:
            assert alarm.dimensions in published()[alarm.namespace, alarm.metric], alarm.name


def test_the_engine_publishes_what_the_list_of_metrics_says_and_no_more() -> None:
    assert {name for _, name in published()} == {metric.name for metric in METRICS}


def test_an_alarm_takes_of_a_metric_what_its_epochs_mean_together() -> None:
    """The sum of counts, the worst of what stands: of the others CloudWatch would make nothing that anybody meant."""
    kinds = {metric.name: metric.kind for metric in METRICS}
    ours = [alarm for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP) if alarm.namespace == "Firnline"]
    assert [alarm for alarm in ours if alarm.statistic != kinds[alarm.metric].value] == []
    less = {alarm.metric for alarm in ours if alarm.comparison == "LessThanThreshold"}
    assert less == {"TimeToTrim", "Heartbeat"}
    assert kinds["TimeToTrim"] is Kind.LEAST


def test_what_the_engine_counts_wakes_somebody_where_cloudwatch_gets_it() -> None:
    ours = {alarm.name: alarm for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP) if alarm.namespace == "Firnline"}
    assert {name.removeprefix("firnline-prod-"): (alarm.threshold, alarm.silence) for name, alarm in ours.items()} == {
        "orders-stopped": (1, "notBreaching"),
        "orders-waiting": (1, "notBreaching"),
        "orders-time-to-trim": (6 * 3600, "ignore"),
        "orders-dead-letters": (1, "notBreaching"),
        "orders-rejected-rows": (1, "notBreaching"),
        "heartbeat": (1, "breaching"),
    }
    assert all(" Next: " in alarm.description for alarm in ours.values())


def test_each_operation_of_the_engine_on_the_ledgers_rows_has_its_alarm() -> None:
    operations = {each.dimensions["Operation"] for each in alarms_of("{name: orders}") if each.metric == "SystemErrors"}
    assert {"GetItem", "PutItem", "Query", "UpdateItem"} <= operations
    assert not {"CreateTable", "DescribeTable"} & operations


def test_nothing_looks_at_what_nobody_publishes() -> None:
    assert not [alarm for alarm in alarms_of("{name: orders}") if alarm.namespace == "Firnline"]


def test_the_page_of_metrics_lists_each_alarm_beside_its_metric() -> None:
    page = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
    for rule in ALARMS:
        name = rule.name.removeprefix("{stream}-")
        if not isinstance(rule.metric, tuple):
            (row,) = [line for line in page.splitlines() if line.startswith(f"| `{rule.metric.name}` |")]
            assert f"| `{name}`, " in row
        elif rule.about is About.KINESIS:
            assert f"`{name}`" in page or name in page, name

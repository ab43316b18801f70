"""Tests of what an alarm says to whoever is woken by it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from firnline_infra.blueprint.alarms import ALARMS, AlarmRule, MetricScope
from firnline_infra.environment import Environment
from firnline_infra.kinds.observability import metric_alarms
from firnline_infra.specification import parse_spec
from firnline_infra.specification.pipeline import SchemaContract
from firnline_ingest.config.metrics import METRICS, Kind
from firnline_ingest.metrics.embedded import embedded
from firnline_ingest.metrics.figures import figures
from firnline_ingest.shard.receipt import Receipt, ShardState

WITH_LOG_GROUP = (
    "runtime: {trust: emr-serverless, emr_serverless: {log_group: /firnline/prod, subnets: [subnet-0a1b2c3d], "
    "security_group: {vpc: vpc-0a1b2c3d}}}"
)


Row = Mapping[str, Any]


def alarms_of(
    stream: str,
    runtime: str = "runtime: {trust: emr-serverless}",
    *,
    readers: Sequence[str] = ("polling",),
    more: str = "",
    alarms: str = "",
    contract: str | None = None,
) -> tuple[Row, ...]:
    said = f", schema_contract: {contract}, table_privilege: ownership" if contract else ""
    pipelines = [
        f"{{stream: orders, database: lake, schema: raw, table: T{each}, reader: {reader}{said}}}"
        for each, reader in enumerate(readers)
    ]
    spec = parse_spec(
        f"""
        version: 1
        name: prod
        aws: {{region: eu-central-1, account: "123456789012", {runtime}}}
        snowflake: {{account: ORG-ACCOUNT}}
        streams: [{stream}]
        pipelines: [{", ".join(pipelines)}]
        {more}
        alarms: {{topics: ["arn:aws:sns:eu-central-1:123456789012:on-call"]{alarms}}}
        """,
        "prod.yaml",
    )
    return tuple(row.arguments for made in metric_alarms(Environment.of(spec)) for row in made.resources())


def lag_alarm_of(stream: str) -> Row:
    (alarm,) = [each for each in alarms_of(stream) if each["metric_name"].endswith("IteratorAgeMilliseconds")]
    return alarm


def lags(*readers: str) -> list[tuple[str, dict[str, str]]]:
    found = alarms_of("{name: orders, consumers: [engine]}", readers=readers)
    return [(each["metric_name"], dict(each["dimensions"])) for each in found if each["alarm_name"].endswith("-lag")]


POLLED = ("GetRecords.IteratorAgeMilliseconds", {"StreamName": "orders"})
BY_CONSUMER = ("SubscribeToShardEvent.MillisBehindLatest", {"StreamName": "orders", "ConsumerName": "engine"})


def test_the_lag_of_enhanced_fan_out_is_its_consumers_own() -> None:
    """Enhanced fan-out makes no GetRecords call: an alarm on those, for which silence breaches, would ring for ever."""
    assert lags("polling") == [POLLED]
    assert lags("{fan_out: {consumer: engine}}") == [BY_CONSUMER]
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders/consumer/engine:1700000000"
    assert lags(f"{{fan_out: {{consumer_arn: '{arn}'}}}}") == [BY_CONSUMER]
    ((_, dimensions),) = lags("{fan_out: {registration: lazy}}")
    assert dimensions["ConsumerName"] == "firnline-prod"


def test_a_stream_that_nothing_reads_has_no_alarms_that_would_ring_for_ever() -> None:
    found = alarms_of("{name: orders}, {name: spare}")
    assert not [each["alarm_name"] for each in found if "spare" in each["alarm_name"]]
    view = "redshift: {cluster: {origin: adopt, identifier: analytics, db_user: firnline}, views: [{stream: spare}]}"
    found = alarms_of("{name: orders}, {name: spare}", more=view)
    assert "firnline-prod-spare-lag" in [each["alarm_name"] for each in found]


def test_no_two_alarms_have_one_name() -> None:
    """CloudWatch writes the second one over the first."""
    found = alarms_of(
        "{name: orders, consumers: [engine]}, {name: orders-engine}",
        readers=["{fan_out: {consumer: engine}}"],
        more="redshift: {cluster: {origin: adopt, identifier: analytics, db_user: firnline}, views: [{stream: orders-engine}]}",
    )
    names = [
        each["alarm_name"]
        for each in found
        if "orders-engine" in each["alarm_name"] or "orders/engine" in each["alarm_name"]
    ]
    assert {"firnline-prod-orders/engine-lag", "firnline-prod-orders-engine-lag"} <= set(names)
    assert len(set(names)) == len(names)


RUNTIMES = {
    "emr_serverless": WITH_LOG_GROUP,
    "emr_eks": "runtime: {trust: emr-eks, oidc_provider: oidc.eks/id/1, cluster: c, namespace: n, emr_eks: {log_group: /x}}",
    "emr_ec2": "runtime: {trust: emr-ec2, emr_ec2: {subnet: subnet-0a1b2c3d}}",
    "kubernetes": "runtime: {trust: irsa, oidc_provider: oidc.eks/id/1, namespace: n, service_account: s, "
    "kubernetes: {image: 'registry/firnline:1'}}",
}


@pytest.mark.parametrize("kind", RUNTIMES)
def test_what_the_engine_publishes_is_alarmed_on_every_runtime(kind: str) -> None:
    brought = "metrics: {cloudwatch: true}" if kind in ("emr_ec2", "kubernetes") else ""
    ours = {
        each["metric_name"]
        for contract in (None, *SchemaContract)
        for each in alarms_of("{name: orders}", RUNTIMES[kind], more=brought, contract=contract)
        if each["namespace"] == "Firnline"
    }
    assert ours == {rule.metric.name for rule in ALARMS if not isinstance(rule.metric, tuple)}
    off = alarms_of("{name: orders}", RUNTIMES[kind], more="metrics: {cloudwatch: false}")
    assert not [alarm for alarm in off if alarm["namespace"] == "Firnline"]


def rings(alarm: Row, *points: float | None) -> bool:
    """Evaluates the last periods as CloudWatch does, all of which have to breach; None is a period without a point, and one
    that is ignored keeps the state, which was quiet (CloudWatch guide, "How alarm state is evaluated when data is missing")."""

    def breaches(point: float | None) -> bool:
        if point is None:
            return alarm["treat_missing_data"] == "breaching"
        is_over = alarm["comparison_operator"] == "GreaterThanOrEqualToThreshold"
        return point >= alarm["threshold"] if is_over else point < alarm["threshold"]

    last = points[-alarm["evaluation_periods"] :]
    if alarm["treat_missing_data"] == "ignore" and all(point is None for point in last):
        return False
    return len(last) == alarm["evaluation_periods"] and all(map(breaches, last))


@pytest.mark.parametrize("rule", ALARMS, ids=lambda rule: rule.name)
def test_each_threshold_rings_at_it_and_not_before(rule: AlarmRule) -> None:
    found = alarms_of(
        "{name: orders, consumers: [engine]}",
        WITH_LOG_GROUP,
        readers=(READER_OF.get(rule.scope, "polling"),),
        more=REFRESHED,
        contract=rule.contract,
    )
    ending = rule.name.rpartition("}")[2]
    alarm = next(
        each for each in found if each["alarm_name"].endswith(ending) and each["metric_name"] in str(rule.metric)
    )
    at, step = alarm["threshold"], 1.0
    bad, good = (at, at - step) if rule.less_than is None else (at - step, at)
    assert rings(alarm, *[bad] * alarm["evaluation_periods"])
    assert not rings(alarm, *[good] * alarm["evaluation_periods"])
    assert not rings(alarm, *[bad] * (alarm["evaluation_periods"] - 1), good)
    assert rings(alarm, *[None] * alarm["evaluation_periods"]) == (rule.treat_missing_data == "breaching")


REFRESHED = (
    "redshift: {cluster: {origin: adopt, identifier: analytics, db_user: firnline}, "
    "views: [{stream: orders, refresh_every_minutes: 20}]}"
)


def test_a_view_that_is_refreshed_on_a_schedule_is_looked_at_once_in_each_interval() -> None:
    (found,) = [each for each in alarms_of("{name: orders}", more=REFRESHED) if each["namespace"] == "AWS/Events"]
    assert (found["period"], found["evaluation_periods"], found["treat_missing_data"]) == (1200, 3, "breaching")
    assert found["dimensions"] == {"RuleName": "firnline-prod-refresh-public-orders"}
    assert "every 20 minutes" in found["alarm_description"]


READER_OF = {MetricScope.CONSUMER: "{fan_out: {consumer: engine}}"}


def test_it_says_after_how_many_hours_records_of_a_stream_of_ours_are_lost() -> None:
    assert (
        "records are lost after 48 hours. " in lag_alarm_of("{name: orders, retention_hours: 48}")["alarm_description"]
    )


def test_it_does_not_claim_to_know_the_retention_of_an_adopted_stream() -> None:
    description = lag_alarm_of("{name: orders, origin: adopt}")["alarm_description"]
    assert "records are lost after the stream's own retention. " in description
    assert "hours" not in description


# As AWS documents them: the Kinesis guide, "Monitoring with CloudWatch", enhanced and stream-level metrics; the DynamoDB
# guide, "Metrics and dimensions". An alarm with other dimensions looks at a metric that nobody ever writes.
DIMENSIONS = {
    ("AWS/Kinesis", "GetRecords.IteratorAgeMilliseconds"): {"StreamName"},
    ("AWS/Kinesis", "SubscribeToShardEvent.MillisBehindLatest"): {"StreamName", "ConsumerName"},
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
        if alarm["namespace"].startswith("AWS/"):
            assert set(alarm["dimensions"]) == DIMENSIONS[alarm["namespace"], alarm["metric_name"]], alarm["alarm_name"]
        else:
            assert alarm["dimensions"] in published()[alarm["namespace"], alarm["metric_name"]], alarm["alarm_name"]


def test_the_engine_publishes_what_the_list_of_metrics_says_and_no_more() -> None:
    assert {name for _, name in published()} == {metric.name for metric in METRICS}


def test_an_alarm_takes_of_a_metric_what_its_epochs_mean_together() -> None:
    """The sum of counts, the worst of what stands: of the others CloudWatch would make nothing that anybody meant."""
    kinds = {metric.name: metric.kind for metric in METRICS}
    ours = [alarm for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP) if alarm["namespace"] == "Firnline"]
    assert [alarm for alarm in ours if alarm["statistic"] != kinds[alarm["metric_name"]].value] == []
    less = {alarm["metric_name"] for alarm in ours if alarm["comparison_operator"] == "LessThanThreshold"}
    assert less == {"TimeToTrim", "Heartbeat"}
    assert kinds["TimeToTrim"] is Kind.LEAST


def test_what_the_engine_counts_wakes_somebody_where_cloudwatch_gets_it() -> None:
    ours = {
        alarm["alarm_name"]: alarm
        for alarm in alarms_of("{name: orders}", WITH_LOG_GROUP)
        if alarm["namespace"] == "Firnline"
    }
    assert {
        name.removeprefix("firnline-prod-"): (alarm["threshold"], alarm["treat_missing_data"])
        for name, alarm in ours.items()
    } == {
        "orders-stopped": (1, "notBreaching"),
        "orders-waiting": (1, "notBreaching"),
        "orders-time-to-trim": (6 * 3600, "ignore"),
        "orders-dead-letters": (1, "notBreaching"),
        "orders-rejected-rows": (1, "notBreaching"),
        "heartbeat": (1, "breaching"),
    }
    assert all(" Next: " in alarm["alarm_description"] for alarm in ours.values())
    assert all(alarm["alarm_description"].endswith("/metrics/#alarms") for alarm in ours.values())
    assert all(len(alarm["alarm_description"]) <= 1024 for alarm in ours.values())


def test_nothing_looks_at_what_nobody_publishes() -> None:
    assert not [alarm for alarm in alarms_of("{name: orders}") if alarm["namespace"] == "Firnline"]


@pytest.mark.parametrize("hours", [None, 9])
def test_an_alarm_of_records_that_are_soon_dropped_rings_as_early_as_was_asked_for(hours: int | None) -> None:
    alarms = "" if hours is None else f", time_to_trim_hours: {hours}"
    found = alarms_of("{name: orders}", WITH_LOG_GROUP, alarms=alarms)
    (alarm,) = (each for each in found if each["metric_name"] == "TimeToTrim")
    assert alarm["threshold"] == (hours or 6) * 3600
    assert f"In less than {hours or 6} hours" in alarm["alarm_description"]

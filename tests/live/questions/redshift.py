"""Statements and events of Redshift whose answers are believed, asked in a workgroup of Redshift Serverless of the run's own,
over a stream of its own. What counts: that a statement is taken, the columns of an answer, whether it has a row, an error's text.

The statements are the product's: those that make a view, and those that read what there is (redshift/observed.py).
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.redshift import ingestion_statements, ingestion_trust, schedule_trust
from firnline_infra.blueprint.redshift import sql
from firnline_infra.blueprint.redshift.definitions import ExternalSchema, StreamViewDefinition
from firnline_infra.blueprint.redshift.refreshing import ended_well, rate
from firnline_infra.redshift import observed
from tests.live.names import Run
from tests.live.recordings import anonymous

Client = Callable[[str], Any]
POLL_S = 1.0
MADE_WITHIN_S, COUNTED_WITHIN_S, RUN_WITHIN_S = 900.0, 600.0, 300.0
DATABASE, SCHEMA = "dev", "kds"

STATEMENTS = {
    "schema": ("B320",),
    "view": ("B320",),
    "refresh": ("B320", "B323"),
    "what is in the view": ("B323",),
    "show view is the select": ("B321",),
    "svv_external_schemas": ("B322",),
    "pg_namespace": ("B327", "B330"),
    "svv_mv_info": ("B330",),
    "pg_user": ("B330",),
    "setting": ("B330",),
    "esoptions has the role": ("B322",),
    "pg_views has the statement": ("B330",),
    "refresh of a record that is not JSON": ("B323",),
    "sys_mv_refresh_history": ("B323",),
    "sys_stream_scan_states": ("B323",),
    "sys_stream_scan_errors": ("B323",),
    "a stream that is missing": ("B322",),
    "a stream by itself": ("B322",),
    "given away": ("B327",),
}
CASTS = {
    "cast: VARCHAR(n) of what is longer": ("B326", "SELECT 'abcdef'::varchar(3) AS v"),
    "cast: JSON_PARSE of no JSON": ("B326", "SELECT JSON_PARSE('{a}') AS v"),
    "cast: JSON_EXTRACT_PATH_TEXT": ("B326", "SELECT JSON_EXTRACT_PATH_TEXT('{\"a\":\"b\"}', 'a') AS v"),
}
SETTLES: dict[str, tuple[str, ...]] = {
    **STATEMENTS,
    **{name: (belief,) for name, (belief, _) in CASTS.items()},
    "a schedule's statement is counted by a rule without a target": ("B328", "B329"),
}


def asked(aws: Client, run: Run, region: str) -> dict[str, Any]:
    """Each answer by its question. What was made stays for the sweep."""
    role, stream = _scene(aws, run, region)
    ask = _Asking(aws("redshift-data"), run)
    schema = ExternalSchema(name=SCHEMA, region=None, role_arn=role)
    view = StreamViewDefinition(
        schema="public",
        name="asked",
        external_schema=SCHEMA,
        stream=stream,
        auto_refresh=False,
        skips_unreadable=False,
        stale_after_minutes=60,
        metadata=("shard_id",),
    )
    return {
        **dict(_statements(ask, aws("kinesis"), schema, view)),
        **dict(_events(aws, ask, run, region)),
    }


def _statements(
    ask: "_Asking", kinesis: Any, schema: ExternalSchema, view: StreamViewDefinition
) -> Iterator[tuple[str, Any]]:
    """B320 to B323, B326, B327, B330."""
    yield "schema", ask(sql.create_schema(schema))
    yield "view", ask(sql.create_view(view))
    kinesis.put_record(StreamName=view.stream, Data=b'{"kind": "order"}', PartitionKey="a")
    yield "refresh", ask(sql.refresh(view))
    yield "what is in the view", ask(f"SELECT kinesis_data.kind::varchar AS kind FROM {sql.qualified(view)}")
    yield "show view is the select", ask.has(f"SHOW VIEW {sql.qualified(view)}", "JSON_PARSE")
    for name, statement in (
        ("svv_external_schemas", observed.SCHEMAS),
        ("pg_namespace", observed.OWNERS),
        ("svv_mv_info", observed.MATERIALIZED),
        ("pg_user", observed.WHO),
        ("setting", f"SHOW {observed.SETTING}"),
    ):
        yield name, ask(statement)
    yield "esoptions has the role", ask.has(observed.SCHEMAS, '"IAM_ROLE"')
    catalog = observed.CATALOG.format(schemas=sql.literal(view.schema))
    yield "pg_views has the statement", ask.has(catalog, "CREATE MATERIALIZED VIEW")
    kinesis.put_record(StreamName=view.stream, Data=b"no json", PartitionKey="a")
    yield "refresh of a record that is not JSON", ask(sql.refresh(view))
    for system in ("sys_mv_refresh_history", "sys_stream_scan_states", "sys_stream_scan_errors"):
        yield system, ask(f"SELECT * FROM {system}", columns=False)
    yield "a stream that is missing", ask(f'CREATE MATERIALIZED VIEW missing AS SELECT * FROM {SCHEMA}."missing"')
    yield "a stream by itself", ask(f'SELECT * FROM {SCHEMA}."{view.stream}"')
    for name, (_, statement) in CASTS.items():
        yield name, ask.value(statement)
    yield "given away", ask(f'ALTER TABLE {sql.qualified(view)} OWNER TO "admin"')


def _events(aws: Client, ask: "_Asking", run: Run, region: str) -> Iterator[tuple[str, Any]]:
    """B328, B329: a schedule runs a statement by the Data API, and a rule without a target counts how it ended."""
    name, account = f"{run.aws}-asked-refresh", aws("sts").get_caller_identity()["Account"]
    group = f"arn:aws:scheduler:{region}:{account}:schedule-group/default"
    actions = ["redshift-data:ExecuteStatement", "redshift-serverless:GetCredentials"]
    rights = {"Effect": "Allow", "Action": actions, "Resource": "*"}
    role = _role(aws("iam"), f"{run.aws}-asked-scheduler", schedule_trust(account=account, group=group), [rights])
    statement = json.dumps({**ask.where, "Sql": "SELECT 1", "StatementName": name, "WithEvent": True})
    target = {"Arn": "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement", "RoleArn": role, "Input": statement}
    aws("events").put_rule(Name=name, EventPattern=ended_well(name))
    _retried(
        lambda: aws("scheduler").create_schedule(
            Name=name,
            ScheduleExpression=rate(1),
            FlexibleTimeWindow={"Mode": "OFF"},
            Target=target,
        )
    )
    ends = time.monotonic() + COUNTED_WITHIN_S
    ask("SELECT 1")
    while not (counted := _counted(aws("cloudwatch"), name)) and time.monotonic() < ends:
        time.sleep(POLL_S)
    yield "a schedule's statement is counted by a rule without a target", counted


def _counted(cloudwatch: Any, rule: str) -> bool:
    now = datetime.now(UTC)
    found = cloudwatch.get_metric_statistics(
        Namespace="AWS/Events",
        MetricName="MatchedEvents",
        Dimensions=[{"Name": "RuleName", "Value": rule}],
        StartTime=now - timedelta(minutes=30),
        EndTime=now + timedelta(minutes=1),
        Period=60,
        Statistics=["Sum"],
    )
    return any(each["Sum"] for each in found["Datapoints"])


class _Asking:
    """Runs statements as the run's administrator, in its workgroup."""

    def __init__(self, data: Any, run: Run) -> None:
        self._data, self._run = data, run
        self.where = {"WorkgroupName": f"{run.aws}-asked", "Database": DATABASE}

    def __call__(self, statement: str, *, columns: bool = True) -> dict[str, Any]:
        found, id_ = self._ended(statement)
        if found["Status"] != "FINISHED":
            return {"text": anonymous(str(found.get("Error")), self._run.placeholders({}))}
        if not found["HasResultSet"]:
            return {"taken": True}
        answer = self._data.get_statement_result(Id=id_)
        named = {"columns": [each["name"].lower() for each in answer["ColumnMetadata"]]} if columns else {}
        return {**named, "any_rows": bool(answer["Records"])}

    def value(self, statement: str) -> Any:
        """The only value of the only row, or that there is none: an error's words are not in question."""
        found, id_ = self._ended(statement)
        if found["Status"] != "FINISHED":
            return {"refused": True}
        ((cell,),) = self._data.get_statement_result(Id=id_)["Records"]
        (value,) = cell.values()
        return value

    def has(self, statement: str, text: str) -> bool:
        """Returns whether a value of the answer has it, whatever its case."""
        found, id_ = self._ended(statement)
        rows = self._data.get_statement_result(Id=id_)["Records"] if found["Status"] == "FINISHED" else []
        return any(text.lower() in str(value).lower() for row in rows for each in row for value in each.values())

    def _ended(self, statement: str) -> tuple[Mapping[str, Any], str]:
        id_ = self._data.execute_statement(Sql=statement, **self.where)["Id"]
        ends = time.monotonic() + RUN_WITHIN_S
        while (found := self._data.describe_statement(Id=id_))["Status"] not in ("FINISHED", "FAILED", "ABORTED"):
            if time.monotonic() > ends:
                raise TimeoutError(f"{statement} is {found['Status']} after {RUN_WITHIN_S:.0f} s")
            time.sleep(POLL_S / 20)
        return found, id_


def _scene(aws: Client, run: Run, region: str) -> tuple[str, str]:
    """The ARN of the role that reads, and the stream."""
    name, account = f"{run.aws}-asked", aws("sts").get_caller_identity()["Account"]
    stream = f"{name}-redshift"
    aws("kinesis").create_stream(StreamName=stream, ShardCount=1)
    aws("kinesis").get_waiter("stream_exists").wait(StreamName=stream, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
    arn = f"arn:aws:kinesis:{region}:{account}:stream/{stream}"
    users = f"arn:aws:redshift:{region}:{account}:dbuser:serverless-{account}-*/*"
    trust = ingestion_trust(users=users, serverless=True)
    rights = policy_document(ingestion_statements(streams=(arn,), keys=()))["Statement"]
    role = _role(aws("iam"), f"{name}-redshift", trust, rights)
    serverless = aws("redshift-serverless")
    _retried(
        lambda: serverless.create_namespace(
            namespaceName=name, dbName=DATABASE, iamRoles=[role], defaultIamRoleArn=role
        )
    )
    serverless.create_workgroup(workgroupName=name, namespaceName=name, baseCapacity=8, publiclyAccessible=False)
    ends = time.monotonic() + MADE_WITHIN_S
    while serverless.get_workgroup(workgroupName=name)["workgroup"]["status"] != "AVAILABLE":
        if time.monotonic() > ends:
            raise TimeoutError(f"workgroup {name} is not available after {MADE_WITHIN_S:.0f} s")
        time.sleep(POLL_S)
    return role, stream


def _role(iam: Any, name: str, trust: Any, rights: list[dict[str, Any]]) -> str:
    made: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(policy_document(trust)))["Role"][
        "Arn"
    ]
    document = json.dumps({"Version": "2012-10-17", "Statement": rights})
    iam.put_role_policy(RoleName=name, PolicyName="asked", PolicyDocument=document)
    return made


def _retried(call: Callable[[], Any], *, times: int = 20) -> Any:
    """A role that was just made is not known everywhere for some seconds."""
    from botocore.exceptions import ClientError

    for _ in range(times - 1):
        try:
            return call()
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("ValidationException", "InvalidParameterException"):
                raise
            time.sleep(POLL_S)
    return call()

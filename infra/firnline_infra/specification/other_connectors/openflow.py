"""Openflow's connector for Kinesis: its parameters, from a parameter context, a flow definition or a list of NAME = VALUE."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.specification.other_connectors.taken_over import TakenOver, text_of
from firnline_ingest.config.form import APPLICATION
from firnline_ingest.config.other_names import OPENFLOW
from firnline_ingest.identifiers import written_name

CONSUMER_TYPES = {"SHARED_THROUGHPUT": "polling", "ENHANCED_FAN_OUT": "fan_out"}
POSITIONS = ("LATEST", "TRIM_HORIZON", "AT_TIMESTAMP")
METADATA = {"sharded_digits": 5, "times": "iso"}
REQUIRED = ("AWS Kinesis Stream Name", "Snowflake Destination Database", "Snowflake Destination Schema")


def parameters_of(document: Mapping[str, Any]) -> dict[str, str]:
    """The connector's parameters wherever the document has them; empty where it has none."""
    found: dict[str, str] = {}
    known = set(OPENFLOW) - {"Pipe"}
    _collect(document, found)
    if all(isinstance(each, str) for each in document.values()):
        found = dict(document)  # NAME = VALUE: what has no known name is said, too
    return found if known & found.keys() else {}


def _collect(node: object, found: dict[str, str]) -> None:
    """A parameter is {"name": …, "value": …} in NiFi's exports, and NAME: VALUE in a plain document."""
    if isinstance(node, list):
        for each in node:
            _collect(each, found)
    elif isinstance(node, dict):
        name = node.get("name")
        if isinstance(name, str) and ("value" in node or "sensitive" in node):
            found.setdefault(name, text_of(node, "value"))
            return
        for name, value in node.items():
            if isinstance(value, dict | list):
                _collect(value, found)
            elif name in OPENFLOW:
                found.setdefault(name, text_of(node, name))


def from_openflow(parameters: Mapping[str, str]) -> TakenOver:
    taken = TakenOver("Openflow's connector for Kinesis")
    taken.problems += [f"{name}: is missing" for name in REQUIRED if not text_of(parameters, name)]
    if taken.problems:
        return taken
    stream = text_of(parameters, "AWS Kinesis Stream Name")
    database, schema = (written_name(text_of(parameters, name)) for name in REQUIRED[1:])
    taken.streams.append({"name": stream, "origin": "adopt"})
    pipeline: dict[str, Any] = {"stream": stream, "database": database, "schema": schema}
    taken.pipelines.append(pipeline)
    taken.take(REQUIRED[0], "pipelines[0].stream")
    taken.take(REQUIRED[1], "pipelines[0].database; it is adopted")
    taken.take(REQUIRED[2], "pipelines[0].schema; it is adopted")
    taken.answers.update(streams=(stream,), database=database, schema=schema)
    taken.snowflake["databases"] = [
        {"name": database, "origin": "adopt", "schemas": [{"name": schema, "origin": "adopt"}]}
    ]
    _application(taken, text_of(parameters, "AWS Kinesis Application Name"))
    _reading(taken, parameters, pipeline)
    _table(taken, parameters, pipeline)
    if region := text_of(parameters, "AWS Kinesis Region"):
        taken.answers["region"] = region
        taken.take("AWS Kinesis Region", "aws.region")
    _rest(taken, parameters)
    return taken


def _application(taken: TakenOver, name: str) -> None:
    """Openflow's own table has the application's name, so that the ledger gets another."""
    option = "AWS Kinesis Application Name"
    if not name:
        return
    try:
        APPLICATION.check(name)
    except ValueError as refused:
        reason = f"an application's name here {refused}; it has the environment's, and `firnline migrate --from` names the table"
        taken.leave(option, name, reason)
        taken.sections["ledger"] = {"migration": True}
        return
    taken.application = name
    taken.sections["ledger"] = {"table": f"{name}-ledger", "migration": True}
    taken.take(option, "application; its table's checkpoints are migrated into ledger.table")


def _reading(taken: TakenOver, parameters: Mapping[str, str], pipeline: dict[str, Any]) -> None:
    option = "AWS Kinesis Consumer Type"
    kind = text_of(parameters, option)
    if CONSUMER_TYPES.get(kind) == "fan_out":
        consumer = {"consumer": f"{taken.application}-firnline"} if taken.application else {}
        pipeline["reader"] = {"fan_out": {"registration": "lazy", **consumer}}
    if kind in CONSUMER_TYPES:
        taken.take(option, "pipelines[0].reader")
    elif kind:
        taken.leave(option, kind, f"expected one of {', '.join(CONSUMER_TYPES)}; the pipeline polls")
    option = "AWS Kinesis Initial Stream Position"
    position = text_of(parameters, option)
    if position in POSITIONS[:2]:
        pipeline["initial_position"] = {"at": position}
        taken.take(option, "pipelines[0].initial_position.at")
    elif position:
        taken.leave(option, position, "expected LATEST or TRIM_HORIZON; reading begins at TRIM_HORIZON")


def _table(taken: TakenOver, parameters: Mapping[str, str], pipeline: dict[str, Any]) -> None:
    """Openflow's tables exist before it runs, and have rows whose metadata new ones have to equal (docs/records.md)."""
    pipeline["metadata"] = dict(METADATA)
    taken.take("KINESISMETADATA, as Openflow writes it", "pipelines[0].metadata; a new table does without")
    option = "Snowflake Destination Table"
    if table := text_of(parameters, option):
        pipeline.update(table=written_name(table), table_origin="adopt")
        taken.take(option, "pipelines[0].table; it is adopted")
    kind, pipe = text_of(parameters, "Destination type"), text_of(parameters, "Pipe")
    if kind.lower() == "pipe" and pipe:
        pipeline.update(pipe={"name": written_name(pipe), "origin": "adopt"}, schema_evolution=False)
        taken.take("Destination type", "pipelines[0].pipe")
        taken.take("Pipe", "pipelines[0].pipe.name")
        if not table:
            taken.problems.append("Snowflake Destination Table: is missing; the pipe's table has to be named")
    elif kind:
        taken.take("Destination type", "pipelines[0].pipe, which is absent")


def _rest(taken: TakenOver, parameters: Mapping[str, str]) -> None:
    told = {option for option, _ in taken.taken} | {each.option for each in taken.left}
    for name, value in parameters.items():
        if name in told:
            continue
        if name.startswith("AWS ") and name in OPENFLOW:
            taken.leave(name, value, "the engine reads with a role that `firnline up` makes; no key is needed")
        elif name in OPENFLOW:
            taken.leave(name, value, f"not needed here ({OPENFLOW[name]})")
        else:
            taken.leave(name, value, "not among the parameters on the connector's page; see docs/options.md")

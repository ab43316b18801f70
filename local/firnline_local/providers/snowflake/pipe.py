"""Snowflake pipes. What a pipe copies can't be altered: any other text is another pipe, without the channels of the first."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import SCHEMA_OBJECT, drop, located, path, refuse_others, shown
from firnline_local.providers.snowflake.settings import COMMENT, alterations, as_known, assignments
from firnline_local.providers.snowflake.sql import quoted

TYPE = "snowflake:index/pipe:Pipe"
KNOWN = frozenset({*SCHEMA_OBJECT, "copyStatement", "comment", "autoIngest"})
RULES = Rules(  # provider source, pkg/resources/pipe.go
    replaced_by=KNOWN - {"comment"} | {"awsSnsTopicArn"},
    defaults={"comment": "", "autoIngest": False},
    preview_feature="snowflake_pipe_resource",
)


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    ingest = " AUTO_INGEST = true" if inputs.get("autoIngest") else ""
    copied = inputs["copyStatement"]
    clients.execute(f"CREATE PIPE {path(inputs)}{ingest}{assignments([COMMENT], inputs)} AS {copied}")
    id_ = "|".join(inputs[name] for name in SCHEMA_OBJECT)
    return CreatedResource(id=id_, properties=read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    place = located(id_, properties)
    row = shown(clients, "PIPES", place["name"], f" IN SCHEMA {quoted(place['database'], place['schema'])}")
    if row is None:
        return None
    return {
        **place,
        "comment": row["comment"],
        "copyStatement": as_known(row["definition"], properties.get("copyStatement"), _without_semicolon),
        "autoIngest": row["notification_channel"] is not None,
        "owner": row["owner"],
        "fullyQualifiedName": path(place),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    clients.execute(*alterations(f"PIPE {path(new)}", [COMMENT], old, new))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "PIPE", path(located(id_, properties)))


def _without_semicolon(statement: str) -> str:
    return statement.rstrip().removesuffix(";")

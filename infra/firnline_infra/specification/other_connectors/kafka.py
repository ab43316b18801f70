"""Snowflake's connector for Kafka: its JSON or properties. The records have to be in Kinesis: topics are streams."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from firnline_infra.specification.other_connectors.kafka_transforms import transforms_of
from firnline_infra.specification.other_connectors.taken_over import TakenOver, text_of
from firnline_ingest.config.other_names import KAFKA
from firnline_ingest.config.proxy import ProxyOptions
from firnline_ingest.errors import FirnlineError
from firnline_ingest.identifiers import stored_name

URL = re.compile(r"(?:https?://)?(?P<account>[A-Za-z0-9_-]+)\.snowflakecomputing\.com(?::\d+)?/?", re.IGNORECASE)
PARTS = {
    "snowflake.metadata.topic": ("stream",),
    "snowflake.metadata.offset.and.partition": ("shard_id", "sequence_number"),
    "snowflake.metadata.createtime": ("approximate_arrival",),
}
NAMES = {
    "stream": '"topic"',
    "shard_id": '"partition"',
    "sequence_number": '"offset"',
    "partition_key": '"key"',
    "approximate_arrival": '"CreateTime"',
    "push_time": '"SnowflakeConnectorPushTime"',
}
TOPICS_TO_TABLES = "snowflake.topic2table.map"
TOLERANCE = {"none": "none", "all": "all"}
NULL_VALUES = "behavior.on.null.values"
SCHEMATIZATION = "snowflake.enable.schematization"
NULLS = {"IGNORE": "ignore", "DEFAULT": "ingest"}
NOT_KEPT = {
    "connector.class": "the engine is the connector",
    "name": "--name names the environment",
    "tasks.max": "tasks follow from the shards (epoch.shards_per_task)",
    "snowflake.private.key": "a secret: `firnline keys create` makes a pair and puts the private half into Secrets Manager",
    "snowflake.private.key.passphrase": "the key is kept unencrypted in a secret of Secrets Manager",
    "key.converter": "the partition key is text, and is metadata.partition_key",
    "value.converter.schema.registry.basic.auth.credentials.source": "see pipelines[].format.registry.login",
    "value.converter.schema.registry.basic.auth.user.info": "a secret: pipelines[].format.registry.login names where it is",
    "value.converter.basic.auth.user.info": "a secret: pipelines[].format.registry.login names where it is",
    "errors.deadletterqueue.topic.name": "records that can't be rows are dead letters, kept in the environment's bucket",
    "errors.log.enable": "each dead letter is logged with its reason",
    "errors.log.include.messages": "a dead letter keeps the record's bytes; no log has them",
    "jvm.proxy.username": "proxy.login names where it is (docs/proxy.md)",
    "jvm.proxy.password": "a secret: proxy.login names where it is (docs/proxy.md)",
    "topics.regex": "a specification names its streams; `stream_pattern` of a pipeline finds others (docs/many-streams.md)",
}


def from_kafka(config: Mapping[str, Any]) -> TakenOver:
    """`config` is the connector's `config`, or all of its properties."""
    taken = TakenOver("Snowflake's connector for Kafka")
    kind = text_of(config, "connector.class")
    if kind and "snowflake" not in kind.lower():
        taken.problems.append(f"connector.class: {kind} is not Snowflake's connector")
    topics = [each.strip() for each in text_of(config, "topics").split(",") if each.strip()]
    if not topics:
        taken.problems.append("topics: is missing; each topic becomes a stream, and topics.regex alone names none")
    for name in ("snowflake.database.name", "snowflake.schema.name"):
        if not text_of(config, name):
            taken.problems.append(f"{name}: is missing")
    if taken.problems:
        return taken
    taken.take("topics", "streams[].name and pipelines[].stream; their tables are adopted")
    taken.answers["streams"] = tuple(topics)
    shared = {
        "database": _identifier(taken, config, "snowflake.database.name"),
        "schema": _identifier(taken, config, "snowflake.schema.name"),
        **_rows(taken, config),
    }
    taken.answers.update(database=shared["database"], schema=shared["schema"])
    _adopt(taken, shared["database"], shared["schema"])
    tables = _tables(taken, config, topics)
    for topic in topics:
        taken.streams.append({"name": topic, "origin": "adopt"})
        own = {"table": tables[topic]} if topic in tables else {}
        more = {"shared_table": True} if own and list(tables.values()).count(tables[topic]) > 1 else {}
        taken.pipelines.append({"stream": topic, **own, "table_origin": "adopt", **more, **shared})
    _account(taken, config)
    _proxy(taken, config)
    _rest(taken, config)
    return taken


def _adopt(taken: TakenOver, database: str, schema: str) -> None:
    """Adopts what the connector writes into: it makes no database and no schema, and its tables are made before it runs."""
    schemas = [{"name": schema, "origin": "adopt"}]
    taken.snowflake["databases"] = [{"name": database, "origin": "adopt", "schemas": schemas}]


def _identifier(taken: TakenOver, config: Mapping[str, Any], option: str) -> str:
    written = text_of(config, option)
    try:
        stored_name(written)
    except FirnlineError as error:
        taken.problems.append(f"{option}: {error.what}")
    taken.take(option, f"pipelines[].{option.split('.')[1]}; it is adopted")
    return written


def _tables(taken: TakenOver, config: Mapping[str, Any], topics: Sequence[str]) -> dict[str, str]:
    """The table of each topic that the map has, by its name or by a regular expression, which may stand between quotes."""
    found: dict[str, str] = {}
    for pattern, table in _pairs(text_of(config, TOPICS_TO_TABLES)):
        matching = [topic for topic in topics if topic == pattern or _matches(pattern, topic)]
        if not matching:
            taken.leave(f"{TOPICS_TO_TABLES} {pattern}", table, "is the name of no topic, and matches none")
        for topic in matching:
            if found.setdefault(topic, table) != table:
                taken.problems.append(f"{TOPICS_TO_TABLES}: {topic} is mapped to {found[topic]} and to {table}")
    if found:
        taken.take(TOPICS_TO_TABLES, "pipelines[].table; each is adopted")
    return found


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Topic and table of each pair. What stands between double quotes may have commas and colons (the connector's page,
    "Map topics to tables", 2026-11-29)."""
    for pair in re.findall(r'(?:"[^"]*"|[^,"])+', text):
        if match := re.fullmatch(r'\s*("[^"]+"|[^":]+?)\s*:\s*(\S.*?)\s*', pair, re.DOTALL):
            yield match[1].strip('"'), match[2]


def _matches(pattern: str, topic: str) -> bool:
    try:
        return re.fullmatch(pattern, topic) is not None
    except re.error:
        return False


def _rows(taken: TakenOver, config: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"metadata": _metadata(taken, config)}
    if not text_of(config, NULL_VALUES):
        found["empty_records"] = NULLS["DEFAULT"]
        taken.take(f"{NULL_VALUES}, whose default is DEFAULT", "pipelines[].empty_records")
    for option, field, values in (
        (NULL_VALUES, "empty_records", NULLS),
        ("errors.tolerance", "tolerance", TOLERANCE),
    ):
        value = text_of(config, option)
        here = {name.lower(): each for name, each in values.items()}.get(value.lower())
        if here:
            found[field] = here
            taken.take(option, f"pipelines[].{field}")
        elif value:
            taken.leave(option, value, f"expected one of {', '.join(values)}")
    found |= _format(taken, config)
    if text_of(config, SCHEMATIZATION).lower() == "false":
        found |= {"content_column": "RECORD_CONTENT", "schema_evolution": False}
        taken.take(SCHEMATIZATION, "pipelines[].content_column")
    elif SCHEMATIZATION in config:
        taken.take(SCHEMATIZATION, "pipelines[].schema_evolution, which is on by default")
    if transforms := transforms_of(taken, config):
        found["transforms"] = transforms
    return found


def _metadata(taken: TakenOver, config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns it as the connector writes RECORD_METADATA: its keys, its times as numbers, and its push time."""
    option = "snowflake.metadata.all"
    is_on = text_of(config, option).lower() != "false"
    if text_of(config, option):
        taken.take(option, "pipelines[].metadata.form")
    parts: dict[str, bool] = {}
    for each, names in PARTS.items():
        if text_of(config, each):
            parts |= dict.fromkeys(names, text_of(config, each).lower() != "false")
            taken.take(each, " and ".join(f"pipelines[].metadata.{name}" for name in names))
    if not is_on:
        return {"form": "none"}
    form = {"form": "variant", "column": "RECORD_METADATA", "times": "epoch_ms", "push_time": True}
    return {**form, **parts, "names": NAMES}


def _format(taken: TakenOver, config: Mapping[str, Any]) -> dict[str, Any]:
    option = "value.converter"
    converter = text_of(config, option)
    own = "value.converter.schema.registry.url"
    registry = own if own in config else next((name for name in config if name.endswith("schema.registry.url")), "")
    url, *others = [each.strip() for each in text_of(config, registry).split(",")]
    for end, found in {
        "JsonConverter": {},
        "StringConverter": {"type": "text"},
        "ByteArrayConverter": {"type": "bytes"},
    }.items():
        if converter.endswith(f".{end}"):
            taken.take(option, "pipelines[].format")
            _schemas(taken, config)
            return {"format": found} if found else {}
    for end, kind in {"AvroConverter": "avro", "ProtobufConverter": "protobuf", "JsonSchemaConverter": "json"}.items():
        if converter.endswith(f".{end}") and url:
            taken.take(option, "pipelines[].format")
            taken.take(registry, "pipelines[].format.registry.url")
            if others:
                taken.leave(f"{registry}, beside {url}", ", ".join(others), "one registry is asked, by one URL")
            return {"format": {"type": kind, "framing": "confluent", "registry": {"url": url}}}
    if converter:
        taken.leave(option, converter, "no format reads it: say which in pipelines[].format (docs/records.md)")
    return {}


def _schemas(taken: TakenOver, config: Mapping[str, Any]) -> None:
    """A worker of Kafka Connect may say it for all of its connectors: then nothing here shows what the records are."""
    option, payload = "value.converter.schemas.enable", "`extract` the payload (docs/transforms.md)"
    if text_of(config, option).lower() == "true":
        taken.leave(option, "true", f"records with a schema beside the payload: {payload}")
    elif option in config:
        taken.take(option, "pipelines[].format, which has no schema beside the payload")
    elif text_of(config, "value.converter").endswith(".JsonConverter"):
        reason = f"the worker decides: if it is true there, records have a schema beside the payload: {payload}"
        taken.leave(option, "not given", reason)


def _account(taken: TakenOver, config: Mapping[str, Any]) -> None:
    option = "snowflake.url.name"
    if found := URL.fullmatch(text_of(config, option)):
        taken.answers["snowflake_account"] = found["account"].upper()
        taken.take(option, "snowflake.account")
    elif text_of(config, option):
        taken.leave(option, config[option], "give the account as ORGANISATION-ACCOUNT (--snowflake-account)")
    user, role = text_of(config, "snowflake.user.name"), text_of(config, "snowflake.role.name")
    if user and role:
        taken.snowflake["ingest"] = {"origin": "adopt", "user": user, "role": role}
        taken.take("snowflake.user.name", "snowflake.ingest.user")
        taken.take("snowflake.role.name", "snowflake.ingest.role")
    else:
        for option, value in (("snowflake.user.name", user), ("snowflake.role.name", role)):
            if value:
                taken.leave(option, value, "a user is adopted with its role: give both; one is made here")


def _proxy(taken: TakenOver, config: Mapping[str, Any]) -> None:
    """The connector takes a host and a port together; hosts that it asks without the proxy are patterns between bars."""
    host, port = (text_of(config, f"jvm.proxy.{each}") for each in ("host", "port"))
    url, without = f"http://{host}:{port}", "jvm.nonProxy.hosts"
    try:
        proxy = ProxyOptions(url=url)
    except ValidationError:
        for name, value in (("jvm.proxy.host", host), ("jvm.proxy.port", port)):
            if value:
                taken.leave(name, value, "proxy.url has a host and a port: give both")
        return
    taken.sections["proxy"] = {"url": proxy.url}
    taken.take("jvm.proxy.host", "proxy.url")
    taken.take("jvm.proxy.port", "proxy.url")
    hosts = [each.strip().lower().removeprefix("*.") for each in text_of(config, without).split("|") if each.strip()]
    try:
        ProxyOptions(url=url, no_proxy=hosts)
    except ValidationError:
        taken.leave(without, text_of(config, without), "proxy.no_proxy has hosts and domains, without a port or a *")
        return
    if hosts:
        taken.sections["proxy"]["no_proxy"] = hosts
        taken.take(without, "proxy.no_proxy")


def _rest(taken: TakenOver, config: Mapping[str, Any]) -> None:
    told = {option for option, _ in taken.taken} | {each.option for each in taken.left}
    for name in config:
        if name not in told:
            reason = NOT_KEPT.get(name) or KAFKA.get(name)
            taken.leave(
                name, text_of(config, name), reason or "not on the connector's page that docs/options.md compares"
            )

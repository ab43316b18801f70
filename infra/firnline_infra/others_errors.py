"""Errors of other connectors, and what each is here: `firnline explain ERROR_5030`, and a table of docs/from-other-connectors.md.

The ids are those of snowflakedb/snowflake-kafka-connector (SnowflakeErrors.java, read
2026-11-29); the words are ours.
"""

from typing import NamedTuple

KAFKA, FLINK, OPENFLOW = "Snowflake's Kafka connector", "Flink's Kinesis connector", "Openflow's connector"


class OtherErrors(NamedTuple):
    """Errors of another connector that are one thing here."""

    ids: tuple[str, ...]
    here: str
    """The id of ours; empty where there is none."""
    said: str
    """The counterpart here, or the reason why there is none."""
    connector: str = KAFKA


def _ids(*numbers: int) -> tuple[str, ...]:
    return tuple(f"ERROR_{number:04}" for number in numbers)


OTHERS = (
    OtherErrors(
        _ids(1, 3), "FL-1001", "A document with mistakes is refused before anything begins, with all of them at once."
    ),
    OtherErrors(
        _ids(2, 18, 1006), "FL-3001", "The text at the key's place is not an RSA private key, or it is encrypted."
    ),
    OtherErrors(
        _ids(5, 6, 14, 15, 20),
        "FL-1001",
        "A stream, table, pipe, database or schema without a valid name is a mistake of the document.",
    ),
    OtherErrors(
        _ids(7, 13, 16, 17),
        "FL-1001",
        "`snowflake` lacks its account, user or key, or names an account that can't be one.",
    ),
    OtherErrors(
        _ids(10, 19, 5015),
        "FL-4017",
        "A record that can't be a row is a dead letter; its shard stops there with `on_error: stop` alone.",
    ),
    OtherErrors(
        _ids(11),
        "FL-4017",
        "A record whose schema its registry does not have is a dead letter `unknown-schema`, or stops its shard.",
    ),
    OtherErrors(_ids(12), "FL-4101", "The shards that need a schema wait until the registry answers."),
    OtherErrors(_ids(21), "FL-1001", "There is no map: each pipeline names its stream and its table."),
    OtherErrors(_ids(22), "FL-1001", "`proxy.url` has the host and the port in one."),
    OtherErrors(_ids(23), "FL-1114", "`proxy.login` names where user and password are, and nothing is there."),
    OtherErrors(
        _ids(24), "FL-1001", "A text in `format.avro_schema` that is not an Avro schema is a mistake of the document."
    ),
    OtherErrors(
        _ids(25), "FL-4017", "A record with two keys that are one column's name is a dead letter `duplicate-key`."
    ),
    OtherErrors(
        _ids(32, 2014, 5029), "FL-3006", "The table is not there, or the engine's role has no privilege on it."
    ),
    OtherErrors(
        _ids(1001, 1002, 2010),
        "FL-3010",
        "Snowflake can't be reached, throttles or fails; the engine asks again for as long as that lasts.",
    ),
    OtherErrors(_ids(1005), "FL-3005", "A right is missing: the pipeline waits, and goes on when it is granted."),
    OtherErrors(
        _ids(1007, 2001, 4001),
        "FL-3017",
        "Snowflake answered a statement with what no missing object explains; the pipeline alone waits.",
    ),
    OtherErrors(
        _ids(2007, 2009, 3005),
        "FL-6106",
        "The engine creates no object: `firnline up` does, and says which statement was refused.",
    ),
    OtherErrors(_ids(2012), "FL-3105", "A column of another type than `metadata.form` rejects each row."),
    OtherErrors(
        _ids(2013, 2019, 5003),
        "FL-3304",
        "The table lacks the metadata's column, and no row would say which record it is; its owner adds it.",
    ),
    OtherErrors(
        _ids(2015, 2016, 2017),
        "FL-3009",
        "Snowflake adds columns by itself where the role has EVOLVE SCHEMA; the engine asks for the grant at its start.",
    ),
    OtherErrors(_ids(3004), "FL-3007", "The pipe that a pipeline names is not there, or not visible."),
    OtherErrors(_ids(5005), "FL-3303", "A pipe that leads into another table is refused, and nothing is dropped."),
    OtherErrors(
        _ids(5006),
        "FL-1001",
        "Mistakes of the document are reported before the engine begins; what the objects lack has ids of its own.",
    ),
    OtherErrors(
        _ids(5016),
        "FL-4017",
        "A record without a value is a dead letter, unless `empty_records` says `ignore` or `ingest`.",
    ),
    OtherErrors(
        _ids(5023),
        "FL-2426",
        "No token is moved between channels: `firnline migrate` takes over positions, and lists what it can't.",
    ),
    OtherErrors(
        _ids(5027),
        "FL-3135",
        "Rows that Snowflake has not committed are not proven: the shard waits, reopens its channel and sends it again.",
    ),
    OtherErrors(
        _ids(5028), "FL-2202", "A channel that can't be opened is tried again; the shard says so after three minutes."
    ),
    OtherErrors(
        _ids(5030),
        "FL-3105",
        "The table refused rows: with `tolerance: none` the shard stops there, with `all` they stay in the error table.",
    ),
    OtherErrors(
        _ids(4, 8, 2002, 2003, 2004, 2008, 2011, 3001, 3002, 3003, 5004, 5017, 5018, 5019, 5024),
        "",
        "Of loading by files through an internal stage, which the older connector did: rows go through channels.",
    ),
    OtherErrors(
        _ids(9, 5001, 5002, 5011, 5012),
        "",
        "Of its own converters: `format` says what a record's bytes are, and reads them here.",
    ),
    OtherErrors(_ids(26, 27, 28, 29, 1004), "", "Of OAuth: the engine logs in with a key pair and with nothing else."),
    OtherErrors(
        _ids(30, 31),
        "",
        "Of maps that override the SDK's or the driver's options: there are none, each option has its name.",
    ),
    OtherErrors(
        _ids(33), "", "Of Iceberg tables that the newer service did not take: it does (`table_kind: iceberg`)."
    ),
    OtherErrors(
        _ids(1003, 2005, 2006, 5010), "", "Of a JDBC connection: the driver logs in again where one was closed."
    ),
    OtherErrors(
        _ids(2018),
        "",
        "Nothing alters a column's type: the owner of an Iceberg table does.",
    ),
    OtherErrors(
        _ids(5007, 5008, 5009, 5013, 5014, 5020),
        "",
        "Of Kafka Connect's tasks and beans: Spark runs the engine, and its shards are in the ledger.",
    ),
    OtherErrors(
        _ids(5021, 5022, 5025, 5026),
        "",
        "Of types that it derives from values: keys go to Snowflake as they are, which chooses the types of new columns.",
    ),
    OtherErrors(_ids(5031), "", "Of a release that was called back: the engine asks no service whether it may start."),
    OtherErrors(
        ("ProvisionedThroughputExceededException",),
        "FL-2004",
        "Others read the same shards; the engine waits as `retries.get_records` says, and has no number of attempts by default.",
        FLINK,
    ),
    OtherErrors(
        ("unparseable payload", "transformation failure"),
        "FL-4017",
        "Openflow discards the record; here it is a dead letter, unless `on_error` says `skip` or `stop`.",
        OPENFLOW,
    ),
    OtherErrors(
        ("type mismatch",),
        "FL-3105",
        "With `tolerance: all` it goes on as Openflow does, and the error table has the rows; by default the shard stops there.",
        OPENFLOW,
    ),
)
"""Each id once."""

BY_ID = {id_.upper(): each for each in OTHERS for id_ in each.ids}

"""Names that options of other connectors have here: Flink's Kinesis table connector, Openflow's for Kinesis, and Snowflake's
for Kafka.

A document that uses one of them is refused with the name that it has here. docs/options.md is this table, with defaults.
"""

from difflib import get_close_matches

FLINK = {
    "connector": "nothing: the engine reads Kinesis and writes to Snowflake",
    "stream": "pipelines[].stream",
    "format": "pipelines[].format",
    "aws.region": "aws.region; of one stream, pipelines[].access.region",
    "aws.endpoint": "aws.endpoints.kinesis; of one stream, pipelines[].access.endpoint",
    "aws.trust.all.certificates": "nothing: no setting trusts every certificate; aws.ca_file names the authorities to trust",
    "aws.credentials.provider": "aws.credentials: what is given there decides (profile, access_key, web_identity, roles)",
    "aws.credentials.basic.accesskeyid": "aws.credentials.access_key.id_env, the name of a variable that holds it",
    "aws.credentials.basic.secretkey": "aws.credentials.access_key.secret_env, the name of a variable that holds it",
    "aws.credentials.profile.path": "aws.credentials.profile.file",
    "aws.credentials.profile.name": "aws.credentials.profile.name",
    "aws.credentials.role.arn": "aws.credentials.roles[].arn, or aws.credentials.web_identity.role_arn",
    "aws.credentials.role.sessionName": "aws.credentials.roles[].session_name",
    "aws.credentials.role.externalId": "aws.credentials.roles[].external_id",
    "aws.credentials.role.provider": "aws.credentials.roles, a list: each is assumed with the one before",
    "aws.credentials.webIdentityToken.file": "aws.credentials.web_identity.token_file",
    "scan.stream.initpos": "pipelines[].initial_position.at",
    "scan.stream.initpos-timestamp": "pipelines[].initial_position.timestamp",
    "scan.stream.initpos-timestamp-format": "pipelines[].initial_position.timestamp_format",
    "scan.stream.recordpublisher": "pipelines[].reader: polling, or fan_out",
    "scan.stream.efo.consumername": "pipelines[].reader.fan_out.consumer",
    "scan.stream.efo.registration": "pipelines[].reader.fan_out.registration",
    "scan.stream.efo.consumerarn": "pipelines[].reader.fan_out.consumer_arn",
    "scan.shard.getrecords.maxrecordcount": "polling.max_records",
    "scan.shard.getrecords.intervalmillis": "polling.interval_ms",
    "scan.shard.discovery.intervalmillis": "epoch.seconds: shards are listed for every epoch",
    "scan.shard.adaptivereads": "nothing: pages of about a megabyte are always asked for, however large records are",
    "scan.shard.idle.interval": "pipelines[].idle_after_seconds, which only reports; without records no shard holds others back",
    "scan.watermark.sync.interval": "epoch.seconds: the plan of each epoch says how far shards may go",
    "scan.watermark.lookahead.millis": "pipelines[].alignment.max_ahead_seconds; without it shards are not kept together",
    "scan.watermark.sync.queue.capacity": "nothing: a page of about a megabyte is held for each shard",
    "sink.partitioner": "--key or --fixed-key of firnline put",
    "sink.partitioner-field-delimiter": "--delimiter of firnline put",
    "sink.producer.*": "nothing: those of the legacy connector are options of firnline put",
    "sink.http-client.max-concurrency": "--in-flight of firnline put",
    "sink.http-client.read-timeout": "--read-timeout of firnline put",
    "sink.http-client.protocol.version": "nothing: firnline put speaks HTTP/1.1",
    "sink.batch.max-size": "--batch-records of firnline put",
    "sink.requests.max-inflight": "--in-flight of firnline put",
    "sink.requests.max-buffered": "--buffered-records of firnline put",
    "sink.flush-buffer.size": "--batch-bytes of firnline put",
    "sink.flush-buffer.timeout": "--linger of firnline put",
    "sink.fail-on-error": "--fail-on-error of firnline put",
}
"""By the option's name in Flink's documentation."""

FLINK_UNLISTED = {
    "scan.stream.efo.http-client.max-concurrency": "fan_out.max_concurrency: of a process; its shards take turns beyond it",
    "scan.stream.efo.http-client.read-timeout": "fan_out.read_timeout_seconds: a subscription that falls silent is renewed",
}
"""Options of which that page has the description, or the sink's counterpart, and not the name."""

FLINK_5 = {
    "stream.arn": "streams[].arn",
    "source.init.position": "pipelines[].initial_position.at",
    "source.init.timestamp": "pipelines[].initial_position.timestamp",
    "source.init.timestamp.format": "pipelines[].initial_position.timestamp_format",
    "source.shard.discovery.interval": "epoch.seconds: shards are listed for every epoch",
    "source.reader.type": "pipelines[].reader: polling, or fan_out",
    "source.shard.get-records.max-record-count": "polling.max_records",
    "source.efo.consumer.name": "pipelines[].reader.fan_out.consumer",
    "source.efo.lifecycle": "pipelines[].reader.fan_out.registration: lazy for JOB_MANAGED, none for SELF_MANAGED",
}
"""By the option's name since version 5 of the connector, whose table `kinesis` has names of its own (Flink's documentation,
"Amazon Kinesis Data Streams SQL Connector", release 2.2)."""

_OPERATIONS = {
    "scan.stream.describe": "describe_stream",
    "scan.list.shards": "list_shards",
    "scan.stream.describestreamconsumer": "describe_stream_consumer",
    "scan.stream.registerstreamconsumer": "register_stream_consumer",
    "scan.stream.deregisterstreamconsumer": "deregister_stream_consumer",
    "scan.shard.subscribetoshard": "subscribe_to_shard",
    "scan.shard.getrecords": "get_records",
    "scan.shard.getiterator": "get_shard_iterator",
}
_PARTS = {"maxretries": "attempts", "backoff.base": "base_ms", "backoff.max": "max_ms", "backoff.expconst": "factor"}
_WITH_TIMEOUT = ("register_stream_consumer", "deregister_stream_consumer")

RETRIES = {
    f"{theirs}.{part}": f"retries.{ours}.{name}"
    for theirs, ours in _OPERATIONS.items()
    for part, name in _PARTS.items()
} | {
    f"{theirs}.timeout": f"retries.{ours}.timeout_seconds"
    for theirs, ours in _OPERATIONS.items()
    if ours in _WITH_TIMEOUT
}
"""Flink's eight operations; backoffs are milliseconds in both."""

OPENFLOW = {
    "AWS Access Key ID": "aws.credentials.access_key.id_env, the name of a variable that holds it; a role needs none",
    "AWS Secret Access Key": "aws.credentials.access_key.secret_env, the name of a variable that holds it; a role needs none",
    "AWS Kinesis Region": "aws.region; of one stream, pipelines[].access.region",
    "AWS Kinesis Application Name": "application; its ledger is ledger.table",
    "AWS Kinesis Consumer Type": "pipelines[].reader: polling for SHARED_THROUGHPUT, fan_out for ENHANCED_FAN_OUT",
    "AWS Kinesis Initial Stream Position": "pipelines[].initial_position.at",
    "AWS Kinesis Stream Name": "pipelines[].stream",
    "Snowflake Destination Database": "pipelines[].database; it has to stand between quotes to keep its case",
    "Snowflake Destination Schema": "pipelines[].schema; it has to stand between quotes to keep its case",
    "Snowflake Destination Table": "pipelines[].table; it has to stand between quotes to keep its case",
    "Destination type": "pipelines[].pipe: a pipe where it is given, the table's own where not",
    "Pipe": "pipelines[].pipe",
}
"""By the parameter's name in Openflow's documentation."""

KAFKA = {
    "topics": "pipelines[].stream, one pipeline a stream",
    "topics.regex": "patterns[].streams",
    "tasks.max": "epoch.shards_per_task: how many tasks there are follows from the shards",
    "snowflake.url.name": "snowflake.account, or snowflake.url",
    "snowflake.user.name": "snowflake.user",
    "snowflake.private.key": "snowflake.private_key, which says where the key is",
    "snowflake.private.key.passphrase": "nothing: the key is kept unencrypted in a secret (snowflake.private_key.secret_arn)",
    "snowflake.role.name": "snowflake.role",
    "snowflake.database.name": "pipelines[].database",
    "snowflake.schema.name": "pipelines[].schema",
    "snowflake.topic2table.map": "pipelines[].table of each stream; of streams by their names, patterns[].table",
    "snowflake.metadata.all": "pipelines[].metadata.form: none for false",
    "snowflake.metadata.topic": "pipelines[].metadata.stream",
    "snowflake.metadata.offset.and.partition": "pipelines[].metadata.sequence_number and pipelines[].metadata.shard_id",
    "snowflake.metadata.createtime": "pipelines[].metadata.approximate_arrival, which is Kinesis' time; metadata.times: epoch_ms",
    "behavior.on.null.values": "pipelines[].empty_records: ignore for IGNORE, ingest for DEFAULT",
    "errors.tolerance": "pipelines[].tolerance",
    "key.converter": "nothing: the partition key is text, and is pipelines[].metadata.partition_key",
    "value.converter": "pipelines[].format",
    "value.converter.schema.registry.url": "pipelines[].format",
    "transforms": "pipelines[].transforms, a list: each has its type and its fields",
    "jvm.proxy.host": "proxy.url, with the port",
    "jvm.proxy.port": "proxy.url, with the host",
    "jvm.nonProxy.hosts": "proxy.no_proxy: hosts and domains, without a *",
    "jvm.proxy.username": "proxy.login, which says where the name is",
    "jvm.proxy.password": "proxy.login, which says where the password is",
}
"""By the property's name in its documentation; those of Kafka Connect that it names are there too."""

EVERY = {
    **{
        name: ("Flink's Kinesis connector", here) for name, here in (FLINK | FLINK_UNLISTED | FLINK_5 | RETRIES).items()
    },
    **{name: ("Openflow's Kinesis connector", here) for name, here in OPENFLOW.items()},
    **{name: ("Snowflake's Kafka connector", here) for name, here in KAFKA.items()},
}
_LOWERED = {name.lower(): name for name in EVERY}


def here_called(name: str, path: str) -> str | None:
    """The end of a sentence about an unknown name at `path`: whose it is, and what it is called here; or None."""
    for text in (path, name):
        known = _known(text.lower().removeprefix("table."))
        if known is not None and (" " in known or "." in known):
            whose, here = EVERY[known]
            return f"what {whose} calls {known!r} is here {here}."
    if "." in name:
        near = get_close_matches(name.lower(), _LOWERED, n=1, cutoff=0.85)
        if near:
            whose, here = EVERY[_LOWERED[near[0]]]
            return f"{whose} has {_LOWERED[near[0]]!r}, which is here {here}."
    return None


def _known(name: str) -> str | None:
    """The option that it is, or one that stands for all with its beginning."""
    many = (option for option in _LOWERED if option.endswith(".*") and name.startswith(option[:-1]))
    return _LOWERED.get(name) or _LOWERED.get(next(many, ""))

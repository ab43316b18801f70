"""Proves, or refutes, that every record of the streams of a configuration is where it belongs, once.

Neither the engine's ledger nor its checkpoint is read. Where a consumer stopped that was migrated from is, when asked for, and so
are the ledger's counters of rejected rows.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import partial

from firnline_infra.audit.errors import PipelineNotAudited
from firnline_infra.audit.findings import ShardFindings
from firnline_infra.audit.internal_state import counters_of, taken_before
from firnline_infra.audit.latest import LatestClaim, audit_latest
from firnline_infra.audit.mode import AuditMode
from firnline_infra.audit.pipeline import PipelineAudit
from firnline_infra.audit.reader_user import ReaderUser
from firnline_infra.audit.report import AuditReport
from firnline_infra.audit.shards import SHARDS_AT_ONCE
from firnline_infra.audit.window import AuditWindow
from firnline_ingest.config.model import EngineConfig, PipelineConfig


def audit(
    config: EngineConfig,
    reader: ReaderUser,
    *,
    content: bool = False,
    stream: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    also_holds: Collection[str] = (),
    migrated: bool = False,
    counters: bool = False,
    latest: Sequence[LatestClaim] = (),
    on_shard: Callable[[str, ShardFindings], None] = lambda *_: None,
) -> AuditReport:
    """Every pipeline of the configuration and every stream that its patterns find, or that of `stream`; changes nothing.

    `content` compares values too. Records that arrived before `since` (the pipeline's beginning) may be absent, those after
    `until` (now) are not looked at. `migrated`: what the earlier consumer took in has to be absent.
    `counters`: rows that the ledger counts as rejected have to be in the error table. `on_shard` gets the stream and a shard's.
    Raises AuditError; KinesisError, SnowflakeError or DeadLetterError for what can't be reached.
    """
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.matching import resolved
    from firnline_ingest.kinesis.pin import server_time_ms

    config = resolved(config, kinesis_client(config.aws, attempts=5)) if config.patterns else config
    audited = []
    for pipeline in _chosen(config, stream):
        client = kinesis_client(config.aws, attempts=5, connections=SHARDS_AT_ONCE, access=pipeline.access)
        server_ms = server_time_ms(client, pipeline.stream)
        window = AuditWindow.of(pipeline, server_ms=server_ms, since=since, until=until)
        taken = taken_before(config, client, pipeline.stream) if migrated else {}
        audited.append((pipeline, client, server_ms, replace(window, taken=taken)))
    with closing(reader.connect(config)) as connection:
        return AuditReport(
            [
                PipelineAudit(
                    config=config,
                    mode=AuditMode.of(config, pipeline, contents=content),
                    client=client,
                    connection=connection,
                    role=reader.role,
                    window=window,
                    server_ms=server_ms,
                    also_holds=frozenset(also_holds),
                    counters=counters_of(config) if counters else None,
                    on_shard=partial(on_shard, pipeline.stream),
                ).run()
                for pipeline, client, server_ms, window in audited
            ],
            [audit_latest(connection, each, role=reader.role) for each in latest if stream in (None, each.stream)],
        )


def _chosen(config: EngineConfig, stream: str | None) -> list[PipelineConfig]:
    if stream is None:
        return config.pipelines
    chosen = [pipeline for pipeline in config.pipelines if pipeline.stream == stream]
    if not chosen:
        raise PipelineNotAudited(stream, [pipeline.stream for pipeline in config.pipelines])
    return chosen

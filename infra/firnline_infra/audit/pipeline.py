"""Audits one pipeline: the table, the error table and the dead letters against every shard of the stream.

The table is read before the stream is read to its tip, so every row that is seen has its record among those that are seen,
or has none. Rows that name no shard of the stream are reported separately.
"""

import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from firnline_infra.audit.callables import absent_callable
from firnline_infra.audit.content_check import ContentComparison
from firnline_infra.audit.counters import Counters, ReadCounters, report_unkept, unkept
from firnline_infra.audit.decoded import decoded_of
from firnline_infra.audit.errors import NotAuditable
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.left_out import left_out_of
from firnline_infra.audit.order import CommitHistory, Order, check_order
from firnline_infra.audit.rejected import ErrorRows, letters_by_shard
from firnline_infra.audit.replayed import replayed_of
from firnline_infra.audit.report import PipelineReport
from firnline_infra.audit.routed import RoutedTables
from firnline_infra.audit.shards import OutcomesByShard, PipelineSources, Sleep, audit_shards
from firnline_infra.audit.statements import Statements
from firnline_infra.audit.table import AuditedTable, TableDescription, TableInventory
from firnline_infra.audit.user_records import user_records_of
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.formats import makes_several_rows
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.rows import MetadataForm, PartName, UnusableRecords
from firnline_ingest.deadletter import open_store
from firnline_ingest.identifiers import quoted, stored_name, table_name
from firnline_ingest.schemas import SchemaRegistries

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient
    from snowflake.connector import SnowflakeConnection

    from firnline_ingest.kinesis.lineage import Lineage

NO_SHARD = "(none)"
BEHIND_A_SELECT = "A SELECT may take values out of records: rows were found by their places, their values not compared."


@dataclass(frozen=True, kw_only=True)
class PipelineAudit:
    """One pipeline, and the clients and sessions that reach its stream and its table."""

    config: EngineConfig
    pipeline: PipelineConfig
    client: "KinesisClient"
    connection: "SnowflakeConnection"
    role: str
    window: AuditWindow
    server_ms: int
    """The stream's clock when the audit began."""
    compares_contents: bool = False
    also_holds: Set[str] = frozenset()
    """Streams whose rows the table may have beside those of the configuration's pipelines."""
    counters: ReadCounters | None = None
    """Asked where it is told how many rows were rejected and not kept."""
    commit_log: CommitHistory | None = None
    on_shard: Callable[[ShardFindings], None] = lambda _: None
    remark: str | None = None
    """One more, before all others."""

    def run(self) -> PipelineReport:
        """Raises AuditError, DeadLetterError, or the fatal errors of Kinesis."""
        from firnline_ingest.kinesis.lineage import read_lineage

        refuse_unauditable(self.pipeline, self._companions)
        if path := absent_callable(self.pipeline, letters_are_seen=self.config.dead_letters.stream is None):
            as_it_came = self.pipeline.model_copy(update={"transforms": []})
            remark = f"The callable {path} can't be imported here: rows were found by their places, their values not compared."
            return replace(self, pipeline=as_it_came, compares_contents=False, remark=remark).run()
        if self.compares_contents and (self.pipeline.selects or self.pipeline.pipe):
            return replace(self, compares_contents=False, remark=BEHIND_A_SELECT).run()
        table = self._table()
        described = table.describe()
        counters = self.counters if not self.pipeline.routes else None
        counted = counters(self.pipeline.stream) if counters else []  # before what was kept
        inventory = table.inventory()
        errors = table.error_rows() if described.logs_errors else ErrorRows()
        lineage = read_lineage(self.client, self.pipeline.stream)  # after the inventory, so that it has all its shards
        letters = self._letters(lineage)
        sources = self._sources(table, described, lineage, (errors.by_shard, letters))

        def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
            return replace(sources, sleep=sleep).audit(shard_id)

        shard_ids = {*lineage.shards, *inventory.shards, *errors.by_shard, *letters}
        shards = audit_shards(shard_ids, audit, on_shard=self.on_shard)
        order = self._order(lineage, shards)
        unattributed = unattributed_rows(inventory, errors, self._companions | self.also_holds)
        if unattributed.problems:
            shards.append(unattributed)
        self._report_unkept(shards, counted, errors, described.created_on)
        return PipelineReport(
            stream=self.pipeline.stream,
            table=str(table),
            window=self.window,
            compares_contents=self.compares_contents and not self.pipeline.routes,
            looks_at_counters=bool(counters),
            shards=shards,
            order=order,
            remarks=self._remarks(logs_errors=described.logs_errors),
        )

    def _table(self) -> AuditedTable | RoutedTables:
        own, *routed = [
            AuditedTable(self.connection, statements_of(each), role=self.role)
            for each in (self.pipeline, *self.pipeline.routed.values())
        ]
        return RoutedTables([own, *routed]) if routed else own

    @property
    def _companions(self) -> Set[str]:
        """The other streams whose pipelines write into the same table."""
        targets = _targets(self.pipeline)
        return {
            each.stream
            for each in self.config.pipelines
            if each.stream != self.pipeline.stream and _targets(each) & targets
        }

    def _sources(
        self,
        table: AuditedTable | RoutedTables,
        described: TableDescription,
        lineage: "Lineage",
        elsewhere: Sequence[OutcomesByShard],
    ) -> PipelineSources:
        began_s = time.monotonic()

        def cutoff() -> RetentionCutoff:
            return RetentionCutoff.of(
                now_ms=self.server_ms + round((time.monotonic() - began_s) * 1000),
                retention_hours=lineage.retention_hours,
                created_ms=lineage.stream_created_ms,
                rows_have_arrival=self.pipeline.metadata.is_on("approximate_arrival"),
            )

        schemas = SchemaRegistries(self.config.aws)
        compares = self.compares_contents and not self.pipeline.routes
        check = ContentComparison(
            self.pipeline.stream,
            described.columns,
            evolves=described.evolves,
            metadata=self.pipeline.metadata,
            is_transformed=bool(self.pipeline.transforms),
        )
        return PipelineSources(
            client=self.client,
            stream=self.pipeline.stream,
            listed=frozenset(lineage.shards),
            table=table,
            elsewhere=elsewhere,
            window=self.window,
            cutoff_at=cutoff,
            columns=described.columns if compares else None,
            check=check if compares else None,
            left_out=left_out_of(self.config, self.pipeline, schemas),
            decoded=decoded_of(self.pipeline, schemas),
            taken_apart=partial(user_records_of, self.pipeline, lineage),
            is_replayed=replayed_of(self.config, lineage),
        )

    def _letters(self, lineage: "Lineage") -> OutcomesByShard:
        """None where they are on a stream, which has no index."""
        if self.config.dead_letters.stream is not None:
            return {}
        return letters_by_shard(open_store(self.config), lineage.stream, lineage.stream_created_ms)

    def _report_unkept(
        self, shards: list[ShardFindings], counted: Counters, errors: ErrorRows, created_on: str
    ) -> None:
        database, schema, table = _target(self.pipeline)
        for channel, lacking in unkept(counted, errors.by_channel, (database, schema, table), created_on):
            findings = next((each for each in shards if each.shard_id == channel.shard_id), None)
            if findings is None:
                findings = ShardFindings(channel.shard_id)
                shards.append(findings)
            report_unkept(findings, channel, lacking)

    def _order(self, lineage: "Lineage", shards: list[ShardFindings]) -> Order:
        database, schema, table = (quoted(name) for name in _target(self.pipeline))
        log = None if self.pipeline.routes else self.commit_log
        return check_order(
            log(database=database, schema=schema, table=table) if log else None,
            stream=lineage.stream,
            created_ms=lineage.stream_created_ms,
            shards={findings.shard_id: findings for findings in shards},
        )

    def _remarks(self, *, logs_errors: bool) -> list[str]:
        remarks = [self.remark] if self.remark else []
        if self.pipeline.routes:
            remarks.append(
                "The pipeline has routes: that each record is in exactly one of its tables is proven. In which one, its content "
                "and the order of commits are not compared."
            )
        if not logs_errors:
            remarks.append("The table keeps no rejected rows (ERROR_LOGGING is off): one would count as missing.")
        places, are_filtered = self.config.dead_letters, "records that can't be rows and are nowhere count as skipped."
        if places.folder is not None and not places.folder.exists():
            folder = places.folder
            remarks.append(f"There is no folder {folder} on this machine: no dead letters were read.")
        if places.stream is not None:
            remarks.append(f"Dead letters go to the stream {places.stream}, which is not read here: {are_filtered}")
        if self.pipeline.unusable_records is UnusableRecords.SKIP:
            remarks.append(f"The pipeline skips unusable records: {are_filtered}")
        return remarks


def statements_of(pipeline: PipelineConfig) -> Statements:
    database, schema, table = _target(pipeline)
    are_numbered = makes_several_rows(pipeline.format)
    return Statements(database, schema, table, pipeline.stream, pipeline.metadata, are_numbered)


def refuse_unauditable(pipeline: PipelineConfig, companions: Set[str]) -> None:
    """Raises NotAuditable."""
    needed: list[PartName] = ["shard_id", "sequence_number"]
    needed += ["stream"] if companions else []
    needed += ["row"] if makes_several_rows(pipeline.format) else []
    if lacking := [part for part in needed if not pipeline.metadata.is_on(part)]:
        raise NotAuditable(pipeline.stream, lacking, is_left_out=pipeline.metadata.form is MetadataForm.NONE)


def unattributed_rows(inventory: TableInventory, errors: ErrorRows, expected_streams: Set[str]) -> ShardFindings:
    """Foreign rows that name no shard of the stream, or a stream that is not among `expected_streams`."""
    findings = ShardFindings(NO_SHARD)
    unplaced = {"table": inventory.without_position}
    for channel, count in sorted(errors.without_position.items()):
        unplaced[f"error table{f', by channel {channel},' if channel else ''}"] = count
    for place, count in unplaced.items():
        if count:
            detail = f"rows of the {place} without stream, shard or sequence number: {count:,}"
            findings.report(ProblemKind.FOREIGN, "", detail, times=count)
    for stream, count in sorted(inventory.other_streams.items()):
        if stream not in expected_streams:
            detail = f"rows of the stream {stream!r}, which the configuration doesn't bring here: {count:,}"
            findings.report(ProblemKind.FOREIGN, "", detail, times=count)
    return findings


def _targets(pipeline: PipelineConfig) -> Set[tuple[str, str, str]]:
    return {_target(each) for each in (pipeline, *pipeline.routed.values())}


def _target(pipeline: PipelineConfig) -> tuple[str, str, str]:
    table = stored_name(pipeline.table) if pipeline.table else table_name(pipeline.stream)
    return stored_name(pipeline.database), stored_name(pipeline.schema_), table

"""Audits one pipeline: the table, the error table and the dead letters against every shard of the stream.

The table is read before the stream is read to its tip, so every row that is seen has its record among those that are seen,
or has none. Rows that name no shard of the stream are reported separately.
"""

import time
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from firnline_infra.audit.content_check import ContentComparison
from firnline_infra.audit.conversion import decoded_of, not_ingested_of, user_records_of
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.internal_state import (
    Counters,
    ReadCounters,
    columns_since,
    ledger_rows,
    not_stored,
    put_again,
    replayed_of,
    report_not_stored,
)
from firnline_infra.audit.left_out import LeftOutCheck, left_out_of
from firnline_infra.audit.mode import AuditMode, companions_of, target_of
from firnline_infra.audit.rejected import ErrorRows, letters_by_shard
from firnline_infra.audit.report import PipelineReport
from firnline_infra.audit.routed import OWN, AuditedTables, ContentOfTables
from firnline_infra.audit.shards import OutcomesByShard, PipelineSources, Sleep, audit_shards
from firnline_infra.audit.statements import Statements
from firnline_infra.audit.table import AuditedTable, TableInventory
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.rows import PipeRows, UnusableRecords
from firnline_ingest.dead_letters import open_store
from firnline_ingest.errors import LedgerError
from firnline_ingest.schemas import SchemaRegistries

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient
    from snowflake.connector import SnowflakeConnection

    from firnline_ingest.kinesis.lineage import Lineage
    from firnline_ingest.ledger.row import ShardRow

NO_SHARD = "(none)"
SKIPPED = (
    "records that can't be rows and are nowhere count as skipped; of those that are too large or too deep, or have keys that "
    "can't be columns, by the engine's own word."
)
PUT_AGAIN = (
    "The records of {:,} dead letters were put into the stream again (dead-letters replay --into-stream): they are records of "
    "their own there, and counted as such{}."
)
MAY_BE_PUT = "; of {:,} more nobody knows whether they are in it"
LEDGER_UNREAD = "The ledger can't be read ({}): what the query drops is held against nothing."
COLUMNS_UNREAD = (
    "When columns came can't be read ({}): a value of a record that is older than its column counts as changed."
)


@dataclass(frozen=True, kw_only=True)
class PipelineAudit:
    """One pipeline, and the clients and sessions that reach its stream and its table."""

    config: EngineConfig
    mode: AuditMode
    client: "KinesisClient"
    connection: "SnowflakeConnection"
    role: str
    window: AuditWindow
    server_ms: int
    """The stream's clock when the audit began."""
    also_holds: Set[str] = frozenset()
    """Streams whose rows the table may have beside those of the configuration's pipelines."""
    counters: ReadCounters | None = None
    """Reads how many rows were rejected, by the channels' counters; None where those are not looked at."""
    on_shard: Callable[[ShardFindings], None] = lambda _: None
    remarks: list[str] = field(default_factory=list, init=False)

    def run(self) -> PipelineReport:
        """Raises AuditError, DeadLetterError, or the fatal errors of Kinesis."""
        from firnline_ingest.kinesis.lineage import read_lineage

        tables = self._tables()
        rows = self._ledger_rows() if self.mode.has_query else {}  # before the tables, which have all that it counts
        counted = self.counters(self.pipeline.stream) if self.counters else []  # before what was kept
        inventory, errors = tables.inventory(), tables.error_rows()
        lineage = read_lineage(self.client, self.pipeline.stream)  # after the inventory, so that it has all its shards
        letters = self._letters(lineage)
        sources = self._sources(tables, lineage, errors, letters)
        if self.mode.has_query:
            left_out = left_out_of(self.config, lineage, rows, self.server_ms)
            sources = replace(sources, left_out=left_out, not_ingested=lambda _: None)
            known, unknown = put_again(self.config, lineage, letters)
            if known or unknown:
                self.remarks.append(PUT_AGAIN.format(known, MAY_BE_PUT.format(unknown) if unknown else ""))
        elif self.mode.pipe_rows is not PipeRows.ONE:
            sources = replace(sources, left_out=lambda _: LeftOutCheck.of_pipe(self.mode.pipe_rows))

        def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
            return replace(sources, sleep=sleep).audit(shard_id)

        shard_ids = {*lineage.shards, *letters}
        shard_ids |= {shard for found in inventory.values() for shard in found.shards}
        shard_ids |= {shard for found in errors.values() for shard in found.by_shard}
        shards = audit_shards(shard_ids, audit, on_shard=self.on_shard)
        unattributed = self._unattributed(tables, inventory, errors)
        if unattributed.problems:
            shards.append(unattributed)
        self._report_not_stored(shards, counted, tables, errors)
        return PipelineReport(
            stream=self.pipeline.stream,
            tables=tuple(tables.names.values()),
            window=self.window,
            looks_at_counters=self.counters is not None,
            compares_contents=self.mode.compares_contents,
            shards=shards,
            remarks=self._remarks(tables),
            unprovable=self.mode.unprovable,
        )

    @property
    def pipeline(self) -> PipelineConfig:
        return self.mode.pipeline

    @property
    def _into(self) -> dict[str, PipelineConfig]:
        """The pipeline of each route, as if all records went into its table."""
        return {OWN: self.pipeline, **self.pipeline.routed}

    def _tables(self) -> AuditedTables:
        def audited(pipeline: PipelineConfig) -> AuditedTable:
            return AuditedTable(self.connection, statements_of(pipeline), role=self.role)

        routed = self.pipeline.routed.items()
        return AuditedTables(audited(self.pipeline), {route: audited(into) for route, into in routed})

    def _unattributed(
        self, tables: AuditedTables, inventory: Mapping[str, TableInventory], errors: Mapping[str, ErrorRows]
    ) -> ShardFindings:
        """The rows of all tables that name no shard of the stream; a companion's are welcome in the tables that it fills too."""
        findings = ShardFindings(NO_SHARD)
        for route, label in tables.labels.items():
            expected = companions_of(self.config, self.pipeline, {target_of(self._into[route])}) | self.also_holds
            report_unattributed(findings, inventory[label], errors.get(label, ErrorRows()), expected, of=label)
        return findings

    def _sources(
        self, tables: AuditedTables, lineage: "Lineage", errors: Mapping[str, ErrorRows], letters: OutcomesByShard
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
        as_routed = self.mode.as_routed
        return PipelineSources(
            client=self.client,
            stream=self.pipeline.stream,
            listed=frozenset(lineage.shards),
            table=tables,
            elsewhere=(*(rows.by_shard for rows in errors.values()), letters),
            window=self.window,
            cutoff_at=cutoff,
            check=self._content_check(tables) if self.mode.compares_contents else None,
            not_ingested=not_ingested_of(self.config, as_routed, schemas),
            decoded=decoded_of(as_routed, schemas, tables.labels),
            taken_apart=partial(user_records_of, self.pipeline, lineage),
            replayed_into=replayed_of(self.config, lineage, tables.labels),
        )

    def _ledger_rows(self) -> "Mapping[str, ShardRow]":
        """The ledger's rows by shard id; empty where it can't be read, which the report says."""
        try:
            return ledger_rows(self.config, self.pipeline.stream)
        except LedgerError as error:
            self.remarks.append(LEDGER_UNREAD.format(error.what))
            return {}

    def _content_check(self, tables: AuditedTables) -> ContentOfTables:
        since = self._columns_since(tables)
        return ContentOfTables(
            {
                tables.labels[route]: ContentComparison(
                    self.pipeline.stream,
                    described.columns,
                    evolves=described.evolves,
                    metadata=self.pipeline.metadata,
                    is_transformed=bool(self.pipeline.transforms),
                    since_ms=since.get(tables.names[route], {}),
                )
                for route, described in tables.described.items()
            }
        )

    def _columns_since(self, tables: AuditedTables) -> Mapping[str, Mapping[str, int]]:
        made = {tables.names[route]: described.created_on for route, described in tables.described.items()}
        try:
            return columns_since(self.config, made)
        except LedgerError as error:
            self.remarks.append(COLUMNS_UNREAD.format(error.what))
            return {}

    def _letters(self, lineage: "Lineage") -> OutcomesByShard:
        """The dead letters by shard; empty where they are on a stream, which has no index."""
        if self.config.dead_letters.stream is not None:
            return {}
        return letters_by_shard(open_store(self.config), lineage.stream, lineage.stream_created_ms)

    def _report_not_stored(
        self,
        shards: list[ShardFindings],
        counted: Counters,
        tables: AuditedTables,
        errors: Mapping[str, ErrorRows],
    ) -> None:
        for route, label in tables.labels.items():
            kept, made = errors.get(label, ErrorRows()).by_channel, tables.described[route].created_on
            for channel, lacking in not_stored(counted, kept, target_of(self._into[route]), made):
                findings = next((each for each in shards if each.shard_id == channel.shard_id), None)
                if findings is None:
                    findings = ShardFindings(channel.shard_id)
                    shards.append(findings)
                report_not_stored(findings, channel, lacking)

    def _remarks(self, tables: AuditedTables) -> list[str]:
        remarks = [*self.mode.remarks, *self.remarks]
        for route, described in tables.described.items():
            if not described.logs_errors:
                table = f"The table {tables.labels[route]}".rstrip()
                remarks.append(f"{table} keeps no rejected rows (ERROR_LOGGING is off): one would count as missing.")
        places, are_filtered = self.config.dead_letters, SKIPPED
        if places.folder is not None and not places.folder.exists():
            folder = places.folder
            remarks.append(f"There is no folder {folder} on this machine: no dead letters were read.")
        if places.stream is not None:
            remarks.append(f"Dead letters go to the stream {places.stream}, which is not read here: {are_filtered}")
        if self.pipeline.on_error is UnusableRecords.SKIP:
            remarks.append(f"The pipeline skips unusable records: {are_filtered}")
        return remarks


def statements_of(pipeline: PipelineConfig) -> Statements:
    database, schema, table = target_of(pipeline)
    are_numbered = pipeline.format.makes_several_rows
    return Statements(database, schema, table, pipeline.stream, pipeline.metadata, are_numbered)


def report_unattributed(
    findings: ShardFindings, inventory: TableInventory, errors: ErrorRows, expected_streams: Set[str], of: str = ""
) -> None:
    """Foreign rows that name no shard of the stream, or a stream that is not among `expected_streams`. `of`: the table's name,
    where there are several.
    """
    table = f"table {of}".rstrip()
    unplaced = {table: inventory.without_position}
    for channel, count in sorted(errors.without_position.items()):
        unplaced[f"error {table}{f', by channel {channel},' if channel else ''}"] = count
    for place, count in unplaced.items():
        if count:
            detail = f"rows of the {place} without stream, shard or sequence number: {count:,}"
            findings.report(ProblemKind.UNEXPECTED, "", detail, times=count)
    for stream, count in sorted(inventory.other_streams.items()):
        if stream not in expected_streams:
            here = f"here ({of})" if of else "here"
            detail = f"rows of the stream {stream!r}, which the configuration doesn't bring {here}: {count:,}"
            findings.report(ProblemKind.UNEXPECTED, "", detail, times=count)

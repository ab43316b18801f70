"""Audits one pipeline: the table, the error table and the dead letters against every shard of the stream.

The table is read before the stream is read to its tip, so every row that is seen has its record among those that are seen,
or has none. Rows that name no shard of the stream are reported separately.
"""

import time
from collections.abc import Callable, Mapping, Sequence, Set
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
from firnline_infra.audit.rejected import ErrorRows, letters_by_shard
from firnline_infra.audit.replayed import replayed_of
from firnline_infra.audit.report import PipelineReport
from firnline_infra.audit.routed import OWN, AuditedTables, ContentOfTables
from firnline_infra.audit.shards import OutcomesByShard, PipelineSources, Sleep, audit_shards
from firnline_infra.audit.statements import Statements
from firnline_infra.audit.table import AuditedTable, TableInventory
from firnline_infra.audit.user_records import user_records_of
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.rows import MetadataForm, PartName, UnusableRecords
from firnline_ingest.dead_letters import open_store
from firnline_ingest.identifiers import stored_name, table_name
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
    knows_routes: bool = True
    """Whether the pipeline, as it is here, can say in which of its tables a record belongs."""
    also_holds: Set[str] = frozenset()
    """Streams whose rows the table may have beside those of the configuration's pipelines."""
    counters: ReadCounters | None = None
    """Asked where it is told how many rows were rejected and not kept."""
    on_shard: Callable[[ShardFindings], None] = lambda _: None
    remark: str | None = None
    """One more, before all others."""

    def run(self) -> PipelineReport:
        """Raises AuditError, DeadLetterError, or the fatal errors of Kinesis."""
        from firnline_ingest.kinesis.lineage import read_lineage

        refuse_unauditable(self.pipeline, self._companions)
        if path := absent_callable(self.pipeline, letters_are_seen=self.config.dead_letters.stream is None):
            as_it_came = self.pipeline.model_copy(update={"transforms": []})
            where = ", and nobody could say in which table they belong" if self.pipeline.routes else ""
            remark = (
                f"The callable {path} can't be imported here: rows were found by their places, their values not compared"
                f"{where}."
            )
            blind = replace(self, pipeline=as_it_came, compares_contents=False, knows_routes=False, remark=remark)
            return blind.run()
        if self.compares_contents and (self.pipeline.selects or self.pipeline.pipe):
            return replace(self, compares_contents=False, remark=BEHIND_A_SELECT).run()
        tables = self._tables()
        counted = self.counters(self.pipeline.stream) if self.counters else []  # before what was kept
        inventory, errors = tables.inventory(), tables.error_rows()
        lineage = read_lineage(self.client, self.pipeline.stream)  # after the inventory, so that it has all its shards
        letters = self._letters(lineage)
        sources = self._sources(tables, lineage, (*(rows.by_shard for rows in errors.values()), letters))

        def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
            return replace(sources, sleep=sleep).audit(shard_id)

        shard_ids = {*lineage.shards, *letters}
        shard_ids |= {shard for found in inventory.values() for shard in found.shards}
        shard_ids |= {shard for found in errors.values() for shard in found.by_shard}
        shards = audit_shards(shard_ids, audit, on_shard=self.on_shard)
        unattributed = self._unattributed(tables, inventory, errors)
        if unattributed.problems:
            shards.append(unattributed)
        self._report_unkept(shards, counted, tables, errors)
        return PipelineReport(
            stream=self.pipeline.stream,
            tables=tuple(tables.names.values()),
            window=self.window,
            looks_at_counters=self.counters is not None,
            compares_contents=self.compares_contents,
            shards=shards,
            remarks=self._remarks(tables),
        )

    @property
    def _into(self) -> dict[str, PipelineConfig]:
        """By route: as if all went into its table."""
        return {OWN: self.pipeline, **self.pipeline.routed}

    def _tables(self) -> AuditedTables:
        def audited(pipeline: PipelineConfig) -> AuditedTable:
            return AuditedTable(self.connection, statements_of(pipeline), role=self.role)

        routed = self.pipeline.routed.items()
        return AuditedTables(audited(self.pipeline), {route: audited(into) for route, into in routed})

    def _unattributed(
        self, tables: AuditedTables, inventory: Mapping[str, TableInventory], errors: Mapping[str, ErrorRows]
    ) -> ShardFindings:
        """Of all tables: a companion's rows are welcome in the tables that it fills too."""
        findings = ShardFindings(NO_SHARD)
        for route, mark in tables.marks.items():
            expected = self._companions_of({_target(self._into[route])}) | self.also_holds
            report_unattributed(findings, inventory[mark], errors.get(mark, ErrorRows()), expected, of=mark)
        return findings

    @property
    def _companions(self) -> Set[str]:
        """The other streams whose pipelines write into one of the same tables."""
        return self._companions_of(_targets(self.pipeline))

    def _companions_of(self, targets: Set[tuple[str, str, str]]) -> Set[str]:
        others = (each for each in self.config.pipelines if each.stream != self.pipeline.stream)
        return {each.stream for each in others if _targets(each) & targets}

    def _sources(
        self, tables: AuditedTables, lineage: "Lineage", elsewhere: Sequence[OutcomesByShard]
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
        as_routed = self.pipeline.model_copy(update={} if self.knows_routes else {"routes": None})
        return PipelineSources(
            client=self.client,
            stream=self.pipeline.stream,
            listed=frozenset(lineage.shards),
            table=tables,
            elsewhere=elsewhere,
            window=self.window,
            cutoff_at=cutoff,
            check=self._content_check(tables) if self.compares_contents else None,
            left_out=left_out_of(self.config, as_routed, schemas),
            decoded=decoded_of(as_routed, schemas, tables.marks),
            taken_apart=partial(user_records_of, self.pipeline, lineage),
            replayed_into=replayed_of(self.config, lineage, tables.marks),
        )

    def _content_check(self, tables: AuditedTables) -> ContentOfTables:
        return ContentOfTables(
            {
                tables.marks[route]: ContentComparison(
                    self.pipeline.stream,
                    described.columns,
                    evolves=described.evolves,
                    metadata=self.pipeline.metadata,
                    is_transformed=bool(self.pipeline.transforms),
                )
                for route, described in tables.described.items()
            }
        )

    def _letters(self, lineage: "Lineage") -> OutcomesByShard:
        """None where they are on a stream, which has no index."""
        if self.config.dead_letters.stream is not None:
            return {}
        return letters_by_shard(open_store(self.config), lineage.stream, lineage.stream_created_ms)

    def _report_unkept(
        self,
        shards: list[ShardFindings],
        counted: Counters,
        tables: AuditedTables,
        errors: Mapping[str, ErrorRows],
    ) -> None:
        for route, mark in tables.marks.items():
            kept, made = errors.get(mark, ErrorRows()).by_channel, tables.described[route].created_on
            for channel, lacking in unkept(counted, kept, _target(self._into[route]), made):
                findings = next((each for each in shards if each.shard_id == channel.shard_id), None)
                if findings is None:
                    findings = ShardFindings(channel.shard_id)
                    shards.append(findings)
                report_unkept(findings, channel, lacking)

    def _remarks(self, tables: AuditedTables) -> list[str]:
        remarks = [self.remark] if self.remark else []
        for route, described in tables.described.items():
            if not described.logs_errors:
                table = f"The table {tables.marks[route]}".rstrip()
                remarks.append(f"{table} keeps no rejected rows (ERROR_LOGGING is off): one would count as missing.")
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
    are_numbered = pipeline.format.makes_several_rows
    return Statements(database, schema, table, pipeline.stream, pipeline.metadata, are_numbered)


def refuse_unauditable(pipeline: PipelineConfig, companions: Set[str]) -> None:
    """Raises NotAuditable."""
    needed: list[PartName] = ["shard_id", "sequence_number"]
    needed += ["stream"] if companions else []
    needed += ["row"] if pipeline.format.makes_several_rows else []
    if lacking := [part for part in needed if not pipeline.metadata.is_on(part)]:
        raise NotAuditable(pipeline.stream, lacking, is_left_out=pipeline.metadata.form is MetadataForm.NONE)


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
            findings.report(ProblemKind.FOREIGN, "", detail, times=count)
    for stream, count in sorted(inventory.other_streams.items()):
        if stream not in expected_streams:
            here = f"here ({of})" if of else "here"
            detail = f"rows of the stream {stream!r}, which the configuration doesn't bring {here}: {count:,}"
            findings.report(ProblemKind.FOREIGN, "", detail, times=count)


def _targets(pipeline: PipelineConfig) -> Set[tuple[str, str, str]]:
    return {_target(each) for each in (pipeline, *pipeline.routed.values())}


def _target(pipeline: PipelineConfig) -> tuple[str, str, str]:
    table = stored_name(pipeline.table) if pipeline.table else table_name(pipeline.stream)
    return stored_name(pipeline.database), stored_name(pipeline.schema_), table

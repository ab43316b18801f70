"""Batches of letters by file: each is one file, which the pipe loads in whole or not at all (file_load.py).

A file's name is the batch's place in the journal and the digest of its rows, so every replay of it asks for the same name.
What the pipe forgets, or a pipe that was recreated, is a person's to decide: FileUnprovable.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.dead_letters.file_errors import FileUnprovable, PipeUnusable
from firnline_ingest.dead_letters.file_load import REMEMBERED, FileLoads, Loading, utc_now
from firnline_ingest.dead_letters.file_pipe import FileTarget, account_snowpipe, pipe_created
from firnline_ingest.dead_letters.journal import Batch, BatchHeader, Outcome
from firnline_ingest.dead_letters.letter import path_name
from firnline_ingest.dead_letters.presence import Lacking, SentBatch
from firnline_ingest.dead_letters.transport import BY_FILE, OpenTransport, Proof, ReplayTable, tables_of
from firnline_ingest.identifiers import written_name
from firnline_ingest.ledger.row import Proven
from firnline_ingest.snowflake.channel import ShardChannel
from firnline_ingest.snowflake.listing import Statements
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import TargetTable

FILE_ROW_BYTES = 16_000_000
"""The largest row that is put into a file: as much as all rows of a record may have (records/rows.py)."""
ROUNDS = (1_000, 30, 1)
"""Letters a file: one that is refused leaves all of them dead letters, which then go in smaller company."""


class _NoChannel:
    """A file needs none."""

    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class FileTransport:
    """Carries one shard's replay into one table by files, in place of a ChannelTransport."""

    loads: FileLoads
    target: TargetTable
    channel: str
    pipe_created_ms: int
    now: Callable[[], datetime] = utc_now

    def lacking(self, sent: Sequence[SentBatch]) -> Lacking:
        """A file that the table's own load history has is in the table. One that it has not is unknown: the history is kept for
        14 days, and that a replica has all of it is not established.
        """
        proven = [each for each in sent if each.outcome is Outcome.PROVEN and not each.is_lost]
        return Lacking(unknown=frozenset(each.number for each in proven if not self._is_loaded(each)))

    def _is_loaded(self, batch: SentBatch) -> bool:
        begun = datetime.fromtimestamp(batch.header.begun_ms / 1000, UTC)
        if self.now() - begun > REMEMBERED:
            return False
        load = self.loads.snowpipe.history(path_of(batch.header, batch.digest), begun)
        return load is not None and (load.status, load.rows) == (Loading.LOADED, batch.rows)

    def open(self, last: Batch | None, counters: Proven | None) -> OpenTransport:
        """Opens the transport for a new batch; Snowflake is not asked anything."""
        return self._opened()

    def load(self, batch: Batch, opened: OpenTransport | None = None) -> Proof:
        """Returns when every row of the batch is in the table once, or none is: then all are reported as rejected.

        Raises FileUnprovable, FileUnproven, FilesNotStaged, FilesRefused.
        """
        path = path_of(batch.header, batch.digest)
        if batch.header.channel_created_ms != self.pipe_created_ms:
            raise FileUnprovable(
                self.loads.snowpipe.pipe, path, "it was recreated since, and has forgotten what it loaded"
            )
        begun = datetime.fromtimestamp(batch.header.begun_ms / 1000, UTC)
        load = self.loads.load(path, batch.rows, begun=begun)
        rejected = 0 if load.status is Loading.LOADED else len(batch.rows)
        return Proof(self._opened(), rejected, load.message if rejected else "")

    def _opened(self) -> OpenTransport:
        begun_ms = round(self.now().timestamp() * 1000)
        nothing = cast("ShardChannel", _NoChannel())  # all that is done with it is to close it
        return OpenTransport(nothing, self.pipe_created_ms, Proven(None, 0, 0), begun_ms=begun_ms)


def path_of(header: BatchHeader, digest: int) -> str:
    folder = f"{path_name(header.stream)}/{header.stream_created_ms}/{path_name(header.shard_id)}"
    return f"{folder}/{header.number}-{digest}.json.gz"


def file_tables(
    config: EngineConfig, pipeline: PipelineConfig, own: TargetState, session: Statements
) -> Mapping[str, ReplayTable]:
    """The tables of the pipeline that have a stage and a pipe, keyed as `replay_tables`. Raises PipeUnusable if none has,
    and what `_file_transport` raises."""
    found: dict[str, ReplayTable] = {}
    unusable: list[PipeUnusable] = []
    for name, state in tables_of(own).items():
        try:
            found[name] = ReplayTable(_file_transport(config, pipeline, state, session), keeps_rejected=False)
        except PipeUnusable as error:
            unusable.append(error)
    if not found:
        raise unusable[0]
    return found


def _file_transport(
    config: EngineConfig, pipeline: PipelineConfig, state: TargetState, session: Statements
) -> FileTransport:
    """Raises PipeUnusable, FilesExtraMissing, and what asking Snowflake raises."""
    target = FileTarget(state.target.database, state.target.schema, state.target.table)
    if pipeline.pipe is not None:
        pipe = written_name(state.target.table)
        raise PipeUnusable(
            target.pipe, f"the rows of {pipe} go through {pipeline.pipe}, which may make other columns of them"
        )
    created = pipe_created(session, target)
    loads = FileLoads(account_snowpipe(config, target, session))
    return FileTransport(
        loads=loads,
        target=state.target,
        channel=f"{BY_FILE}{target.pipe}",
        pipe_created_ms=round(created.timestamp() * 1000),
    )


def by_file(pipeline: PipelineConfig) -> PipelineConfig:
    """The pipeline with the row limit of files, which is larger than that of streamed rows."""
    return pipeline.model_copy(update={"max_row_bytes": max(pipeline.max_row_bytes, FILE_ROW_BYTES)})

"""The mode in which a pipeline is audited here: whether it can be, by which conversion, and whether values and routes
are compared.

Where a pipeline's callable can't be imported, an audit finds rows by their places alone, where that is enough.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from firnline_infra.audit.errors import CallableAbsent, NotAuditable, QueryUnaudited
from firnline_ingest.config.callables import CallableUnusable, load_callable
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.rows import MetadataForm, PartName, PipeRows, UnusableRecords
from firnline_ingest.config.transform import called_by
from firnline_ingest.identifiers import stored_name, table_name

Target = tuple[str, str, str]
"""Database, schema and table, as they are stored."""
BELIEVED = "The callable {} was called here too: what it returns is believed, and nothing is proven of its own code."
BEHIND_A_SELECT = "A SELECT may take values out of records: rows were found by their places, their values not compared."

THE_PIPE_DROPS = (
    "The pipe may drop rows (pipe.rows: {}): a record that is in no table and no dead letter is not provable by its absence. It "
    "counts as skipped, and is lost where the pipe did not drop it."
)
THE_PIPE_MULTIPLIES = (
    "The pipe may make several rows of a record: each row was held by its record's position. How many rows a record has to "
    "have is not proven, so that a row of one that has others may be lost or doubled."
)
BEHIND_A_QUERY = (
    "The pipeline's query was not run here: each row and each dead letter is one record's of the stream, and no record has two; "
    "the records that have neither are those that the engine's ledger says the query dropped, where it can tell. That the query "
    "has to drop them is the engine's word. Values were not compared."
)


@dataclass(frozen=True, kw_only=True)
class AuditMode:
    """Abilities of an audit of one pipeline where it runs."""

    pipeline: PipelineConfig
    """The pipeline by which records are converted here: without its transforms where one of them can't be imported, and without
    its query."""
    compares_contents: bool
    knows_routes: bool = True
    """True if the pipeline, as it is here, can say in which of its tables a record belongs."""
    remarks: tuple[str, ...] = ()
    has_query: bool = False
    """True if a record that is nowhere is held against what the ledger says that the pipeline's query dropped."""

    @property
    def pipe_rows(self) -> PipeRows:
        return self.pipeline.pipe_rows

    @property
    def unprovable(self) -> str:
        """Names what no audit of the pipeline can prove, whatever it finds; empty where there is nothing such."""
        return "how many rows the pipe has to make of a record" if self.pipe_rows is PipeRows.SEVERAL else ""

    @classmethod
    def of(cls, config: EngineConfig, pipeline: PipelineConfig, *, contents: bool) -> "AuditMode":
        """`contents`: whether values are to be compared. Raises NotAuditable, QueryUnaudited or CallableAbsent."""
        refuse_unauditable(pipeline, companions_of(config, pipeline, targets_of(pipeline)))
        if pipeline.query is not None:
            if pipeline.format.makes_several_rows:
                raise QueryUnaudited(pipeline.stream)
            unqueried = pipeline.model_copy(update={"query": None, "transforms": []})
            return cls(pipeline=unqueried, compares_contents=False, remarks=(BEHIND_A_QUERY,), has_query=True)
        if path := absent_callable(pipeline, letters_are_seen=config.dead_letters.stream is None):
            as_it_came = pipeline.model_copy(update={"transforms": []})
            where = ", and nobody could say in which table they belong" if pipeline.routes else ""
            remark = (
                f"The callable {path} can't be imported here: rows were found by their places, their values not compared"
                f"{where}."
            )
            remarks = (remark, *_of_pipe(pipeline))
            return cls(pipeline=as_it_came, compares_contents=False, knows_routes=False, remarks=remarks)
        remarks = (*map(BELIEVED.format, called_by(pipeline.transforms)), *_of_pipe(pipeline))
        if contents and (pipeline.pipe_selects or pipeline.pipe):
            return cls(pipeline=pipeline, compares_contents=False, remarks=(*remarks, BEHIND_A_SELECT))
        return cls(pipeline=pipeline, compares_contents=contents, remarks=remarks)

    @property
    def as_routed(self) -> PipelineConfig:
        """The pipeline as records are converted, without routes where nobody knows them."""
        return self.pipeline if self.knows_routes else self.pipeline.model_copy(update={"routes": None})


def _of_pipe(pipeline: PipelineConfig) -> Iterator[str]:
    if pipeline.pipe_rows is not PipeRows.ONE:
        yield THE_PIPE_DROPS.format(pipeline.pipe_rows)
    if pipeline.pipe_rows is PipeRows.SEVERAL:
        yield THE_PIPE_MULTIPLIES


def absent_callable(pipeline: PipelineConfig, *, letters_are_seen: bool = True) -> str | None:
    """The first that can't be imported here; None where all can be, or there are none.

    Raises CallableAbsent where without it nobody can tell which records are intentionally not ingested.
    """
    for path in called_by(pipeline.transforms):
        try:
            load_callable(path)
        except CallableUnusable as error:
            if reasons := list(_undecidable(pipeline, letters_are_seen)):
                raise CallableAbsent(pipeline.stream, path, reasons[0]) from error
            return path
    return None


def _undecidable(pipeline: PipelineConfig, letters_are_seen: bool) -> Iterator[str]:
    if any(transform.leaves_records_out for transform in pipeline.transforms):
        yield "the pipeline's transforms leave records out"
    if pipeline.on_error is UnusableRecords.SKIP or not letters_are_seen:
        yield "records that can't be rows are nowhere"
    if pipeline.format.makes_several_rows:
        yield "a record is several rows"


def refuse_unauditable(pipeline: PipelineConfig, companions: Set[str]) -> None:
    """Raises NotAuditable."""
    needed: list[PartName] = ["shard_id", "sequence_number"]
    needed += ["stream"] if companions else []
    needed += ["row"] if pipeline.format.makes_several_rows else []
    if lacking := [part for part in needed if not pipeline.metadata.is_on(part)]:
        raise NotAuditable(pipeline.stream, lacking, is_left_out=pipeline.metadata.form is MetadataForm.NONE)


def companions_of(config: EngineConfig, pipeline: PipelineConfig, targets: Set[Target]) -> Set[str]:
    """The other streams whose pipelines write into one of these tables."""
    others = (each for each in config.pipelines if each.stream != pipeline.stream)
    return {each.stream for each in others if targets_of(each) & targets}


def targets_of(pipeline: PipelineConfig) -> Set[Target]:
    return {target_of(each) for each in (pipeline, *pipeline.routed.values())}


def target_of(pipeline: PipelineConfig) -> Target:
    table = stored_name(pipeline.table) if pipeline.table else table_name(pipeline.stream)
    return stored_name(pipeline.database), stored_name(pipeline.schema_), table

"""Where a pipeline's callable can't be imported, an audit finds rows by their places alone, where that is enough."""

from collections.abc import Iterator

from firnline_infra.audit.errors import CallableAbsent
from firnline_ingest.config.callables import CallableUnusable, load_callable
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.config.transform import called_by


def absent_callable(pipeline: PipelineConfig, *, letters_are_seen: bool = True) -> str | None:
    """The first that can't be imported here; None where all can be, or there are none.

    Raises CallableAbsent where without it nobody can tell which records are rightly nowhere.
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
    if pipeline.unusable_records is UnusableRecords.SKIP or not letters_are_seen:
        yield "records that can't be rows are nowhere"
    if pipeline.format.makes_several_rows:
        yield "a record is several rows"

"""What a transform is where it runs, and what it is told of a record beside its content."""

from collections.abc import Callable
from typing import NamedTuple

from firnline_ingest.kinesis.page import Record
from firnline_ingest.transforms.document import Document


class Origin(NamedTuple):
    """Where a record comes from."""

    stream: str
    shard_id: str
    record: Record


Apply = Callable[[Document, Origin], None]
"""Changes the document. Raises Filtered and Untransformable, and nothing else: whatever JSON it is given."""

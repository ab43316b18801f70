"""Shows that rows can go by file from this machine: the package, the pipe, the stage, and the way to where Snowflake keeps it."""

import gzip
import tempfile
from pathlib import Path

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.dead_letters.file_transport import FileTransport, file_tables
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.snowflake.target import TargetState

FOLDER, LABEL = "firnline-validate", "label.json.gz"


def probe_files(config: EngineConfig, pipeline: PipelineConfig, state: TargetState) -> str:
    """Puts a file into each stage and removes it again; nothing is submitted, so nothing is loaded. Returns the pipes.

    Raises FilesExtraMissing, PipeUnusable, FilesNotStaged, FilesRefused, and what reading the key and asking Snowflake raises.
    """
    own = config.logged_in_for(pipeline)
    session = SqlSession(own)
    try:
        found = [each.transport for each in file_tables(own, pipeline, state, session).values()]
        pipes = [_probed(each) for each in found if isinstance(each, FileTransport)]
    finally:
        session.close()
    return ", ".join(pipes)


def _probed(transport: FileTransport) -> str:
    snowpipe = transport.loads.snowpipe
    with tempfile.TemporaryDirectory(prefix="firnline-") as place:
        file = Path(place, LABEL)
        file.write_bytes(gzip.compress(b"", mtime=0))
        snowpipe.put(file, FOLDER)
    snowpipe.remove(f"{FOLDER}/{LABEL}")
    snowpipe.report(f"{FOLDER}/{LABEL}")
    return snowpipe.pipe

"""Commands on a lane of the foreign servers, in this process, and what they left."""

import contextlib
import io
from collections.abc import Mapping

from firnline_infra.audit import ReaderUser, audit
from firnline_infra.audit.report_text import report_text
from firnline_ingest.__main__ import main as engine_command
from firnline_ingest.config.load import load_config
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.ledger.row import ShardRow
from tests.foreign.conftest import ForeignLane


def command(lane: ForeignLane, *arguments: str) -> tuple[int, str]:
    """An engine's command, in this process: its exit status and all that it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = engine_command([*arguments, "--config", str(lane.config_file)])
    return status, said.getvalue()


def rows_of(lane: ForeignLane) -> Mapping[str, ShardRow]:
    """The ledger's, by shard."""
    config = load_config(lane.config_file)
    return open_ledger(config).rows(read_lineage(kinesis_client(config.aws), lane.name).incarnation)


def proven_records(lane: ForeignLane, *, migrated: bool = False) -> int:
    """Returns what the audit has proven, values and all."""
    login = lane.environment.logins["reader"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
    report = audit(load_config(lane.config_file), reader, content=True, migrated=migrated)
    assert report.exit_status == 0, report_text(report)
    return report.pipelines[0].totals.records

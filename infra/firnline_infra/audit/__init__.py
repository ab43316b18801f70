"""Proves that every record of a stream is in its table, its error table or the dead letters, once.

The engine's ledger and checkpoint are not read. `audit` (proof.py) audits each pipeline (pipeline.py), and there each shard
(shards.py): comparison.py walks along the records of the stream (shard_scan.py) and what became of them (table.py,
rejected.py) in the order of positions, and counts what it finds (findings.py, report.py).
"""

from firnline_infra.audit.proof import audit
from firnline_infra.audit.reader_user import ReaderUser
from firnline_infra.audit.report import AuditReport, PipelineReport

__all__ = ["AuditReport", "PipelineReport", "ReaderUser", "audit"]

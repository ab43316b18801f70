"""The proof that every record of a stream is where it belongs, once: stream against table, without the engine's books."""

from firnline_infra.audit.proof import audit
from firnline_infra.audit.reader_user import ReaderUser
from firnline_infra.audit.report import AuditReport, PipelineReport

__all__ = ["AuditReport", "PipelineReport", "ReaderUser", "audit"]

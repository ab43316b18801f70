"""Metrics that an operator watches, made of receipts."""

from firnline_ingest.metrics.engine_metrics import EngineMetrics
from firnline_ingest.metrics.time_to_trim import Unread

__all__ = ["EngineMetrics", "Unread"]

"""What an operator watches: receipts as metrics."""

from firnline_ingest.metrics.embedded import EmbeddedMetrics

__all__ = ["EmbeddedMetrics"]

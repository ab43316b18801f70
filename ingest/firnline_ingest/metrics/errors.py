"""Errors by which figures go nowhere, while records do."""

from firnline_ingest.errors import EnvironmentalError, Retryable


class MetricsUnavailable(EnvironmentalError, Retryable):
    """Figures can't be published; the engine goes on. Runbook: FL-5601."""

    id = "FL-5601"
    causes = (
        "Figures can't be published: the package of `metrics.prometheus` or `metrics.opentelemetry` is not installed "
        "where the driver runs, or the port is taken. Records go on; it is said once a run (`metrics.unavailable`), "
        "and tried again with each epoch"
    )
    remedy = "[metrics.md](metrics.md) says what each needs"

    def __init__(self, backend: str, error: Exception) -> None:
        missing = isinstance(error, ImportError)
        super().__init__(
            f"The figures can't be given to {backend}: {type(error).__name__}: {error}",
            next_step=f"pip install 'firnline-ingest[{backend}]' where the driver runs, or take metrics.{backend} out of the "
            "configuration; `firnline deploy` builds an archive that has it."
            if missing
            else f"look at metrics.{backend} of the configuration: an address or a port that something else has. It is tried "
            "again with each epoch.",
        )

"""Errors by which figures go nowhere, while records do."""

from firnline_ingest.errors import EnvironmentalError, Retryable, declared


@declared
class MetricsUnavailable(EnvironmentalError, Retryable):
    """Figures can't be published; the engine goes on. Runbook: FL-5601."""

    backend: str
    error: Exception

    id = "FL-5601"
    message = "The figures can't be given to {backend}: {reason}"
    next_step = "{advice}"
    causes = (
        "Figures can't be published: the package of `metrics.prometheus` or `metrics.opentelemetry` is not installed "
        "where the driver runs, or the port is taken. Records go on; it is said once a run (`metrics.unavailable`), "
        "and tried again with each epoch"
    )
    remedy = "[metrics.md](metrics.md) says what each needs"

    @property
    def reason(self) -> str:
        return f"{type(self.error).__name__}: {self.error}"

    @property
    def advice(self) -> str:
        return (
            f"pip install 'firnline-ingest[{self.backend}]' where the driver runs, or take metrics.{self.backend} out of "
            "the configuration; `firnline deploy` builds an archive that has it."
            if isinstance(self.error, ImportError)
            else f"look at metrics.{self.backend} of the configuration: an address or a port that something else has. It is "
            "tried again with each epoch."
        )

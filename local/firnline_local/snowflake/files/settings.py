"""What a test may change about the loading of files while it runs."""

from dataclasses import dataclass


@dataclass
class FileSettings:
    load_lag_ms: int = 100
    """Between a file's submission and its rows in the table. The real service takes a minute or so."""
    hold_loads: bool = False
    """Nothing is loaded while this is on."""
    forgets_failures: bool = False
    """Whether a name that could not be loaded is tried again when it is submitted again: no page says."""
    scans_per_minute: int = 6
    """Of loadHistoryScan, a pipe; above it the answer is 429. The real limits are not published."""
    submissions_per_minute: int = 600
    """Of insertFiles, a pipe."""

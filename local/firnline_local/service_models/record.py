"""A list of what was asked of the embedded AWS and who judged it, for whoever sets FIRNLINE_REQUESTS to a folder.

Each process writes a file of its own: one line of JSON for each service, operation and set of fields, and one for each
violation.
"""

import json
import os
from pathlib import Path
from threading import Lock
from typing import Any

VARIABLE = "FIRNLINE_REQUESTS"


class RequestRecord:
    """Thread-safe. Without the variable it keeps nothing."""

    def __init__(self) -> None:
        self._lines: set[str] = set()
        self._lock = Lock()

    def note(self, **found: Any) -> None:
        folder = os.environ.get(VARIABLE)
        if not folder:
            return
        line = json.dumps(found, sort_keys=True)
        with self._lock:
            if line in self._lines:
                return
            self._lines.add(line)
            Path(folder).mkdir(parents=True, exist_ok=True)
            with Path(folder, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")

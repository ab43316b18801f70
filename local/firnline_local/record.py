"""Records of what the embedded services were asked, for whoever sets a variable of the environment to a folder.

FIRNLINE_REQUESTS keeps the requests of AWS and who judged them (service_models), FIRNLINE_STATEMENTS the SQL that was
carried out (snowflake, runtimes/redshift). Each process writes a file of its own, one line of JSON for each different note.
"""

import json
import os
from pathlib import Path
from threading import Lock
from typing import Any

REQUESTS, STATEMENTS = "FIRNLINE_REQUESTS", "FIRNLINE_STATEMENTS"


class ServiceRecord:
    """Thread-safe. Without its variable it keeps nothing."""

    def __init__(self, variable: str) -> None:
        self._variable = variable
        self._lines: set[str] = set()
        self._lock = Lock()

    @property
    def is_kept(self) -> bool:
        return bool(os.environ.get(self._variable))

    def note(self, **found: Any) -> None:
        folder = os.environ.get(self._variable)
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


CARRIED_OUT = ServiceRecord(STATEMENTS)
"""The statements that an embedded database carried out, by its dialect."""

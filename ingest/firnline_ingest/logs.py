"""Structured logs: one JSON object a line on standard error, the same from the driver and from the tasks.

Secrets have types of their own that do not print; the filter here is the second line: it redacts by shape.
"""

import json
import logging
import re
import sys
from datetime import UTC, datetime

STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
SECRET_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"  # a PEM key
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"  # a JWT
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"  # an AWS access key id
    r"|(?i:(?:secret|password|token|private_key)\w*[\"']?\s*[=:]\s*[\"']?)[^\s\"',}]{6,}",
    re.DOTALL,
)


class JsonLines(logging.Formatter):
    """Fields given as `extra` become keys; values that JSON lacks become text."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in STANDARD},
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return redacted(json.dumps(line, default=str, ensure_ascii=False))


def redacted(text: str) -> str:
    """`text` without what looks like a key, a token or a password."""
    return SECRET_SHAPES.sub("[redacted]", text)


def configure_logs(level: str = "INFO") -> None:
    """Idempotent; leaves every logger but ours as it is."""
    ours = logging.getLogger("firnline_ingest")
    if not ours.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonLines())
        ours.addHandler(handler)
        ours.propagate = False
    ours.setLevel(level)

"""Recognition of the connector that a file is of, by what is in it."""

import json
import re
from pathlib import Path
from typing import Any

from firnline_infra.specification.other_connectors.flink import creates_a_table, from_flink
from firnline_infra.specification.other_connectors.kafka import from_kafka
from firnline_infra.specification.other_connectors.openflow import from_openflow, parameters_of
from firnline_infra.specification.other_connectors.taken_over import TakenOver
from firnline_ingest.errors import ConfigError

PROPERTY = re.compile(r"^\s*([^#!=:\s][^=]*?)\s*[=]\s*(.*?)\s*$")
CONTINUED = re.compile(r"\\\r?\n[ \t]*")
"""A property goes on behind it: the key of the connector for Kafka is written so, and none of its lines is a property."""
PEM = re.compile(r"-----BEGIN [A-Z ]+-----.*?(-----END [A-Z ]+-----|\Z)", re.DOTALL)
EXPECTED = (
    "expected a CREATE TABLE of Flink's Kinesis connector, the JSON or properties of Snowflake's Kafka connector, or the "
    "parameters of Openflow's Kinesis connector (a parameter context, a flow definition, or NAME = VALUE)"
)


def take_over(path: Path) -> TakenOver:
    """Raises ConfigError with all that keeps the file from becoming a specification."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(str(path), [f"can't be read: {error}"]) from error
    found = _read(text, path)
    if found.problems:
        raise ConfigError(str(path), found.problems)
    return found


def _read(text: str, path: Path) -> TakenOver:
    if creates_a_table(text):
        return from_flink(text)
    options = _document(text, path)
    if parameters := parameters_of(options):
        return from_openflow(parameters)
    inner = options.get("config")
    config = inner if isinstance(inner, dict) else options
    if any(name.startswith("snowflake.") or name in ("topics", "topics.regex") for name in config):
        return from_kafka(config)
    raise ConfigError(str(path), [f"is not a configuration that this command knows; {EXPECTED}"])


def _document(text: str, path: Path) -> dict[str, Any]:
    if text.lstrip().startswith(("{", "[")):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(str(path), [f"is not valid JSON: {error}"]) from error
        if not isinstance(found, dict):
            raise ConfigError(str(path), [f"is a JSON array; {EXPECTED}"])
        return found
    lines = (PROPERTY.match(line) for line in CONTINUED.sub("", PEM.sub("", text)).splitlines())
    return {line[1]: line[2] for line in lines if line}

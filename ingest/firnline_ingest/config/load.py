"""Reads an engine's configuration from its file."""

import json
from pathlib import Path

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError


def load_config(path: Path) -> EngineConfig:
    """Raises ConfigError for a file that is missing, is not JSON, or does not describe an engine."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(str(path), [f"can't be read: {error.strerror}"]) from error
    except ValueError as error:
        raise ConfigError(str(path), [f"is not JSON: {error}"]) from error
    return parse(EngineConfig, document, str(path))

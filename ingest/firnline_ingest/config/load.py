"""Reads an engine's configuration from its file."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError, DocumentMissing

MAKES_ONE = "give the path of an engine's configuration, which `firnline outputs ENV --engine-config` prints."


def load_config(path: Path) -> EngineConfig:
    """Raises DocumentMissing, and ConfigError for a file that can't be read, is not JSON, or does not describe an engine."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise DocumentMissing(str(path), MAKES_ONE) from error
    except OSError as error:
        raise ConfigError(str(path), [f"can't be read: {error.strerror}"]) from error
    return parse_config(content, str(path))


def parse_config(content: bytes, source: str) -> EngineConfig:
    """`source` is what errors call it. Raises ConfigError, as `load_config`."""
    try:
        document = json.loads(content, object_pairs_hook=_once)
    except RecursionError as error:
        raise ConfigError(source, ["is not JSON: it is nested too deeply"]) from error
    except ValueError as error:
        raise ConfigError(source, [f"is not JSON: {error}{_is_specification(source)}"]) from error
    return parse(EngineConfig, document, source)


def _is_specification(source: str) -> str:
    """The end of the sentence about a file that is probably an environment's."""
    is_yaml = source.endswith((".yaml", ".yml"))
    return "; an environment's specification is given as ENV, without --config" if is_yaml else ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON itself would silently take the last of two. Raises ValueError."""
    members = dict(pairs)
    if len(members) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{name!r} is given twice")
    return members

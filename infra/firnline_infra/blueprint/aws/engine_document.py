"""The engine's configuration as an object in a bucket, under the hash of its content.

An unchanged configuration is the same object, so a job that runs with it needs no restart; a changed one is another.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from firnline_infra.blueprint.value import Deferred, Value
from firnline_ingest.config import EngineConfig
from firnline_ingest.config.document import parse


@dataclass(frozen=True, kw_only=True)
class EngineDocument:
    content_type: ClassVar[str] = "application/json"

    document: Mapping[str, Any] | Deferred
    """What `firnline_ingest.config` reads."""
    bucket: Value | None = None
    """The bucket's name; where absent, the document is an output and no more."""
    folder: str = "engine/"
    """Ends with a slash."""


def document_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2) + "\n"


def document_hash(document: Mapping[str, Any]) -> str:
    """The engine's own, which it logs at its start. Raises ConfigError for what the engine would not take."""
    return parse(EngineConfig, dict(document), "engine.json").content_hash

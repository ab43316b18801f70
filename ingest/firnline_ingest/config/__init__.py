"""The engine's configuration: model, loader, errors."""

from firnline_ingest.config.load import load_config
from firnline_ingest.config.model import EngineConfig

__all__ = ["EngineConfig", "load_config"]

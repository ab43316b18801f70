"""Pure functions from the specification to what must exist. Imports no SDK and calls nothing."""

from firnline_infra.blueprint.engine_config import EngineInputs, engine_config
from firnline_infra.blueprint.environment import Blueprint, blueprint_of

__all__ = ["Blueprint", "EngineInputs", "blueprint_of", "engine_config"]

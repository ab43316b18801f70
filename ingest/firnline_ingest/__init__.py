"""The engine: Amazon Kinesis to Snowflake on Spark, every record exactly once.

What `__all__` names is promised, together with `python -m firnline_ingest`, the engine.json that EngineConfig describes and
the ids of the errors: it changes only with a major version. Every other module is the engine's own business and may change
with any release.

Names are loaded when they are asked for, so that importing the package stays as light as its least part.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firnline_ingest.config.load import load_config
    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.dead_letters import DeadLetter, DeadLetterKey, DeadLetterStore, LocalFolder
    from firnline_ingest.errors import (
        ConfigError,
        CredentialsError,
        DeadLetterError,
        EnvironmentalError,
        Fatal,
        FirnlineError,
        KinesisError,
        LedgerError,
        Retryable,
        SchemaRegistryError,
        SnowflakeError,
        UsageError,
    )

__all__ = [
    "ConfigError",
    "CredentialsError",
    "DeadLetter",
    "DeadLetterError",
    "DeadLetterKey",
    "DeadLetterStore",
    "EngineConfig",
    "EnvironmentalError",
    "Fatal",
    "FirnlineError",
    "KinesisError",
    "LedgerError",
    "LocalFolder",
    "Retryable",
    "SchemaRegistryError",
    "SnowflakeError",
    "UsageError",
    "load_config",
]

_HOMES = {
    "DeadLetter": "dead_letters",
    "DeadLetterStore": "dead_letters",
    "EngineConfig": "config.model",
    "DeadLetterKey": "dead_letters",
    "LocalFolder": "dead_letters",
    "load_config": "config.load",
}
"""Where a name is at home; the others are errors."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

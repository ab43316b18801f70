"""Permissions that an engine needs, by what it is configured to do."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from firnline_ingest.config.format import registries_of
from firnline_ingest.config.reader import registered_by_engine
from firnline_ingest.permissions.aws import PERMISSIONS
from firnline_ingest.permissions.permission import Feature, Permission

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig

ALWAYS = frozenset({Feature.STREAMS, Feature.LEDGER})


def features_of(config: "EngineConfig", *, beside: Collection[Feature] = ()) -> frozenset[Feature]:
    """Returns what `config` switches on. `beside` is what it does not say: which keys there are, where the job's files lie."""
    formats = [options.format for options in (*config.pipelines, *config.patterns)]
    logins = [registry.login for registry in registries_of(formats) if registry.login]
    if config.proxy is not None and config.proxy.login is not None:
        logins.append(config.proxy.login)
    switches = {
        Feature.POLLING: bool(config.patterns) or any(pipeline.reader == "polling" for pipeline in config.pipelines),
        Feature.STREAM_PATTERNS: bool(config.patterns),
        Feature.FAN_OUT: config.subscribes,
        Feature.REGISTRATION: any(
            registered_by_engine(pipeline.reader, config.application) for pipeline in config.pipelines
        ),
        Feature.LEDGER_CREATION: config.ledger.create,
        Feature.SECRET: any(login.private_key.secret_arn for login in config.logins),
        Feature.GLUE_REGISTRY: any(each.asks_glue for each in formats),
        Feature.REGISTRY_LOGIN: any(login.secret_arn for login in logins),
        Feature.REGISTRY_LOGIN_KEY: any(login.secret_key_arn for login in logins),
        Feature.S3_DEAD_LETTERS: config.dead_letters.s3 is not None,
        Feature.S3_OVERSIZE_ROWS: config.dead_letters.s3 is not None and config.goes_by_file,
        Feature.STREAM_DEAD_LETTERS: config.dead_letters.stream is not None,
        Feature.S3_CHECKPOINT: config.spark.checkpoint.partition("://")[0] in ("s3", "s3a"),
    }
    return ALWAYS | {feature for feature, is_on in switches.items() if is_on} | set(beside)


def required(features: Collection[Feature]) -> tuple[Permission, ...]:
    """The permissions of these features: by service, then in the order in which the engine needs them."""
    on = ALWAYS | set(features)
    return tuple(permission for permission in PERMISSIONS if permission.is_needed(on))

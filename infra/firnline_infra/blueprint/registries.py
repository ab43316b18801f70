"""The schema registries that an environment's formats name: what its engine has to be allowed, and where they are; and the logins
that it needs beside Snowflake's and AWS's, the proxy's among them."""

from collections.abc import Iterable

from firnline_infra.environment import Environment
from firnline_ingest.config.format import registries_of
from firnline_ingest.config.registries import ConfluentRegistry, RegistryLogin


def uses_glue(environment: Environment) -> bool:
    """Returns whether records name schemas of Glue's registry."""
    return any(pipeline.format.asks_glue for pipeline in environment.pipelines)


def registries(environment: Environment) -> tuple[ConfluentRegistry, ...]:
    """The registries with Confluent's API."""
    return registries_of(pipeline.format for pipeline in environment.pipelines)


def login_secrets(environment: Environment) -> tuple[str, ...]:
    return _unique(login.secret_arn for login in _logins(environment))


def login_keys(environment: Environment) -> tuple[str, ...]:
    """The keys of secrets that are encrypted with a customer's key."""
    return _unique(login.secret_key_arn for login in _logins(environment))


def _logins(environment: Environment) -> list[RegistryLogin]:
    own = [environment.proxy.login] if environment.proxy is not None and environment.proxy.login is not None else []
    return [*(registry.login for registry in registries(environment) if registry.login), *own]


def _unique(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in found if one is not None))

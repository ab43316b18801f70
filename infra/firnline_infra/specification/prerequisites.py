"""Prerequisites of an environment, before anything of it is created. The programs and `firnline up` ask this first."""

from firnline_infra.specification.errors import EncryptionKeyMissing, KeysMissing
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.service_users import NamedUser, service_users


def check_ready(spec: EnvironmentSpec, environment: str | None = None) -> None:
    """Raises KeysMissing or EncryptionKeyMissing. `environment` is what the person typed for it, a name or a file; it goes
    into the command.
    """
    if (missing := missing_keys(spec, environment)) is not None:
        raise missing
    if (key := encryption_key_missing(spec, environment)) is not None:
        raise key


def encryption_key_missing(spec: EnvironmentSpec, environment: str | None = None) -> EncryptionKeyMissing | None:
    if spec.aws.key.origin is not Origin.CREATE or spec.aws.key.arn is not None:
        return None
    return EncryptionKeyMissing(f"alias/{Names.of(spec).key_alias}", environment=environment or spec.name)


def missing_keys(spec: EnvironmentSpec, environment: str | None = None) -> KeysMissing | None:
    """The error that `check_ready` would raise, for callers that only report it."""
    missing = users_without_keys(spec)
    if not missing:
        return None
    if any(each.has_secret for each in missing):
        names = {each.key: str(each.principal.user) for each in missing if each.has_secret}
        return KeysMissing.of(environment or spec.name, names)
    return KeysMissing.where_the_engine_runs({each.path: str(each.principal.user) for each in missing})


def users_without_keys(spec: EnvironmentSpec) -> list[NamedUser]:
    return [each for each in service_users(spec) if not _has_a_key(each)]


def _has_a_key(user: NamedUser) -> bool:
    """True if the user has a key. An adopted user's keys are registered by its owner: the place of its private key will do."""
    keys = user.options.public_keys
    is_kept = not user.is_made and (user.options.secret_arn or user.options.private_key) is not None
    return is_kept or keys.slot_1 is not None or keys.slot_2 is not None

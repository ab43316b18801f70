"""What has to be there before anything of an environment is made. The programs and `firnline up` ask this first."""

from firnline_infra.spec.aws import Trust
from firnline_infra.spec.errors import KeysMissing
from firnline_infra.spec.keys_file import USERS
from firnline_infra.spec.model import EnvironmentSpec
from firnline_infra.spec.names import Names


def check_ready(spec: EnvironmentSpec, environment: str | None = None) -> None:
    """Raises KeysMissing. `environment` is what the person typed for it, a name or a file; it goes into the command."""
    names = Names.of(spec)
    missing = {user: str(getattr(names, user).user) for user in USERS if not _has_a_key(spec, user)}
    if missing and spec.aws.runtime.trust is Trust.NOBODY:
        raise KeysMissing.where_the_engine_runs(missing)
    if missing:
        raise KeysMissing.of(environment or spec.name, missing)


def _has_a_key(spec: EnvironmentSpec, user: str) -> bool:
    keys = getattr(spec.snowflake, user).public_keys
    return keys.slot_1 is not None or keys.slot_2 is not None

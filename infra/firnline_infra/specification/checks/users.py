"""The two service users: different ones, with roles and keys of their own."""

from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names


def _each_is_somebody_else(spec: EnvironmentSpec) -> Iterator[str]:
    names = Names.of(spec)
    if names.ingest.user == names.reader.user:
        yield f"snowflake.reader.user: {names.reader.user} is the engine's user; the reader needs one of its own."
    roles = {"snowflake.ingest.role": names.ingest.role, "snowflake.deploy_role": names.deploy_role}
    for path, role in roles.items():
        if names.reader.role == role:
            yield f"snowflake.reader.role: {role} is also {path}; what reads may do nothing else, so name another."
    if names.ingest.role == names.deploy_role:
        yield (
            f"snowflake.ingest.role: {names.deploy_role} is also snowflake.deploy_role; the engine may insert and nothing "
            f"else, so name another."
        )


def _readers_are_others(spec: EnvironmentSpec) -> Iterator[str]:
    names = Names.of(spec)
    for index, role in enumerate(spec.snowflake.reader.granted_to):
        if role in (str(names.ingest.role), str(names.reader.role)):
            yield (
                f"snowflake.reader.granted_to[{index}]: {role} is a role of this environment; expected roles of people "
                f"and of other programs."
            )


def _keys_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    seen: dict[str, str] = {}
    for name in ("ingest", "reader"):
        keys = getattr(spec.snowflake, name).public_keys
        for slot in ("slot_1", "slot_2"):
            key, path = getattr(keys, slot), f"snowflake.{name}.public_keys.{slot}"
            if key is not None and (other := seen.setdefault(key, path)) != path:
                yield f"{path}: is the same key as {other}; each place needs a key pair of its own."


def _secrets_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    ingest, reader = spec.snowflake.ingest.secret_arn, spec.snowflake.reader.secret_arn
    if reader is not None and reader == ingest:
        yield "snowflake.reader.secret_arn: is also the engine's; who audits could write. Give a secret of its own."


CHECKS = (_each_is_somebody_else, _readers_are_others, _keys_are_distinct, _secrets_are_distinct)

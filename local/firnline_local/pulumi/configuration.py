"""Configuration of a provider: what of it the embedded environment honours, and what it refuses.

Credentials are taken and not used: here they open nothing. What would lead elsewhere (another account, region, endpoint) is
refused, as is what would be forgotten in silence.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from firnline_local.endpoints import Endpoints
from firnline_local.pulumi.coerce import coerced
from firnline_local.pulumi.properties import UNKNOWN, out_of_text
from firnline_local.pulumi.schema import ShapeKind, provider_fields
from firnline_local.pulumi.validate import check_shape
from firnline_local.state import EnvironmentState

OF_THE_ENGINE = {"version", "pluginDownloadURL", "__internal"}
NOT_CARRIED = {"aws": ("assumeRoles", "assumeRoleWithWebIdentity", "ignoreTags"), "snowflake": ("tokenAccessor",)}


@dataclass(frozen=True, kw_only=True)
class Configuration:
    default_tags: Mapping[str, str] = field(default_factory=dict)
    preview_features: frozenset[str] = frozenset()
    user: str | None = None
    role: str | None = None
    warehouse: str | None = None


def plain(package: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A provider's arguments as they were given: they travel as JSON in text."""
    fields = provider_fields(package)
    texts = [name for name, each in fields.items() if each.shape.kind is ShapeKind.STRING]
    given = {name: value for name, value in values.items() if name not in OF_THE_ENGINE}
    return {
        name: coerced(fields[name].shape, value) if name in fields else value
        for name, value in out_of_text(given, texts).items()
    }


def problems_of(package: str, values: Mapping[str, Any], state: EnvironmentState) -> list[str]:
    """`values` are plain."""
    known = {name: value for name, value in values.items() if value != UNKNOWN}
    found = [*check_shape(provider_fields(package), known), *_not_carried(package, known)]
    if found:
        return found
    return list(_of_aws(known, state.endpoints) if package == "aws" else _of_snowflake(known, state))


def configuration_of(values: Mapping[str, Any]) -> Configuration:
    """`values` are plain, and have no problems."""
    return Configuration(
        default_tags=(values.get("defaultTags") or {}).get("tags") or {},
        preview_features=frozenset(values.get("previewFeaturesEnabled") or ()),
        user=values.get("user"),
        role=values.get("role"),
        warehouse=values.get("warehouse"),
    )


def _not_carried(package: str, values: Mapping[str, Any]) -> Iterator[str]:
    for name in NOT_CARRIED[package]:
        if values.get(name):
            yield f"{name}: the embedded environment does not carry this; leave it out here."


def _of_aws(values: Mapping[str, Any], endpoints: Endpoints) -> Iterator[str]:
    if values.get("region") not in (None, endpoints.region):
        yield f"region: {values['region']} is not here; the embedded environment is in {endpoints.region}."
    account = endpoints.aws_account
    if account not in (values.get("allowedAccountIds") or [account]):
        allowed = ", ".join(map(str, values["allowedAccountIds"]))
        yield f"allowedAccountIds: {allowed}, but the environment's account is {account}."
    if account in (values.get("forbiddenAccountIds") or ()):
        yield f"forbiddenAccountIds: {account} is the environment's account."
    for element in values.get("endpoints") or ():
        for service, url in element.items():
            if url and url.rstrip("/") != endpoints.of_service(service):
                yield f"endpoints.{service}: {url} is not the environment's {endpoints.of_service(service)}."


def _of_snowflake(values: Mapping[str, Any], state: EnvironmentState) -> Iterator[str]:
    endpoints, users = state.endpoints, sorted(login.user for login in state.logins.values())
    names = [values.get("organizationName"), values.get("accountName")]
    account = "-".join(name for name in names if name)
    if account and account.upper() != endpoints.snowflake_account.upper():
        yield f"organizationName, accountName: {account} is not the environment's {endpoints.snowflake_account}."
    host, url = values.get("host"), endpoints.snowflake
    if host and host not in url:
        yield f"host: {host} is not the environment's {url}."
    if values.get("user") not in (None, *users):
        yield f"user: the embedded environment has no key of {values['user']}; it has those of {', '.join(users)}."

"""The engine's HTTP proxy, and what it asks without it: all that the specification's `network` reaches privately."""

from typing import Any
from urllib.parse import urlsplit

from firnline_infra.environment import Environment
from firnline_infra.specification.partition import snowflake_host
from firnline_ingest.config.proxy import ProxyOptions, proxy_variables
from firnline_ingest.config.running import RunOptions


def run_options(environment: Environment) -> dict[str, Any]:
    """Returns the options that specification and engine share, as far as they differ from their defaults; hosts of private
    endpoints are asked without the proxy."""
    found = _proxy(environment)
    return {
        **environment.spec.changed(RunOptions.model_fields),
        **({} if found is None else {"proxy": found.changed()}),
    }


def variables_of_proxy(environment: Environment) -> dict[str, str]:
    """Variables for what the engine's machines ask before it has read its configuration, which is in S3. A login is in no
    variable of a job, because every console shows them: then S3 has to be reached without the proxy."""
    found = _proxy(environment)
    if found is None or found.login is not None:
        return {}
    return proxy_variables(found)


def is_asked_without_proxy(environment: Environment, service: str) -> bool:
    host = environment.partition.host(service, environment.aws.region)
    found = _proxy(environment)
    names = [] if found is None else [name.lstrip(".") for name in found.no_proxy]
    return any(host == name or host.endswith(f".{name}") for name in names)


def private_hosts(environment: Environment) -> tuple[str, ...]:
    """Hosts that are reached by private endpoints: with the buckets and registries that begin a host's name."""
    partition, network = environment.partition, environment.network
    made = network.vpc_endpoints
    services = [each.value for each in (*made.gateways, *made.interfaces)] if made is not None else []
    public = [host for service in services for host in partition.hosts(service, environment.aws.region)]
    named = [urlsplit(url).hostname or "" for url in network.endpoints.values()]
    return tuple(dict.fromkeys((*public, *named, *([snowflake_host(environment.spec)] if network.privatelink else []))))


def _proxy(environment: Environment) -> ProxyOptions | None:
    if environment.proxy is None:
        return None
    names = list(dict.fromkeys((*environment.proxy.no_proxy, *private_hosts(environment))))
    return environment.proxy.model_copy(update={"no_proxy": names} if names else {})

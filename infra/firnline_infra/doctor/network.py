"""Checks that each host of the egress list can be reached from here: name, connection, certificate.

From where the command runs, which is a laptop or CI; the engine's own way is tried by `firnline validate` where it runs.
"""

import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from urllib.request import getproxies

from firnline_infra.blueprint.network import HTTP, Destination
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, good, unknown, wrong
from firnline_ingest.environment_proxy import proxy_for, without_login

PATIENCE_S = 5.0
AT_ONCE = 16
ANOTHER_AUTHORITY = (
    "something between here and there has a certificate of its own: trust its authority (SSL_CERT_FILE), or go past it"
)
STAGE = r"(^|\.)s3[.-]|\.vpce\.amazonaws\.com|\.blob\.core\.|(^|\.)storage\.googleapis\.com"
"""Found in the hosts of an account's internal stages: on AWS, there by a VPC endpoint, on Azure, on Google Cloud."""
FIREWALL = "open it in the firewall, or name a private endpoint (specification: network)"


def reach(destinations: tuple[Destination, ...], *, proxies: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Tries the hosts in the order given. With a proxy for HTTPS, only the proxy is tried: hosts behind it are its affair."""
    found = getproxies() if proxies is None else proxies
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda each: _reach(each, found), destinations)


def stages(spec: EnvironmentSpec) -> Iterator[Finding]:
    """Yields a finding if hosts are named by hand, none of them is a stage's, and rows go there as files."""
    hosts = spec.network.snowflake_hosts
    by_file = [pipeline.stream for pipeline in spec.pipelines if pipeline.goes_by_file]
    if not hosts or not by_file or any(re.search(STAGE, host) for host in hosts):
        return
    yield unknown(
        "network.snowflake_hosts",
        f"names no stage; rows of {', '.join(by_file)} go there as files (oversize_rows: file)",
        next_step="add the hosts of type STAGE that SELECT SYSTEM$ALLOWLIST() lists in Snowflake, and open them for the engine",
    )


def _reach(destination: Destination, proxies: Mapping[str, str]) -> Finding:
    about = f"{destination.host}:{destination.port}"
    if destination.is_pattern:
        step = "SELECT SYSTEM$ALLOWLIST() in Snowflake names them: put them into network.snowflake_hosts"
        return unknown(about, "only Snowflake knows these hosts", next_step=step)
    url = f"{'http' if destination.port == HTTP else 'https'}://{destination.host}"
    if proxy := proxy_for(url, proxies):
        step = f"ask its owner to let through {about}; NO_PROXY for hosts of private endpoints"
        return unknown(about, f"goes through the proxy {without_login(proxy)}", next_step=step)
    try:
        addresses = sorted({str(each[4][0]) for each in socket.getaddrinfo(destination.host, destination.port)})
    except OSError as error:
        step = "a resolver that knows it; for private endpoints, the zone of their DNS"
        return wrong(about, f"the name is not known here: {error}", next_step=step)
    return _connect(destination, about, addresses)


def _connect(destination: Destination, about: str, addresses: list[str]) -> Finding:
    where = ", ".join(addresses[:2])
    try:
        connection = socket.create_connection((destination.host, destination.port), timeout=PATIENCE_S)
    except OSError as error:
        return wrong(about, f"no connection to {where}: {error}", next_step=FIREWALL)
    with connection:
        if destination.port == HTTP:
            return good(about, f"reached at {where}")
        try:
            with _trust().wrap_socket(connection, server_hostname=destination.host) as secured:
                return good(about, f"reached at {where}, {secured.version()}")
        except ssl.SSLCertVerificationError as error:
            return wrong(about, f"its certificate is not trusted: {error.verify_message}", next_step=ANOTHER_AUTHORITY)
        except OSError as error:
            return wrong(about, f"connected to {where}, and TLS failed: {error}", next_step=FIREWALL)


def _trust() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE"))

"""The HTTP proxy between the engine and everything that is not in its own network."""

from typing import Annotated
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, Field

from firnline_ingest.config.access import SECRET
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form
from firnline_ingest.config.registries import KEY, RegistryLogin

PROXY = Form(
    r"http://[A-Za-z0-9.-]+:\d{1,5}/?",
    "http://, a host and a port; a name and a password belong in proxy.login",
    "http://proxy.example.com:3128",
)
NO_PROXY = Form(
    r"\.?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*",
    "a host, a domain, or an IPv4 address, without a port, a range or *: clients read those differently",
    "example.com",
)
HIGHEST_PORT = 65_535
NEVER = (
    "localhost",
    "127.0.0.1",
    "::1",
    "169.254.169.254",  # instances' metadata, with their credentials
    "fd00:ec2::254",
    "169.254.170.2",  # containers' credentials
    "169.254.170.23",  # EKS Pod Identity's
    "fd00:ec2::23",
    "svc",  # Kubernetes' own services: Spark asks kubernetes.default.svc for its executors, and its client reads these variables
    "cluster.local",
)
"""What no proxy can reach for us, or should see: this machine, who gives it credentials, its own cluster."""


def _has_a_port(url: str) -> str:
    if not 0 < int(url.rstrip("/").rpartition(":")[2]) <= HIGHEST_PORT:
        raise ValueError(f"its port is not between 1 and {HIGHEST_PORT:,}")
    return url


class ProxyLogin(RegistryLogin):
    """A name and a password for the proxy (HTTP basic authentication), found in one of two ways. A process reads them once."""

    secret_arn: Annotated[str, SECRET] | None = None
    """A secret of Secrets Manager with the JSON text {"username": …, "password": …}. It is read before there is a login, so
    without the proxy: by a VPC endpoint."""
    secret_key_arn: Annotated[str, KEY] | None = None
    """The key that the secret is encrypted with, where it is not AWS's own: the engine's policy then has kms:Decrypt for it."""
    username_env: str | None = None
    """The name of an environment variable that holds the name, on the driver and on every executor."""
    password_env: str | None = None
    """The name of an environment variable that holds the password, on the driver and on every executor."""


class ProxyOptions(Section):
    """An HTTP proxy for everything that the engine asks: AWS, Snowflake, schema registries, collectors of metrics."""

    url: Annotated[str, PROXY, AfterValidator(_has_a_port)]
    """Where it is. HTTPS goes through it by CONNECT, so it sees the names of hosts and nothing else; plain HTTP it sees whole."""
    no_proxy: list[Annotated[str, NO_PROXY]] = Field(default=[])
    """Hosts and domains (with all hosts in them) that are asked without it: private endpoints. This machine and the clouds'
    metadata services never go through it, nor, of a specification, hosts that `network` says are reached privately."""
    login: ProxyLogin | None = None
    """Who asks, where the proxy wants to know. It travels to the proxy in the open, as HTTP's basic authentication does."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0


def proxy_variables(proxy: ProxyOptions, login: tuple[str, str] | None = None) -> dict[str, str]:
    """Returns the variables by which all clients find it."""
    url = proxy.url.rstrip("/")
    if login is not None:
        scheme, _, place = url.partition("://")
        url = f"{scheme}://{quote(login[0], safe='')}:{quote(login[1], safe='')}@{place}"
    without = ",".join(dict.fromkeys((*NEVER, *proxy.no_proxy)))
    return {"HTTPS_PROXY": url, "HTTP_PROXY": url, "NO_PROXY": without}

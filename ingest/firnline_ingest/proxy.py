"""The HTTP proxy of a process: what the configuration says, in the environment, before any client is made.

botocore, Snowflake's connector and SDK, the exporters of metrics and the clients of registries all read HTTPS_PROXY, HTTP_PROXY
and NO_PROXY when they are made. The login is in these variables and nowhere else: no message and no setting of Spark's has it.
"""

import http.client
import json
import os
import socket
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from firnline_ingest.config.form import AwsService
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.proxy import ProxyLogin, ProxyOptions, proxy_variables
from firnline_ingest.environment_proxy import address_of, login_headers, proxy_for, without_login
from firnline_ingest.errors import Fatal, FirnlineError, Retryable, SnowflakeError, declared

VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
ALSO_READ = ("ALL_PROXY", "all_proxy")
"""Other people's, which the SDK would ask as well."""
LOGIN_WANTED = "407"
WHERE = "proxy.login (username_env and password_env, or secret_arn)"

_before: dict[str, str | None] | None = None
"""The variables as the process was started with, where ours are in their place."""
_used: ProxyOptions | None = None


@declared
class ProxyLoginRefused(SnowflakeError, Fatal):
    proxy: str
    host: str
    cause: str

    id = "FL-1111"
    message = "The proxy {proxy} lets nobody through to {host} without a login that it knows: {cause}"
    next_step = (
        f"put a name and a password that it knows where {WHERE} says; if the password was replaced, start the "
        "engine again: a process reads it once."
    )
    causes = "The HTTP proxy wants a login, or refuses the one that it got (407)"
    remedy = "`proxy.login`; if the password was replaced, start the engine again: a process reads it once"


@declared
class ProxyForbids(SnowflakeError, Retryable):
    proxy: str
    host: str
    cause: str

    id = "FL-1112"
    message = "The proxy {proxy} does not lead to {host}: {cause}"
    next_step = (
        "ask its owner to let {host} through (`firnline hosts` lists all that are needed), or name it in proxy.no_proxy where a "
        "private endpoint leads there."
    )
    causes = "The HTTP proxy answers that a host may not, or can't, be reached through it"
    remedy = "its owner allows the hosts of `firnline hosts`; or `proxy.no_proxy`, if there is another way"


@declared
class ProxyUnreachable(SnowflakeError, Retryable):
    proxy: str
    cause: str

    id = "FL-1113"
    message = "The proxy {proxy} does not answer: {cause}"
    next_step = "check proxy.url (or HTTPS_PROXY), and that the machines of driver and executors reach it."
    causes = "The HTTP proxy does not answer, or what answers there is not a proxy"
    remedy = "`proxy.url`, and the way to it from driver and executors"


@declared
class ProxyLoginMissing(SnowflakeError, Fatal):
    where: str
    lacks: str

    id = "FL-1114"
    message = "The login for the proxy should be in {where}, which {lacks}."
    next_step = (
        "put it there, on the driver and on every executor, or correct proxy.login. Secrets Manager is asked for it "
        "without the proxy: by a VPC endpoint."
    )
    causes = "The place of the HTTP proxy's login does not hold one"
    remedy = "put it there on the driver and on every executor"


def use_proxy(config: EngineConfig) -> None:
    """From now on all clients that this process makes go through the proxy that the configuration names; through the machine's
    own where it names none. Raises ProxyLoginMissing. Not thread-safe: it is called before there are clients.
    """
    global _before, _used
    if config.proxy == _used:
        return
    _put_back()
    if config.proxy is None:
        return
    both = [spelt for name in (*VARIABLES, *ALSO_READ) for spelt in (name, name.lower())]
    before = {name: os.environ.get(name) for name in both}
    for name in both:
        os.environ.pop(name, None)  # the login is read without any
    try:
        values = proxy_variables(config.proxy, _login(config, config.proxy.login))
    except BaseException:
        _set(before)
        raise
    _set({spelt: value for name, value in values.items() for spelt in (name, name.lower())})
    _before, _used = before, config.proxy


def _put_back() -> None:
    global _before, _used
    if _before is not None:
        _set(_before)
    _before, _used = None, None


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _login(config: EngineConfig, login: ProxyLogin | None) -> tuple[str, str] | None:
    """Raises ProxyLoginMissing, whose message has nothing of the login."""
    if login is None:
        return None
    if login.secret_arn is None:
        names = login.username_env or "", login.password_env or ""
        if missing := [name for name in names if not os.environ.get(name)]:
            raise ProxyLoginMissing(f"the environment's variable {missing[0]}", "is not set")
        return os.environ[names[0]], os.environ[names[1]]
    from firnline_ingest.aws.secrets import read_secret  # botocore is loaded only where AWS is called

    where = f"the secret {login.secret_arn}"
    try:
        found = json.loads(read_secret(config.aws, login.secret_arn, "the login for the proxy") or "")
        pair = found["username"], found["password"]
    except FirnlineError as error:
        raise ProxyLoginMissing(where, f"can't be read: {error.what}") from error
    except (ValueError, LookupError, TypeError):  # whose message may quote the secret
        raise ProxyLoginMissing(where, "holds no JSON text with username and password") from None
    if not all(isinstance(each, str) for each in pair):
        raise ProxyLoginMissing(where, "holds a username or a password that is not text")
    return pair


def host_asked(config: EngineConfig, service: AwsService) -> str:
    """The host that the service is asked at: of its endpoint in the configuration, else the public one."""
    if endpoint := config.aws.endpoints.get(service):
        return urlsplit(endpoint).hostname or ""
    return f"{service}.{config.aws.region}.amazonaws.com" + (".cn" if config.aws.region.startswith("cn-") else "")


def connection_to(host: str, port: int, context: ssl.SSLContext, timeout_s: float) -> http.client.HTTPSConnection:
    """A connection over TLS that is not open yet: through the proxy where one leads there."""
    proxy = proxy_for(f"https://{host}")
    if proxy is None:
        return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)
    connection = http.client.HTTPSConnection(*address_of(proxy), timeout=timeout_s, context=context)
    connection.set_tunnel(host, port, headers=login_headers(proxy))
    return connection


def refusal_of(host: str, error: Exception) -> SnowflakeError | None:
    """The error of a proxy on the way to the host; None where there is none, or the host itself failed."""
    proxy = proxy_for(f"https://{host}")
    if proxy is None:
        return None
    said = str(error) or type(error).__name__
    if isinstance(error, socket.gaierror | ConnectionRefusedError):  # no other host is looked up or connected to here
        return ProxyUnreachable(without_login(proxy), said)
    if not said.startswith("Tunnel connection failed: "):
        return None
    cause = said.removeprefix("Tunnel connection failed: ")
    return (ProxyLoginRefused if cause.startswith(LOGIN_WANTED) else ProxyForbids)(without_login(proxy), host, cause)

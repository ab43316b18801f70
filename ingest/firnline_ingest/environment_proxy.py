"""The HTTP proxy that a process' environment names for a URL: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, read as botocore reads them.

For clients that find none by themselves, and for what is checked or shown of one.
"""

from base64 import b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

if TYPE_CHECKING:
    from urllib3 import PoolManager


def proxy_for(url: str, proxies: Mapping[str, str] | None = None) -> str | None:
    """Returns the URL of the proxy that leads there, with its login; None where the host is asked without one.

    `proxies`, by the scheme of what is asked, in place of the environment's.
    """
    parts = urlsplit(url)
    found = getproxies() if proxies is None else proxies
    proxy = found.get(parts.scheme)
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def pool_to(url: str, proxy: str | None = None, **options: Any) -> "PoolManager":
    """Returns urllib3's connections to a URL: through `proxy`, else through the environment's for it, else directly.

    urllib3 takes no login out of a proxy's URL: it is given as a header. Raises ValueError for a proxy of another scheme
    than http and https.
    """
    from urllib3 import PoolManager, ProxyManager
    from urllib3.exceptions import ProxySchemeUnknown

    through = proxy or proxy_for(url)
    if through is None:
        return PoolManager(**options)
    try:
        return ProxyManager(through, proxy_headers=login_headers(through), **options)
    except ProxySchemeUnknown as error:
        raise ValueError(f"the proxy {without_login(through)} must be an http:// or https:// URL") from error


def without_login(proxy: str) -> str:
    """Returns the proxy's URL as it may be shown."""
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def login_of(proxy: str) -> tuple[str, str] | None:
    """Returns the name and the password in a proxy's URL."""
    parts = urlsplit(proxy)
    return None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))


def login_headers(proxy: str) -> dict[str, str]:
    """Returns the header by which a proxy knows who asks; nothing where its URL has no login."""
    login = login_of(proxy)
    return {} if login is None else {"Proxy-Authorization": "Basic " + b64encode(":".join(login).encode()).decode()}


def address_of(proxy: str) -> tuple[str, int]:
    """Returns the host and the port of a proxy."""
    parts = urlsplit(proxy)
    return parts.hostname or "", parts.port or 80

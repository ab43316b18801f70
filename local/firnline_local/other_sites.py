"""Requests that a browser sends for a page of another site, which every server here refuses: a browser on this machine reaches
each port of loopback, also by a name of that site's which resolves to 127.0.0.1, and the runtimes run what they are given.

SDKs send neither Origin nor Sec-Fetch-Site, and the host that they were given (Fetch Standard; Fetch Metadata, 2026-11-29).
"""

import re
from collections.abc import Collection, Mapping

OWN_HOST = re.compile(r"((.*\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])?(:\d+)?", re.IGNORECASE)
OWN_SITES = ("none", "same-origin")


def refusal(headers: Mapping[str, str], hosts: Collection[str] = ()) -> str | None:
    """Returns the reason, or None for everybody else. Names of headers are in small letters; `hosts` are further names of
    the server, which whoever started it gave it."""
    host, origin = headers.get("host", ""), headers.get("origin")
    if not OWN_HOST.fullmatch(host) and host not in hosts:
        return f"This server is at 127.0.0.1 and localhost, and was asked as {host}."
    if (
        origin not in (None, f"http://{host}", f"https://{host}")
        or headers.get("sec-fetch-site", "none") not in OWN_SITES
    ):
        return "This server answers no page of another site."
    return None

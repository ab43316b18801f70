"""The embedded Snowflake's log of commits, for an audit that wants to prove order.

Only a server on this machine is asked: a real account keeps no such log.
"""

import ssl
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

import msgspec

from firnline_infra.audit.errors import QueryFailed
from firnline_infra.audit.order import CommitHistory, LoggedCommit
from firnline_ingest.config.model import EngineConfig

PATH = "/__firnline__/commits"
TIMEOUT_S = 30.0


class Page(msgspec.Struct):
    """One answer of the server; what else it says is skipped."""

    commits: list[LoggedCommit]
    is_complete: bool


decode_page = msgspec.json.Decoder(Page).decode


def commit_log_of(config: EngineConfig) -> CommitHistory | None:
    """None where the configuration's Snowflake is not on this machine."""
    snowflake = config.snowflake
    if not _is_on_this_machine(snowflake.base_url):
        return None
    return partial(fetch_commits, snowflake.base_url, snowflake.ca_file)


def fetch_commits(
    snowflake_url: str, ca_file: Path | None, *, database: str, schema: str, table: str
) -> list[LoggedCommit] | None:
    """All that the log still has, in order; None where there is no log. Names are as the REST API writes them."""
    context = ssl.create_default_context(cafile=str(ca_file) if ca_file else None)
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
    commits: list[LoggedCommit] = []
    while True:
        after = commits[-1].entry if commits else -1
        query = urlencode({"db": database, "schema": schema, "table": table, "after": after})
        try:
            with opener.open(f"{snowflake_url}{PATH}?{query}", timeout=TIMEOUT_S) as answer:
                page = decode_page(answer.read())
        except HTTPError as error:
            error.close()
            return None  # a server on this machine that is not the embedded one
        except (OSError, msgspec.MsgspecError) as error:
            raise QueryFailed(f"in which order the rows of {table} were committed", str(error)) from error
        commits += page.commits
        if page.is_complete or not page.commits:
            return commits


def _is_on_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

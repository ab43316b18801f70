"""One request of ours before the SDK starts: DNS, TLS and the key, each with its own error, within seconds.

The SDK itself retries an untrusted certificate silently and for ever (docs/design/engine.md).
"""

import http.client
import re
import socket
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from firnline_ingest.config.model import SnowflakeConfig
from firnline_ingest.proxy import connection_to, refusal_of
from firnline_ingest.snowflake.errors import (
    AuthoritiesUnreadable,
    CertificateUntrusted,
    HostUnknown,
    KeyRefused,
    LoginRefused,
    SnowflakeUnavailable,
)
from firnline_ingest.snowflake.key import SigningKey

TIMEOUT_S = 5.0
NOT_THE_KEY = re.compile(r"\b(390101|390202|390422)\b")
"""The service's numbers for a user that is disabled, whose authentication policy lets no key in, whose network policy not this
address.
"""
HOSTNAME_MISMATCH = 62  # X509_V_ERR_HOSTNAME_MISMATCH of OpenSSL
NAME_UNKNOWN = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
"""What a resolver answers where there is no such name; everything else of it passes (EAI_AGAIN, EAI_FAIL)."""


def check_connection(snowflake: SnowflakeConfig, key: SigningKey) -> str:
    """The ingest host's name. Raises AuthoritiesUnreadable, HostUnknown, CertificateUntrusted, KeyRefused, SessionRefused or
    SnowflakeUnavailable.
    """
    url = urlsplit(snowflake.base_url)
    host = url.netloc
    context = _trusting(snowflake.ca_file)
    connection = connection_to(url.hostname or "", url.port or 443, context, TIMEOUT_S)
    headers = {
        "Authorization": f"Bearer {key.token(snowflake.account, snowflake.user)}",
        "X-Snowflake-Authorization-Token-Type": "KEYPAIR_JWT",
        "Accept": "application/json",
    }
    try:
        connection.request("GET", "/v2/streaming/hostname", headers=headers)
        answer = connection.getresponse()
        status, body = answer.status, answer.read().decode(errors="replace")
    except ssl.SSLCertVerificationError as error:
        another = error.verify_code == HOSTNAME_MISMATCH
        raise CertificateUntrusted(host, error.verify_message, is_for_another_name=another) from error
    except socket.gaierror as error:
        if refused := refusal_of(url.hostname or "", error):
            raise refused from error
        if error.errno in NAME_UNKNOWN:
            raise HostUnknown(host, error.strerror or str(error)) from error
        raise SnowflakeUnavailable(f"be found as {host}", error.strerror or str(error)) from error
    except (OSError, http.client.HTTPException) as error:
        if refused := refusal_of(url.hostname or "", error):
            raise refused from error
        raise SnowflakeUnavailable(f"be asked at {host}", str(error) or type(error).__name__) from error
    finally:
        connection.close()
    if status in (401, 403) and NOT_THE_KEY.search(body):
        raise LoginRefused(snowflake.user, snowflake.role, f"HTTP {status} {body[:200]}")
    if status in (401, 403):
        raise KeyRefused(snowflake.user, key.fingerprint, f"HTTP {status} {body[:200]}")
    if status != 200:
        raise SnowflakeUnavailable(f"be asked at {host}", f"HTTP {status} {body[:200]}")
    return body.strip().strip('"')


def _trusting(ca_file: Path | None) -> ssl.SSLContext:
    if ca_file is None:
        return ssl.create_default_context()
    try:
        return ssl.create_default_context(cafile=str(ca_file))
    except OSError as error:  # an SSLError, of what is not PEM, is one
        raise AuthoritiesUnreadable(ca_file, error.strerror or str(error)) from error

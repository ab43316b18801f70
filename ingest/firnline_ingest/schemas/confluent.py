"""A registry that answers Confluent's REST API: GET /schemas/ids/{id}, and the versions that a schema refers to.

API: docs.confluent.io, "Schema Registry API Reference". 40403 alone says that a schema is not there; any other 404 is of
something else at that URL. A GET is all that is needed, so botocore's HTTP library makes it and no registry's client comes along.
"""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

import urllib3
from urllib3.exceptions import HTTPError

from firnline_ingest.config.format import AVRO, RegisteredSchema
from firnline_ingest.config.registries import ConfluentRegistry, is_here
from firnline_ingest.environment_proxy import pool_to, proxy_for, without_login
from firnline_ingest.proxy import ProxyLoginRefused, refusal_of
from firnline_ingest.schemas.errors import (
    RegistryForbidden,
    RegistryStrange,
    RegistryThrottled,
    RegistryUnreachable,
)
from firnline_ingest.schemas.login import Login

NOT_FOUND = 40403
ANSWER_BYTES = 4_000_000
REFERENCES = 100  # of one schema, with those of its references
ATTEMPTS = 3
PROXY_WANTS_LOGIN = 407
AGAIN = {429, 500, 502, 503, 504}
Version = tuple[str, int]
"""A subject, and its version."""
JSON_TYPES = "application/vnd.schemaregistry.v1+json, application/json"


class ConfluentSchemas:
    """Asks a registry for schemas; not thread-safe. Each request may take the registry's timeout."""

    def __init__(self, registry: ConfluentRegistry, login: Login, sleep: Callable[[float], None] = time.sleep) -> None:
        self._url, self._login, self._sleep = registry.url.rstrip("/"), login, sleep
        self._host = urlsplit(registry.url).hostname or ""
        self._proxy = None if is_here(registry.url) else proxy_for(registry.url)
        self._timeout_s = registry.timeout_seconds
        self._pool = _pool(registry)

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        found = self._get(f"/schemas/ids/{schema_id}")
        if found is None:
            return None
        references: dict[Version, str] = {}
        names: dict[str, Version] = {}
        self._refer(found, references, names, ())
        texts = tuple(references.values())
        imports = tuple((name, references[version]) for name, version in names.items())
        return RegisteredSchema(self._text(found), str(found.get("schemaType") or AVRO), texts, imports)

    def _refer(
        self,
        schema: Mapping[str, Any],
        found: dict[Version, str],
        names: dict[str, Version],
        within: tuple[Version, ...],
    ) -> None:
        """Each behind those that it refers to itself. Of two versions under one name the first counts, as in Confluent's
        own (AbstractSchemaProvider.resolveReferences)."""
        for each in schema.get("references") or ():
            try:
                key = str(each["subject"]), int(each["version"])
            except (KeyError, TypeError, ValueError) as error:
                raise RegistryStrange(self._url, f"a reference {str(each)[:100]!r}") from error
            names.setdefault(str(each.get("name") or ""), key)
            if key in found:
                continue
            if key in within or len(within) + len(found) >= REFERENCES:
                raise RegistryStrange(self._url, f"references to {key[0]} without an end")
            inner = self._get(f"/subjects/{quote(key[0], safe='')}/versions/{key[1]}?deleted=true")
            if inner is None:
                raise RegistryStrange(self._url, f"it has no version {key[1]} of {key[0]}, which a schema refers to")
            self._refer(inner, found, names, (*within, key))
            found[key] = self._text(inner)

    def _text(self, schema: Mapping[str, Any]) -> str:
        text = schema.get("schema")
        if not isinstance(text, str):
            raise RegistryStrange(self._url, f"no schema is in {str(dict(schema))[:100]!r}")
        return text

    def _get(self, path: str) -> Mapping[str, Any] | None:
        status, body = self._answer(path)
        if status == 429:
            raise RegistryThrottled(self._url, f"{path}: {_said(status, body)}")
        if status in (401, 403):
            self._login.forget()
            right = "give it a login that may read schemas (registry.login: READ, DeveloperRead)"
            raise RegistryForbidden(self._url, f"{path}: {_said(status, body)}", right=right)
        if status == PROXY_WANTS_LOGIN and self._proxy:
            raise ProxyLoginRefused(without_login(self._proxy), self._host, _said(status, body))
        if status >= 500:
            raise RegistryUnreachable(self._url, f"{path}: {_said(status, body)}")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RegistryStrange(self._url, f"{path}: {_said(status, body)}") from error
        if status == 404 and isinstance(found, dict) and found.get("error_code") == NOT_FOUND:
            return None
        if status != 200 or not isinstance(found, dict):
            raise RegistryStrange(self._url, f"{path}: {_said(status, body)}")
        return found

    def _answer(self, path: str) -> tuple[int, bytes]:
        """The first of three answers that is not a transient failure, or the last one."""
        headers = {"Accept": JSON_TYPES, **self._login.headers()}
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1
            try:
                status, body = self._once(path, headers)
            except HTTPError as error:
                refused = refusal_of(self._host, getattr(error, "original_error", error)) if self._proxy else None
                if refused and (is_last or not refused.is_retryable):
                    raise refused from error
                if is_last:
                    raise RegistryUnreachable(self._url, f"{path}: {error}"[:300]) from error
            else:
                if is_last or status not in AGAIN:
                    return status, body
            self._sleep(0.2 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        until_s = time.monotonic() + self._timeout_s
        answer = self._pool.request(
            "GET",
            self._url + path,
            headers=headers,
            timeout=self._timeout_s,
            retries=False,
            redirect=False,
            preload_content=False,
        )
        body = b""
        while piece := answer.read1(65_536):
            body += piece
            if len(body) > ANSWER_BYTES or time.monotonic() > until_s:
                answer.close()
                raise HTTPError(f"more than {len(body):,} bytes, or {self._timeout_s:g} s")
        answer.release_conn()
        return answer.status, body


def _said(status: int, body: bytes) -> str:
    return f"HTTP {status} {body[:200].decode(errors='replace')!r}"


def _pool(registry: ConfluentRegistry) -> urllib3.PoolManager:
    """Through the machine's proxy where it has one for that host. A registry of this machine has none: the login for it would go
    to the proxy in the open.
    """
    options: dict[str, Any] = {"maxsize": 1, "ca_certs": str(registry.ca_file) if registry.ca_file else None}
    return urllib3.PoolManager(**options) if is_here(registry.url) else pool_to(registry.url, **options)

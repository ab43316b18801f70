"""The instance metadata service, version 2, as far as SDKs ask it for credentials.

On an instance it listens on 169.254.169.254; here on a port of its own, which AWS_EC2_METADATA_SERVICE_ENDPOINT names.
(EC2 user guide, "Use the Instance Metadata Service to access instance metadata" and "Retrieve security credentials from
instance metadata".)
"""

import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from wsgiref.types import StartResponse, WSGIEnvironment

from firnline_local.runtimes.jobs.credentials import RoleSession, handed_out
from firnline_local.runtimes.jobs.submission import LaunchRefused
from firnline_local.wsgi import Answer

TOKEN = "/latest/api/token"  # noqa: S105 (a path)
CREDENTIALS = "/latest/meta-data/iam/security-credentials/"
REGION = "/latest/meta-data/placement/region"
TEXT = "text/plain"


class InstanceMetadata:
    """The WSGI application of one cluster's machines, which share a role."""

    def __init__(self, session: RoleSession, role: str, region: str) -> None:
        self._session = session
        self._role = role
        self._region = region
        self._token = secrets.token_urlsafe(24)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self._answer(environ).send(start_response)

    def _answer(self, environ: WSGIEnvironment) -> Answer:
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if (method, path) == ("PUT", TOKEN):
            seconds = environ.get("HTTP_X_AWS_EC2_METADATA_TOKEN_TTL_SECONDS", "")
            return Answer(200, TEXT, self._token.encode()) if seconds.isdecimal() else Answer(400, TEXT, b"")
        if environ.get("HTTP_X_AWS_EC2_METADATA_TOKEN") != self._token:
            return Answer(401, TEXT, b"")
        if method != "GET":
            return Answer(405, TEXT, b"")
        if path == CREDENTIALS:
            return Answer(200, TEXT, self._role.encode())
        if path == CREDENTIALS + self._role:
            return self._credentials()
        return Answer(200, TEXT, self._region.encode()) if path == REGION else Answer(404, TEXT, b"")

    def _credentials(self) -> Answer:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            found = {"Code": "Success", "Type": "AWS-HMAC", **handed_out(self._session.current())}
        except LaunchRefused as refusal:
            found = {"Code": "AssumeRoleUnauthorizedAccess", "Message": str(refusal)}
        return Answer(200, TEXT, json.dumps({**found, "LastUpdated": now}).encode())

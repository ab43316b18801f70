"""A registry on loopback that answers as Confluent's REST API does: versions of subjects, schemas by id, references, logins.

It answers no more kindly than the service: an id that is not there is 40403, a path that is not there is a page without an error
code, and who does not say its name gets 401. `refuses` holds answers that are given first.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from threading import Thread
from typing import Any
from urllib.parse import unquote

from firnline_local.snowflake.tls import Certificates

MEDIA_TYPE = "application/vnd.schemaregistry.v1+json"
Schema = dict[str, Any]
Answer = tuple[int, Any]


@dataclass
class Registry:
    """`url` is set while it serves."""

    login: tuple[str, str] | None = None
    url: str = ""
    schemas: dict[int, Schema] = field(default_factory=dict)
    subjects: dict[str, list[int]] = field(default_factory=dict)
    refuses: list[Answer] = field(default_factory=list)
    """Status and body of the next answers; bytes are sent as they are."""
    asked: list[str] = field(default_factory=list)

    def register(self, subject: str, schema: Any, *, kind: str = "", references: list[Schema] | None = None) -> int:
        """The id. What is there already keeps its own."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        new: Schema = {"schema": text, **({"schemaType": kind} if kind else {})}
        new |= {"references": references} if references else {}
        known = next((number for number, found in self.schemas.items() if found == new), None)
        number = known or len(self.schemas) + 1
        self.schemas[number] = new
        versions = self.subjects.setdefault(subject, [])
        if number not in versions:
            versions.append(number)
        return number

    def answer(self, method: str, path: str, authorization: str, body: bytes) -> Answer:
        self.asked.append(path)
        path = unquote(path)
        if self.refuses:
            return self.refuses.pop(0)
        if self.login and authorization != "Basic " + b64encode(":".join(self.login).encode()).decode():
            return 401, {"error_code": 401, "message": "Unauthorized"}
        if found := re.fullmatch(r"/schemas/ids/(\d+)(\?.*)?", path):
            return self._by_id(int(found[1]))
        if found := re.fullmatch(r"/subjects/([^/?]+)/versions/(\d+)(\?.*)?", path):
            return self._version(found[1], int(found[2]))
        if method == "POST" and (found := re.fullmatch(r"/subjects/([^/?]+)/versions(\?.*)?", path)):
            new = json.loads(body)
            kind, references = new.get("schemaType", ""), new.get("references")
            return 200, {"id": self.register(found[1], new["schema"], kind=kind, references=references)}
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def _by_id(self, number: int) -> Answer:
        if number not in self.schemas:
            return 404, {"error_code": 40403, "message": f"Schema {number} not found"}
        return 200, self.schemas[number]

    def _version(self, subject: str, version: int) -> Answer:
        if subject not in self.subjects:
            return 404, {"error_code": 40401, "message": f"Subject '{subject}' not found."}
        if not 0 < version <= len(self.subjects[subject]):
            return 404, {"error_code": 40402, "message": f"Version {version} not found."}
        number = self.subjects[subject][version - 1]
        return 200, {"subject": subject, "version": version, "id": number, **self.schemas[number]}


@contextmanager
def serving(registry: Registry, certificates: Certificates | None = None) -> Iterator[Registry]:
    """Plain HTTP without certificates."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, said = registry.answer(self.command, self.path, self.headers.get("Authorization", ""), body)
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", MEDIA_TYPE)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificates:
        context = SSLContext(PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.cert_file, certificates.key_file)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    registry.url = f"http{'s' if certificates else ''}://localhost:{server.server_port}"
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()

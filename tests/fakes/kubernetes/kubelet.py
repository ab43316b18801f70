"""The node that all pods are bound to: the API server asks it for the logs of their containers (Kubernetes, "Nodes").

GET /containerLogs/NAMESPACE/POD/CONTAINER, over TLS with a certificate that the API server is not told to check.
"""

import ssl
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self
from wsgiref.types import StartResponse, WSGIEnvironment

from werkzeug.serving import make_server

from firnline_local.snowflake.tls import make_certificates
from firnline_local.wsgi import HOST, Answer, Handler
from tests.kubernetes.client import ClusterClient

NODES = "/api/v1/nodes"
LOGS = "/containerLogs/"


class Kubelet:
    """`log` says what the driver in a pod has written, by namespace and name; None where no container of it has begun."""

    def __init__(self, folder: Path, log: Callable[[str, str], str | None]) -> None:
        self._log = log
        found = make_certificates(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(found.cert_file, found.key_file)
        self._server = make_server(HOST, 0, self._answer, threaded=True, request_handler=Handler, ssl_context=context)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="kubelet", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def register(self, admin: ClusterClient, name: str) -> None:
        """Makes the node, which is here."""
        status = {
            "addresses": [{"type": "InternalIP", "address": HOST}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": self._server.port}},
        }
        document = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
        admin.create(NODES, document)
        assert admin.merge(f"{NODES}/{name}/status", {"status": status})

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if not path.startswith(LOGS):
            return Answer(404, "text/plain", b"there is nothing but logs").send(start_response)
        namespace, pod, container = path.removeprefix(LOGS).split("/")
        found = self._log(namespace, pod)
        if found is None:
            said = f'container "{container}" in pod "{pod}" is waiting to start: ContainerCreating'
            return Answer(400, "text/plain", said.encode()).send(start_response)
        return Answer(200, "text/plain", found.encode()).send(start_response)

"""The client over real HTTP, and kubeconfigs as clouds write them."""

import base64
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.runtimes.aws import is_expired
from firnline_infra.runtimes.errors import NoCluster, RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.kubeconfig import Access, read_kubeconfig
from firnline_infra.runtimes.kubernetes_api import HttpKubernetesApi


class Server(ThreadingHTTPServer):
    """Answers what it was told to, and keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[tuple[str, str, str, str, Any]] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        headers = self.headers.get("Authorization", ""), self.headers.get("Content-Type", "")
        self.server.asked.append((self.command, self.path, *headers, body))
        status, document = self.server.answers.pop(0)
        content = document.encode() if isinstance(document, str) else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815 - the names are http.server's

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def api(server: Server) -> HttpKubernetesApi:
    tokens = iter(["first", "second", "third"])
    return HttpKubernetesApi(lambda: Access(server=f"http://127.0.0.1:{server.server_port}", token=next(tokens)))


def status(code: int, message: str) -> tuple[int, dict[str, Any]]:
    return code, {"kind": "Status", "status": "Failure", "message": message, "code": code}


def test_a_list_is_asked_for_by_label(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [(200, {"items": []})]
    assert api.get("/api/v1/namespaces/n/pods", labelSelector="a/b=c,d=e") == {"items": []}
    assert server.asked[0][:3] == ("GET", "/api/v1/namespaces/n/pods?labelSelector=a%2Fb%3Dc%2Cd%3De", "Bearer first")


def test_what_is_not_there_is_no_error(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [status(404, "not found")] * 4
    assert api.get("/x") is None
    assert api.merge("/x", {}) is False
    assert api.text("/x") == ""
    api.delete("/x")


def test_what_is_there_already_is_not_made(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [status(409, "already exists"), (201, {})]
    assert api.create("/x", {"kind": "Y"}) is False
    assert api.create("/x", {"kind": "Y"}) is True


def test_a_patch_is_merged_and_a_deletion_takes_what_belongs_to_it(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [(200, {}), (200, {})]
    assert api.merge("/x", {"spec": {"suspend": True}})
    api.delete("/x")
    patch, deletion = server.asked
    assert patch[3:] == ("application/merge-patch+json", {"spec": {"suspend": True}})
    assert deletion[4]["propagationPolicy"] == "Foreground"


def test_credentials_that_expired_are_asked_for_anew(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [status(401, "Unauthorized"), (200, {})]
    assert api.get("/x") == {}
    assert [each[2] for each in server.asked] == ["Bearer first", "Bearer second"]


def test_a_refusal_is_told_in_the_clusters_words(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [status(403, 'pods is forbidden: User "ci" cannot list'), status(503, "etcd is away")]
    with pytest.raises(RuntimeRefused, match="cannot list"):
        api.get("/x")
    with pytest.raises(RuntimeUnavailable, match="etcd is away"):
        api.get("/x")


def test_a_cluster_out_of_reach_is_passing(server: Server) -> None:
    port = server.server_port
    server.server_close()
    with pytest.raises(RuntimeUnavailable, match=f"the cluster at http://127.0.0.1:{port}"):
        HttpKubernetesApi(lambda: Access(server=f"http://127.0.0.1:{port}")).get("/x")


def kubeconfig(folder: Path, user: dict[str, Any]) -> Path:
    file = folder / "config"
    authority = base64.b64encode(b"-----CA-----").decode()
    cluster = {"server": "https://cluster.example/", "certificate-authority-data": authority}
    document = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
    }
    file.write_text(yaml.safe_dump(document))
    return file


def test_a_token_of_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\n")
    found = read_kubeconfig(None, files=[kubeconfig(tmp_path, {"tokenFile": "token"})])
    assert found == Access(server="https://cluster.example", ca=b"-----CA-----", token="secret")
    assert "secret" not in repr(found)


def test_a_command_gives_the_token_as_those_of_clouds_do(tmp_path: Path) -> None:
    code = (
        "import json, os; asked = json.loads(os.environ['KUBERNETES_EXEC_INFO']); "
        "print(json.dumps({**asked, 'status': {'token': os.environ['WHO']}}))"
    )
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": sys.executable,
        "args": ["-c", code],
        "env": [{"name": "WHO", "value": "deployer"}],
    }
    assert read_kubeconfig("here", files=[kubeconfig(tmp_path, {"exec": plugin})]).token == "deployer"


@pytest.mark.parametrize(
    ("context", "user", "said"),
    [
        ("there", {}, "it has no 'there' among its contexts"),
        ("here", {"exec": {"apiVersion": "v1", "command": "/no/such/command"}}, "can't be run: No such file"),
        ("here", {"exec": {"apiVersion": "v1", "command": "false"}}, "the command false of the kubeconfig failed"),
    ],
)
def test_what_does_not_lead_into_a_cluster_is_told(
    tmp_path: Path, context: str, user: dict[str, Any], said: str
) -> None:
    with pytest.raises(NoCluster, match=said):
        read_kubeconfig(context, files=[kubeconfig(tmp_path, user)])


def test_no_kubeconfig_at_all_is_told(tmp_path: Path) -> None:
    with pytest.raises(NoCluster, match="can't be read: No such file"):
        read_kubeconfig(None, files=[tmp_path / "none"])


def test_a_token_that_is_refused_twice_is_one_that_has_expired(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [status(401, "Unauthorized"), status(401, "Unauthorized")]
    with pytest.raises(RuntimeRefused, match="401") as refused:
        api.get("/x")
    assert is_expired(refused.value)
    server.answers = [status(403, "forbidden")]
    with pytest.raises(RuntimeRefused, match="403") as refused:
        api.get("/x")
    assert not is_expired(refused.value)


def test_what_is_applied_is_applied_under_our_name(api: HttpKubernetesApi, server: Server) -> None:
    server.answers = [(200, {}), status(409, 'conflict with "argocd": .spec.minAvailable')]
    api.apply("/x", {"kind": "X"})
    assert server.asked[0][:2] == ("PATCH", "/x?fieldManager=firnline&fieldValidation=Strict")
    assert server.asked[0][3:] == ("application/apply-patch+yaml", {"kind": "X"})
    with pytest.raises(RuntimeRefused, match="argocd") as refused:
        api.apply("/x", {"kind": "X"})
    assert "origin: adopt" in refused.value.next_step


GOING = {"metadata": {"deletionTimestamp": "2026-11-28T12:00:00Z", "finalizers": ["foregroundDeletion"]}}


def test_what_is_being_deleted_is_applied_again_once_it_is_gone(server: Server) -> None:
    """A destroy just before has it deleted in the foreground: what is applied meanwhile goes with it."""
    waited: list[float] = []
    api = HttpKubernetesApi(lambda: Access(server=f"http://127.0.0.1:{server.server_port}"), pause=waited.append)
    server.answers = [(200, GOING), (200, GOING), (201, {"metadata": {"uid": "another"}})]
    api.apply("/api/v1/namespaces/n/serviceaccounts/a", {"kind": "ServiceAccount"})
    assert ([each[0] for each in server.asked], len(waited)) == (["PATCH"] * 3, 2)


def test_what_a_finalizer_keeps_is_not_taken_for_applied(server: Server) -> None:
    api = HttpKubernetesApi(lambda: Access(server=f"http://127.0.0.1:{server.server_port}"), pause=lambda _: None)
    server.answers = [(200, GOING)] * 100
    with pytest.raises(RuntimeUnavailable, match="being deleted since 2026-11-28T12:00:00Z, and foregroundDeletion"):
        api.apply("/api/v1/namespaces/n/serviceaccounts/a", {"kind": "ServiceAccount"})


def written(folder: Path, document: dict[str, Any]) -> Path:
    folder.mkdir()
    (folder / "config").write_text(yaml.safe_dump(document))
    return folder / "config"


def test_several_files_are_one_and_of_what_is_named_twice_the_first_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first := tmp_path / "first").mkdir()
    (first / "get-token").write_text("""#!/bin/sh\necho '{"status": {"token": "by a command beside it"}}'\n""")
    (first / "get-token").chmod(0o700)
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "./get-token"}
    (first / "config").write_text(yaml.safe_dump({"users": [{"name": "u", "user": {"exec": plugin}}]}))
    second = {
        "current-context": "there",
        "contexts": [{"name": "there", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://two.example", "certificate-authority": "ca.pem"}}],
        "users": [{"name": "u", "user": {"token": "never"}}],
    }
    both = [first / "config", tmp_path / "missing", written(tmp_path / "second", second)]
    (tmp_path / "second" / "ca.pem").write_text("CA")
    monkeypatch.setenv("KUBECONFIG", ":".join(map(str, both)) + ":")
    found = read_kubeconfig(None)
    assert (found.server, found.ca, found.token) == ("https://two.example", b"CA", "by a command beside it")


@pytest.fixture
def unproxied(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


@pytest.mark.parametrize("source", ["kubeconfig", "environment"])
def test_a_cluster_is_asked_through_its_proxy(server: Server, unproxied: pytest.MonkeyPatch, source: str) -> None:
    server.answers = [(200, {"kind": "APIVersions"})]
    proxy = f"http://ci:p%40ss@127.0.0.1:{server.server_port}"
    if source == "environment":
        unproxied.setenv("HTTP_PROXY", proxy)
    access = Access(server="http://cluster.invalid", proxy=proxy if source == "kubeconfig" else None)
    assert HttpKubernetesApi(lambda: access).get("/api") == {"kind": "APIVersions"}
    assert server.asked[0][:2] == ("GET", "http://cluster.invalid/api")
    assert "p%40ss" not in repr(access)


def test_a_host_that_needs_no_proxy_is_asked_by_itself(server: Server, unproxied: pytest.MonkeyPatch) -> None:
    server.answers = [(200, {})]
    unproxied.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    unproxied.setenv("NO_PROXY", "127.0.0.1")
    assert HttpKubernetesApi(lambda: Access(server=f"http://127.0.0.1:{server.server_port}")).get("/x") == {}


def test_a_proxy_of_another_scheme_is_refused() -> None:
    with pytest.raises(NoCluster, match="must be an http:// or https:// URL"):
        HttpKubernetesApi(lambda: Access(server="https://cluster.example", proxy="socks5://127.0.0.1:1080"))

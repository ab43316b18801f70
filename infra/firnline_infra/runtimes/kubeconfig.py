"""Place of a cluster and the way into it, from a kubeconfig."""

import base64
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3
import yaml

from firnline_infra.runtimes.errors import NoCluster
from firnline_ingest.environment_proxy import pool_to

VARIABLE = "KUBECONFIG"
DEFAULT = Path("~/.kube/config")
EXEC_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    server: str
    ca: bytes | None = None
    """PEM; the system's authorities where None."""
    is_unverified: bool = False
    server_name: str | None = None
    proxy: str | None = field(default=None, repr=False)
    """An http:// or https:// URL, of the kubeconfig; where None, what HTTPS_PROXY and NO_PROXY say."""
    token: str = field(default="", repr=False)
    certificate: bytes | None = None
    key: bytes | None = field(default=None, repr=False)

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def pool(self, timeout: urllib3.Timeout) -> urllib3.PoolManager:
        """Returns connections to the server, by its proxy where it has one. Raises NoCluster for one of another scheme."""
        try:
            return pool_to(self.server, self.proxy, timeout=timeout, retries=False, **self.tls())
        except ValueError as error:
            raise NoCluster(str(error)) from error

    def tls(self) -> dict[str, Any]:
        """The TLS arguments for urllib3. Client certificates have to be files for the time in which they are read."""
        if self.server.startswith("http://"):
            return {}
        from urllib3.util.ssl_ import create_urllib3_context

        context = create_urllib3_context()
        if self.ca is not None:
            context.load_verify_locations(cadata=self.ca.decode())
        else:
            context.load_default_certs()
        if self.certificate is not None and self.key is not None:
            with tempfile.TemporaryDirectory() as folder:
                both = Path(folder) / "client.pem"
                both.touch(mode=0o600)
                both.write_bytes(self.certificate + b"\n" + self.key)
                context.load_cert_chain(both)
        more: dict[str, Any] = {"server_hostname": self.server_name} if self.server_name else {}
        if self.is_unverified:
            context.check_hostname = False
            return {"ssl_context": context, "cert_reqs": "CERT_NONE", **more}
        return {"ssl_context": context, **more}


def read_kubeconfig(context: str | None, *, files: Sequence[Path] = ()) -> Access:
    """Returns the access of a context, the current one where None. `files`: those of the variable where none is given.

    Several files are one, and of what is named twice the first counts; of several a missing one is passed over (Kubernetes,
    "Organizing Cluster Access Using kubeconfig Files", Merging kubeconfig files, read on 2026-11-29). Raises NoCluster.
    """
    places = files or _places()
    told = ", ".join(map(str, places))
    try:
        documents = [(file.parent, _read(file)) for file in places if len(places) == 1 or file.exists()]
        current = (each.get("current-context") for _, each in documents)
        name = context or next(filter(None, current), None)
        if name is None:
            raise ValueError("it has no current-context")
        _, chosen = _named(documents, "context", name)
        of_cluster, cluster = _named(documents, "cluster", chosen["cluster"])
        of_user, user = _named(documents, "user", chosen["user"])
        return _access(cluster, of_cluster, {**user, **_given_by_command(user, of_user)}, of_user)
    except OSError as error:
        raise NoCluster(f"{error.filename or told} can't be read: {error.strerror}") from error
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise NoCluster(f"{told} does not say how to enter {context or 'its current context'}: {error}") from error


def _places() -> list[Path]:
    named = filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))
    return [Path(each).expanduser() for each in named] or [DEFAULT.expanduser()]


def _read(file: Path) -> dict[str, Any]:
    document = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    if not isinstance(document, dict):
        raise TypeError(f"{file} is not a mapping")
    return document


def _named(documents: Sequence[tuple[Path, dict[str, Any]]], kind: str, name: str) -> tuple[Path, dict[str, Any]]:
    """Returns what has the name first, and the folder that its paths are relative to."""
    for folder, document in documents:
        for each in document.get(f"{kind}s") or ():
            if each["name"] == name:
                return folder, dict(each.get(kind) or {})
    raise ValueError(f"it has no {name!r} among its {kind}s")


def _access(cluster: dict[str, Any], of_cluster: Path, user: dict[str, Any], of_user: Path) -> Access:
    return Access(
        server=cluster["server"].rstrip("/"),
        ca=_content(cluster, "certificate-authority", of_cluster),
        is_unverified=bool(cluster.get("insecure-skip-tls-verify")),
        server_name=cluster.get("tls-server-name"),
        proxy=cluster.get("proxy-url") or None,
        token=user.get("token") or _text(user, "tokenFile", of_user),
        certificate=_content(user, "client-certificate", of_user),
        key=_content(user, "client-key", of_user),
    )


def _content(document: dict[str, Any], name: str, folder: Path) -> bytes | None:
    if data := document.get(f"{name}-data"):
        return base64.b64decode(data)
    return (folder / document[name]).read_bytes() if document.get(name) else None


def _text(document: dict[str, Any], name: str, folder: Path) -> str:
    return (folder / document[name]).read_text().strip() if document.get(name) else ""


def _given_by_command(user: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Returns what a credential plugin gives out (client.authentication.k8s.io ExecCredential). Raises NoCluster.

    Relative to the kubeconfig is a command that has a path separator; any other is looked for on the PATH (Kubernetes,
    "Authenticating", client-go credential plugins, read on 2026-11-29).
    """
    plugin = user.get("exec")
    if plugin is None:
        return {}
    variables = {each["name"]: each["value"] for each in plugin.get("env") or ()}
    asked = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    program = str(folder / plugin["command"]) if os.sep in plugin["command"] else plugin["command"]
    command = [program, *(plugin.get("args") or ())]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **variables, "KUBERNETES_EXEC_INFO": json.dumps(asked)},
            capture_output=True,
            text=True,
            check=True,
            timeout=EXEC_TIMEOUT_S,
        )
    except OSError as error:
        raise NoCluster(f"the command {command[0]} of the kubeconfig can't be run: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise NoCluster(f"the command {command[0]} of the kubeconfig did not end in {EXEC_TIMEOUT_S} s") from error
    except subprocess.CalledProcessError as error:
        raise NoCluster(f"the command {command[0]} of the kubeconfig failed: {error.stderr.strip()}") from error
    status = json.loads(done.stdout)["status"]
    pem = {"client-certificate": "clientCertificateData", "client-key": "clientKeyData"}
    found = {
        f"{name}-data": base64.b64encode(status[field].encode()).decode()
        for name, field in pem.items()
        if status.get(field)
    }
    return {**found, **({"token": status["token"]} if status.get("token") else {})}

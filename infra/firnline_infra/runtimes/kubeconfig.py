"""Place of a cluster and the way into it, from a kubeconfig."""

import base64
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.runtimes.errors import NoCluster

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
    token: str = field(default="", repr=False)
    certificate: bytes | None = None
    key: bytes | None = field(default=None, repr=False)

    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

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


def read_kubeconfig(context: str | None, *, file: Path | None = None) -> Access:
    """The access of a context, the current one where None. Raises NoCluster."""
    file = file or _place()
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        name = context or document["current-context"]
        chosen = _named(document, "contexts", name)["context"]
        cluster = _named(document, "clusters", chosen["cluster"])["cluster"]
        user = _named(document, "users", chosen["user"])["user"]
        return _access(cluster, {**user, **_given_by_command(user)}, file.parent)
    except OSError as error:
        raise NoCluster(f"{file} can't be read: {error.strerror}") from error
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise NoCluster(f"{file} does not say how to enter {context or 'its current context'}: {error}") from error


def _place() -> Path:
    """The first file of the variable: several at once are not put together here."""
    named = os.environ.get(VARIABLE, "").split(os.pathsep)[0]
    return Path(named or DEFAULT).expanduser()


def _named(document: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    found = next((each for each in document.get(kind) or () if each["name"] == name), None)
    if found is None:
        raise ValueError(f"it has no {name!r} among its {kind}")
    return dict(found)


def _access(cluster: dict[str, Any], user: dict[str, Any], folder: Path) -> Access:
    return Access(
        server=cluster["server"].rstrip("/"),
        ca=_content(cluster, "certificate-authority", folder),
        is_unverified=bool(cluster.get("insecure-skip-tls-verify")),
        server_name=cluster.get("tls-server-name"),
        token=user.get("token") or _text(user, "tokenFile", folder),
        certificate=_content(user, "client-certificate", folder),
        key=_content(user, "client-key", folder),
    )


def _content(document: dict[str, Any], name: str, folder: Path) -> bytes | None:
    if data := document.get(f"{name}-data"):
        return base64.b64decode(data)
    return (folder / document[name]).read_bytes() if document.get(name) else None


def _text(document: dict[str, Any], name: str, folder: Path) -> str:
    return (folder / document[name]).read_text().strip() if document.get(name) else ""


def _given_by_command(user: dict[str, Any]) -> dict[str, Any]:
    """Returns what a credential plugin gives out (client.authentication.k8s.io ExecCredential). Raises NoCluster."""
    plugin = user.get("exec")
    if plugin is None:
        return {}
    variables = {each["name"]: each["value"] for each in plugin.get("env") or ()}
    asked = {"apiVersion": plugin["apiVersion"], "kind": "ExecCredential", "spec": {"interactive": False}}
    command = [plugin["command"], *(plugin.get("args") or ())]
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

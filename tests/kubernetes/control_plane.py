"""etcd and kube-apiserver as processes on loopback: rights by RBAC, Pod Security, and whatever resources are defined in it.

There is no controller manager, no scheduler and no kubelet: an object stays what the API server makes of it.
"""

import os
import re
import socket
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.kubeconfig import Access
from tests.kubernetes.client import ClusterClient

HOST = "127.0.0.1"
MODULES = Path(__file__).parents[2] / "scripts" / "kubernetes-build" / "go.mod"
USERS: Mapping[str, str] = {"admin": "system:masters", "ci": "deployers"}
"""Groups of the users, who have their names as tokens. Those of system:masters may do everything."""
STARTS_S, LOOK_EVERY_S, ENDS_S = 60.0, 0.05, 10.0
TOGETHER = """
exec 3<&0
"$ETCD" $ETCD_OPTIONS <&- & etcd=$!
"$API_SERVER" $API_SERVER_OPTIONS <&- & api_server=$!
cat <&3 >/dev/null
kill -9 $api_server $etcd
wait
"""
"""Both end when stdin does, which is when the process that holds it ends, however that is."""


def provided() -> Path:
    """The folder that scripts/kubernetes-api puts both servers into."""
    found = re.search(r"k8s.io/kubernetes v(\S+)", MODULES.read_text())
    assert found is not None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "firnline" / f"kubernetes-{found[1]}"


class NotStarted(Exception):
    """A server that ended, or did not answer in time; with the end of its log."""


@dataclass(slots=True)
class ControlPlane:
    """`binaries` is the folder of both servers, `folder` one of its own."""

    binaries: Path
    folder: Path
    port: int = 0
    _process: "subprocess.Popen[bytes] | None" = None
    _authority: bytes = field(default=b"", repr=False)

    def __enter__(self) -> Self:
        """Starts both. Returns once a resource can be asked for."""
        self.folder.mkdir(parents=True, exist_ok=True)
        etcd, peer, self.port = _free_ports(3)
        places = {name: self.folder / name for name in ("etcd", "certificates", "sa.pub", "sa.key", "tokens.csv")}
        _write_key(places["sa.key"], places["sa.pub"])
        users = (f'{user},{user},{user},"{group}"\n' for user, group in USERS.items())
        places["tokens.csv"].write_text("".join(users))
        for place in places.values():
            assert " " not in str(place), "the options of the servers are separated by spaces"
        options = {
            "ETCD": str(self.binaries / "etcd"),
            "ETCD_OPTIONS": f"--data-dir={places['etcd']} --unsafe-no-fsync --log-level=error"
            f" --listen-client-urls=http://{HOST}:{etcd} --advertise-client-urls=http://{HOST}:{etcd}"
            f" --listen-peer-urls=http://{HOST}:{peer}",
            "API_SERVER": str(self.binaries / "kube-apiserver"),
            "API_SERVER_OPTIONS": f"--etcd-servers=http://{HOST}:{etcd} --cert-dir={places['certificates']}"
            f" --bind-address={HOST} --secure-port={self.port} --service-cluster-ip-range=10.0.0.0/24"
            f" --service-account-key-file={places['sa.pub']} --service-account-signing-key-file={places['sa.key']}"
            " --service-account-issuer=https://kubernetes.default.svc --authorization-mode=RBAC"
            f" --token-auth-file={places['tokens.csv']} --kubelet-preferred-address-types=InternalIP"
            " --profiling=false --endpoint-reconciler-type=none",
        }
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", TOGETHER],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, **options},
                start_new_session=True,
            )
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.communicate(timeout=ENDS_S)

    def access(self, user: str) -> Access:
        return Access(server=f"https://{HOST}:{self.port}", ca=self._authority, token=user)

    def api(self, user: str) -> ClusterClient:
        """As a user of USERS."""
        return ClusterClient(lambda: self.access(user))

    def _wait(self) -> None:
        certificate, pause = self.folder / "certificates" / "apiserver.crt", threading.Event()
        assert self._process is not None
        for _ in range(int(STARTS_S / LOOK_EVERY_S)):
            if self._process.poll() is not None:
                break
            self._authority = certificate.read_bytes() if certificate.exists() else b""
            if self._authority and self._is_ready():
                return
            pause.wait(LOOK_EVERY_S)
        self._process.communicate(timeout=ENDS_S)
        raise NotStarted((self.folder / "log").read_text()[-3000:])

    def _is_ready(self) -> bool:
        try:
            return self.api("admin").text("/readyz") == "ok"
        except (RuntimeRefused, RuntimeUnavailable):
            return False


def _free_ports(number: int) -> list[int]:
    listening = [socket.create_server((HOST, 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in listening]
    for each in listening:
        each.close()
    return ports


def _write_key(private: Path, public: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

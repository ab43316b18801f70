"""etcd and kube-apiserver as processes on loopback: rights by RBAC, Pod Security, and whatever resources are defined in it.

There is no controller manager, no scheduler and no kubelet: an object stays what the API server makes of it.
"""

import fcntl
import os
import re
import subprocess
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.kubeconfig import Access
from tests.kubernetes.client import ClusterClient
from tests.ports import free_ports
from tests.processes import MARK

HOST = "127.0.0.1"
MODULES = Path(__file__).parents[2] / "scripts" / "kubernetes-build" / "go.mod"
USERS: Mapping[str, str] = {"admin": "system:masters", "ci": "deployers"}
"""Groups of the users, who have their names as tokens. Those of system:masters may do everything."""
STARTS_S, LOOK_EVERY_S = 60.0, 0.05
TOGETHER = """
exec 3<&0
(
    "$ETCD" $ETCD_OPTIONS 3<&- & etcd=$!
    "$API_SERVER" $API_SERVER_OPTIONS 3<&- & api_server=$!
    cat <&3 >/dev/null
    kill -9 $api_server $etcd
    wait
) &
"""
"""Both end when nobody holds the pipe any more: when each process that used them has ended, however that was."""


def provided() -> Path:
    """The folder that scripts/kubernetes-api puts both servers into."""
    found = re.search(r"k8s.io/kubernetes v(\S+)", MODULES.read_text())
    assert found is not None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "firnline" / f"kubernetes-{found[1]}"


class NotStarted(Exception):
    """The API server did not answer in time; with the end of the log of both."""


@dataclass(slots=True)
class ControlPlane:
    """`binaries` is the folder of both servers. Who enters with the same `folder` shares them: the first one starts them, and has
    `prepare` done before others go on."""

    binaries: Path
    folder: Path
    prepare: Callable[[ClusterClient], None] = lambda _: None
    port: int = 0
    _held: int = -1
    _authority: bytes = field(default=b"", repr=False)

    def __enter__(self) -> Self:
        """Returns once a resource can be asked for."""
        self.folder.mkdir(parents=True, exist_ok=True)
        pipe, known = self.folder / "held", self.folder / "port"
        with (self.folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if known.exists():
                self._held = os.open(pipe, os.O_WRONLY)
                self.port = int(known.read_text())
                self._authority = self._certificate.read_bytes()
                return self
            os.mkfifo(pipe)
            self._held = os.open(pipe, os.O_RDWR)
            try:
                self._start(pipe)
                self._wait()
                self.prepare(self.api("admin"))
            except BaseException:
                self.__exit__()
                raise
            known.write_text(str(self.port))
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._held)

    @property
    def _certificate(self) -> Path:
        return self.folder / "certificates" / "apiserver.crt"

    def _start(self, pipe: Path) -> None:
        etcd, peer, self.port = free_ports(3)
        places = {name: self.folder / name for name in ("etcd", "certificates", "sa.pub", "sa.key", "tokens.csv")}
        _write_key(places["sa.key"], places["sa.pub"])
        users = (f'{user},{user},{user},"{group}"\n' for user, group in USERS.items())
        places["tokens.csv"].write_text("".join(users))
        assert " " not in str(self.folder), "the options of the servers are separated by spaces"
        own = {name: value for name, value in os.environ.items() if name != MARK}  # other processes use them too
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
        with (self.folder / "log").open("wb") as log, os.fdopen(os.open(pipe, os.O_RDONLY), "rb") as held:
            command = ["sh", "-c", TOGETHER]
            subprocess.run(
                command, stdin=held, stdout=log, stderr=log, env={**own, **options}, start_new_session=True, check=True
            )

    def access(self, user: str) -> Access:
        return Access(server=f"https://{HOST}:{self.port}", ca=self._authority, token=user)

    def api(self, user: str) -> ClusterClient:
        """Returns a client as a user of USERS."""
        return ClusterClient(lambda: self.access(user))

    def _wait(self) -> None:
        pause = threading.Event()
        for _ in range(int(STARTS_S / LOOK_EVERY_S)):
            self._authority = self._certificate.read_bytes() if self._certificate.exists() else b""
            if self._authority and self._is_ready():
                return
            pause.wait(LOOK_EVERY_S)
        raise NotStarted((self.folder / "log").read_text()[-3000:])

    def _is_ready(self) -> bool:
        try:
            return self.api("admin").text("/readyz") == "ok"
        except (RuntimeRefused, RuntimeUnavailable):
            return False


def _write_key(private: Path, public: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

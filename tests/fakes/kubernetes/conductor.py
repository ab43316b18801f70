"""Carries one SparkApplication through its life: attempts, pods, and how its driver is ended. What differs between the two
operators is theirs (kubeflow.py, apache.py).
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firnline_local.runtimes.jobs.submission import Launcher, LaunchRefused, Running, Submission
from tests.fakes.kubernetes.admission import check_pod
from tests.fakes.kubernetes.authorization import User, authorize, service_account
from tests.fakes.kubernetes.bundle import PulledImage
from tests.fakes.kubernetes.contained import PodLauncher
from tests.fakes.kubernetes.manifest import IN_IMAGE, Manifest
from tests.fakes.kubernetes.objects import Document, Objects, Refusal, now_text
from tests.fakes.kubernetes.pods import Pods
from tests.fakes.kubernetes.secrets_store import unmounted

PRINCIPAL = "pods.eks.amazonaws.com"
DRIVERS_OWN = [
    *(("", "pods", verb) for verb in ("get", "list", "watch", "create", "delete", "deletecollection")),
    *(("", "configmaps", verb) for verb in ("create", "list", "deletecollection")),
    ("", "services", "create"),
    *(("", "persistentvolumeclaims", verb) for verb in ("list", "deletecollection")),
]
"""What Spark's driver asks of the API to have executors, and to remove them (Spark, "Running on Kubernetes", RBAC)."""
DELETED, ENDED = "deleted", "ended"
MOUNTS_AGAIN_S = 0.05


@dataclass(slots=True)
class Cluster:
    """What all applications share."""

    launch: Launcher
    arn: Callable[[], str]
    """Of the EKS cluster, on whose behalf a pod's role is assumed."""
    linger_s: float = 2.0
    """How long executors are there after their driver."""
    hurry: float = 1.0
    """What the waits that a manifest names are multiplied with."""
    objects: Objects = field(default_factory=Objects)
    changed: threading.Condition = field(default_factory=threading.Condition)
    images: dict[str, Path] = field(default_factory=dict)
    """By their references: a folder that holds what the image has in /opt/firnline, or says where it was unpacked (bundle.py)."""
    contained: PodLauncher | None = None
    """Launches what has an image that was unpacked."""
    roles: dict[str, str] = field(default_factory=dict)
    """Of service accounts, as `namespace/name`: what a control call says of associations of EKS Pod Identity."""
    namespaces: dict[str, str] = field(default_factory=dict)
    """With the level of Pod Security that each enforces: `restricted` or `privileged`."""
    users: dict[str, User] = field(default_factory=dict)
    """By their tokens."""
    associated: Callable[[], Mapping[str, str]] = dict
    """The same, of those that the embedded EKS has."""
    running: dict[str, Running] = field(default_factory=dict)
    """By the path of the driver's pod; its log stays when it has ended."""
    is_stopped: bool = False


class Conductor:
    """Methods are called with the cluster's lock held, but for `_conduct`, which is a thread's."""

    def __init__(self, cluster: Cluster, path: str, document: Document) -> None:
        self.cluster = cluster
        self.path = path
        self.document = document
        self.attempt = 0
        self._interruption = ""
        self._running: Running | None = None
        threading.Thread(target=self._conduct, name=f"operator-{path}", daemon=True).start()

    def manifest(self) -> Manifest:
        raise NotImplementedError

    def patched(self, before: Document) -> None:
        """The document has other fields than before."""
        raise NotImplementedError

    def delete(self, *, is_foreground: bool) -> None:
        """Ends the driver; the object goes at once, or once the driver's pod has gone."""
        raise NotImplementedError

    def _conduct(self) -> None:
        raise NotImplementedError

    def _driver(self) -> str:
        raise NotImplementedError

    def _is_running(self) -> None:
        """The driver's pod runs, and its executors do."""
        raise NotImplementedError

    @property
    def pods(self) -> Pods:
        found = self.manifest()
        return Pods(self.cluster.objects, found.namespace, found.name, found.labels)

    @property
    def is_deleted(self) -> bool:
        return self.cluster.is_stopped or self._interruption == DELETED

    def kill(self) -> None:
        if self._running is not None:
            self._running.kill()

    def _interrupt(self, why: str, *, is_forced: bool = False) -> None:
        """Deletes the driver's pod, which has its own grace, or none. What was deleted stays so, whatever is asked after it."""
        self._interruption = DELETED if self.is_deleted else why
        pods, driver = self.pods, self._driver()
        if is_forced:
            pods.remove(driver)
        else:
            pods.leave(driver)
        if self._running is not None and is_forced:
            self._running.kill()
        elif self._running is not None:
            self._running.stop(self.manifest().grace_s * self.cluster.hurry)
        self.cluster.changed.notify_all()

    def _mark_deleted(self) -> None:
        self.document["metadata"].setdefault("deletionTimestamp", now_text())
        self.cluster.objects.touch(self.document)

    def _forget(self) -> None:
        """The object, unless another one has its name."""
        if self.cluster.objects.find(self.path) is self.document:
            self.cluster.objects.remove(self.path)
        self.cluster.changed.notify_all()

    def _pause(self, seconds: float) -> None:
        self.cluster.changed.wait_for(lambda: bool(self._interruption) or self.is_deleted, seconds * self.cluster.hurry)

    def _run_attempt(self) -> str | None:
        """Not with the lock. Why the driver failed; None where it ended well, or was interrupted."""
        with self.cluster.changed:
            self.attempt += 1
            pods, driver = self.pods, self._driver()
            pods.remove(driver)
            if refused := self._refused():
                return self._ended(refused)
            pods.add(driver, "driver", "Pending")
            if not self._is_mounted(pods, driver):
                pods.remove(driver)
                return None
            waits = self._waits()
            if waits:
                pods.wait_for(driver, *waits)
                self.cluster.changed.wait_for(lambda: bool(self._interruption) or self.is_deleted)
                pods.remove(driver)
                return None
            submission = self._submission()
        try:
            return self._ended(self._carried(submission, pods, driver))
        except LaunchRefused as refusal:
            return self._ended(str(refusal))
        except Exception as defect:  # a thread that dies by it would leave its object behind for ever
            return self._ended(f"The embedded operator failed: {type(defect).__name__}: {defect}")

    def _carried(self, submission: Submission, pods: Pods, driver: str) -> str | None:
        """What the launched driver ends with."""
        running = self._launched(submission)
        with self.cluster.changed:
            self._running = self.cluster.running[f"{pods.folder}/{driver}"] = running
            pods.enter(driver, "Running")
            unique = f"{self.document['metadata']['uid'][:8]}-{self.attempt}"  # as Spark's have letters of their own
            for number in range(int(self.manifest().conf.get("spark.executor.instances", "2"))):
                pods.add(f"{pods.application}-{unique}-exec-{number + 1}", "executor", "Running")
            if self._interruption or self.is_deleted:
                running.kill()
            else:
                self._is_running()
        return running.wait()

    def _launched(self, submission: Submission) -> Running:
        found = self.manifest()
        image = PulledImage.at(self.cluster.images[found.image])
        if image is None or self.cluster.contained is None:
            return self.cluster.launch(submission)
        return self.cluster.contained.launch(submission, image, found.pods["driver"])

    def _ended(self, reason: str | None) -> str | None:
        with self.cluster.changed:
            self._running = None
            pods, driver = self.pods, self._driver()
            if self._interruption or self.is_deleted:
                pods.remove(driver)
                reason = None
            else:
                pods.enter(driver, "Failed" if reason else "Succeeded")
            left = pods.names("executor")
            collector = threading.Timer(self.cluster.linger_s, self._collect, [pods, left])
            collector.daemon = True
            collector.start()
            self.cluster.changed.notify_all()
            return reason

    def _collect(self, pods: Pods, names: list[str]) -> None:
        with self.cluster.changed:
            for name in names:
                pods.remove(name)
            self.cluster.changed.notify_all()

    def _refused(self) -> str:
        """Why no driver's pod is made, or why the driver ends before it has one executor; empty where neither is so."""
        found, objects = self.manifest(), self.cluster.objects
        account = f"/api/v1/namespaces/{found.namespace}/serviceaccounts/{found.service_account}"
        try:
            objects.get(account)
            for role, pod in found.pods.items():
                check_pod(f"{found.name}-{role}", pod, self.cluster.namespaces.get(found.namespace, ""))
            for right in DRIVERS_OWN:
                user = User(service_account(found.namespace, found.service_account))
                authorize(objects, user, right, found.namespace)
        except Refusal as refusal:
            return str(refusal)
        return ""

    def _is_mounted(self, pods: Pods, driver: str) -> bool:
        """Waits until its volumes are, as the kubelet does, which tries again and again; False where it was deleted meanwhile.
        Why it waits is said by an event, and by nothing in the pod's status."""
        found = self.manifest()
        while why := next(unmounted(self.cluster.objects, found.namespace, found.pods["driver"]), ""):
            if self._interruption or self.is_deleted:
                return False
            pods.wait_for(driver, "ContainerCreating", "")
            pods.warn(driver, "FailedMount", why)
            self.cluster.changed.wait(MOUNTS_AGAIN_S)
        return True

    def _waits(self) -> tuple[str, str] | None:
        """Why the driver's container does not begin."""
        found = self.manifest()
        if found.image not in self.cluster.images:
            return "ErrImagePull", f"failed to pull and unpack image {found.image!r}: not found"
        if self._role() is None:
            return (
                "CreateContainerConfigError",
                f"service account {found.service_account} has no role by IRSA or Pod Identity",
            )
        return None

    def _role(self) -> str | None:
        found = self.manifest()
        whose = f"{found.namespace}/{found.service_account}"
        account = self.cluster.objects.find(
            f"/api/v1/namespaces/{found.namespace}/serviceaccounts/{found.service_account}"
        )
        irsa = (account or {}).get("metadata", {}).get("annotations", {}).get("eks.amazonaws.com/role-arn")
        return irsa or self.cluster.roles.get(whose) or self.cluster.associated().get(whose)

    def _submission(self) -> Submission:
        found = self.manifest()
        image = self.cluster.images[found.image]
        if PulledImage.at(image) is not None:
            image = Path(IN_IMAGE)
        return Submission(
            name=f"{self.document['metadata']['uid']}-{self.attempt}",
            role_arn=self._role() or "",
            service=PRINCIPAL,
            source_arn=self.cluster.arn(),
            entry=found.from_image(found.entry, image),
            arguments=found.arguments,
            conf={name: found.from_image(value, image) for name, value in found.conf.items()},
        )

    def _write_status(self, status: dict[str, Any]) -> None:
        self.document["status"] = status
        self.cluster.objects.touch(self.document)
        self.cluster.changed.notify_all()

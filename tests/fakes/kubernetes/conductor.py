"""Carries one SparkApplication of the API server through its life: attempts, pods, and how its driver is ended. What differs
between the two operators is theirs (kubeflow.py, apache.py); who calls it is operators.py.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.kubeconfig import Access
from firnline_local.runtimes.emr_eks import session_tags
from firnline_local.runtimes.jobs.submission import Launcher, LaunchRefused, Running, Submission
from tests.fakes.kubernetes.bundle import PulledImage
from tests.fakes.kubernetes.contained import PodLauncher
from tests.fakes.kubernetes.manifest import IN_IMAGE, Manifest
from tests.fakes.kubernetes.pods import Pods
from tests.fakes.kubernetes.secrets_store import unmounted
from tests.kubernetes.client import ClusterClient, Document

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
ASKS_AGAIN_S, ASKED = 0.05, 10
"""A right that was given just now is known to the API server some milliseconds later. A driver takes seconds to begin."""
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}


@dataclass(slots=True)
class Cluster:
    """Objects that all applications share."""

    api: ClusterClient
    """Of an administrator: the operators', and the kubelet's."""
    launch: Launcher
    node: str
    """That all pods are bound to: of this cluster, where others are at the same API server."""
    arn: Callable[[], str]
    """Of the EKS cluster, on whose behalf a pod's role is assumed."""
    linger_s: float = 2.0
    """How long executors are there after their driver."""
    hurry: float = 1.0
    """What the waits that a manifest names are multiplied with."""
    changed: threading.Condition = field(default_factory=threading.Condition)
    images: dict[str, Path] = field(default_factory=dict)
    """By their references: a folder that holds what the image has in /opt/firnline, or says where it was unpacked (bundle.py)."""
    contained: PodLauncher | None = None
    """Launches what has an image that was unpacked."""
    roles: dict[str, str] = field(default_factory=dict)
    """Of service accounts, as `namespace/name`: what a control call says of associations of EKS Pod Identity."""
    associated: Callable[[], Mapping[str, str]] = dict
    """The same, of those that the embedded EKS has."""
    running: dict[tuple[str, str], Running] = field(default_factory=dict)
    """By namespace and name of the driver's pod; its log stays when it has ended."""
    is_stopped: bool = False

    def log(self, namespace: str, pod: str) -> str | None:
        """Returns what the driver in a pod has written; None if it has not begun."""
        with self.changed:
            running = self.running.get((namespace, pod))
        return running.log() if running else None


class Conductor:
    """Methods are called with the cluster's lock held, but for `_conduct`, which is a thread's."""

    def __init__(self, cluster: Cluster, path: str, document: Document) -> None:
        self.cluster = cluster
        self.path = path
        self.document = document
        self.uid = document["metadata"]["uid"]
        self.attempt = 0
        self._interruption = ""
        self._running: Running | None = None
        found = self.manifest()
        self.pods = Pods(cluster.api, found.namespace, found.name, found.labels, cluster.node)
        self.thread = threading.Thread(target=self._conduct, name=f"operator-{path}", daemon=True)
        self.thread.start()

    def manifest(self) -> Manifest:
        raise NotImplementedError

    def changed_from(self, before: Document) -> None:
        """The document has other fields than before."""
        raise NotImplementedError

    def delete(self) -> None:
        """Ends the driver, and has the object go once the driver's pod has gone."""
        raise NotImplementedError

    def see(self, document: Document) -> None:
        """The object as it is now."""
        before, self.document = self.document, document
        if "deletionTimestamp" in document["metadata"]:
            if not self.is_deleted:
                self.delete()
        elif before["spec"] != document["spec"]:
            self.changed_from(before)

    def _conduct(self) -> None:
        raise NotImplementedError

    def _driver(self) -> str:
        raise NotImplementedError

    def _is_running(self) -> None:
        """The driver's pod runs, and its executors do."""
        raise NotImplementedError

    @property
    def is_deleted(self) -> bool:
        return self.cluster.is_stopped or self._interruption == DELETED

    def kill(self) -> None:
        if self._running is not None:
            self._running.kill()

    def _interrupt(self, why: str, *, is_forced: bool = False) -> None:
        """Deletes the driver's pod, which has its own grace, or none. What was deleted stays so, whatever is asked after it."""
        self._interruption = DELETED if self.is_deleted else why
        if is_forced:
            self.pods.remove(self._driver())
        else:
            self.pods.leave(self._driver())
        if self._running is not None and is_forced:
            self._running.kill()
        elif self._running is not None:
            self._running.stop(self.manifest().grace_s * self.cluster.hurry)
        self.cluster.changed.notify_all()

    def _forget(self) -> None:
        """Has the object go, which its finalizers have kept so far."""
        self.cluster.api.merge_own(self.path, self.uid, {"metadata": {"finalizers": None}})
        self.cluster.changed.notify_all()

    def _pause(self, seconds: float) -> None:
        self.cluster.changed.wait_for(lambda: bool(self._interruption) or self.is_deleted, seconds * self.cluster.hurry)

    def _run_attempt(self) -> str | None:
        """Not with the lock. Why the driver failed; None where it ended well, or was interrupted."""
        try:
            submission = self._begin()
            return self._ended(None if submission is None else self._carried(submission))
        except (LaunchRefused, RuntimeRefused) as refusal:
            return self._ended(str(refusal))
        except Exception as defect:  # a thread that dies by it would leave its object behind for ever
            return self._ended(f"The embedded operator failed: {type(defect).__name__}: {defect}")

    def _begin(self) -> Submission | None:
        """Once the driver's container can begin; None where it was interrupted before. Raises RuntimeRefused."""
        with self.cluster.changed:
            self.attempt += 1
            driver, spec = self._driver(), self.manifest().pods["driver"]
            self.pods.remove(driver)
            self.pods.add(driver, "driver", spec)
            if not self._is_mounted(driver):
                return None
            waits = self._waits()
            if waits:
                self.pods.wait_for(driver, spec["containers"][0], *waits)
                self.cluster.changed.wait_for(lambda: bool(self._interruption) or self.is_deleted)
                return None
            self._refuse_without_rights()
            return self._submission()

    def _carried(self, submission: Submission) -> str | None:
        """Returns what the launched driver ends with."""
        running, pods, driver = self._launched(submission), self.pods, self._driver()
        with self.cluster.changed:
            self._running = self.cluster.running[pods.namespace, driver] = running
            pods.enter(driver, "Running")
            try:
                self._make_executors()
            except RuntimeRefused:
                running.kill()
                running.wait()
                raise
            if self._interruption or self.is_deleted:
                running.kill()
            else:
                self._is_running()
        return running.wait()

    def _make_executors(self) -> None:
        """By the driver, as its service account. Raises RuntimeRefused."""
        found, by = self.manifest(), self._as_driver()
        unique = f"{self.uid[:8]}-{self.attempt}"  # as Spark's have letters of their own
        for number in range(int(found.conf.get("spark.executor.instances", "2"))):
            name = f"{found.name}-{unique}-exec-{number + 1}"
            self.pods.add(name, "executor", found.pods["executor"], by=by)
            self.pods.enter(name, "Running")

    def _as_driver(self) -> ClusterClient:
        """With a token such as the kubelet puts into the pod."""
        found, here = self.manifest(), self.cluster.api.enter()
        account = f"/api/v1/namespaces/{found.namespace}/serviceaccounts/{found.service_account}"
        token = self.cluster.api.post(f"{account}/token", TOKEN)["status"]["token"]
        return ClusterClient(lambda: Access(server=here.server, ca=here.ca, token=token))

    def _refuse_without_rights(self) -> None:
        """Raises RuntimeRefused where the driver would end before it has one executor."""
        found, driver = self.manifest(), self._as_driver()
        lacking = DRIVERS_OWN
        for _ in range(ASKED):
            has = driver.rights(found.namespace)
            lacking = [right for right in DRIVERS_OWN if right not in has]
            if not lacking:
                return
            self.cluster.changed.wait(ASKS_AGAIN_S)
        group, resource, verb = lacking[0]
        words = f'403: {resource} is forbidden: cannot {verb} resource "{resource}" in API group "{group}"'
        raise RuntimeRefused(f"{verb} {resource}", "the cluster", words, next_step="bind the driver's Role.")

    def _launched(self, submission: Submission) -> Running:
        found = self.manifest()
        image = PulledImage.at(self.cluster.images[found.image])
        if image is None or self.cluster.contained is None:
            return self.cluster.launch(submission)
        return self.cluster.contained.launch(submission, image, found.pods["driver"])

    def _ended(self, reason: str | None) -> str | None:
        with self.cluster.changed:
            self._running = None
            driver = self._driver()
            if self._interruption or self.is_deleted:
                self.pods.remove(driver)
                reason = None
            else:
                self.pods.enter(driver, "Failed" if reason else "Succeeded")
            collector = threading.Timer(self.cluster.linger_s, self._collect, [self.pods.executors()])
            collector.daemon = True
            collector.start()
            self.cluster.changed.notify_all()
            return reason

    def _collect(self, names: list[str]) -> None:
        with self.cluster.changed:
            if not self.cluster.is_stopped:
                for name in names:
                    self.pods.remove(name)
            self.cluster.changed.notify_all()

    def _is_mounted(self, driver: str) -> bool:
        """Waits until its volumes are, as the kubelet does, which tries again and again; False where it was deleted meanwhile.
        Why it waits is said by an event, and by nothing in the pod's status."""
        found = self.manifest()
        spec = found.pods["driver"]
        while why := next(unmounted(self.cluster.api, found.namespace, spec), ""):
            if self._interruption or self.is_deleted:
                return False
            self.pods.wait_for(driver, spec["containers"][0], "ContainerCreating", "")
            self.pods.warn(driver, "FailedMount", why)
            self.cluster.changed.wait(MOUNTS_AGAIN_S)
        return True

    def _waits(self) -> tuple[str, str] | None:
        """Returns why the driver's container does not begin."""
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
        account = self.cluster.api.get(f"/api/v1/namespaces/{found.namespace}/serviceaccounts/{found.service_account}")
        irsa = (account or {}).get("metadata", {}).get("annotations", {}).get("eks.amazonaws.com/role-arn")
        return irsa or self.cluster.roles.get(whose) or self.cluster.associated().get(whose)

    def _submission(self) -> Submission:
        found = self.manifest()
        image = self.cluster.images[found.image]
        if PulledImage.at(image) is not None:
            image = Path(IN_IMAGE)
        return Submission(
            name=f"{self.uid}-{self.attempt}",
            role_arn=self._role() or "",
            service=PRINCIPAL,
            source_arn=self.cluster.arn(),
            tags=session_tags(self.cluster.arn().rpartition("/")[2], found.namespace, found.service_account),
            entry=found.from_image(found.entry, image),
            arguments=found.arguments,
            conf={name: found.from_image(value, image) for name, value in found.conf.items()},
        )

    def _write_status(self, status: Document) -> None:
        self.cluster.api.merge_own(f"{self.path}/status", self.uid, {"status": status})
        self.cluster.changed.notify_all()

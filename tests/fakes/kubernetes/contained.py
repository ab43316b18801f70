"""A driver's pod of an image that was pulled: what the kubelet, a container runtime and Spark's submission make of it, with crun.

The container has the image's root filesystem (below an overlay, as it would have), its entry point, and the security that the pod
asks for. Two things are this machine's: the network, on which the embedded services listen, and the master, `local-cluster`, so
that executors are processes of the driver's container. Spark's side of it is that of its BasicDriverFeatureStep,
DriverCommandFeatureStep and LocalDirsFeatureStep.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from firnline_local.runtimes.jobs.container import Container, Order
from firnline_local.runtimes.jobs.credentials import RoleSession, variables
from firnline_local.runtimes.jobs.spark import DRIVER, DRIVER_VARIABLES, EXECUTORS, PID, SparkAttempt, SparkLauncher
from firnline_local.runtimes.jobs.spark_home import properties_file, service_defaults, with_prefix, worker
from firnline_local.runtimes.jobs.submission import LaunchRefused, Submission
from tests.fakes.kubernetes.bundle import Bundle, Mount, PulledImage

CONF, LOCAL_DIRS = "/opt/spark/conf", "/var/data/spark-local"
PROPERTIES = "spark.properties"
POD_IP = "127.0.0.1"
RUN = """
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" "$4"
mountpoint -q /sys/fs/cgroup/unified && umount /sys/fs/cgroup/unified
shift 4
exec "$@"
"""
"""In a mount namespace that ends with the container. crun 1.8 refuses to start where both versions of cgroups are mounted."""
ENDS_WITH_RUNTIME = ("setpriv", "--pdeathsig", "KILL", "--")


@dataclass(frozen=True, slots=True)
class PodLauncher:
    """`spark` launches what has no image, and has what both need."""

    spark: SparkLauncher
    config_maps: dict[str, Path] = field(default_factory=dict)
    """By their names: a folder with the files of each."""

    def launch(self, submission: Submission, image: PulledImage, pod: Mapping[str, Any]) -> SparkAttempt:
        """Raises LaunchRefused."""
        spark, places = self.spark, self.spark.places()
        session = RoleSession(submission, places, spark.on_session)
        session.current()
        spark.sessions.add(session)
        try:
            folder = (spark.folder / submission.name).absolute()
            settings = {**service_defaults(places.aws, places.region), **submission.conf}
            own = {**places.variables, **variables(session, spark.endpoint())}
            bundle = _bundle(folder / "work", submission, image, pod, settings, own)
            bundle = replace(bundle, mounts=(*bundle.mounts, *self._volumes(pod, folder / "work")))
            container = Container(
                Order(
                    command=_command(folder / "work", bundle, submission.name),
                    folder=folder / "work",
                    variables={"PATH": os.environ.get("PATH", os.defpath)},
                    logs=folder / "logs" / DRIVER,
                )
            )
        except Exception:
            spark.sessions.remove(session)
            raise
        (folder / PID).write_text(str(container.pid))
        return SparkAttempt(folder, container, None, lambda: spark.sessions.remove(session))

    def _volumes(self, pod: Mapping[str, Any], work: Path) -> Iterator[Mount]:
        volumes = {volume["name"]: volume for volume in pod.get("volumes", ())}
        (container,) = pod["containers"]
        for mount in container.get("volumeMounts", ()):
            volume = volumes[mount["name"]]
            if "emptyDir" in volume:
                folder = work / "volumes" / mount["name"]
                folder.mkdir(parents=True)
                folder.chmod(0o777)
                yield Mount(folder, mount["mountPath"])
            elif (name := volume.get("configMap", {}).get("name")) in self.config_maps:
                yield Mount(self.config_maps[name], mount["mountPath"], is_read_only=True)
            else:
                raise LaunchRefused(f"the embedded cluster has nothing for the volume {volume}")


def _bundle(
    work: Path,
    submission: Submission,
    image: PulledImage,
    pod: Mapping[str, Any],
    settings: Mapping[str, str],
    own: Mapping[str, str],
) -> Bundle:
    for name in ("conf", "local", "upper", "overlay", "root"):
        (work / name).mkdir(parents=True)
    cores, memory = worker(settings)
    master = {"spark.master": f"local-cluster[{EXECUTORS},{cores},{memory}]"}
    (work / "conf" / PROPERTIES).write_text(properties_file({**settings, **master}))
    (work / "hosts").write_text(f"{POD_IP} localhost {submission.name}\n")
    given = {name: value for prefix in DRIVER_VARIABLES for name, value in with_prefix(settings, prefix).items()}
    spark = {
        "SPARK_APPLICATION_ID": submission.name,
        "SPARK_CONF_DIR": CONF,
        "SPARK_DRIVER_BIND_ADDRESS": POD_IP,
        "SPARK_LOCAL_DIRS": LOCAL_DIRS,
        "SPARK_LOCAL_IP": POD_IP,
        "PYSPARK_PYTHON": settings["spark.pyspark.python"],
        "PYSPARK_DRIVER_PYTHON": settings["spark.pyspark.driver.python"],
    }
    properties = f"{CONF}/{PROPERTIES}"
    return Bundle(
        image=image,
        pod=pod,
        hostname=submission.name,
        arguments=(
            *("driver", "--properties-file", properties, "--class", "org.apache.spark.deploy.PythonRunner"),
            *(f"local://{submission.entry}", *submission.arguments),
        ),
        variables={**spark, **given, **own},
        mounts=(
            Mount(work / "conf", CONF, is_read_only=True),
            Mount(work / "local", LOCAL_DIRS),
            Mount(work / "hosts", "/etc/hosts", is_read_only=True),
        ),
    )


def _command(work: Path, bundle: Bundle, name: str) -> list[str]:
    group = bundle.file_group
    if group is not None:
        os.chown(work / "local", 0, group)
    (work / "local").chmod(0o2777)
    document = bundle.document(work / "root", begins_with=ENDS_WITH_RUNTIME)
    (work / "config.json").write_text(json.dumps(document, indent=1))
    overlay = [str(work / part) for part in ("upper", "overlay", "root")]
    crun = ["crun", "--root", str(work / "state"), "--cgroup-manager=disabled", "run", "--bundle", str(work), name]
    return ["unshare", "--mount", "sh", "-ec", RUN, "pod", str(bundle.image.root), *overlay, *crun]

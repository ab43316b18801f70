"""A container is what the image says and what the rendered pod asks for, and nothing more; an application whose image was
unpacked runs in it.
"""

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.runtimes.render import Start
from firnline_infra.runtimes.spark_operator.kubeflow import spark_application
from firnline_infra.specification.runtimes.spark_operator import Operator
from firnline_local.runtimes.jobs.submission import Submission
from tests.fakes.kubernetes import bundle
from tests.fakes.kubernetes.bundle import PULLED, Bundle, Mount, PulledImage, seccomp
from tests.fakes.kubernetes.conftest import Place, started
from tests.fakes.kubernetes.manifest import of_kubeflow
from tests.infra.runtimes.environments import job_of, spec_of
from tests.local.runtimes.conftest import Played

CONFIG = {
    "User": "185",
    "Env": ["PATH=/bin", "SPARK_HOME=/opt/spark"],
    "Entrypoint": ["/opt/entrypoint.sh"],
    "WorkingDir": "/w",
}
PROFILE = {
    "defaultAction": "SCMP_ACT_ERRNO",
    "defaultErrnoRet": 38,
    "syscalls": [
        {"names": ["read"], "action": "SCMP_ACT_ALLOW", "args": [], "includes": {}, "excludes": {}},
        {"names": ["mount"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["bpf"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "excludes": {"caps": ["CAP_SYS_ADMIN"]}},
        {"names": ["arch_prctl"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["amd64", "x32"]}},
        {"names": ["sync_file_range2"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["arm", "arm64"]}},
        {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "excludes": {"arches": ["s390", "s390x"]}},
    ],
}


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PulledImage:
    """Unpacked."""
    (tmp_path / "root" / "etc").mkdir(parents=True)
    (tmp_path / "root" / "etc" / "passwd").write_text(
        "root:x:0:0::/root:/bin/sh\nspark:x:185:186::/nonexistent:/bin/sh\n"
    )
    (tmp_path / PULLED).write_text(json.dumps({"root": str(tmp_path / "root"), "config": CONFIG}))
    (tmp_path / "seccomp.json").write_text(json.dumps(PROFILE))
    monkeypatch.setattr(bundle, "PROFILE", tmp_path / "seccomp.json")
    found = PulledImage.at(tmp_path)
    assert found is not None
    return found


def document(image: PulledImage, pod: Mapping[str, Any]) -> dict[str, Any]:
    made = Bundle(
        image=image,
        pod=pod,
        hostname="driver",
        arguments=("driver", "local:///opt/firnline/entry.py"),
        variables={"SPARK_LOCAL_DIRS": "/var/data", "PATH": "/usr/bin"},
        mounts=(Mount(Path("/host/conf"), "/opt/spark/conf", is_read_only=True),),
    )
    return made.document(Path("/merged"), begins_with=("setpriv", "--"))


def test_the_rendered_pod_is_an_unprivileged_user_under_the_default_profile(image: PulledImage) -> None:
    job = job_of(spec_of("dev", "kubeflow"))
    assert job.runtime.kubernetes is not None
    rendered = of_kubeflow(spark_application(job, job.runtime.kubernetes, Start("00000001-ab", {}))).pods["driver"]
    found = document(image, rendered)
    process = found["process"]
    assert process["user"] == {"uid": 185, "gid": 186, "additionalGids": [185]}
    assert process["noNewPrivileges"] is True
    assert process["capabilities"] == {}
    assert found["linux"]["seccomp"]["defaultAction"] == "SCMP_ACT_ERRNO"
    assert found["root"] == {"path": "/merged", "readonly": False}


def test_what_a_pod_does_not_ask_for_it_does_not_get(image: PulledImage) -> None:
    found = document(image, {"containers": [{"name": "driver", "securityContext": {"readOnlyRootFilesystem": True}}]})
    assert found["root"]["readonly"] is True
    assert found["process"]["user"] == {"uid": 185, "gid": 186, "additionalGids": []}
    assert found["process"]["noNewPrivileges"] is False
    assert "seccomp" not in found["linux"]


def test_the_image_starts_what_the_pod_gives_it(image: PulledImage) -> None:
    found = document(image, {"containers": [{"name": "driver"}]})
    process = found["process"]
    assert process["args"] == ["setpriv", "--", "/opt/entrypoint.sh", "driver", "local:///opt/firnline/entry.py"]
    assert process["cwd"] == "/w"
    assert set(process["env"]) == {"PATH=/usr/bin", "SPARK_HOME=/opt/spark", "SPARK_LOCAL_DIRS=/var/data"}
    conf = {"destination": "/opt/spark/conf", "type": "bind", "source": "/host/conf", "options": ["rbind", "ro"]}
    assert conf in found["mounts"]


@pytest.mark.parametrize(
    ("machine", "names"),
    [("x86_64", ["read", "bpf", "arch_prctl", "clone"]), ("aarch64", ["read", "bpf", "sync_file_range2", "clone"])],
)
def test_a_container_without_capabilities_has_the_rules_of_its_processors(machine: str, names: list[str]) -> None:
    found = seccomp(PROFILE, machine)
    assert [name for rule in found["syscalls"] for name in rule["names"]] == names
    assert found["syscalls"][1] == {"names": ["bpf"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}
    assert found["defaultErrnoRet"] == 38


class Contained:
    """Takes the place of crun."""

    def __init__(self) -> None:
        self.launched: list[tuple[Submission, PulledImage, Mapping[str, Any]]] = []
        self.attempt = threading.Event()

    def launch(self, submission: Submission, image: PulledImage, pod: Mapping[str, Any]) -> Played:
        self.launched.append((submission, image, pod))
        self.attempt.set()
        return Played(submission, over=self.attempt)


def test_an_application_of_an_unpacked_image_runs_what_the_image_has(place: Place, image: PulledImage) -> None:
    contained, cluster = Contained(), place.cluster
    cluster.contained = contained  # type: ignore[assignment]
    cluster.images = dict.fromkeys(cluster.images, image.root.parent)
    place.runtime.start(place.job, "00000001-ab")
    assert contained.attempt.wait(20)
    (submission, launched, pod), *_ = contained.launched
    assert launched == image
    assert submission.entry == "/opt/firnline/entry.py"
    assert submission.conf["spark.pyspark.python"] == "/opt/firnline/environment/bin/python"
    assert pod["securityContext"]["runAsUser"] == 185
    assert place.stage.attempts == []


def test_an_application_of_a_folder_runs_what_the_folder_has(place: Place, tmp_path: Path) -> None:
    started(place)
    assert place.stage.attempt().submission.entry == f"{tmp_path}/entry.py"
    assert place.operator in Operator

"""A job's processes, settings and credentials, without Spark."""

import io
import json
import os
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import boto3
import pytest

from firnline_local.aws.server import AwsServer
from firnline_local.runtimes.jobs.container import Container, Order
from firnline_local.runtimes.jobs.credentials import JobEndpoints, JobSessions, RoleSession
from firnline_local.runtimes.jobs.spark_home import Archives, Spark, effective, properties_file, worker
from firnline_local.runtimes.jobs.submission import LaunchRefused, Submission
from tests.local.runtimes.conftest import ACCOUNT, REGION

SOURCE = f"arn:aws:emr-serverless:{REGION}:{ACCOUNT}:/applications/00f1"


def ordered(folder: Path, script: str) -> Container:
    order = Order(command=[sys.executable, "-c", script], folder=folder, variables={"A": "b"}, logs=folder / "logs")
    return Container(order)


def is_there(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


def test_a_process_has_the_variables_it_is_given_and_no_others(tmp_path: Path) -> None:
    container = ordered(tmp_path, "import os; print(sorted(set(os.environ) - {'LC_CTYPE'})); raise SystemExit(3)")
    assert container.wait() == 3
    assert (tmp_path / "logs" / "stdout").read_text() == "['A']\n"


@needs_proc
@pytest.mark.parametrize("how", ["ends", "killed"])
def test_nothing_is_left_of_an_attempt_that_is_over(tmp_path: Path, how: str) -> None:
    """Also what has made a process group of its own, as Spark's Python daemons do."""
    script = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], process_group=0)\n"
        "open('child', 'w').write(str(child.pid)); os.rename('child', 'child.pid')\n"
        + ("time.sleep(600)" * (how == "killed"))
    )
    container = ordered(tmp_path, script)
    while not (tmp_path / "child.pid").exists():
        time.sleep(0.01)
    child = int((tmp_path / "child.pid").read_text())
    if how == "killed":
        os.kill(container.pid, 9)
    assert container.wait() == (-9 if how == "killed" else 0)
    assert not is_there(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
def test_a_host_that_is_killed_takes_its_process_along(tmp_path: Path) -> None:
    container = ordered(tmp_path, "import time; time.sleep(600)")
    os.kill(container.host_pid, 9)
    while is_there(container.pid):
        time.sleep(0.01)
    assert container.wait() == -9


def test_a_grace_lets_the_process_say_its_last_word_and_ends(tmp_path: Path) -> None:
    script = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5)); open('ready', 'w')\n"
        "while True: time.sleep(0.01)"
    )
    patient, deaf = tmp_path / "patient", tmp_path / "deaf"
    for folder in (patient, deaf):
        folder.mkdir()
    first, second = ordered(patient, script), ordered(deaf, script.replace("sys.exit(5)", "None"))
    while not all((folder / "ready").exists() for folder in (patient, deaf)):
        time.sleep(0.01)
    first.terminate(60)
    second.terminate(0.2)
    assert first.wait() == 5
    assert second.wait() == -9


def test_parameters_win_over_configuration() -> None:
    conf = {"spark.executor.cores": "4", "spark.archives": "a"}
    parameters = ("--conf", "spark.executor.cores=2", "--executor-memory=2g", "--name", "x", "--archives", "b#c")
    found = effective(conf, parameters)
    assert found == {"spark.executor.cores": "2", "spark.executor.memory": "2g", "spark.archives": "b#c"}


@pytest.mark.parametrize(
    ("settings", "mib"),
    [
        ({"spark.executor.memory": "14G"}, 14336 + 1433),
        ({"spark.executor.memory": "512m"}, 512 + 384),
        ({"spark.executor.memory": "1024", "spark.executor.memoryOverhead": "1g"}, 2048),
        ({"spark.executor.memory": "10g", "spark.executor.memoryOverheadFactor": "0.4"}, 10240 + 4096),
    ],
)
def test_a_worker_has_room_for_its_executor(settings: dict[str, str], mib: int) -> None:
    assert worker({"spark.executor.cores": "2", **settings}) == (2, mib)


def test_settings_survive_their_file() -> None:
    assert properties_file({"a b": "c\\d\ne", "f": " g=h"}) == "a\\ b=c\\\\d\\ne\nf=\\ g=h\n"


def test_of_two_versions_of_a_library_spark_keeps_its_own(tmp_path: Path) -> None:
    home, more = tmp_path / "spark", tmp_path / "more"
    for jar in (home / "jars" / "netty-4.2.jar", more / "netty-4.1.jar", more / "hadoop-aws-3.5.0.jar"):
        jar.parent.mkdir(parents=True, exist_ok=True)
        jar.touch()
    Spark(home, tuple(more.iterdir())).lay_out(tmp_path / "home")
    assert sorted(jar.name for jar in (tmp_path / "home" / "jars").iterdir()) == [
        "hadoop-aws-3.5.0.jar",
        "netty-4.2.jar",
    ]


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsServer]:
    monkeypatch.setenv("MOTO_ACCOUNT_ID", ACCOUNT)
    with AwsServer() as server:
        yield server


def session_of(aws: AwsServer, condition: dict[str, dict[str, str]], name: str) -> tuple[RoleSession, list[str]]:
    """A role with that condition in its trust; and the keys of the sessions that began."""
    iam = boto3.client("iam", endpoint_url=aws.endpoint, region_name=REGION)
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "emr-serverless.amazonaws.com"},
                "Action": "sts:AssumeRole",
                "Condition": condition,
            }
        ],
    }
    arn = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    submission = Submission(
        name="00f2-1", role_arn=arn, service="emr-serverless.amazonaws.com", source_arn=SOURCE, entry="s3://b/e.py"
    )
    began: list[str] = []
    places = JobEndpoints(aws=aws.endpoint, kinesis=aws.endpoint, region=REGION, account=ACCOUNT)
    return RoleSession(submission, places, lambda key, _: began.append(key)), began


def test_a_job_gets_a_session_of_its_role_once(aws: AwsServer) -> None:
    ours = {"StringEquals": {"aws:SourceAccount": ACCOUNT}, "ArnLike": {"aws:SourceArn": SOURCE}}
    session, began = session_of(aws, ours, "trusting")
    sessions = JobSessions()
    sessions.add(session)
    assert sessions.answer("00f2-1", "guessed") is None
    first, second = sessions.answer("00f2-1", session.token), sessions.answer("00f2-1", session.token)
    assert first is not None
    assert first == second
    assert began == [first["AccessKeyId"]]
    caller = session.client("sts").get_caller_identity()["Arn"]
    assert caller == f"arn:aws:sts::{ACCOUNT}:assumed-role/trusting/00f2-1"
    sessions.remove(session)
    assert sessions.answer("00f2-1", session.token) is None


@pytest.mark.parametrize(
    "condition", [{"StringEquals": {"aws:SourceAccount": "999999999999"}}, {"ArnLike": {"aws:SourceArn": f"{SOURCE}2"}}]
)
def test_a_trust_for_somebody_else_fails_the_job(aws: AwsServer, condition: dict[str, dict[str, str]]) -> None:
    session, began = session_of(aws, condition, f"for-others-{len(str(condition))}")
    with pytest.raises(LaunchRefused, match=r"can't be assumed by emr-serverless.amazonaws.com: .*not authorized"):
        session.current()
    assert began == []


def test_an_archive_that_is_not_there_is_told_before_spark_starts(aws: AwsServer, tmp_path: Path) -> None:
    s3 = boto3.client("s3", endpoint_url=aws.endpoint, region_name=REGION)
    with pytest.raises(LaunchRefused, match=r"s3://nowhere/e.tar.gz can't be read with the job's role"):
        Archives(tmp_path / "kept").unpack("s3://nowhere/e.tar.gz#environment", tmp_path, s3)


def test_an_archive_is_fetched_once_for_each_content(aws: AwsServer, tmp_path: Path) -> None:
    """A job may write below its folder; the next one finds what the archive has."""
    s3: Any = boto3.client("s3", endpoint_url=aws.endpoint, region_name=REGION)
    s3.create_bucket(Bucket="artefacts")
    fetched: list[str] = []
    s3.meta.events.register("before-call.s3.GetObject", lambda **_: fetched.append("GetObject"))
    archives = Archives(tmp_path / "kept")

    def unpacked(number: int) -> Path:
        folder = tmp_path / f"job-{number}"
        folder.mkdir()
        archives.unpack("s3://artefacts/e.tar.gz#environment", folder, s3)
        return folder / "environment"

    bodies = {content: archive_of("packages/module.py", content) for content in (b"first", b"second")}
    for number, content in enumerate((b"first", b"first", b"second")):
        s3.put_object(Bucket="artefacts", Key="e.tar.gz", Body=bodies[content])
        found = unpacked(number)
        assert (found / "packages" / "module.py").read_bytes() == content
        assert [file.name for file in (found / "packages").iterdir()] == ["module.py"]
        (found / "packages" / "module.pyc").write_bytes(b"")
    assert len(fetched) == 2


def archive_of(name: str, content: bytes) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return raw.getvalue()


def test_credentials_are_for_who_has_the_jobs_token(aws: AwsServer, tmp_path: Path) -> None:
    from firnline_local.faults import FaultPlan
    from firnline_local.runtimes.server import RuntimesApplication
    from firnline_local.wsgi import WsgiServer

    application = RuntimesApplication(tmp_path, account=ACCOUNT, region=REGION, faults=FaultPlan())
    with WsgiServer(application, name="runtimes") as server, pytest.raises(HTTPError, match="403"):
        urlopen(Request(f"{server.endpoint}/__firnline__/credentials/00f2-1", headers={"Authorization": "guessed"}))

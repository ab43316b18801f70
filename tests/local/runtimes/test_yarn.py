"""Hadoop's own YARN below an embedded cluster: it answers what our client of EMR on EC2 asks it, and goes with the cluster."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from firnline_infra.runtimes.emr_ec2.job import CONTEXT_WITHIN, start_tag
from firnline_infra.runtimes.emr_ec2.service import ALIVE, SCRIPT, STEP_LOGS
from firnline_local.runtimes.emr_ec2.yarn import USER
from firnline_local.runtimes.jobs.spark_home import installed_spark
from tests.local.runtimes.conftest import ROLE
from tests.local.runtimes.machines_here import Clusters, serving, until

HANGS_S = 1800
pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]
DRIVER = """
import os, sys, time
from pathlib import Path

place = Path(sys.argv[1])
(place / "begun.new").write_text(str(os.getpid()))
(place / "begun.new").rename(place / "begun")
while True:
    time.sleep(0.1)
"""
"""A program that holds no Spark context yet, as an engine that starts."""


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s3a_jars: Path) -> Iterator[Clusters]:
    monkeypatch.setattr("firnline_local.runtimes.server.role_of_profile", lambda *_: ROLE)
    with serving(tmp_path / "machines", installed_spark) as clusters:
        yield clusters


def daemons(folder: Path) -> list[str]:
    """Returns what works in the folder."""
    return [each.name for each in Path("/proc").glob("[0-9]*") if works_in(each, folder)]


def works_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").readlink().is_relative_to(folder)
    except OSError:
        return False


def as_a_web_page(yarn: Path, method: str, path: str, document: dict[str, Any] | None = None) -> tuple[int, Any]:
    """Asks the ResourceManager under a name that is another site's, as a page does whose name leads here by now."""
    (port,) = re.findall(
        r"resourcemanager\.webapp\.address</name><value>[^:]*:(\d+)<", (yarn / "conf/yarn-site.xml").read_text()
    )
    headers = {"Host": "pages.example", "Content-Type": "application/json"}
    url, body = f"http://127.0.0.1:{port}/ws/v1/cluster{path}", None if document is None else json.dumps(document)
    answer = urllib3.request(method, url, body=body, headers=headers, retries=False)
    return answer.status, json.loads(answer.data or "null")


def what_administrators_see(yarn: Path, who: str) -> list[tuple[str, int]]:
    """Asks both daemons, as such a page does, for their configuration, their state and the level of their logs."""
    (manager,) = re.findall(r"webapp\.address</name><value>[^:]*:(\d+)<", (yarn / "conf/yarn-site.xml").read_text())[
        -1:
    ]
    (node,) = re.findall(r"Web app node started at (\d+)", (yarn / "nodemanager/stderr").read_text())
    return [
        (path, urllib3.request("GET", url, headers={"Host": "pages.example"}, retries=False).status)
        for port in (manager, node)
        for path in ("conf", "jmx", "stacks", "logLevel?log=a&level=DEBUG")
        if (url := f"http://127.0.0.1:{port}/{path}{'&' if '?' in path else '?'}{who}")
    ]


def start_over_http(yarn: Path, who: str, command: str) -> tuple[int, Any]:
    _, made = as_a_web_page(yarn, "POST", f"/apps/new-application{who}")
    application = {
        "application-id": made["application-id"],
        "am-container-spec": {"commands": {"command": command}},
        "resource": {"memory": 128, "vCores": 1},
        "application-type": "YARN",
    }
    return as_a_web_page(yarn, "POST", f"/apps{who}", application)


def test_the_step_that_ends_an_engine_asks_it_and_it_goes_with_its_cluster(clusters: Clusters, tmp_path: Path) -> None:
    """Nothing is killed if nothing has the tag of the start, and the engine is gone."""
    id_ = clusters.make(StepConcurrencyLevel=2)
    script = SCRIPT.format(tag=start_tag("00000001-a"), alive=ALIVE, grace_s=0, others="", logs=STEP_LOGS)
    step = clusters.add(id_, script)

    def status() -> dict[str, Any]:
        return clusters.step(id_, step)

    found = until(status, lambda found: found["State"] not in ("PENDING", "RUNNING"), HANGS_S)
    assert found["State"] == "COMPLETED", found
    folder = (tmp_path / "machines" / id_).resolve()
    asked = (folder / "steps" / step / "stdout").read_text() + (folder / "steps" / step / "stderr").read_text()
    assert "Connecting to ResourceManager" in asked
    assert len(daemons(folder / "yarn")) == 2
    for who in ("", f"?user.name={USER}"):
        code, said = start_over_http(folder / "yarn", who, f"touch {tmp_path / 'ran'}")
        assert code == 400, said
        assert "does not have permission to submit" in said["RemoteException"]["message"]
        seen = what_administrators_see(folder / "yarn", who.removeprefix("?"))
        assert [each for each in seen if each[1] not in (401, 403)] == []
        assert len(seen) == 8
    assert not (tmp_path / "ran").exists()
    clusters.emr.terminate_job_flows(JobFlowIds=[id_])
    until(lambda: daemons(folder), lambda left: not left, HANGS_S)


def test_the_application_of_a_cancelled_step_lives_on_until_what_ends_an_engine_finds_it_by_its_tag(
    clusters: Clusters, tmp_path: Path
) -> None:
    program, begun, tag = tmp_path / "driver.py", tmp_path / "begun", start_tag("00000002-b")
    program.write_text(DRIVER)
    id_ = clusters.make(StepConcurrencyLevel=2)
    settings = " ".join(
        f"--conf {each}"
        for each in ("spark.driver.memory=512m", f"spark.yarn.am.waitTime={CONTEXT_WITHIN}", f"spark.yarn.tags={tag}")
    )
    step = clusters.add(id_, f"spark-submit --deploy-mode cluster {settings} {program} {tmp_path}")
    until(begun.exists, bool, HANGS_S)
    clusters.emr.cancel_steps(ClusterId=id_, StepIds=[step])
    until(lambda: clusters.step(id_, step), lambda found: found["State"] == "CANCELLED", HANGS_S)
    driver = Path("/proc", begun.read_text())
    assert driver.exists()

    script = SCRIPT.format(tag=tag, alive=ALIVE, grace_s=0, others="", logs=STEP_LOGS)
    end = clusters.add(id_, script)
    found = until(lambda: clusters.step(id_, end), lambda found: found["State"] not in ("PENDING", "RUNNING"), HANGS_S)
    assert found["State"] == "COMPLETED", found
    until(driver.exists, lambda lives: not lives, HANGS_S)

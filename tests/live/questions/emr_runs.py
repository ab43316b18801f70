"""Questions to EMR Serverless about runs: a small Python script in a bucket of the run's own, one run at a time."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.live.names import Run

Client = Callable[[str], Any]
SERVICE = "emr-serverless.amazonaws.com"
OVER = ("SUCCESS", "FAILED", "CANCELLED")
OVER_WITHIN_S, POLL_S = 600.0, 1.0
SCRIPT = "print('asked')\n"
SMALL = (
    "--conf spark.driver.cores=1 --conf spark.driver.memory=1g --conf spark.executor.cores=1 --conf spark.executor.memory=1g"
    " --conf spark.executor.instances=1 --conf spark.dynamicAllocation.enabled=false"
)
SETTLES: dict[str, tuple[str, ...]] = {
    "runs: described as soon as it was started": ("B475",),
    "runs: the same token and request again": ("B101",),
    "runs: the same token and another request": ("B101",),
    "runs: a second one where one may run": ("B106",),
    "runs: a program that ends with 0": ("B102",),
    "runs: attempts of a program that ends with 0": ("B102",),
    "runs: the second one, once the first is over": ("B106",),
    "runs: the same token when it is over": ("B101",),
}


def asked(aws: Client, run: Run, release: str) -> Iterator[tuple[str, Any]]:
    name = f"{run.aws}-asked-runs"
    emr, s3 = aws("emr-serverless"), aws("s3")
    s3.put_object(Bucket=f"{run.aws}-asked", Key="script.py", Body=SCRIPT.encode())
    role = _role(aws("iam"), name, f"{run.aws}-asked")
    application = emr.create_application(
        name=name,
        releaseLabel=release,
        type="SPARK",
        clientToken=name,
        schedulerConfiguration={"maxConcurrentRuns": 1, "queueTimeoutMinutes": 30},
    )["applicationId"]
    _until(lambda: emr.get_application(applicationId=application)["application"]["state"], ("CREATED", "STARTED"))
    entry = {"sparkSubmit": {"entryPoint": f"s3://{run.aws}-asked/script.py", "sparkSubmitParameters": SMALL}}
    request = {
        "applicationId": application,
        "executionRoleArn": role,
        "jobDriver": entry,
        "mode": "STREAMING",
        "executionTimeoutMinutes": 0,
    }
    first = emr.start_job_run(**request, clientToken=f"{name}-1")["jobRunId"]
    yield (
        "runs: described as soon as it was started",
        _said(lambda: emr.get_job_run(applicationId=application, jobRunId=first)),
    )
    again = emr.start_job_run(**request, clientToken=f"{name}-1")["jobRunId"]
    yield "runs: the same token and request again", {"the same run": again == first}
    other = {**request, "executionTimeoutMinutes": 5}
    yield "runs: the same token and another request", _said(lambda: emr.start_job_run(**other, clientToken=f"{name}-1"))
    second = emr.start_job_run(**request, clientToken=f"{name}-2")["jobRunId"]

    def state(of: str) -> str:
        found: str = emr.get_job_run(applicationId=application, jobRunId=of)["jobRun"]["state"]
        return found

    waits = _until(lambda: state(second), ("QUEUED", *OVER))
    yield "runs: a second one where one may run", waits
    yield "runs: a program that ends with 0", _until(lambda: state(first), OVER)
    attempts = emr.get_job_run(applicationId=application, jobRunId=first)["jobRun"].get("attempt")
    yield "runs: attempts of a program that ends with 0", attempts
    yield "runs: the second one, once the first is over", _until(lambda: state(second), OVER)
    late = emr.start_job_run(**request, clientToken=f"{name}-1")["jobRunId"]
    yield "runs: the same token when it is over", {"the same run": late == first}


def _role(iam: Any, name: str, bucket: str) -> str:
    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": SERVICE}}
    reads = {
        "Effect": "Allow",
        "Action": ["s3:GetObject", "s3:ListBucket"],
        "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
    }
    made: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=_document(trust))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="reads", PolicyDocument=_document(reads))
    time.sleep(POLL_S)
    return made


def _document(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _until(look: Callable[[], str], ends: tuple[str, ...]) -> str:
    """The first state that is one of `ends`, or the last that was seen."""
    over = time.monotonic() + OVER_WITHIN_S
    while (state := look()) not in ends and time.monotonic() < over:
        time.sleep(POLL_S / 4)
    return state


def _said(call: Callable[[], Any]) -> int | str:
    from botocore.exceptions import ClientError

    try:
        status: int = call()["ResponseMetadata"]["HTTPStatusCode"]
    except ClientError as error:
        code: str = error.response["Error"]["Code"]
        return code
    return status

"""What is wrong with a job before anything is started.

JobError
├── StartedByHand      the specification does not say where the engine's job runs
└── JobRefused         the service would refuse the request
"""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError


class JobError(FirnlineError, Fatal):
    """An engine's job could not be made."""

    id = "FL-5421"


class StartedByHand(JobError):
    """The specification has none of the sections that say where the job runs."""

    id = "FL-5422"

    def __init__(self, environment: str) -> None:
        super().__init__(
            f"Environment {environment} does not say where its engine's job runs: aws.runtime has none of "
            f"emr_serverless, emr_eks, emr_ec2, kubernetes.",
            next_step="give one of them (docs/spec.md), or start the engine by hand (docs/first-real-run.md).",
        )


class JobRefused(JobError):
    """The service would refuse the request; said before anything is stopped or started."""

    id = "FL-5423"

    def __init__(self, application: str, service: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"{service} would refuse the job of {application}:\n" + "\n".join(f"  - {each}" for each in problems),
            next_step="change what the lines name in the specification, and deploy again; nothing was stopped or started.",
        )

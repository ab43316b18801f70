"""Layout of the environment's bucket. What the engine may do in each folder is in `blueprint/iam/engine.py`.

| folder | what | the engine's role |
| --- | --- | --- |
| `checkpoint/<application>/` | Spark's checkpoint | lists, reads, writes, removes |
| `dead-letters/` | records that can't be rows | writes |
| `artefacts/<hash>/` | what a job runs | reads |
| `configuration/<hash>.json` | what it is configured with | reads |
| `logs/` | what EMR writes of a job, with its role | writes |
| `deployments/` | what was deployed, and how it ended; by who deploys | nothing |

In an adopted bucket all of them lie in a folder that has the application's name: two environments may share the bucket, and
neither role, nor who deploys the one, reaches what is the other's.

The checkpoint lies one level below the prefix that its permissions end at: Spark's client asks for the folder as a key
without a slash at its end, and `checkpoint` is not in `checkpoint/*`.
"""

from firnline_infra.environment import Environment
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Trust

CHECKPOINT_FOLDER, LETTERS_FOLDER = "checkpoint/", "dead-letters/"
ARTEFACT_FOLDER, CONFIGURATION_FOLDER, LOG_FOLDER = "artefacts/", "configuration/", "logs/"
DEPLOYMENT_FOLDER = "deployments/"
JOB_FOLDERS = (ARTEFACT_FOLDER, CONFIGURATION_FOLDER)
"""What a job is started with: content under its hash, written by who deploys and read by the engine."""

ON_EMR = (Trust.EMR_SERVERLESS, Trust.EMR_EC2, Trust.EMR_EKS)


def is_on_emr(environment: Environment) -> bool:
    """Returns whether Spark is EMR's own: it opens s3:// with settings of its own, and brings a job's logs to S3."""
    return environment.aws.runtime.trust in ON_EMR or environment.aws.runtime.emr_eks is not None


def has_bucket(environment: Environment) -> bool:
    return environment.aws.bucket.origin is not Origin.SKIP


def makes_bucket(environment: Environment) -> bool:
    return environment.aws.bucket.origin is Origin.CREATE


def folder(environment: Environment, name: str) -> str:
    """One of the above, as it lies in the bucket."""
    return f"{environment.names.application}/{name}" if environment.aws.bucket.origin is Origin.ADOPT else name


def s3_url(environment: Environment, key: str) -> str:
    """The URL for AWS's own clients. `spark_url` names what Spark opens."""
    return f"s3://{environment.names.bucket}/{key}"


def spark_url(environment: Environment, key: str) -> str:
    """s3:// on EMR; elsewhere s3a://, which takes `hadoop-aws` of the very Hadoop that Spark has."""
    return f"{scheme(environment)}://{environment.names.bucket}/{key}"


def scheme(environment: Environment) -> str:
    return "s3" if is_on_emr(environment) else "s3a"


def checkpoint_folder(environment: Environment) -> str:
    return f"{folder(environment, CHECKPOINT_FOLDER)}{environment.names.application}/"


def log_folder(environment: Environment) -> str | None:
    """The folder into which EMR writes a job's logs, with the job's role; None on runtimes that keep logs themselves."""
    return folder(environment, LOG_FOLDER) if has_bucket(environment) and is_on_emr(environment) else None


def log_uri(environment: Environment) -> str | None:
    logs = log_folder(environment)
    return None if logs is None else s3_url(environment, logs)

"""Can the Spark at hand open the place of the checkpoint? Its own Hadoop is asked, on whatever cluster it is."""

import re
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import EnvironmentalError, declared
from firnline_ingest.spark.errors import SparkUnstartable

if TYPE_CHECKING:
    from py4j.java_gateway import JVMView

PROVIDE = "python -m firnline_infra.s3a --hadoop {} --into <Spark's folder jars>"
ONE_TRY = {"fs.s3a.attempts.maximum": "1", "fs.s3a.retry.limit": "1", "fs.s3a.connection.establish.timeout": "5000"}
"""Of a look that a person waits for: what passes is worth a line too."""
LONGEST_CAUSE = 600  # characters


@declared
class CheckpointUnopenable(EnvironmentalError):
    """This Spark has no file system for the checkpoint's URL, or not all of one."""

    checkpoint: str
    cause: str
    hadoop: str

    id = "FL-5404"
    message = "Spark can't open spark.checkpoint, {checkpoint}: {cause}"
    next_step = "{advice}"
    causes = (
        "This Spark has no file system for the checkpoint's URL: s3:// outside of EMR, s3a:// without `hadoop-aws`, or "
        "one of another Hadoop"
    )
    remedy = "the scheme that fits the runtime, and [its jars](s3.md)"

    @property
    def advice(self) -> str:
        return (
            f"{self.scheme}:// is EMR's own: start the engine there; elsewhere name the checkpoint s3a://, and {self.jars}"
            if self.scheme == "s3"
            else self.jars
            if self.scheme == "s3a"
            else "name a folder, or a URL of a file system that this Spark has."
        )

    @property
    def scheme(self) -> str:
        return self.checkpoint.partition("://")[0]

    @property
    def jars(self) -> str:
        return f"give this Spark the jars of S3A for its Hadoop: {PROVIDE.format(self.hadoop)}"


@declared
class CheckpointUnreachable(EnvironmentalError):
    """Spark has a file system for the checkpoint, and that does not find, or may not look at, its place."""

    checkpoint: str
    cause: str

    id = "FL-5405"
    message = "Spark can't look at spark.checkpoint, {checkpoint}: {cause}"
    next_step = (
        "refused (403): the engine's role needs s3:ListBucket, GetObject, PutObject and DeleteObject there, and use "
        "of the bucket's key (docs/permissions.md). Not found: the bucket's name, and fs.s3a.endpoint.region in "
        "spark.conf. No credentials: fs.s3a.aws.credentials.provider."
    )
    causes = "The checkpoint's place does not answer, or may not be looked at; Java's innermost words are reported"
    remedy = "the role's rights, the bucket's name, region, endpoint and credentials"


def check_checkpoint(config: EngineConfig) -> str:
    """Checks a URL with a JVM that is started for it. Raises CheckpointUnopenable, CheckpointUnreachable."""
    from pyspark import SparkContext

    from firnline_ingest.spark.jvm import launch_jvm
    from firnline_ingest.spark.spark_session import settings_of

    try:
        launch_jvm(settings_of(config), lambda _: None)
    except PySparkException as error:
        raise SparkUnstartable(str(error)) from error
    gateway: Any = SparkContext._gateway
    jvm = gateway.jvm
    hadoop = jvm.org.apache.spark.deploy.SparkHadoopUtil.get().newConfiguration(jvm.org.apache.spark.SparkConf())
    for name, value in ONE_TRY.items():
        hadoop.set(name, value)
    opened = opened_by(jvm, hadoop, config.spark.checkpoint)
    try:
        is_there = opened.exists(jvm.org.apache.hadoop.fs.Path(config.spark.checkpoint))
    except Py4JError as error:
        raise CheckpointUnreachable(config.spark.checkpoint, last_cause(error)) from error
    return f"{config.spark.checkpoint}, {'which is there' if is_there else 'not begun'}"


def opened_by(jvm: "JVMView", hadoop: Any, checkpoint: str) -> Any:
    """Hadoop's file system for the checkpoint, with everything that it is made of. Asks only this machine.

    Raises CheckpointUnopenable.
    """
    found: Any = jvm
    version = found.org.apache.hadoop.util.VersionInfo.getVersion()
    try:
        opened = found.org.apache.hadoop.fs.Path(checkpoint).getFileSystem(hadoop)
        jar = opened.getClass().getProtectionDomain().getCodeSource().getLocation().toString()
    except Py4JError as error:
        raise CheckpointUnopenable(checkpoint, last_cause(error), version) from error
    other = re.search(r"hadoop-aws-(\d+\.\d+\.\d+)[^/]*\.jar$", jar)
    if other is not None and not version.startswith(other[1]):
        raise CheckpointUnopenable(checkpoint, f"hadoop-aws is {other[1]}, and its Hadoop is {version}", version)
    return opened


def last_cause(error: Py4JError) -> str:
    """Java's innermost words: what it wraps them into says less and less."""
    if not isinstance(error, Py4JJavaError):
        return str(error)[:LONGEST_CAUSE]
    cause: Any = error.java_exception
    while cause.getCause() is not None:
        cause = cause.getCause()
    return " ".join(str(cause.toString()).split())[:LONGEST_CAUSE]

"""How Spark is told to run the engine from its archive, on each runtime. The one place that knows.

The archive holds `bin/python`, which starts the cluster's own Python with the archive's packages in front; Spark unpacks it into
the working directory of the driver and of every executor (Spark's "Python Package Management" page, and EMR Serverless's
"Using Python libraries").
"""

from typing import Protocol

FOLDER = "environment"
"""What Spark calls the unpacked archive, in each working directory."""
PYTHON = f"./{FOLDER}/bin/python"
DRIVER_VARIABLES = {
    "emr_serverless": "spark.emr-serverless.driverEnv.",
    "emr_eks": "spark.kubernetes.driverEnv.",
    "emr_ec2": "spark.yarn.appMasterEnv.",
    "kubernetes": "spark.kubernetes.driverEnv.",
}
"""What the name of a driver's environment variable stands behind, by the section of `aws.runtime`."""


class Packed(Protocol):
    """As runtimes.job.Artefact has it: a URI that the cluster reads, or a folder in an image."""

    @property
    def archive(self) -> str: ...


def spark_settings(artefact: Packed, runtime: str) -> dict[str, str]:
    """What `sparkSubmitParameters`, a step's arguments or a resource's `sparkConf` have to hold; no value has a blank in it.

    `artefact.archive` is the URI of the .tar.gz, or the absolute folder where an image has it unpacked. `runtime` is the name of
    a section of `aws.runtime`.
    """
    is_in_image = artefact.archive.startswith("/")
    python = f"{artefact.archive}/bin/python" if is_in_image else PYTHON
    driver = DRIVER_VARIABLES[runtime]
    return {
        **({} if is_in_image else {"spark.archives": f"{artefact.archive}#{FOLDER}"}),
        "spark.pyspark.python": python,  # before any variable, in Spark's own order
        "spark.pyspark.driver.python": python,
        f"{driver}PYSPARK_PYTHON": python,
        f"{driver}PYSPARK_DRIVER_PYTHON": python,
        "spark.executorEnv.PYSPARK_PYTHON": python,
    }

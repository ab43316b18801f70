"""Spark's settings of an engine's job, all but those of one runtime alone.

The engine's archive holds `bin/python`, which starts the cluster's own Python with the archive's packages in front; Spark unpacks
it into the working directory of the driver and of every executor (Spark's "Python Package Management" page, and EMR Serverless's
"Using Python libraries").
"""

from collections.abc import Mapping

from firnline_infra.blueprint.size import Size
from firnline_infra.runtimes.job import Artefact, EngineJob

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
ENGINE = {
    "spark.dynamicAllocation.enabled": "false",  # it would end workers that hold channels
    "spark.speculation": "false",  # two tasks on one shard fence each other
    "spark.task.maxFailures": "8",  # a retry is cheap and safe here
    "spark.python.worker.reuse": "true",  # a fresh worker an epoch would open every channel again
    JAVA_OPTIONS: "-Xss16m",  # stop() overflows Spark's smaller stack
    "spark.executor.failuresValidityInterval": "1h",  # executors lost over months are no failure
}
"""The settings of docs/design/engine.md. Those of the driver's JVM have to be here: the engine comes too late to set them."""
START_VARIABLE = "FIRNLINE_START"
"""The driver's environment variable with the token of its start, which the engine tells the ledger
(firnline_ingest/ledger/lease.py)."""
STANDBY_VARIABLE = "FIRNLINE_STANDBY"
"""The driver's environment variable with the seconds for which it waits to be promoted beside another engine
(firnline_ingest/spark/standing_by.py)."""
STANDBY_S = 600
"""A deployer promotes it within seconds of its being ready; one that was killed is followed by the next within that time,
or the engine ends by itself."""
SIZES = (
    "spark.driver.cores",
    "spark.driver.memory",
    "spark.driver.memoryOverhead",
    "spark.executor.instances",
    "spark.executor.cores",
    "spark.executor.memory",
    "spark.executor.memoryOverhead",
)
FOLDER = "environment"
"""What Spark calls the unpacked archive, in each working directory."""
PYTHON = f"./{FOLDER}/bin/python"


def python_conf(archive: str, driver_variable: str) -> dict[str, str]:
    """Settings that make driver and executors run the archive's Python; no value has a blank in it.

    `archive` is the URI of the .tar.gz, or the absolute folder where an image has it unpacked. `driver_variable` is what the
    runtime puts before the name of a driver's environment variable.
    """
    is_in_image = archive.startswith("/")
    python = f"{archive}/bin/python" if is_in_image else PYTHON
    return {
        **({} if is_in_image else {"spark.archives": f"{archive}#{FOLDER}"}),
        "spark.pyspark.python": python,  # before any variable, in Spark's own order
        "spark.pyspark.driver.python": python,
        f"{driver_variable}PYSPARK_PYTHON": python,
        f"{driver_variable}PYSPARK_DRIVER_PYTHON": python,
        "spark.executorEnv.PYSPARK_PYTHON": python,
    }


def engine_conf(
    artefact: Artefact,
    driver_variable: str,
    region: str,
    endpoints: Mapping[str, str],
    *,
    variables: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Returns what the engine needs to be itself on a runtime; `variables` are further ones of driver and executors."""
    variables = {"AWS_REGION": region, "AWS_DEFAULT_REGION": region, **(variables or {})}
    variables |= {f"AWS_ENDPOINT_URL_{service.upper()}": url for service, url in endpoints.items()}
    return {
        **ENGINE,
        **python_conf(artefact.archive, driver_variable),
        **{f"{driver_variable}{name}": value for name, value in variables.items()},
        **{f"spark.executorEnv.{name}": value for name, value in variables.items()},
    }


def size_conf(size: Size) -> dict[str, str]:
    return {
        "spark.driver.cores": str(size.driver_cores),
        "spark.driver.memory": f"{size.driver_memory_mib}m",
        "spark.driver.memoryOverhead": f"{size.driver_overhead_mib}m",
        "spark.executor.instances": str(size.executors),
        "spark.executor.cores": str(size.executor_cores),
        "spark.executor.memory": f"{size.executor_memory_mib}m",
        "spark.executor.memoryOverhead": f"{size.overhead_mib}m",
    }


def start_conf(driver_variable: str, token: str, *, stands_by: bool = False) -> dict[str, str]:
    standby = {STANDBY_VARIABLE: str(STANDBY_S)} if stands_by else {}
    return {f"{driver_variable}{name}": value for name, value in ({START_VARIABLE: token} | standby).items()}


def token_of(settings: Mapping[str, str]) -> str:
    """The token of a start, from its settings; empty where it has none."""
    return next((value for name, value in settings.items() if name.endswith(f".{START_VARIABLE}")), "")


def all_conf(job: EngineJob) -> dict[str, str]:
    return dict(sorted((size_conf(job.size) | dict(job.spark_conf)).items()))

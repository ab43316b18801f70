import pytest

from firnline_infra.runtimes.registry import RUNTIMES
from firnline_infra.runtimes.spark_conf import python_conf

ARCHIVE = "s3://acme-landing/artefacts/abc/firnline-engine-abc.tar.gz"


def test_emr_serverless_is_told_as_its_guide_says() -> None:
    assert python_conf(ARCHIVE, RUNTIMES["emr_serverless"].job.driver_variable) == {
        "spark.archives": "s3://acme-landing/artefacts/abc/firnline-engine-abc.tar.gz#environment",
        "spark.pyspark.python": "./environment/bin/python",
        "spark.pyspark.driver.python": "./environment/bin/python",
        "spark.emr-serverless.driverEnv.PYSPARK_PYTHON": "./environment/bin/python",
        "spark.emr-serverless.driverEnv.PYSPARK_DRIVER_PYTHON": "./environment/bin/python",
        "spark.executorEnv.PYSPARK_PYTHON": "./environment/bin/python",
    }


def test_an_image_has_it_unpacked_already() -> None:
    settings = python_conf("/opt/firnline/environment", RUNTIMES["kubernetes"].job.driver_variable)
    assert "spark.archives" not in settings
    assert settings["spark.kubernetes.driverEnv.PYSPARK_PYTHON"] == "/opt/firnline/environment/bin/python"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_driver_and_executors_run_one_python_and_nothing_has_to_be_quoted(runtime: str) -> None:
    settings = python_conf(ARCHIVE, RUNTIMES[runtime].job.driver_variable)
    pythons = {value for name, value in settings.items() if "PYTHON" in name.upper()}
    assert len(pythons) == 1
    assert not any(set(value) & set(" '\"") for value in settings.values())

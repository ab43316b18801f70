import pytest

from firnline_infra.runtimes.registry import RUNTIMES
from firnline_infra.runtimes.spark_conf import python_conf

ARCHIVE = "s3://acme-landing/artefacts/abc/firnline-engine-abc.tar.gz"


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_driver_and_executors_run_one_python_and_nothing_has_to_be_quoted(runtime: str) -> None:
    settings = python_conf(ARCHIVE, RUNTIMES[runtime].job.driver_variable)
    pythons = {value for name, value in settings.items() if "PYTHON" in name.upper()}
    assert len(pythons) == 1
    assert not any(set(value) & set(" '\"") for value in settings.values())

"""The tool behind scripts/mutate makes what it says, and finds the tests that should notice."""

import os
import subprocess
import sys

import pytest

from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.model import EngineConfig
from tests import mutants

READ = """
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.sink.options import SinkOptions
polling = PollingConfig(interval_ms=999, max_records=7)
print(polling.interval_ms, polling.max_records, SinkOptions(in_flight=3).in_flight)
"""


@pytest.mark.parametrize(
    ("mutant", "said"),
    [("PollingConfig.interval_ms", "210 7 3"), ("SinkOptions.in_flight", "999 7 16")],
)
def test_a_mutant_gives_the_default_of_one_option_and_of_no_other(mutant: str, said: str) -> None:
    command = [sys.executable, "-c", "import tests.mutants\n" + READ]
    environment = {**os.environ, mutants.VARIABLE: mutant}
    run = subprocess.run(command, check=True, cwd=mutants.ROOT, env=environment, capture_output=True, text=True)
    assert run.stdout.split() == said.split()


def test_every_section_of_the_engine_has_its_options_there() -> None:
    found = {name.partition(".")[0] for name in mutants.options()}
    assert {"PollingConfig", "RegistrationRetry", "FailuresConfig", "PipelineConfig", "SinkOptions"} <= found
    sections = (*mutants.sections(EngineConfig), *mutants.sections(EnvironmentSpec))
    assert {each.__name__ for model in sections for each in model.__mro__} >= found - {"SinkOptions"}


def test_tests_of_the_models_do_not_count() -> None:
    option = "PollingConfig.interval_ms"
    reader, model = "tests/ingest/kinesis/test_aggregate.py", "tests/ingest/config/test_access.py"
    assert mutants.files_that_read(option, {option: [f"{reader}::test", f"{model}::test"]}) == [reader]

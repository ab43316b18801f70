import subprocess
import sys

import pytest

from firnline_local.errors import UnknownTypeToken
from firnline_local.providers.registry import kind_of, known_types
from firnline_local.pulumi.schema import fields_of


@pytest.mark.parametrize("token", known_types())
def test_the_row_of_a_type_is_of_that_type(token: str) -> None:
    assert token == kind_of(token).type


@pytest.mark.parametrize("token", known_types())
def test_the_rules_of_a_type_are_about_its_inputs(token: str) -> None:
    rules = kind_of(token).rules
    about = {*rules.replaced_by, *rules.defaults, *(path.partition(".")[0] for path in rules.values)}
    about |= {path.partition(".")[0] for group in rules.conflicts for path in group}
    inputs = {name for name, field in fields_of(token).items() if field.is_input}
    assert about - inputs <= {"tagsAll"}


@pytest.mark.parametrize("token", known_types())
def test_a_default_is_a_value_that_the_input_may_have(token: str) -> None:
    rules = kind_of(token).rules
    for name, allowed in rules.values.items():
        default = rules.defaults.get(name)
        assert default in (None, "", "default") or str(default) in allowed


def test_an_unknown_type_is_refused_by_name() -> None:
    with pytest.raises(UnknownTypeToken, match="aws:sqs/queue:Queue"):
        kind_of("aws:sqs/queue:Queue")


def test_only_the_table_of_the_provider_that_is_asked_for_is_loaded() -> None:
    program = (
        "import sys; from firnline_local.providers.registry import kind_of;"
        "kind_of('aws:kinesis/stream:Stream');"
        "print([name for name in sys.modules if name.endswith(('providers.aws.kinds', 'providers.snowflake.kinds'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "['firnline_local.providers.aws.kinds']"

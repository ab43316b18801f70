import subprocess
import sys

import pytest

from firnline_local.errors import UnknownTypeToken
from firnline_local.materialise.registry import FILES, materialiser_of, rules_of
from firnline_local.pulumi.schema import fields_of


@pytest.mark.parametrize("token", FILES)
def test_the_file_of_a_type_is_of_that_type(token: str) -> None:
    assert token == materialiser_of(token).TYPE


@pytest.mark.parametrize("token", FILES)
def test_the_rules_of_a_type_are_about_its_inputs(token: str) -> None:
    rules = rules_of(token)
    about = {*rules.replaced_by, *rules.defaults, *(path.partition(".")[0] for path in rules.values)}
    about |= {path.partition(".")[0] for group in rules.conflicts for path in group}
    inputs = {name for name, field in fields_of(token).items() if field.is_input}
    assert about - inputs <= {"tagsAll"}


@pytest.mark.parametrize("token", FILES)
def test_a_default_is_a_value_that_the_input_may_have(token: str) -> None:
    rules = rules_of(token)
    for name, allowed in rules.values.items():
        default = rules.defaults.get(name)
        assert default in (None, "", "default") or str(default) in allowed


def test_an_unknown_type_is_refused_by_name() -> None:
    with pytest.raises(UnknownTypeToken, match="aws:sqs/queue:Queue"):
        materialiser_of("aws:sqs/queue:Queue")


def test_only_what_is_asked_for_is_loaded() -> None:
    program = (
        "import sys; from firnline_local.materialise.registry import materialiser_of;"
        "materialiser_of('aws:kinesis/stream:Stream');"
        "print([name for name in sys.modules if '.materialise.aws.' in name and name.endswith(('_stream', '_table'))])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "['firnline_local.materialise.aws.kinesis_stream']"

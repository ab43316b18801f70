"""A shell has from the file what is in it, whatever an identifier is called."""

import subprocess

from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.settings import settings_file
from firnline_infra.specification import EnvironmentSpec

NAME = '''"it's a $HOME `of` ""quotes"""'''


def test_a_shell_reads_each_value_as_it_is(prod_spec: EnvironmentSpec) -> None:
    script = (
        f'set -eu\n{settings_file(Environment.of(prod_spec), NAME)}\nprintf \'%s\\n%s\' "$SNOWFLAKE_USER" "$AWS_REGION"'
    )
    found = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True)
    assert found.stdout == f"{NAME}\n{prod_spec.aws.region}"

"""A shell has from the file what is in it, whatever an identifier is called."""

import subprocess

from firnline_infra.blueprint.bootstrap.settings import settings_file
from firnline_infra.specification import EnvironmentSpec

NAME = '''"it's a $HOME `of` ""quotes"""'''


def test_a_shell_reads_each_value_as_it_is(prod_spec: EnvironmentSpec) -> None:
    snowflake = prod_spec.snowflake.model_copy(update={"reader_warehouse": NAME})
    text = settings_file(prod_spec.model_copy(update={"snowflake": snowflake}), "DEPLOYER")
    script = f'set -eu\n{text}\nprintf \'%s\\n%s\' "$SNOWFLAKE_WAREHOUSE" "$SNOWFLAKE_USER"'
    found = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True)
    assert found.stdout == f"{NAME}\nDEPLOYER"

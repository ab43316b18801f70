"""Modules of every sort of environment, as the real Terraform reads them: no argument, block or type that a provider lacks.

Both as root modules, and in the registry's layout as their example calls them.
"""

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_infra.terraform import write_layout, write_module
from firnline_infra.terraform.cli import TerraformCli
from firnline_infra.terraform.errors import TerraformFailed
from firnline_local.terraform.serving import providing
from tests.infra.pulumi.conftest import _spec_of
from tests.infra.pulumi.test_beside_terraform import CASES

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(300)]
ODD: Mapping[str, Any] = {
    "streams": [{"name": "a.b-c_d", "shards": 1}, {"name": "a-b-c_d", "shards": 1}],
    "pipelines": [
        {"stream": "a.b-c_d", "database": '"odd ${db}"', "schema": '"%{if}"', "table": '"T \\1"'},
        {"stream": "a-b-c_d", "database": '"odd ${db}"', "schema": '"%{if}"', "table": '"T-1"'},
    ],
}


def _nothing(package: str, _: Any) -> Any:
    """To validate, a provider is asked for its schema and about inputs, and no cloud for anything."""
    return SimpleNamespace(package=package, close=lambda: None)


def test_every_sort_of_environment_is_valid_to_the_real_terraform(terraform_binary: Path, tmp_path: Path) -> None:
    environment: Any = None
    with providing(environment, cloud_of=_nothing) as variables:
        for number, (name, changes) in enumerate({**CASES, "odd": ("dev", ODD)}.values()):
            module = tmp_path / str(number)
            write_module(_spec_of(name, **changes), module, keeps_state=True)
            terraform = TerraformCli(terraform_binary, module, variables)
            terraform.init()
            terraform.validate()
            write_layout(_spec_of(name, **changes), tmp_path / "registry" / str(number))
            example = tmp_path / "registry" / str(number) / "examples" / "complete"
            called = TerraformCli(terraform_binary, example, variables)
            called.init()
            called.validate()
        main = module / "main.tf.json"
        main.write_text(main.read_text().replace('"shard_count"', '"shard_cnt"'))
        with pytest.raises(TerraformFailed, match="shard_cnt"):
            terraform.validate()
        main = tmp_path / "registry" / str(number) / "main.tf.json"
        main.write_text(main.read_text().replace('"shard_count"', '"shard_cnt"'))
        with pytest.raises(TerraformFailed, match="shard_cnt"):
            called.validate()

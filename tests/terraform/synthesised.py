"""stacks/terraform by the real core of CDK Terrain, or of CDKTF: the modules of `firnline terraform`, and Terraform takes them.

Neither core is a dependency; `scripts/terraform synthesised` brings one after the other. The suite has a stand-in of it
(tests/infra/terraform/test_cdk_program.py).
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.specification import load_spec
from firnline_infra.terraform import module_files
from firnline_infra.terraform.cli import TerraformCli
from firnline_local.terraform.serving import providing
from tests.infra.terraform.test_cdk_program import PROGRAM, ROOT, merged
from tests.terraform.test_validate import _nothing

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(300)]


def test_what_the_core_synthesises_is_the_module_that_the_command_writes(
    terraform_binary: Path, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, str(PROGRAM)], cwd=tmp_path, check=True, timeout=120)
    environment: Any = None  # no cloud is asked
    with providing(environment, cloud_of=_nothing) as variables:
        for name in ("dev", "staging", "prod"):
            stack = tmp_path / "cdktf.out" / "stacks" / name
            synthesised = json.loads((stack / "cdk.tf.json").read_text(encoding="utf-8"))
            assert synthesised.pop("//")["metadata"]["stackName"] == name
            files = module_files(load_spec(ROOT / "stacks" / "environments" / f"{name}.yaml"))
            assert synthesised == merged([json.loads(text) for text in files.values()])
            terraform = TerraformCli(terraform_binary, stack, {**variables, "TF_CLI_ARGS_init": "-backend=false"})
            terraform.init()
            terraform.validate()

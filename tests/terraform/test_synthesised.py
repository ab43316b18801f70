"""stacks/terraform by the real core of CDK Terrain, or of CDKTF: the modules of `firnline terraform`, and Terraform takes them.

CDK Terrain's is an extra; `scripts/terraform synthesised` brings CDKTF's too. For every change there is a stand-in
(tests/infra/terraform/test_cdk_program.py).
"""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.specification import load_spec
from firnline_infra.terraform import module_files
from firnline_infra.terraform.cli import TerraformCli
from firnline_local.terraform.serving import providing
from tests.infra.terraform.test_cdk_program import PROGRAM, ROOT, merged, with_nulls
from tests.terraform.test_validate import _nothing

pytestmark = [pytest.mark.slow, pytest.mark.terraform, pytest.mark.timeout(300)]
ALONE = "import runpy, sys; sys.modules[sys.argv[1]] = None; runpy.run_path(sys.argv[2])"
"""Runs the program as if one of the cores were not there."""
OTHER = {"cdktn": "cdktf", "cdktf": "cdktn"}


@pytest.fixture(params=OTHER)
def core(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if find_spec(name) is None and name == "cdktf":
        pytest.skip("scripts/terraform synthesised brings CDKTF's core")
    if shutil.which("node") is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("CDK Terrain runs on Node, and there is none")
    return name


def test_what_the_core_synthesises_is_the_module_that_the_command_writes(
    core: str, terraform_binary: Path, tmp_path: Path
) -> None:
    program = [sys.executable, "-c", ALONE, OTHER[core], str(PROGRAM)]
    subprocess.run(program, cwd=tmp_path, check=True, timeout=120)
    environment: Any = None  # no cloud is asked
    with providing(environment, cloud_of=_nothing) as variables:
        for name in ("dev", "staging", "prod"):
            stack = tmp_path / "cdktf.out" / "stacks" / name
            synthesised = json.loads((stack / "cdk.tf.json").read_text(encoding="utf-8"))
            assert synthesised.pop("//")["metadata"]["stackName"] == name
            files = module_files(load_spec(ROOT / "stacks" / "environments" / f"{name}.yaml"))
            assert with_nulls(synthesised) == merged([json.loads(text) for text in files.values()])
            terraform = TerraformCli(terraform_binary, stack, {**variables, "TF_CLI_ARGS_init": "-backend=false"})
            terraform.init()
            terraform.validate()

"""Every environment as a stack of CDK Terrain (`pip install 'firnline[cdk]'`), or of CDKTF, archived in December 2025.

    cd stacks/terraform && cdktn synth        # or python main.py; then cdktf.out/stacks/dev/cdk.tf.json

Only the core is used, without bindings of providers: the module is what `firnline terraform` writes, so it needs neither.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from firnline_infra.specification import load_spec
from firnline_infra.terraform import module_files

INSTEAD = "or do without: firnline terraform dev --into stacks/terraform/dev"
if shutil.which("node") is None:
    sys.exit(f"CDK Terrain runs on Node, and there is none on the PATH.\n  Next: install Node 22 or newer, {INSTEAD}")
try:
    from cdktn import App, S3Backend, TerraformStack
except ModuleNotFoundError:
    try:
        from cdktf import App, S3Backend, TerraformStack
    except ModuleNotFoundError:
        sys.exit(f"There is no core of CDK Terrain in this Python.\n  Next: pip install 'firnline[cdk]', {INSTEAD}")

SPECIFICATIONS = Path(__file__).resolve().parents[1] / "environments"
ENVIRONMENTS = ("dev", "staging", "prod")
NULL = (
    "${null}"  # the core leaves out what is null, and in JSON Terraform wants each attribute of a security group's rule
)


def environment(app: Any, environment_name: str) -> None:
    spec = load_spec(SPECIFICATIONS / f"{environment_name}.yaml")
    stack = TerraformStack(app, environment_name)
    for text in module_files(spec).values():
        sections = json.loads(text, object_hook=lambda part: {k: NULL if v is None else v for k, v in part.items()})
        settings = sections.pop("terraform", {})
        for setting, content in settings.items():
            if setting == "backend":
                locks = content["s3"].pop("use_lockfile")
                S3Backend(stack, **content["s3"])
                stack.add_override("terraform.backend.s3.use_lockfile", locks)  # CDKTF has no argument for it
            else:
                stack.add_override(f"terraform.{setting}", content)
        for section, content in sections.items():
            if isinstance(content, list):
                stack.add_override(section, content)
                continue
            for name, each in content.items():
                stack.add_override(f"{section}.{name}", each)


program = App()
for each in ENVIRONMENTS:
    environment(program, each)
program.synth()

"""Tools that make the environment, as a pipeline of CI needs them: Pulumi, Terraform or OpenTofu. One row each.

Actions are named by commit, with their release beside it; archives by their hash.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.settings import BACKEND
from firnline_infra.render.bootstrap.template import backend_url


@dataclass(frozen=True, kw_only=True)
class CiTool:
    extra: str
    """Of firnline-infra: what the jobs install."""
    plan: str
    """The file in which a preview keeps its plan."""
    variable: tuple[str, Callable[[Environment], str]]
    """Says which tool, or where its state is."""
    action: str
    """The step of GitHub that provides the CLI."""
    image: str
    """Of GitLab's jobs."""
    install: tuple[str, ...] = ()
    """What GitLab's jobs run for the CLI, where the image has none."""


def _archived(name: str, url: str, sha256: str, unpack: str) -> tuple[str, ...]:
    archive = url.rpartition("/")[2]
    return (
        f"curl -fsSLO --proto '=https' {url}",
        f"echo '{sha256}  {archive}' | sha256sum --check --quiet",
        f"python3 -m {unpack} -e {archive} .venv/bin && chmod +x .venv/bin/{name}",
        'export PATH="$PWD/.venv/bin:$PATH"',
    )


PYTHON = "python:3.13"
TOOLS = {
    "pulumi": CiTool(
        extra="deploy",
        plan="plan.json",
        variable=(BACKEND, backend_url),
        action="uses: pulumi/actions@8e5e406f4007fca908480587cb9893c07090f58d # v7.0.0",  # without a command: the CLI
        image="pulumi/pulumi-python-3.13:3.250.0",
    ),
    "terraform": CiTool(
        extra="terraform",
        plan="plan.tfplan",
        variable=("TERRAFORM_BINARY_NAME", lambda _: "terraform"),
        action="uses: hashicorp/setup-terraform@5e8dbf3c6d9deaf4193ca7a8fb23f2ac83bb6c85 # v4.0.0\n"
        "        with: {terraform_version: '1.11.4', terraform_wrapper: false}",
        image=PYTHON,
        install=_archived(
            "terraform",
            "https://releases.hashicorp.com/terraform/1.11.4/terraform_1.11.4_linux_amd64.zip",
            "1ce994251c00281d6845f0f268637ba50c0005657eb3cf096b92f753b42ef4dc",
            "zipfile",
        ),
    ),
    "opentofu": CiTool(
        extra="terraform",
        plan="plan.tfplan",
        variable=("TERRAFORM_BINARY_NAME", lambda _: "tofu"),
        action="uses: opentofu/setup-opentofu@a1320f892987e89d278cc92dc5adc984fb93aca4 # v2.0.2\n"
        "        with: {tofu_version: '1.10.6', tofu_wrapper: false}",
        image=PYTHON,
        install=_archived(
            "tofu",
            "https://github.com/opentofu/opentofu/releases/download/v1.10.6/tofu_1.10.6_linux_amd64.tar.gz",
            "b6b46b4fd8dd0b96e624f2a2d5fbc4efae2fc0174529b37292775c847c2e7d2c",
            "tarfile",
        ),
    ),
}


def tool_slots(provider: str, environment: Environment, tool: CiTool) -> dict[str, Any]:
    """The slots of the part that sets a job up."""
    name, value = tool.variable
    slots = {"TOOL_VARIABLE": name, "TOOL_VALUE": value(environment)}
    if provider == "github":
        return {**slots, "ACTION": tool.action}
    return {**slots, "IMAGE": tool.image, "INSTALL": "".join(f"      {line}\n" for line in tool.install)}

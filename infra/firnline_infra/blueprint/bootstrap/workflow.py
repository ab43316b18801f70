"""The workflow of GitHub Actions that previews an environment in pull requests, and ups it on merge.

No key is stored anywhere: GitHub's token opens the AWS roles, and those open Snowflake. It installs the release that rendered
it, and runs the toolkit's own commands.
"""

from pathlib import PurePosixPath
from shlex import quote

from firnline_infra.blueprint.bootstrap.settings import settings
from firnline_infra.blueprint.bootstrap.template import preview_environment
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names

ACTIONS = {"checkout": "actions/checkout@v5", "python": "actions/setup-python@v6"}
CREDENTIALS, PULUMI = "aws-actions/configure-aws-credentials@v5", "pulumi/actions@v7"
# What Pulumi does not see is compared with the pull request's own specification: that it differs may be what is asked for.
PREVIEW = """\
      - id: preview
        run: |
          set -o pipefail
          .venv/bin/firnline preview {environment} 2>&1 | tee "$RUNNER_TEMP/preview.txt" || [ $? -eq 3 ]
      - if: always() && steps.preview.conclusion != 'skipped'
        run: |
          {{ echo '```'; head -c 900000 "$RUNNER_TEMP/preview.txt"; echo '```'; }} >> "$GITHUB_STEP_SUMMARY"
"""
UP = """\
      - run: |
          .venv/bin/firnline up {environment}
"""
TOOLKIT = """\
      - run: |
          python -m venv .venv
          .venv/bin/pip install {package}
          .venv/bin/firnline spec check {environment}
"""


def workflow_file(spec: EnvironmentSpec) -> str:
    return f".github/workflows/firnline-{spec.name}.yaml"


def workflow(
    spec: EnvironmentSpec, blueprint: Blueprint, *, release: str, environment: str, branch: str = "main"
) -> str:
    """`release` is a version of firnline-infra, `environment` what commands call the specification: a name, or a path."""
    names, arns = bootstrap_names(spec), Arns(spec)
    paths = f"[{', '.join(map(quoted, _paths(spec, environment)))}]"
    package, called = quote(f"firnline-infra[deploy]=={release}"), quote(environment)
    toolkit = TOOLKIT.format(package=package, environment=called)
    return (
        f"# Environment {spec.name}: previewed in pull requests, changed when they are merged into {branch}.\n"
        f"# In the repository's settings make the environments {spec.name} and {preview_environment(spec)}; let reviewers\n"
        f"# approve both: a preview runs the program of the pull request, with the deploy role in Snowflake.\n"
        "# A preview reads Pulumi's state and writes nothing, so there is none before the first up. The run's summary has it.\n"
        f"name: firnline {spec.name}\n"
        "on:\n"
        f"  pull_request:\n    paths: {paths}\n"
        f"  push:\n    branches: [{quoted(branch)}]\n    paths: {paths}\n"
        "permissions: {}\n"
        "jobs:\n"
        + _job(
            "preview",
            # Forks get no token; without this their runs would fail instead of being left out.
            condition="github.event.pull_request.head.repo.full_name == github.repository",
            environment=preview_environment(spec),
            # Not in the group of `up`: of those that wait in a group GitHub keeps only the last one.
            concurrency=f"{{group: 'firnline-{spec.name}-${{{{ github.ref }}}}', cancel-in-progress: true}}",
            permissions="{contents: read, id-token: write}",
            settings=settings(spec, str(names.previewer)),
            role=arns.role(names.previewer_role),
            toolkit=toolkit,
            command=PREVIEW.format(environment=called),
            spec=spec,
        )
        + _job(
            "up",
            condition=f"github.event_name == 'push' && github.ref == 'refs/heads/{branch}'",
            environment=spec.name,
            concurrency=f"{{group: firnline-{spec.name}, cancel-in-progress: false}}",
            permissions="{contents: read, id-token: write}",
            settings=settings(spec, str(blueprint.names.deploy_role)),
            role=arns.role(names.deployer_role),
            toolkit=toolkit,
            command=UP.format(environment=called),
            spec=spec,
        )
    )


def quoted(text: str) -> str:
    """As YAML, whatever is in it: an environment may be called `on`, and an identifier have quotes of its own."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _job(
    name: str,
    *,
    condition: str,
    environment: str,
    concurrency: str,
    permissions: str,
    settings: dict[str, str],
    role: str,
    toolkit: str,
    command: str,
    spec: EnvironmentSpec,
) -> str:
    identity = {"SNOWFLAKE_AUTHENTICATOR": "WORKLOAD_IDENTITY", "SNOWFLAKE_WORKLOAD_IDENTITY_PROVIDER": "AWS"}
    variables = "".join(f"      {key}: {quoted(value)}\n" for key, value in {**settings, **identity}.items())
    credentials = (
        f"{{role-to-assume: {quoted(role)}, aws-region: {spec.aws.region}, allowed-account-ids: '{spec.aws.account}'}}"
    )
    return (
        f"  {name}:\n"
        f"    if: {condition}\n"
        "    runs-on: ubuntu-latest\n"
        f"    environment: {quoted(environment)}\n"
        f"    concurrency: {concurrency}\n"
        f"    permissions: {permissions}\n"
        f"    env:\n{variables}"
        "    steps:\n"
        f"      - uses: {ACTIONS['checkout']}\n"
        "        with: {persist-credentials: false}\n"
        f"      - uses: {ACTIONS['python']}\n"
        "        with: {python-version: '3.13'}\n"
        f"{toolkit}"
        f"      - uses: {PULUMI}\n"  # without a command it provides the CLI
        f"      - uses: {CREDENTIALS}\n"
        f"        with: {credentials}\n"
        f"{command}"
    )


def _paths(spec: EnvironmentSpec, environment: str) -> list[str]:
    """What an environment depends on in a team's repository."""
    elsewhere = [] if environment == spec.name else [str(PurePosixPath(environment).with_suffix(".*"))]  # its keys too
    return ["stacks/**", *elsewhere, workflow_file(spec)]

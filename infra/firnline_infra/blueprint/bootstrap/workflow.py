"""The workflow of GitHub Actions that previews an environment in pull requests, and ups it on merge.

No key is stored anywhere: GitHub's token opens the AWS roles, and those open Snowflake.
"""

from firnline_infra.blueprint.bootstrap.settings import settings
from firnline_infra.blueprint.bootstrap.template import preview_environment
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names

ACTIONS = {"checkout": "actions/checkout@v5", "python": "actions/setup-python@v6"}
CREDENTIALS, PULUMI = "aws-actions/configure-aws-credentials@v5", "pulumi/actions@v7"
PATHS = '["stacks/**", "infra/**", "ingest/**"]'  # specifications, and what makes something of them
# Where Pulumi.yaml looks for it, from this very checkout, because a package of that name elsewhere may be anybody's; and of
# everything else the versions that it was tested with.
INSTALL = """\
      - run: |
          python -m venv .venv
          grep -v '^-e ' requirements.txt > "$RUNNER_TEMP/pins.txt"
          .venv/bin/pip install -c "$RUNNER_TEMP/pins.txt" -e ./ingest -e './infra[deploy]'
"""


def workflow(spec: EnvironmentSpec, blueprint: Blueprint, *, branch: str = "main") -> str:
    names, arns = bootstrap_names(spec), Arns(spec)
    return (
        f"# Environment {spec.name}: previewed in pull requests, changed when they are merged into {branch}.\n"
        f"# In the repository's settings make the environments {spec.name} and {preview_environment(spec)}; let reviewers\n"
        f"# approve both: a preview runs the program of the pull request, with the deploy role in Snowflake.\n"
        "# A preview reads Pulumi's state and writes nothing, so there is none before the first up.\n"
        f"name: firnline {spec.name}\n"
        "on:\n"
        f"  pull_request:\n    paths: {PATHS}\n"
        f"  push:\n    branches: [{quoted(branch)}]\n    paths: {PATHS}\n"
        "permissions: {}\n"
        "jobs:\n"
        + _job(
            "preview",
            # Forks get no token; without this their runs would fail instead of being left out.
            condition="github.event.pull_request.head.repo.full_name == github.repository",
            environment=preview_environment(spec),
            # Not in the group of `up`: of those that wait in a group GitHub keeps only the last one.
            concurrency=f"{{group: 'firnline-{spec.name}-${{{{ github.ref }}}}', cancel-in-progress: true}}",
            permissions="{contents: read, id-token: write, pull-requests: write}",
            settings=settings(spec, str(names.previewer)),
            role=arns.role(names.previewer_role),
            command="preview",
            more="comment-on-pr: true",
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
            command="up",
            more="upsert: true",
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
    command: str,
    more: str,
    spec: EnvironmentSpec,
) -> str:
    identity = {"SNOWFLAKE_AUTHENTICATOR": "WORKLOAD_IDENTITY", "SNOWFLAKE_WORKLOAD_IDENTITY_PROVIDER": "AWS"}
    variables = "".join(f"      {key}: {quoted(value)}\n" for key, value in {**settings, **identity}.items())
    credentials = (
        f"{{role-to-assume: {quoted(role)}, aws-region: {spec.aws.region}, allowed-account-ids: '{spec.aws.account}'}}"
    )
    stack = f"stack-name: {quoted(spec.name)}, work-dir: stacks/pulumi, refresh: true"
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
        f"{INSTALL}"
        f"      - run: .venv/bin/firnline spec check stacks/environments/{spec.name}.yaml\n"
        f"      - uses: {CREDENTIALS}\n"
        f"        with: {credentials}\n"
        f"      - uses: {PULUMI}\n"
        f"        with: {{command: {command}, {stack}, {more}}}\n"
    )

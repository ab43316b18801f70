"""The workflow of GitHub Actions that previews an environment in pull requests, and ups it on merge.

No key is stored anywhere: GitHub's token opens the AWS roles, and those open Snowflake.
"""

from firnline_infra.blueprint.bootstrap.settings import settings
from firnline_infra.blueprint.bootstrap.template import preview_environment
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.spec.arns import Arns
from firnline_infra.spec.model import EnvironmentSpec
from firnline_infra.spec.names import bootstrap_names

ACTIONS = {"checkout": "actions/checkout@v5", "python": "actions/setup-python@v6"}
CREDENTIALS, PULUMI = "aws-actions/configure-aws-credentials@v5", "pulumi/actions@v7"


def workflow(spec: EnvironmentSpec, blueprint: Blueprint, *, branch: str = "main") -> str:
    names, arns = bootstrap_names(spec), Arns(spec)
    return (
        f"# Environment {spec.name}: previewed in pull requests, changed when they are merged into {branch}.\n"
        f"# In the repository's settings make the environments {spec.name} and {preview_environment(spec)}; let reviewers\n"
        f"# approve both: a preview runs the program of the pull request, with the deploy role in Snowflake.\n"
        f"name: firnline {spec.name}\n"
        "on:\n"
        "  pull_request:\n"
        '    paths: ["stacks/**"]\n'
        "  push:\n"
        f"    branches: [{branch}]\n"
        '    paths: ["stacks/**"]\n'
        "permissions: {}\n"
        f"concurrency: {{group: firnline-{spec.name}, cancel-in-progress: false}}\n"
        "jobs:\n"
        + _job(
            "preview",
            # Forks get no token; without this their runs would fail instead of being left out.
            condition="github.event.pull_request.head.repo.full_name == github.repository",
            environment=preview_environment(spec),
            permissions="{contents: read, id-token: write, pull-requests: write}",
            settings=settings(spec, str(names.previewer)),
            role=arns.role(names.previewer_role),
            command=f"{{command: preview, stack-name: {spec.name}, work-dir: stacks/pulumi, upsert: true, comment-on-pr: true}}",
            spec=spec,
        )
        + _job(
            "up",
            condition=f"github.event_name == 'push' && github.ref == 'refs/heads/{branch}'",
            environment=spec.name,
            permissions="{contents: read, id-token: write}",
            settings=settings(spec, str(blueprint.names.deploy_role)),
            role=arns.role(names.deployer_role),
            command=f"{{command: up, stack-name: {spec.name}, work-dir: stacks/pulumi, upsert: true}}",
            spec=spec,
        )
    )


def _job(
    name: str,
    *,
    condition: str,
    environment: str,
    permissions: str,
    settings: dict[str, str],
    role: str,
    command: str,
    spec: EnvironmentSpec,
) -> str:
    identity = {"SNOWFLAKE_AUTHENTICATOR": "WORKLOAD_IDENTITY", "SNOWFLAKE_WORKLOAD_IDENTITY_PROVIDER": "AWS"}
    variables = "".join(f"      {key}: {value or repr(value)}\n" for key, value in {**settings, **identity}.items())
    credentials = (
        f"{{role-to-assume: '{role}', aws-region: {spec.aws.region}, allowed-account-ids: '{spec.aws.account}'}}"
    )
    return (
        f"  {name}:\n"
        f"    if: {condition}\n"
        "    runs-on: ubuntu-latest\n"
        f"    environment: {environment}\n"
        f"    permissions: {permissions}\n"
        f"    env:\n{variables}"
        "    steps:\n"
        f"      - uses: {ACTIONS['checkout']}\n"
        f"      - uses: {ACTIONS['python']}\n"
        "        with: {python-version: '3.13'}\n"
        # Where Pulumi.yaml looks for it, and from this very checkout: a package of that name elsewhere may be anybody's.
        "      - run: python -m venv .venv && .venv/bin/pip install -e ./ingest -e './infra[deploy]'\n"
        f"      - run: .venv/bin/firnline spec check stacks/environments/{spec.name}.yaml\n"
        f"      - uses: {CREDENTIALS}\n"
        f"        with: {credentials}\n"
        f"      - uses: {PULUMI}\n"
        f"        with: {command}\n"
    )

"""The workflow of GitHub Actions that previews an environment in pull requests, and ups it on merge.

No key is stored anywhere: GitHub's token opens the AWS roles, and those open Snowflake. It installs the release that rendered
it, and runs the toolkit's own commands.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from shlex import quote

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.render.bootstrap.ci_provider import preview_environment
from firnline_infra.render.bootstrap.settings import settings
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names

# By commit, which nobody can move; a test wants the release beside it.
CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0"
PYTHON = "actions/setup-python@e797f83bcb11b83ae66e0230d6156d7c80228e7c # v6.0.0"
PULUMI = "pulumi/actions@8e5e406f4007fca908480587cb9893c07090f58d # v7.0.0"
CREDENTIALS = "aws-actions/configure-aws-credentials@a03048d87541d1d9fcf2ecf528a4a65ba9bd7838 # v5.0.0"
KEEP = "actions/upload-artifact@330a01c490aca151604b8cf639adc76d48f6c5d4 # v5.0.0"
FETCH = "actions/download-artifact@018cc2cf5baa6db3ef3c5f8a56943fffe632ef53 # v6.0.0"
KEPT_DAYS = 30  # as long as GitHub waits for an approval
# What Pulumi does not see is compared with the pull request's own specification: that it differs may be what is asked for.
PREVIEW = """\
      - id: preview
        run: |
          set -o pipefail
          plan="$RUNNER_TEMP/plan.json"
          .venv/bin/firnline preview {environment} --save-plan "$plan" 2>&1 | tee "$RUNNER_TEMP/preview.txt" || [ $? -eq 3 ]
      - if: always() && steps.preview.conclusion != 'skipped'
        run: |
          {{ echo '```'; head -c 900000 "$RUNNER_TEMP/preview.txt"; echo '```'; }} >> "$GITHUB_STEP_SUMMARY"
"""
KEEP_PLAN = """\
      - if: github.event_name == 'push'
        uses: {keep}
        with: {{name: plan, path: '${{{{ runner.temp }}}}/plan.json', if-no-files-found: error, retention-days: {days}}}
"""
UP = """\
      - uses: {fetch}
        with: {{name: plan, path: '${{{{ runner.temp }}}}'}}
      - run: |
          .venv/bin/firnline up {environment} --plan "$RUNNER_TEMP/plan.json"
"""
# Findings fail the job, and so does a check that could not see everything (status 2): a green one has seen all of it.
DRIFT = """\
      - id: drift
        run: |
          .venv/bin/firnline drift {environment} --also "markdown=$RUNNER_TEMP/drift.md"
      - if: always() && steps.drift.conclusion != 'skipped'
        run: |
          [ ! -f "$RUNNER_TEMP/drift.md" ] || head -c 900000 "$RUNNER_TEMP/drift.md" >> "$GITHUB_STEP_SUMMARY"
"""
DRIFT_AT = "17 5 * * *"
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
    package, called = quote(f"firnline-infra[deploy]=={release}"), quote(environment)
    toolkit = TOOLKIT.format(package=package, environment=called)
    merged = f"github.event_name == 'push' && github.ref == 'refs/heads/{branch}'"
    return (
        _head(spec, branch, _paths(spec, environment))
        + _job(
            "preview",
            # Forks get no token; without this their runs would fail instead of being left out.
            condition=f"{merged} || github.event.pull_request.head.repo.full_name == github.repository",
            environment=preview_environment(spec),
            # Not in the group of `up`: of those that wait in a group GitHub keeps only the last one.
            concurrency=f"{{group: 'firnline-{spec.name}-${{{{ github.ref }}}}', cancel-in-progress: true}}",
            permissions="{contents: read, id-token: write}",
            settings=settings(spec, str(blueprint.names.preview_role)),
            role=arns.role(names.previewer_role),
            toolkit=toolkit,
            command=PREVIEW.format(environment=called) + KEEP_PLAN.format(keep=KEEP, days=KEPT_DAYS),
            spec=spec,
        )
        + _job(
            "up",
            condition=f"{merged}\n    needs: preview",
            environment=spec.name,
            concurrency=f"{{group: firnline-{spec.name}, cancel-in-progress: false}}",
            permissions="{contents: read, id-token: write}",
            settings=settings(spec, str(blueprint.names.deploy_role)),
            role=arns.role(names.deployer_role),
            toolkit=toolkit,
            command=UP.format(environment=called, fetch=FETCH),
            spec=spec,
        )
        + _job(
            "drift",
            condition="github.event_name == 'schedule'",
            environment=None,
            concurrency=f"{{group: firnline-{spec.name}-drift, cancel-in-progress: false}}",
            permissions="{contents: read, id-token: write}",
            settings=settings(spec, str(blueprint.names.preview_role)),
            role=arns.role(names.previewer_role),
            toolkit=toolkit,
            command=DRIFT.format(environment=called),
            spec=spec,
        )
    )


def _head(spec: EnvironmentSpec, branch: str, changed: Iterable[str]) -> str:
    """What the workflow is, and when it runs."""
    paths = f"[{', '.join(map(quoted, changed))}]"
    return (
        f"# Environment {spec.name}: previewed in pull requests, changed when they are merged into {branch}.\n"
        f"# In the repository's settings make the environments {spec.name} and {preview_environment(spec)}; let reviewers\n"
        f"# approve both: a preview runs the program of the pull request, which can read both clouds and change neither.\n"
        "# After a merge the preview is made again, and kept: who approves `up` sees it in the run's summary, and `up` does\n"
        "# nothing that it does not say. A preview writes no state, so the first `up` of all is a person's.\n"
        f"# Each day {branch} is compared with what is there; it has to be the repository's default branch. Nobody approves\n"
        f"# that: AWS lets jobs of {branch} read as previews do, and no pull request's. Where a network or authentication\n"
        "# policy hides from them, the job says so and fails: then compare in the role that deploys.\n"
        f"name: firnline {spec.name}\n"
        "on:\n"
        f"  pull_request:\n    paths: {paths}\n"
        f"  push:\n    branches: [{quoted(branch)}]\n    paths: {paths}\n"
        f"  schedule: [{{cron: '{DRIFT_AT}'}}]\n"
        "permissions: {}\n"
        "jobs:\n"
    )


def quoted(text: str) -> str:
    """As YAML, whatever is in it: an environment may be called `on`, and an identifier have quotes of its own, or what GitHub
    would take for an expression. (There, a literal in an expression stands for itself.)
    """
    return quoted_plain(text.replace("${{", "${{ '${{' }}"))  # GitHub takes anything after it for an expression


def quoted_plain(text: str) -> str:
    """As YAML, and nothing besides."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _job(
    name: str,
    *,
    condition: str,
    environment: str | None,
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
    approved = "" if environment is None else f"    environment: {quoted(environment)}\n"
    return (
        f"  {name}:\n"
        f"    if: {condition}\n"
        "    runs-on: ubuntu-latest\n"
        f"{approved}"
        f"    concurrency: {concurrency}\n"
        f"    permissions: {permissions}\n"
        f"    env:\n{variables}"
        "    steps:\n"
        f"      - uses: {CHECKOUT}\n"
        "        with: {persist-credentials: false}\n"
        f"      - uses: {PYTHON}\n"
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

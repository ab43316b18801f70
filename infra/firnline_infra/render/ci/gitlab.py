"""The pipeline of GitLab that previews an environment in merge requests, and ups it from the kept plan after a merge.

What the workflow of GitHub does, with the same commands and guards. What jobs are told is exported by their scripts: a variable
that somebody gives a pipeline, or a manual job, would win over the ones that a job declares.
"""

from collections.abc import Mapping
from pathlib import PurePosixPath
from shlex import quote

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.render.bootstrap.ci_provider import (
    AUDIENCE,
    PREVIEW_TIER,
    SUBJECT_OF_GITLAB,
    GitLab,
    preview_environment,
    tier_of,
)
from firnline_infra.render.bootstrap.settings import settings
from firnline_infra.render.ci.github import KEPT_DAYS, quoted_plain
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names

IMAGE = "pulumi/pulumi-python-3.13:3.250.0"
PLAN, PREVIEW, REPORT, QUALITY = "plan.json", "preview.txt", "drift.md", "drift.codequality.json"
PREVIEW_SCRIPT = """\
      status=0
      .venv/bin/firnline preview {environment} --save-plan {plan} > {preview} 2>&1 || status=$?
      cat {preview}
      [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
"""
UP_SCRIPT = "      .venv/bin/firnline up {environment} --plan {plan}\n"
DRIFT_SCRIPT = """\
      .venv/bin/firnline drift {environment} --also markdown={report} --also codequality={quality}
"""


def pipeline_file(spec: EnvironmentSpec) -> str:
    return f".gitlab/firnline-{spec.name}.yml"


def pipeline(spec: EnvironmentSpec, blueprint: Blueprint, *, release: str, environment: str, provider: GitLab) -> str:
    """`release` is a version of firnline-infra, `environment` what commands call the specification: a name, or a path."""
    names, arns, called = bootstrap_names(spec), Arns(spec), quote(environment)
    toolkit = (quote(f"firnline-infra[deploy]=={release}"), called)
    reads = _before(spec, str(blueprint.names.preview_role), arns.role(names.previewer_role), toolkit)
    deploys = _before(spec, str(blueprint.names.deploy_role), arns.role(names.deployer_role), toolkit)
    job, changes = f"firnline-{spec.name}", f"changes: [{', '.join(map(quoted_plain, _paths(spec, environment)))}]"
    merged = f'$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == "{provider.branch}"'
    own = '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_PROJECT_PATH == $CI_PROJECT_PATH'
    scheduled = f'$CI_PIPELINE_SOURCE == "schedule" && $CI_COMMIT_BRANCH == "{provider.branch}" && $FIRNLINE == "drift"'
    previews = f"{{name: {quoted_plain(preview_environment(spec))}, deployment_tier: {PREVIEW_TIER}}}"
    script = {
        "preview": PREVIEW_SCRIPT.format(environment=called, plan=PLAN, preview=PREVIEW),
        "up": UP_SCRIPT.format(environment=called, plan=PLAN),
        "drift": DRIFT_SCRIPT.format(environment=called, report=REPORT, quality=QUALITY),
    }
    return (
        _head(spec, provider)
        + f"{quoted_plain(f'{job}-preview')}:\n  stage: test\n  environment: {previews}\n  interruptible: true\n"
        + f"  rules:\n    - if: '{merged}'\n      {changes}\n"
        # Whoever may deploy there starts it: it runs the program of the merge request.
        + f"    - if: '{own}'\n      {changes}\n      when: manual\n      allow_failure: true\n"
        + _common(reads, script["preview"])
        + "  artifacts:\n    when: always\n    access: developer\n"
        + f"    expose_as: {quoted_plain(f'Preview of {spec.name}')}\n"
        + f"    paths: [{PREVIEW}, {PLAN}]\n    expire_in: {KEPT_DAYS} days\n"
        + f"{quoted_plain(job)}:\n  stage: deploy\n"
        + f"  environment: {{name: {quoted_plain(spec.name)}, deployment_tier: {tier_of(spec)}}}\n"
        + f"  resource_group: {quoted_plain(job)}\n  interruptible: false\n"
        + f"  needs: [{{job: {quoted_plain(f'{job}-preview')}, artifacts: true}}]\n"
        + f"  rules:\n    - if: '{merged}'\n      {changes}\n      when: manual\n      allow_failure: false\n"
        + _common(deploys, script["up"])
        + f"{quoted_plain(f'{job}-drift')}:\n  stage: test\n  environment: {previews}\n"
        + f"  rules:\n    - if: '{scheduled}'\n"
        + _common(reads, script["drift"])
        + "  artifacts:\n    when: always\n    access: developer\n"
        + f"    paths: [{REPORT}]\n    reports: {{codequality: {QUALITY}}}\n"
    )


def _head(spec: EnvironmentSpec, provider: GitLab) -> str:
    """What the pipeline is, and what has to be set in the project."""
    previews, components = (
        preview_environment(spec),
        "&".join(f"ci_id_token_sub_claim_components[]={each}" for each in SUBJECT_OF_GITLAB),
    )
    return (
        f"# Environment {spec.name}: previewed in merge requests, changed after they are merged into {provider.branch}.\n"
        f"# In .gitlab-ci.yml: include: [{{local: {pipeline_file(spec)}}}]\n"
        "# In the project, by a maintainer:\n"
        f"#  - protect the branch {provider.branch}, and the environments {spec.name} and {previews} (tiers {tier_of(spec)} and\n"
        f"#    {PREVIEW_TIER}); say who may deploy to both. A preview runs the program of the merge request, which can read\n"
        "#    both clouds and change neither\n"
        "#  - have tokens say that the environment is protected, without which AWS lets no job in:\n"
        f'#    curl -g -X PUT -H "PRIVATE-TOKEN: $TOKEN" "https://{provider.host}/api/v4/projects/$ID?{components}"\n'
        f"#  - a schedule on {provider.branch} with the variable FIRNLINE=drift, by somebody who may deploy to {previews}\n"
        "# No token names the environment: whoever may deploy to another protected environment of this tier can open this role\n"
        f"# from {provider.branch}. Give such ones projects of their own. Pin the image by its digest: a tag can be moved.\n"
        "# After a merge the preview is made again, and kept: `up` does nothing that it does not say. A preview writes no\n"
        "# state, so the first `up` of all is a person's.\n"
    )


def _before(spec: EnvironmentSpec, user: str, role: str, toolkit: tuple[str, str]) -> str:
    """Who the job is, and the toolkit. The SDKs of all that runs here take AWS's role from these variables."""
    told: Mapping[str, str] = {
        **settings(spec, user),
        "SNOWFLAKE_AUTHENTICATOR": "WORKLOAD_IDENTITY",
        "SNOWFLAKE_WORKLOAD_IDENTITY_PROVIDER": "AWS",
        "AWS_ROLE_ARN": role,
    }
    exports = "".join(f"      export {name}={quote(value)}\n" for name, value in told.items())
    package, environment = toolkit
    return (
        "      python3 -m venv .venv\n"
        f"      env -u AWS_ID_TOKEN .venv/bin/pip install {package}\n"
        f"      .venv/bin/firnline spec check {environment}\n"
        f"{exports}"
        '      export AWS_ROLE_SESSION_NAME="gitlab-$CI_JOB_ID" AWS_WEB_IDENTITY_TOKEN_FILE="$(mktemp)"\n'
        '      printf %s "$AWS_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE"\n'
    )


def _common(before: str, script: str) -> str:
    return (
        f"  image: {{name: '{IMAGE}', entrypoint: ['']}}\n"
        f"  id_tokens: {{AWS_ID_TOKEN: {{aud: {AUDIENCE}}}}}\n"
        f"  before_script:\n    - |\n{before}"
        f"  script:\n    - |\n{script}"
    )


def _paths(spec: EnvironmentSpec, environment: str) -> list[str]:
    """What an environment depends on in a team's repository."""
    elsewhere = [] if environment == spec.name else [str(PurePosixPath(environment).with_suffix(".*"))]  # its keys too
    return ["stacks/**/*", *elsewhere, pipeline_file(spec)]

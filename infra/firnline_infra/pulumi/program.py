"""The beginning of a Pulumi program: the specification, and the two providers. Programs build them, components never do.

What the providers say is fixed by the specification: which account and which warehouse. Who connects, and with what,
comes from the environment (AWS_*, SNOWFLAKE_*), so that no state holds it.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_snowflake as snowflake

from firnline_infra.blueprint import blueprint_of
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.partition import has_usual_snowflake_host, snowflake_host
from firnline_infra.specification.prerequisites import encryption_key_missing, missing_keys
from firnline_ingest.errors import FirnlineError


def specification() -> EnvironmentSpec:
    """The specification that the stack's configuration names (firnline:spec), a path seen from the program's folder.

    Raises RunError with all problems at once, which Pulumi prints without a traceback, before anything is made. Without
    keys a preview only warns, so that it shows what would be made.
    """
    path = Path(pulumi.Config("firnline").require("spec"))
    try:
        spec = load_spec(path)
    except FirnlineError as error:
        raise pulumi.RunError(str(error)) from None
    refuse_without_keys(spec)
    return spec


def refuse_without_keys(spec: EnvironmentSpec) -> None:
    """Raises RunError where keys are missing; in a preview it only warns."""
    for missing in filter(None, (missing_keys(spec), encryption_key_missing(spec))):
        if not pulumi.runtime.is_dry_run():
            raise pulumi.RunError(str(missing))
        pulumi.warn(f"`up` will be refused. {missing}")


def providers(
    spec: EnvironmentSpec, *, role: str | None = None, parent: pulumi.Resource | None = None
) -> list[pulumi.ProviderResource]:
    """The two providers. The AWS provider refuses any account but the specification's.

    Which role acts in Snowflake is said by SNOWFLAKE_ROLE, else by the user who logs in: previews have another one than
    `up`, and a refresh connects with what the state says. `role` is for programs without previews.
    """
    return [aws_provider(spec, parent=parent), snowflake_provider(spec, role=role, parent=parent)]


def aws_provider(spec: EnvironmentSpec, *, parent: pulumi.Resource | None = None) -> aws.Provider:
    """Makes the provider of AWS for the specification's region and account alone; who connects comes from `AWS_*`."""
    said: dict[str, Any] = {
        "region": spec.aws.region,
        "allowed_account_ids": [spec.aws.account],
        "skip_credentials_validation": False,  # as the SDK says both where a program does not
        "skip_region_validation": True,
    }
    return aws.Provider("aws", **said, opts=_nothing_but(said, parent))


def snowflake_provider(
    spec: EnvironmentSpec, *, role: str | None = None, parent: pulumi.Resource | None = None
) -> snowflake.Provider:
    blueprint = blueprint_of(spec)
    organization, _, account = spec.snowflake.account.partition("-")
    said: dict[str, Any] = {
        "organization_name": organization,
        "account_name": account,
        "warehouse": spec.snowflake.warehouse,
        "preview_features_enabled": list(blueprint.preview_features),
    }
    if not has_usual_snowflake_host(spec):
        said["host"] = snowflake_host(spec)
    if role is not None:
        said["role"] = role
    return snowflake.Provider("snowflake", **said, opts=_nothing_but(said, parent))


def _nothing_but(said: Collection[str], parent: pulumi.Resource | None) -> pulumi.ResourceOptions:
    """Keeps out what a program leaves unsaid: a provider's SDK takes it from variables, passwords among it, and Pulumi
    keeps it in its state.

    The plugin reads the same variables for itself, and keeps nothing.
    """

    def keep(given: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
        return pulumi.ResourceTransformationResult({name: given.props[name] for name in said}, given.opts)

    return pulumi.ResourceOptions(parent=parent, transformations=[keep])

"""The two providers of an environment. Programs build them, components never do.

What they say is fixed by the specification: which account, which role. Who connects, and with what, comes from the
environment (AWS_*, SNOWFLAKE_*), so that no state holds it.
"""

import pulumi
import pulumi_aws as aws
import pulumi_snowflake as snowflake

from firnline_infra.blueprint import blueprint_of
from firnline_infra.specification.model import EnvironmentSpec


def providers(spec: EnvironmentSpec) -> list[pulumi.ProviderResource]:
    """Another AWS account than the specification's is refused by the provider."""
    return [aws_provider(spec), snowflake_provider(spec)]


def aws_provider(spec: EnvironmentSpec) -> aws.Provider:
    return aws.Provider("aws", region=spec.aws.region, allowed_account_ids=[spec.aws.account])


def snowflake_provider(spec: EnvironmentSpec) -> snowflake.Provider:
    tree = blueprint_of(spec)
    organization, _, account = spec.snowflake.account.partition("-")
    return snowflake.Provider(
        "snowflake",
        organization_name=organization,
        account_name=account,
        role=str(tree.names.deploy_role),
        preview_features_enabled=list(tree.preview_features),
    )

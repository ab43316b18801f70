"""Names of Pulumi for what Terraform's providers call otherwise: lists in the plural, and some things its own way.

A test compares this table, both ways, with every argument class of the two SDKs. Paths are Terraform's: `rule.transition`.
"""

import re
from collections.abc import Mapping

from firnline_infra.kinds import RESOURCE_TYPES
from firnline_infra.kinds.kind import camel

AWS, SNOWFLAKE = "pulumi:providers:aws", "pulumi:providers:snowflake"

RENAMED: Mapping[str, Mapping[str, str]] = {
    AWS: {"assume_role": "assumeRoles", "user_agent": "userAgents"},
    SNOWFLAKE: {
        "experimental_features_disabled": "experimentalFeaturesDisableds",
        "experimental_features_enabled": "experimentalFeaturesEnableds",
    },
    "aws:dynamodb/table:Table": {
        "attribute": "attributes",
        "global_secondary_index": "globalSecondaryIndexes",
        "global_secondary_index.key_schema": "keySchemas",
        "import_table.input_format_options.csv.header_list": "headerLists",
        "local_secondary_index": "localSecondaryIndexes",
        "replica": "replicas",
    },
    "aws:ecr/repository:Repository": {
        "encryption_configuration": "encryptionConfigurations",
        "image_tag_mutability_exclusion_filter": "imageTagMutabilityExclusionFilters",
    },
    "aws:ec2/vpcEndpoint:VpcEndpoint": {
        "dns_entry": "dnsEntries",
        "subnet_configuration": "subnetConfigurations",
    },
    "aws:emr/cluster:Cluster": {
        "bootstrap_action": "bootstrapActions",
        "core_instance_fleet.instance_type_configs.ebs_config": "ebsConfigs",
        "core_instance_fleet.launch_specifications.on_demand_specification": "onDemandSpecifications",
        "core_instance_fleet.launch_specifications.spot_specification": "spotSpecifications",
        "master_instance_fleet.instance_type_configs.ebs_config": "ebsConfigs",
        "master_instance_fleet.launch_specifications.on_demand_specification": "onDemandSpecifications",
        "master_instance_fleet.launch_specifications.spot_specification": "spotSpecifications",
        "core_instance_group.ebs_config": "ebsConfigs",
        "master_instance_group.ebs_config": "ebsConfigs",
        "placement_group_config": "placementGroupConfigs",
        "step": "steps",
    },
    "aws:emrserverless/application:Application": {
        "initial_capacity": "initialCapacities",
        "runtime_configuration": "runtimeConfigurations",
    },
    "aws:iam/role:Role": {"inline_policy": "inlinePolicies"},
    "aws:redshiftserverless/workgroup:Workgroup": {"config_parameter": "configParameters"},
    "aws:scheduler/schedule:Schedule": {
        "target.ecs_parameters.capacity_provider_strategy": "capacityProviderStrategies",
        "target.ecs_parameters.placement_strategy": "placementStrategies",
        "target.sagemaker_pipeline_parameters.pipeline_parameter": "pipelineParameters",
    },
    "aws:s3/bucket:Bucket": {
        "cors_rule": "corsRules",
        "grant": "grants",
        "lifecycle_rule": "lifecycleRules",
        "lifecycle_rule.noncurrent_version_transition": "noncurrentVersionTransitions",
        "lifecycle_rule.transition": "transitions",
    },
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {
        "rule": "rules",
        "rule.noncurrent_version_transition": "noncurrentVersionTransitions",
        "rule.transition": "transitions",
    },
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": {"rule": "rules"},
    "aws:secretsmanager/secret:Secret": {"replica": "replicas"},
    "snowflake:index/authenticationPolicy:AuthenticationPolicy": {"client_policy": "clientPolicies"},
    "snowflake:index/database:Database": {"replication.enable_to_account": "enableToAccounts"},
    "snowflake:index/externalVolume:ExternalVolume": {
        "describe_output": "describeOutputs",
        "describe_output.storage_locations.s3_storage_location": "s3StorageLocations",
        "storage_location": "storageLocations",
    },
    "snowflake:index/icebergTable:IcebergTable": {
        "aggregation_policy.entity_key": "entityKeys",
        "check_constraint": "checkConstraints",
        "cluster_by": "clusterBies",
        "column": "columns",
        "column.masking_policy.using": "usings",
        "foreign_key_constraint": "foreignKeyConstraints",
        "partition_by": "partitionBies",
        "row_access_policy.on": "ons",
        "unique_constraint": "uniqueConstraints",
    },
    "snowflake:index/networkPolicy:NetworkPolicy": {
        "allowed_ip_list": "allowedIpLists",
        "allowed_network_rule_list": "allowedNetworkRuleLists",
        "blocked_ip_list": "blockedIpLists",
        "blocked_network_rule_list": "blockedNetworkRuleLists",
    },
    "snowflake:index/serviceUser:ServiceUser": {
        "default_workload_identity.oidc.oidc_audience_list": "oidcAudienceLists"
    },
    "snowflake:index/table:Table": {"cluster_by": "clusterBies", "column": "columns", "tag": "tags"},
    **{each.token: each.renamed for each in RESOURCE_TYPES if each.renamed},
}
"""A type's properties with a name of Pulumi's own."""


def pulumi_name(token: str, path: str) -> str:
    """Returns the name that Pulumi's engine and its documents have."""
    return RENAMED.get(token, {}).get(path) or camel(path.rpartition(".")[2])


def python_name(token: str, path: str) -> str:
    """The property's name in the Python SDK's arguments and attributes: `rsa_public_key_2` is rsa_public_key2."""
    return re.sub("([A-Z])", r"_\1", pulumi_name(token, path)).lower()

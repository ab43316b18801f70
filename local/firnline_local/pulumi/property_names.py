"""Where Pulumi's shapes of properties differ from Terraform's; names are in firnline_infra.kinds.property_names.

A test compares these tables, both ways, with every argument class of the two SDKs. Paths and keys are Terraform's.
"""

from collections.abc import Callable, Mapping
from typing import Any

from firnline_infra.kinds.property_names import AWS, SNOWFLAKE

AWS, SNOWFLAKE = "pulumi:providers:aws", "pulumi:providers:snowflake"

RENAMED: Mapping[str, Mapping[str, str]] = {
    AWS: {"assume_role": "assumeRoles", "user_agent": "userAgents"},
    SNOWFLAKE: {
        "experimental_features_disabled": "experimentalFeaturesDisableds",
        "experimental_features_enabled": "experimentalFeaturesEnableds",
    },
    "aws:cloudwatch/metricAlarm:MetricAlarm": {"alarm_name": "name", "metric_query": "metricQueries"},
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
}
"""A type's properties with a name of Pulumi's own."""

ONCE: Mapping[str, frozenset[str]] = {
    AWS: frozenset({"assume_role_with_web_identity", "default_tags", "ignore_tags"}),
    SNOWFLAKE: frozenset({"token_accessor"}),
    "aws:emr/cluster:Cluster": frozenset({"step.hadoop_jar_step"}),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": frozenset(
        {
            "rule.abort_incomplete_multipart_upload",
            "rule.expiration",
            "rule.filter",
            "rule.filter.and",
            "rule.filter.tag",
            "rule.noncurrent_version_expiration",
        }
    ),
}
"""Lists of which Pulumi takes one element, as a plain object."""

DECLARED: Mapping[str, Mapping[str, Any]] = {
    AWS: {
        "assume_role.external_id": "string?",
        "assume_role.policy_arns": "set(string)?",
        "assume_role.session_name": "string?",
        "assume_role.tags": "map(string)?",
        "assume_role_with_web_identity.policy": "string?",
        "assume_role_with_web_identity.role_arn": "string?",
        "assume_role_with_web_identity.web_identity_token": "string?",
        "ignore_tags.keys": "set(string)?",
        "skip_metadata_api_check": "bool?",
    },
    SNOWFLAKE: {"token_accessor.client_secret": "string?", "token_accessor.refresh_token": "string?"},
    "aws:s3/bucket:Bucket": {
        "server_side_encryption_configuration.rule.blocked_encryption_types": "list(string)?",
    },
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {
        "timeouts": {"nested": "object", "flag": "?", "fields": {"create": "string?", "update": "string?"}},
    },
}
"""What the SDK declares otherwise than the schema, or alone; by path, in the schema's words."""


CHOSEN: Mapping[str, frozenset[str]] = {
    "aws:dynamodb/table:Table": frozenset({"point_in_time_recovery", "server_side_encryption", "ttl"}),
    "aws:kinesis/stream:Stream": frozenset({"stream_mode_details"}),
}
"""Blocks that the service may choose where they are not given; the schemas know that of attributes only."""

MADE_UP: Mapping[str, str] = {"aws:s3/bucket:Bucket": "bucket", "aws:s3/bucketObjectv2:BucketObjectv2": "key"}
"""What Pulumi makes up from a resource's logical name where it is absent, of types that have no `name`."""

SPELT: Mapping[str, Callable[[str], str]] = {
    "aws:kms/alias:Alias": lambda name: name if name.startswith("alias/") else f"alias/{name}",
    "aws:s3/bucket:Bucket": str.lower,
}
"""How a made-up name is spelt, where the service takes only some (pulumi-aws, provider/resource_overrides.go)."""

DOCUMENTS: Mapping[str, str] = {
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": "policy",
    "aws:iam/policy:Policy": "policy",
    "aws:iam/role:Role": "assumeRolePolicy",
    "aws:iam/rolePolicy:RolePolicy": "policy",
    "aws:s3/bucket:Bucket": "policy",
    "aws:s3/bucketPolicy:BucketPolicy": "policy",
}
"""Texts that Pulumi also takes as the JSON document that is in them."""

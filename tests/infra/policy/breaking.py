"""Changes that break one rule each, to one resource of prod, as somebody would make them in a program, or in a module."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firnline_infra.policy import DeclaredResource, DeclaredStack

Change = Callable[[DeclaredResource], DeclaredResource]


@dataclass(frozen=True)
class Breaking:
    rule: str
    of: str
    """The type, or its type and name, of what is changed; all of the type are."""
    change: Change | None = None
    """None removes it."""

    def applied(self, stack: DeclaredStack) -> DeclaredStack:
        type_, _, name = self.of.partition(".")
        changed = []
        for each in stack.resources:
            if each.type != type_ or name not in each.name:
                changed.append(each)
            elif self.change is not None:
                changed.append(self.change(each))
        assert tuple(changed) != stack.resources, f"there is no {self.of} to break {self.rule} with"
        return replace(stack, resources=tuple(changed))


def setting(**arguments: Any) -> Change:
    return lambda each: replace(each, arguments={**each.arguments, **arguments})


def statement(document: str = "policy", **fields: Any) -> Change:
    """Adds one to a policy."""

    def change(each: DeclaredResource) -> DeclaredResource:
        policy = json.loads(each.arguments[document])
        added = {"Sid": "Added", "Effect": "Allow", **fields}
        return setting(**{document: json.dumps({**policy, "Statement": [*policy["Statement"], added]})})(each)

    return change


def narrowed(**fields: Any) -> Change:
    """Changes the only statement of a trust, or of a bucket's policy."""

    def change(each: DeclaredResource) -> DeclaredResource:
        name = "assume_role_policy" if "assume_role_policy" in each.arguments else "policy"
        policy = json.loads(each.arguments[name])
        only = {key: value for key, value in {**policy["Statement"][0], **fields}.items() if value is not None}
        return setting(**{name: json.dumps({**policy, "Statement": [only]})})(each)

    return change


def rule_of(**fields: Any) -> Change:
    """Changes the only `rule` of a bucket's setting."""

    def change(each: DeclaredResource) -> DeclaredResource:
        (rule,) = each.blocks("rule")
        return setting(rule=[{**rule, **fields}])(each)

    return change


def renamed(type_: str, arguments: Mapping[str, Any]) -> Change:
    """Puts something else in its place."""
    return lambda each: DeclaredResource(type_, each.name, {"tags": TAGS, **arguments})


TAGS = dict.fromkeys(("firnline:environment", "firnline:application", "firnline:component"), "prod")
TABLE = "arn:aws:dynamodb:eu-central-1:333344445555:table/firnline-prod"
ENGINE, TRUST = "aws_iam_role_policy.engine", "aws_iam_role.engine"
STATEMENT = "snowflake_execute.error_logging"
GRANT = "snowflake_grant_privileges_to_account_role.FIRNLINE_PROD_INGEST-iceberg-table"
KEY_POLICY = {
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::333344445555:root"}, "Action": "kms:*"}]
}
KEY = {"policy": json.dumps(KEY_POLICY), "enable_key_rotation": True}
BREAKING = (
    Breaking("wildcard-action", ENGINE, statement(Action="dynamodb:Get*", Resource=TABLE)),
    Breaking("wildcard-action", ENGINE, statement(NotAction="iam:*", Resource=TABLE)),
    Breaking("wildcard-action", "aws_s3_bucket_policy.bucket", statement(Action="s3:*", Principal={"AWS": "arn:aws:of:::us"})),
    Breaking("wildcard-resource", ENGINE, statement(Action="dynamodb:GetItem", Resource="*")),
    Breaking("wildcard-resource", ENGINE, statement(Action="s3:GetObject", Resource=["arn:aws:s3:::firnline-*/logs/*"])),
    Breaking("wildcard-resource", ENGINE, statement(Action="dynamodb:GetItem", Resource=TABLE.replace("3333", "*", 1))),
    Breaking("wildcard-resource", ENGINE, statement(Action="kinesis:GetRecords", Resource="arn:aws:kinesis:r:1:stream/*")),
    Breaking("wildcard-resource", ENGINE, statement(Action="dynamodb:GetItem", NotResource=TABLE)),
    Breaking("wildcard-resource", ENGINE, statement(Action="dynamodb:GetItem", Resource=TABLE.replace("ble/firnline-prod", "*"))),
    Breaking("wildcard-principal", "aws_s3_bucket_policy.bucket", statement(Action="s3:GetObject", Principal="*")),
    Breaking("wildcard-principal", "aws_s3_bucket_policy.bucket", statement(Action="s3:GetObject", Principal={"AWS": ["*"]})),
    Breaking("wildcard-principal", "aws_s3_bucket_policy.bucket", statement(Action="s3:GetObject", NotPrincipal={"AWS": "a"})),
    Breaking("trust", TRUST, narrowed(Condition=None)),
    Breaking("trust", TRUST, narrowed(Condition={"StringLike": {"aws:SourceAccount": "*"}})),
    Breaking("trust", TRUST, narrowed(Condition={"StringNotEquals": {"aws:SourceAccount": "333344445555"}})),
    Breaking("trust", TRUST, narrowed(Principal={"AWS": "arn:aws:iam::999900001111:root"})),
    Breaking("trust", TRUST, narrowed(Condition={"ForAllValues:StringEquals": {"aws:SourceAccount": "333344445555"}})),
    Breaking("least-privilege", ENGINE, statement(Action="iam:PassRole", Resource="arn:aws:iam::333344445555:role/admin")),
    Breaking(
        "least-privilege", "aws_cloudwatch_dashboard",
        renamed("aws_iam_role_policy_attachment", {"policy_arn": "arn:aws:iam::aws:policy/AdministratorAccess"}),
    ),
    Breaking("permissions-boundary", TRUST, setting(permissions_boundary=None)),
    Breaking("permissions-boundary", TRUST, setting(permissions_boundary="arn:aws:iam::aws:policy/AdministratorAccess")),
    Breaking("public-bucket", "aws_s3_bucket_public_access_block.bucket", setting(block_public_policy=False)),
    Breaking("public-bucket", "aws_s3_bucket_public_access_block.bucket"),
    Breaking("public-bucket", "aws_s3_bucket_ownership_controls.bucket", rule_of(object_ownership="ObjectWriter")),
    Breaking("acl", "aws_cloudwatch_dashboard", renamed("aws_s3_bucket_acl", {"acl": "public-read"})),
    Breaking("tls", "aws_s3_bucket_policy.bucket"),
    Breaking("tls", "aws_s3_bucket_policy.bucket", narrowed(Action=["s3:GetObject"])),
    Breaking("tls", "aws_s3_bucket_policy.bucket", narrowed(Resource=["arn:aws:s3:::firnline-prod"])),
    Breaking("tls", "aws_s3_bucket_policy.bucket", narrowed(Resource=["arn:aws:s3:::other", "arn:aws:s3:::other/*"])),
    Breaking("encryption", "aws_kinesis_stream.clicks", setting(encryption_type="NONE")),
    Breaking("encryption", "aws_s3_bucket_server_side_encryption_configuration.bucket"),
    Breaking("own-key", "aws_kinesis_stream.clicks", setting(kms_key_id="alias/aws/kinesis")),
    Breaking("own-key", "aws_dynamodb_table.ledger", setting(server_side_encryption=None)),
    Breaking("own-key", "aws_dynamodb_table.ledger", setting(server_side_encryption={"enabled": False, "kms_key_arn": "k"})),
    Breaking("own-key", "snowflake_external_volume", setting(storage_location=[{"encryption_type": "NONE"}])),
    Breaking("retention", "aws_kinesis_stream.clicks", setting(retention_period=24)),
    Breaking("retention", "aws_secretsmanager_secret.ingest", setting(recovery_window_in_days=0)),
    Breaking("retention", "aws_s3_bucket_lifecycle_configuration", rule_of(noncurrent_version_expiration={"noncurrent_days": 1})),
    Breaking("retention", "aws_s3_bucket_lifecycle_configuration", rule_of(expiration={"days": 1})),
    Breaking("versioning", "aws_s3_bucket_versioning", setting(versioning_configuration={"status": "Suspended"})),
    Breaking("protection", "aws_kinesis_stream.clicks", lambda each: replace(each, is_protected=False)),
    Breaking("protection", "snowflake_table", lambda each: replace(each, is_protected=False)),
    Breaking("protection", "aws_dynamodb_table.ledger", setting(deletion_protection_enabled=False)),
    Breaking("protection", "aws_dynamodb_table.ledger", setting(ttl={"enabled": True, "attribute_name": "at"})),
    Breaking("protection", "aws_dynamodb_table.ledger", setting(name="a_migration", deletion_protection_enabled=False)),
    Breaking("protection", "aws_s3_bucket.bucket", setting(force_destroy=True)),
    Breaking("point-in-time-recovery", "aws_dynamodb_table.ledger", setting(point_in_time_recovery={"enabled": False})),
    Breaking("point-in-time-recovery", "aws_dynamodb_table.ledger", setting(point_in_time_recovery=None)),
    Breaking(
        "key-rotation", "aws_cloudwatch_dashboard",
        lambda each: replace(
            renamed("aws_kms_key", {**KEY, "enable_key_rotation": False})(each), is_protected=True
        ),
    ),
    Breaking("open-network", "snowflake_network_policy", setting(allowed_ip_list=["0.0.0.0/0"])),
    Breaking("open-network", "snowflake_network_policy", setting(allowed_ip_list=["0.0.0.0/1", "128.0.0.0/1"])),
    Breaking(
        "open-network", "aws_cloudwatch_dashboard",
        renamed("aws_security_group", {"ingress": [{"cidr_blocks": ["0.0.0.0/0"], "from_port": 443}]}),
    ),
    Breaking("tags", "aws_kinesis_stream.clicks", setting(tags={"team": "data-platform"})),
    Breaking("secret-in-state", "aws_cloudwatch_dashboard", renamed("aws_secretsmanager_secret_version", {})),
    Breaking("secret-in-state", "aws_ssm_parameter", setting(insecure_value="-----BEGIN PRIVATE KEY-----")),
    Breaking("snowflake-ownership", "snowflake_grant_ownership", setting(account_role_name="SYSADMIN")),
    Breaking("snowflake-ownership", "snowflake_grant_ownership", setting(on={"all": {"object_type_plural": "TABLES"}})),
    Breaking("snowflake-ownership", "snowflake_grant_ownership", setting(account_role_name='"ACCOUNTADMIN"')),
    Breaking("snowflake-roles", "snowflake_grant_account_role.SYSADMIN", setting(parent_role_name="PUBLIC")),
    Breaking("snowflake-roles", "snowflake_grant_account_role.INGEST", setting(role_name="SECURITYADMIN")),
    Breaking("snowflake-roles", "snowflake_grant_account_role.INGEST", setting(parent_role_name="SYSADMIN")),
    Breaking("snowflake-roles", "snowflake_service_user.INGEST", setting(default_secondary_roles_option="ALL")),
    Breaking("snowflake-privileges", "aws_cloudwatch_dashboard", renamed("snowflake_grant_privileges_to_share", {})),
    Breaking("snowflake-privileges", GRANT, setting(all_privileges=True)),
    Breaking("snowflake-privileges", GRANT, setting(privileges=["INSERT", "DELETE"])),
    Breaking("snowflake-privileges", GRANT, setting(account_role_name="PUBLIC")),
    Breaking("snowflake-privileges", GRANT, setting(on_schema_object={"future": {"object_type_plural": "TABLES"}})),
    Breaking("snowflake-door", "snowflake_service_user.READER", setting(network_policy=None)),
    Breaking("snowflake-door", "snowflake_user_authentication_policy_attachment.INGEST"),
    Breaking("snowflake-key-pair", "snowflake_authentication_policy", setting(authentication_methods=["KEYPAIR", "PASSWORD"])),
    Breaking("snowflake-statement", STATEMENT, setting(execute="GRANT OWNERSHIP ON TABLE T TO ROLE SYSADMIN")),
    Breaking("snowflake-statement", STATEMENT, setting(revert="ALTER USER U SET PASSWORD = 'x'")),
    Breaking("snowflake-statement", STATEMENT, setting(query="SELECT ';' ; DROP USER U")),
    Breaking("snowflake-statement", STATEMENT, setting(execute='ALTER TABLE "T" DROP ALL ROW ACCESS POLICIES')),
    Breaking("time-travel", "snowflake_table", setting(data_retention_time_in_days=0)),
    Breaking("time-travel", STATEMENT, setting(execute='ALTER TABLE "T" SET DATA_RETENTION_TIME_IN_DAYS = 0')),
)  # fmt: skip # a row, a case


def key(**arguments: Any) -> Change:
    """Puts a protected key in something's place."""
    return lambda each: replace(renamed("aws_kms_key", {**KEY, **arguments})(each), is_protected=True)


def allowing(**fields: Any) -> str:
    """A policy of one statement, which is not in a list."""
    return json.dumps({"Statement": {"Effect": "Allow", **fields}})


def inline(**fields: Any) -> Change:
    return setting(inline_policy=[{"name": "added", "policy": allowing(**fields)}])


def encrypted_by(**fields: Any) -> Change:
    return rule_of(apply_server_side_encryption_by_default=fields)


PLACE, BUCKET_POLICY = "aws_cloudwatch_dashboard", "aws_s3_bucket_policy.bucket"
STREAM, LEDGER, LIFECYCLE = (
    "aws_kinesis_stream.clicks",
    "aws_dynamodb_table.ledger",
    "aws_s3_bucket_lifecycle_configuration",
)
PUBLIC, SSE = "aws_s3_bucket_public_access_block.bucket", "aws_s3_bucket_server_side_encryption_configuration.bucket"
OBJECT, ADMINISTRATOR = "arn:aws:s3:::firnline-prod/a", "arn:aws:iam::aws:policy/AdministratorAccess"
OWN, FOREIGN = "arn:aws:iam::333344445555:root", "arn:aws:iam::999900001111:root"
AWS_KEY, APPLICATIONS = "arn:aws:kms:r:333344445555:alias/aws/kinesis", "arn:aws:emr-serverless:r:*:/applications/*"
TO_ALL = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "kms:Decrypt", "Resource": "*"}
ALL_USERS = {"type": "Group", "uri": "http://acs.amazonaws.com/groups/global/AllUsers", "permissions": ["READ"]}
OTHER_KEY = {"encryption_type": "AWS_SSE_S3", "encryption_kms_key_id": "k"}
EVERYWHERE = {"type": "IPV4", "mode": "INGRESS", "value_list": ["0.0.0.0/0"]}
BYPASSES = (
    Breaking("wildcard-action", ENGINE, statement(Action="s3:Get*", Resource=OBJECT)),
    Breaking("wildcard-action", TRUST, inline(Action="s3:*", Resource=OBJECT)),
    Breaking("wildcard-resource", TRUST, inline(Action="dynamodb:GetItem", NotResource=OBJECT)),
    Breaking("wildcard-action", PLACE, key(policy=allowing(Principal={"AWS": [OWN, FOREIGN]}, Action="kms:*"))),
    Breaking("wildcard-action", PLACE, key(bypass_policy_lockout_safety_check=True)),
    Breaking("wildcard-principal", PLACE, key(policy=json.dumps({"Statement": [*KEY_POLICY["Statement"], TO_ALL]}))),
    Breaking("wildcard-principal", BUCKET_POLICY, statement(Action="s3:GetObject", Principal={"AWS": FOREIGN})),
    Breaking("wildcard-principal", BUCKET_POLICY, statement(Action="s3:GetObject", Principal={"AWS": "999900001111"})),
    Breaking("wildcard-principal", TRUST, narrowed(Principal="*")),
    Breaking("trust", TRUST, narrowed(Condition={"StringLike": {"aws:SourceAccount": "333*"}})),
    Breaking("trust", TRUST, narrowed(Condition={"StringLike": {"aws:SourceAccount": "????????????"}})),
    Breaking("trust", TRUST, narrowed(Condition={"StringEqualsIfExists": {"aws:SourceAccount": "333344445555"}})),
    Breaking("trust", TRUST, narrowed(Condition={"StringLike": {"aws:SourceAccount": ["333344445555", "*"]}})),
    Breaking("trust", TRUST, narrowed(Condition={"ArnLike": {"aws:SourceArn": APPLICATIONS}})),
    Breaking("least-privilege", PLACE, renamed("aws_kms_grant", {"operations": ["Decrypt"]})),
    Breaking("least-privilege", PLACE, renamed("aws_iam_user_group_membership", {"groups": ["admins"]})),
    Breaking("wildcard-principal", PLACE, renamed("aws_lambda_permission", {"principal": "*"})),
    Breaking("least-privilege", PLACE, renamed("aws_iam_user_policy_attachments_exclusive", {"policy_arns": [ADMINISTRATOR]})),
    *(Breaking("public-bucket", PUBLIC, setting(**{switch: value}))
      for switch in ("block_public_acls", "ignore_public_acls", "restrict_public_buckets") for value in (False, None)),
    Breaking("public-bucket", "aws_s3_bucket.bucket", setting(grant=[ALL_USERS])),
    Breaking("own-key", SSE, encrypted_by(sse_algorithm="AES256", kms_master_key_id="k")),
    Breaking("own-key", SSE, encrypted_by(sse_algorithm="aws:kms")),
    Breaking("own-key", STREAM, setting(kms_key_id=AWS_KEY)),
    Breaking("own-key", STREAM, setting(kms_key_id=None)),
    Breaking("own-key", "snowflake_external_volume", setting(storage_location=[OTHER_KEY])),
    Breaking("retention", LEDGER, setting(point_in_time_recovery={"enabled": True, "recovery_period_in_days": 1})),
    Breaking("retention", LIFECYCLE, rule_of(expiration={"date": "2026-01-01T00:00:00Z"})),
    Breaking("key-rotation", PLACE, key(rotation_period_in_days=2560)),
    Breaking("open-network", PLACE, renamed("snowflake_network_rule", EVERYWHERE)),
    Breaking("open-network", PLACE, renamed("aws_vpc_security_group_ingress_rule", {"cidr_ipv6": "::/0"})),
    Breaking("open-network", PLACE, renamed("aws_security_group_rule", {"type": "ingress", "ipv6_cidr_blocks": ["::/0"]})),
    Breaking("secret-in-state", "aws_ssm_parameter", setting(insecure_value="MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj")),
    Breaking("secret-in-state", "aws_ssm_parameter", setting(type="SecureString", value="hunter2")),
    Breaking("secret-in-state", PLACE, renamed("aws_redshiftserverless_workgroup", {"admin_user_password": "hunter2"})),
    Breaking("unseen", PLACE, renamed("aws_cloudformation_stack", {"template_body": "{}"})),
    Breaking("unseen", PLACE, renamed("aws_cloudcontrolapi_resource", {"desired_state": "{}"})),
    Breaking("protection", "aws_secretsmanager_secret", lambda each: replace(each, is_protected=False)),
)  # fmt: skip # a row, a case
"""What keeps to the words of a rule, and not to the rule."""

"""Changes behind Terraform's back in prod, and the resource whose plan must show each."""

import json
from collections.abc import Callable

from tests.pulumi.environments import Trial

BUCKET, ROLE, LEDGER = "firnline-prod-333344445555-eu-central-1", "firnline-prod-engine", "firnline-prod"
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
BODY = '{"widgets": []}'


def aws(service: str, operation: str, **arguments: object) -> Callable[[Trial], object]:
    return lambda trial: getattr(trial.environment.client(service), operation)(**arguments)


def sql(statement: str) -> Callable[[Trial], object]:
    return lambda trial: trial.sql(statement)


ENCRYPTED = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
PITR = {"PointInTimeRecoveryEnabled": False}
DRIFTS: dict[str, Callable[[Trial], object]] = {
    "aws_kinesis_stream.stream-orders-stream": aws(
        "kinesis", "increase_stream_retention_period", StreamName="orders", RetentionPeriodHours=4000
    ),
    "aws_kinesis_stream.stream-clicks-stream": aws(
        "kinesis", "remove_tags_from_stream", StreamName="clicks", TagKeys=["firnline:component"]
    ),
    "aws_kinesis_stream.stream-prices-stream": aws(
        "kinesis", "stop_stream_encryption", StreamName="prices", EncryptionType="KMS", KeyId="alias/aws/kinesis"
    ),
    "aws_dynamodb_table.ledger-table": aws(
        "dynamodb", "update_continuous_backups", TableName=LEDGER, PointInTimeRecoverySpecification=PITR
    ),
    "aws_s3_bucket_versioning.bucket-versioning": aws(
        "s3", "put_bucket_versioning", Bucket=BUCKET, VersioningConfiguration={"Status": "Suspended"}
    ),
    "aws_s3_bucket_public_access_block.bucket-public-access": aws("s3", "delete_public_access_block", Bucket=BUCKET),
    "aws_s3_bucket_policy.bucket-policy": aws("s3", "delete_bucket_policy", Bucket=BUCKET),
    "aws_s3_bucket_lifecycle_configuration.bucket-lifecycle": aws("s3", "delete_bucket_lifecycle", Bucket=BUCKET),
    "aws_s3_bucket_server_side_encryption_configuration.bucket-encryption": aws(
        "s3", "put_bucket_encryption", Bucket=BUCKET, ServerSideEncryptionConfiguration=ENCRYPTED
    ),
    "aws_iam_role.engine-role-role": aws(
        "iam", "update_assume_role_policy", RoleName=ROLE, PolicyDocument=json.dumps(TRUST)
    ),
    "aws_iam_role_policy.engine-role-policy": aws("iam", "delete_role_policy", RoleName=ROLE, PolicyName="firnline"),
    "aws_cloudwatch_metric_alarm.alarms-firnline-prod-orders-lag": aws(
        "cloudwatch", "delete_alarms", AlarmNames=["firnline-prod-orders-lag"]
    ),
    "aws_cloudwatch_dashboard.dashboard": aws(
        "cloudwatch", "put_dashboard", DashboardName="firnline-prod", DashboardBody=BODY
    ),
    "aws_ssm_parameter.published-ledger-table": aws(
        "ssm", "put_parameter", Name="/firnline/prod/ledger-table", Value="other", Overwrite=True
    ),
    "snowflake_database.landing-database-FIRNLINE_PROD": sql("ALTER DATABASE FIRNLINE_PROD SET COMMENT = 'x'"),
    "snowflake_schema.landing-schema-FIRNLINE_PROD-RAW": sql("ALTER SCHEMA FIRNLINE_PROD.RAW SET COMMENT = 'x'"),
    "snowflake_iceberg_table.landing-table-FIRNLINE_PROD-LAKE-CLICKS": sql(
        "ALTER ICEBERG TABLE FIRNLINE_PROD.LAKE.CLICKS SET COMMENT = 'x'"
    ),
    "snowflake_account_role.landing-role-FIRNLINE_PROD_INGEST": sql(
        "ALTER ROLE FIRNLINE_PROD_INGEST SET COMMENT = 'x'"
    ),
    "snowflake_service_user.landing-user-FIRNLINE_PROD_INGEST": sql(
        "ALTER USER FIRNLINE_PROD_INGEST SET DISABLED = TRUE"
    ),
    "snowflake_service_user.landing-user-FIRNLINE_PROD_READER": sql(
        "ALTER USER FIRNLINE_PROD_READER SET DEFAULT_ROLE = 'PUBLIC'"
    ),
    "snowflake_network_policy.landing-network-policy": sql(
        "ALTER NETWORK POLICY FIRNLINE_PROD_NETWORK SET ALLOWED_IP_LIST = ('0.0.0.0/0')"
    ),
    "snowflake_user_authentication_policy_attachment.landing-user-FIRNLINE_PROD_READER-authentication-policy": sql(
        "ALTER USER FIRNLINE_PROD_READER UNSET AUTHENTICATION POLICY"
    ),
    "snowflake_external_volume.volume-FIRNLINE_PROD_LAKE-volume": sql(
        "ALTER EXTERNAL VOLUME FIRNLINE_PROD_LAKE SET ALLOW_WRITES = FALSE"
    ),
    "snowflake_warehouse_interactive.landing-warehouse": sql(
        "ALTER WAREHOUSE FIRNLINE_PROD_INTERACTIVE SET COMMENT = 'x'"
    ),
    "snowflake_grant_account_role.landing-grant-FIRNLINE_PROD_READER-to-user-FIRNLINE_PROD_READER": sql(
        "REVOKE ROLE FIRNLINE_PROD_READER FROM USER FIRNLINE_PROD_READER"
    ),
    "snowflake_grant_privileges_to_account_role.landing-grant-FIRNLINE_PROD_INGEST-schema-FIRNLINE_PROD-LIVE": sql(
        "REVOKE USAGE ON SCHEMA FIRNLINE_PROD.LIVE FROM ROLE FIRNLINE_PROD_INGEST"
    ),
}

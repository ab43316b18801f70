"""Reads a secret's text from Secrets Manager; its refusals are distinguished by what a person has to do about them.

Nearly always it is the Snowflake user's private key, so the errors are of Snowflake's branch: without the key there is no
session. The logins of schema registries have errors of their own around these.
"""

from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.client import aws_client
from firnline_ingest.aws.codes import DENIED, KMS, MALFORMED, NO_CREDENTIALS, UNKNOWN_CALLER
from firnline_ingest.aws.next_steps import GIVE_CREDENTIALS, WHO_ASKED
from firnline_ingest.aws.request_parts import parts_of
from firnline_ingest.aws.trust import said
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import Fatal, Retryable, SnowflakeError, declared

PRIVATE_KEY = "the Snowflake user's private key"
NO_VALUE = {
    "InvalidRequestException",  # it waits for its deletion
    "ResourceNotFoundException",
}
"""Errors of GetSecretValue (Secrets Manager API reference); any other is of the service or of the moment."""


@declared
class SecretForbidden(SnowflakeError, Fatal):
    secret: str
    cause: str
    holds: str = PRIVATE_KEY

    id = "FL-3013"
    message = "secretsmanager:GetSecretValue on {secret}, which holds {holds}, was denied: {cause}"
    next_step = (
        "allow secretsmanager:GetSecretValue on the secret, and kms:Decrypt on its key where it has one (which "
        f"has to be enabled), {WHO_ASKED}."
    )
    causes = "The role may not read the secret with the private key, or not use the secret's key"
    remedy = "[the permissions](permissions.md)"


@declared
class SecretUnreachable(SnowflakeError, Retryable):
    secret: str
    cause: str
    holds: str = PRIVATE_KEY

    id = "FL-3014"
    message = "Secrets Manager did not give {secret}, which holds {holds}: {cause}"
    next_step = (
        "nothing is lost, and a running engine tries again by itself; if it lasts, check the network (a VPC endpoint, a proxy), "
        "aws.region and aws.endpoints.secretsmanager; and, if the credentials have expired, what renews them."
    )
    causes = "Network, endpoint, throttling, or 5xx of Secrets Manager"
    remedy = "the network, `aws.region`, `aws.endpoints.secretsmanager`, a proxy or VPC endpoint between"


@declared
class SecretMissing(SnowflakeError, Fatal):
    secret: str
    cause: str
    holds: str = PRIVATE_KEY

    id = "FL-3015"
    message = "Secrets Manager has no value of {secret}, which should hold {holds}: {cause}"
    next_step = (
        "check snowflake.private_key.secret_arn, and that aws.region and the credentials' account are those in it; if "
        "it has no key yet, firnline keys create makes one; if it was deleted, aws secretsmanager restore-secret."
    )
    causes = "No such secret in this account and region, it has no value, or it waits for its deletion"
    remedy = "`snowflake.private_key.secret_arn`; `firnline keys create`; `aws secretsmanager restore-secret`"


@declared
class SecretCredentialsMissing(SnowflakeError, Fatal):
    secret: str
    cause: str
    holds: str = PRIVATE_KEY

    id = "FL-3016"
    message = "There are no AWS credentials to read {secret} with, which holds {holds}: {cause}"
    next_step = GIVE_CREDENTIALS
    causes = "The process has no AWS credentials to read the secret with"
    remedy = "`aws sts get-caller-identity` has to answer there"


@declared
class SecretRequestMalformed(SnowflakeError, Fatal):
    """Secrets Manager has no such request: the name is not one of a secret, or the request is a defect of ours."""

    secret: str
    cause: str
    holds: str = PRIVATE_KEY

    id = "FL-3019"
    message = "secretsmanager:GetSecretValue on {secret}, which should hold {holds}, was refused as malformed: {cause}"
    next_step = (
        "see that it is the ARN of a secret (snowflake.private_key.secret_arn), and that aws.endpoints leads to Secrets "
        "Manager. If both are so, this is a defect of Firnline, which waiting does not heal: report this message."
    )
    causes = (
        "**Secrets Manager calls a request malformed**: what is given as the secret is neither an ARN nor a name of one; a "
        "defect of Firnline; or `aws.endpoints` leads to another service"
    )
    remedy = "the secret's ARN in the configuration; `aws.endpoints`; else report the message"


def read_secret(aws: AwsConfig, arn: str, holds: str = PRIVATE_KEY) -> str | None:
    """The current version's text; None where it holds bytes. `holds` is for who reads an error.

    Raises SecretForbidden, SecretMissing, SecretRequestMalformed, SecretCredentialsMissing or SecretUnreachable.
    """
    try:
        answer = aws_client(aws, "secretsmanager").get_secret_value(SecretId=arn, VersionStage="AWSCURRENT")
    except ClientError as error:
        raise _by_code(arn, error, holds) from error
    except NO_CREDENTIALS as error:
        raise SecretCredentialsMissing(arn, str(error), holds) from error
    except BotoCoreError as error:
        raise SecretUnreachable(arn, said(error), holds) from error
    text: str | None = answer.get("SecretString")
    return text


def _by_code(arn: str, error: ClientError, holds: str) -> SnowflakeError:
    code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    if code in DENIED | UNKNOWN_CALLER:
        return SecretForbidden(arn, message, holds)
    if code in {*KMS, "DecryptionFailure"}:
        return SecretForbidden(arn, f"{code}: {message}", holds)
    if code in NO_VALUE:
        return SecretMissing(arn, f"{code}: {message}", holds)
    if code in MALFORMED:
        return SecretRequestMalformed(arn, f"{code}: {message}{parts_of(error)}", holds)
    return SecretUnreachable(arn, f"{code}: {message}", holds)

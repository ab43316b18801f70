"""Which KMS key the bootstrap made: its ARN is AWS's to give, and policies name keys by nothing else.

It is looked up by its alias once, and written into the reviewed file beside the specification: an alias that somebody moves
later changes nothing.
"""

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.accounts.aws import aws_call
from firnline_infra.keys.errors import EncryptionKeyUnusable
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.specification.errors import EncryptionKeyMissing
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.ready import encryption_key_missing


def record_encryption_key(
    spec: EnvironmentSpec, file: ReviewedFile, accounts: Accounts, *, environment: str
) -> str | None:
    """The ARN that was written; None where nothing was to be. Raises WrongAwsAccount, EncryptionKeyMissing,
    EncryptionKeyUnusable or AwsRefused.
    """
    if encryption_key_missing(spec, environment) is None:
        return None
    check_aws(spec, accounts)
    alias = f"alias/{Names.of(spec).key_alias}"
    kms = accounts.aws("kms")
    with aws_call("kms:DescribeKey", f"key {alias}"):
        try:
            found = kms.describe_key(KeyId=alias)["KeyMetadata"]
        except kms.exceptions.NotFoundException:
            raise EncryptionKeyMissing(alias, environment=environment) from None
    if found["KeyState"] != "Enabled":
        raise EncryptionKeyUnusable(alias, found["Arn"], state=found["KeyState"])
    arn = str(found["Arn"])
    file.put_encryption_key(arn)
    return arn

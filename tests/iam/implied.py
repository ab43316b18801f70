"""Calls of a service in the caller's name: it uses the customer's key that the data is encrypted with.

Each service's developer guide says which action, and which encryption context the key's policy sees. Keys that AWS manages
need no permission.
"""

from collections.abc import Iterator
from typing import Any

from firnline_local.aws.policy import Context
from tests.iam.directory import MotoDirectory
from tests.iam.request import Access, Request

DECRYPT, GENERATE = "kms:Decrypt", "kms:GenerateDataKey"
ON_ITEMS = {
    *("BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"),
    *("ConditionCheckItem",),
}
SECRET_VALUES = {
    "GetSecretValue": (DECRYPT,),
    "PutSecretValue": (GENERATE, DECRYPT),
    "CreateSecret": (GENERATE, DECRYPT),
}
OF_OBJECTS = {"s3:GetObject": DECRYPT, "s3:GetObjectVersion": DECRYPT, "s3:PutObject": GENERATE}


def implied(request: Request, accesses: tuple[Access, ...], directory: MotoDirectory) -> Iterator[Access]:
    match request.service:
        case "dynamodb":
            for access in accesses:
                if access.action.partition(":")[2] in ON_ITEMS:
                    yield from _of_table(request, access, directory)
        case "secretsmanager":
            yield from _of_secret(request, directory)
        case "s3":
            for access in accesses:
                yield from _of_absence(access, directory)
                if access.action in OF_OBJECTS:
                    yield from _of_object(request, access, directory)


def _of_table(request: Request, access: Access, directory: MotoDirectory) -> Iterator[Access]:
    name = access.resource.split("/")[1]
    table = directory.table(name)
    encryption = (table.sse_specification if table else None) or {}
    if encryption.get("Enabled"):
        yield from _use(request, directory, DECRYPT, encryption["KMSMasterKeyId"], {"aws:dynamodb:tableName": name})


def _of_secret(request: Request, directory: MotoDirectory) -> Iterator[Access]:
    named = request.parameters.get("SecretId") or request.parameters.get("Name") or ""
    secret, has_value = directory.secret(named), {"SecretString", "SecretBinary"} & request.parameters.keys()
    key = request.parameters.get("KmsKeyId") or (secret.kms_key_id if secret else None)
    if key is None or (request.operation == "CreateSecret" and not has_value):
        return
    for action in SECRET_VALUES.get(request.operation, ()):
        yield from _use(request, directory, action, key, {"SecretARN": directory.secret_arn(named)})


def _of_absence(access: Access, directory: MotoDirectory) -> Iterator[Access]:
    """Yields who may not list is not told that there is no such object, but refused (S3's API reference, `GetObject`
    and `HeadObject`).

    The prefix that is asked for is the object's own name.
    """
    bucket_name, _, key = access.resource.removeprefix("arn:aws:s3:::").partition("/")
    bucket = directory.bucket(bucket_name) if access.action == "s3:GetObject" else None
    if bucket is not None and key not in bucket.keys:
        yield Access("s3:ListBucket", f"arn:aws:s3:::{bucket_name}", {"s3:prefix": key})


def _of_object(request: Request, access: Access, directory: MotoDirectory) -> Iterator[Access]:
    """An object that is written takes its key from the request, else from the bucket; one that is read has it."""
    bucket_name, _, key = access.resource.removeprefix("arn:aws:s3:::").partition("/")
    bucket = directory.bucket(bucket_name)
    if bucket is None:
        return
    by_default = ((bucket.encryption or {}).get("Rule") or {}).get("ApplyServerSideEncryptionByDefault") or {}
    algorithm, kms_key = by_default.get("SSEAlgorithm"), by_default.get("KMSMasterKeyID")
    headers = request.parameters["headers"]
    if access.action != "s3:PutObject":
        found: Any = bucket.keys.get(key)
        algorithm, kms_key = (found.encryption, found.kms_key_id) if found else (None, None)
    elif wanted := headers.get("x-amz-server-side-encryption"):
        algorithm, kms_key = wanted, headers.get("x-amz-server-side-encryption-aws-kms-key-id")
    if algorithm == "aws:kms" and kms_key:
        yield from _use(request, directory, OF_OBJECTS[access.action], kms_key, {"aws:s3:arn": access.resource})


def _use(
    request: Request, directory: MotoDirectory, action: str, key: str, encryption_context: Context
) -> Iterator[Access]:
    found = directory.key(key)
    if found is not None and not directory.is_customers(found):
        return
    context = {f"kms:EncryptionContext:{name}": value for name, value in encryption_context.items()}
    context["kms:ViaService"] = f"{request.service}.{request.region}.amazonaws.com"
    yield Access(action, directory.key_arn(key), context)

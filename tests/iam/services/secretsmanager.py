"""Secrets Manager (Service Authorization Reference, `list_awssecretsmanager`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

EVERYWHERE = {"BatchGetSecretValue", "GetRandomPassword", "ListSecrets"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"secretsmanager:{operation}"
    if operation in EVERYWHERE:
        return iter((Access(action, "*"),))
    if operation == "CreateSecret":
        arn = request.directory.secret_arn(parameters["Name"])
        tagging = [Access("secretsmanager:TagResource", arn)] if parameters.get("Tags") else []
        return iter((Access(action, arn), *tagging))
    if "SecretId" not in parameters:
        return None
    return iter((Access(action, request.directory.secret_arn(parameters["SecretId"])),))

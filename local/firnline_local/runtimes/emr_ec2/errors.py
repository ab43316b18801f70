"""Errors of EMR on EC2 (API reference, "Common Errors" of each operation)."""

from firnline_local.runtimes.rest_json import ServiceError


def invalid_request(message: str) -> ServiceError:
    return ServiceError(400, "InvalidRequestException", message)

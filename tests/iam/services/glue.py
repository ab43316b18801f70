"""AWS Glue's Schema Registry (Service Authorization Reference, `list_awsglue`; for who reads schemas, the developer guide's "IAM
examples for deserializers", whose resource is `*`).
"""

from collections.abc import Iterator

from tests.iam.request import Access, Request

BY_VERSION = {"GetSchemaVersion"}


def accesses(request: Request) -> Iterator[Access] | None:
    if request.operation not in BY_VERSION:
        return None
    return iter((Access(f"glue:{request.operation}", "*", {"aws:RequestedRegion": request.region}),))

"""What a program may ask about the cloud it is in: the functions of pulumi-aws that ask nothing of a service."""

from typing import Any

from firnline_local.endpoints import Endpoints
from firnline_local.errors import UnknownTypeToken

USER = "firnline-local"
FUNCTIONS = ("getCallerIdentity", "getPartition", "getRegion")


def invoke(token: str, endpoints: Endpoints) -> dict[str, Any]:
    """The account is the specification's; arguments there are none. Raises UnknownTypeToken: no other function has an answer."""
    match token:
        case "aws:index/getCallerIdentity:getCallerIdentity":
            account = endpoints.aws_account
            arn = f"arn:aws:iam::{account}:user/{USER}"
            return {"id": account, "accountId": account, "arn": arn, "userId": USER}
        case "aws:index/getRegion:getRegion":
            region = endpoints.region
            return {"id": region, "name": region, "region": region, "description": region, "endpoint": endpoints.aws}
        case "aws:index/getPartition:getPartition":
            return {
                "id": "aws",
                "partition": "aws",
                "dnsSuffix": "amazonaws.com",
                "reverseDnsPrefix": "com.amazonaws",
            }
        case _:
            raise UnknownTypeToken(token, known=[f"aws:index/{name}:{name}" for name in FUNCTIONS])

"""Security Token Service (Service Authorization Reference, `list_awssecuritytokenservice`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

EVERYWHERE = {"GetCallerIdentity", "GetSessionToken"}  # nobody needs a permission to ask who they are


def accesses(request: Request) -> Iterator[Access] | None:
    action = f"sts:{request.operation}"
    if "RoleArn" in request.parameters:
        external_id = request.parameters.get("ExternalId")
        context = {"sts:ExternalId": str(external_id)} if external_id else {}
        return iter((Access(action, str(request.parameters["RoleArn"]), context),))
    return iter((Access(action, "*"),)) if request.operation in EVERYWHERE else None

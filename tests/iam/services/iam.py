"""Identity and Access Management (Service Authorization Reference, `list_awsidentityandaccessmanagementiam`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

NEW = {
    "CreateRole": "role",
    "CreateUser": "user",
    "CreatePolicy": "policy",
    "CreateInstanceProfile": "instance-profile",
}
TAGGING = {
    "CreateRole": "iam:TagRole",
    "CreateUser": "iam:TagUser",
    "CreatePolicy": "iam:TagPolicy",
    "CreateInstanceProfile": "iam:TagInstanceProfile",
}
NAMES = {
    "CreateRole": "RoleName",
    "CreateUser": "UserName",
    "CreatePolicy": "PolicyName",
    "CreateInstanceProfile": "InstanceProfileName",
}


def accesses(request: Request) -> Iterator[Access] | None:
    parameters, action = request.parameters, f"iam:{request.operation}"
    if request.operation in NEW:
        return _new(request)
    if request.operation == "UpdateUser":
        return _moved(request)
    if "InstanceProfileName" in parameters:
        return _on_profile(request)
    if "RoleName" in parameters:
        return iter((Access(action, request.directory.role_arn(parameters["RoleName"]), _context(request)),))
    if "UserName" in parameters:
        return iter((Access(action, request.directory.user_arn(parameters["UserName"]), _context(request)),))
    if "PolicyArn" in parameters:
        return iter((Access(action, parameters["PolicyArn"]),))
    return None


def _new(request: Request) -> Iterator[Access]:
    parameters = request.parameters
    path = parameters.get("Path") or "/"
    kind, name = NEW[request.operation], parameters[NAMES[request.operation]]
    arn = f"arn:aws:iam::{request.account}:{kind}{path}{name}"
    yield Access(f"iam:{request.operation}", arn, _context(request))
    if any(each.startswith("Tags.") for each in parameters):
        yield Access(TAGGING[request.operation], arn, _context(request))


def _on_profile(request: Request) -> Iterator[Access]:
    """Whoever puts a role into one passes it to EC2 (API reference, AddRoleToInstanceProfile)."""
    arn = f"arn:aws:iam::{request.account}:instance-profile/{request.parameters['InstanceProfileName']}"
    yield Access(f"iam:{request.operation}", arn)
    if request.operation == "AddRoleToInstanceProfile":
        role = request.directory.role_arn(request.parameters["RoleName"])
        yield Access("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"})


def _moved(request: Request) -> Iterator[Access]:
    """Needs the action on what the user is, and on what it becomes (API reference, UpdateUser)."""
    parameters = request.parameters
    arn = request.directory.user_arn(parameters["UserName"])
    path, _, name = arn.rpartition(":user")[2].rpartition("/")
    path, name = parameters.get("NewPath") or f"{path}/", parameters.get("NewUserName") or name
    moved = f"arn:aws:iam::{request.account}:user{path}{name}"
    return iter(Access("iam:UpdateUser", each) for each in dict.fromkeys((arn, moved)))


def _context(request: Request) -> dict[str, str]:
    """Returns what fences a deployer: the boundary that it has to set, and the policies that it may attach."""
    found = {
        "iam:PermissionsBoundary": request.parameters.get("PermissionsBoundary"),
        "iam:PolicyARN": request.parameters.get("PolicyArn"),
    }
    return {key: str(value) for key, value in found.items() if value}

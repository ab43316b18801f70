"""What moto lacks and our resource types need: answered by methods that are added to its classes when a server starts.

Each is gone from here once moto has it; tests/infra/local/aws/test_moto_additions.py says how that would show.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from moto.core.responses import EmptyResult
from moto.dynamodb.responses import DynamoHandler
from moto.iam.access_control import PermissionResult
from moto.iam.responses import IamResponse
from moto.kms.responses import KmsResponse
from moto.s3.models import FakeBucket

from firnline_infra.local.iam.authorise import is_allowed, is_denied, statements_of

DEFAULT_ROTATION_DAYS = 365
ADDED = "_firnline_added"


def add_to_moto() -> None:
    """May be repeated."""
    if getattr(IamResponse, ADDED, False):
        return
    setattr(IamResponse, ADDED, True)
    _add(IamResponse, put_user_permissions_boundary)
    _add(IamResponse, delete_user_permissions_boundary)
    _after(IamResponse, "create_user", _note_boundary)
    _after(DynamoHandler, "update_table", _note_encryption)
    _after(KmsResponse, "enable_key_rotation", _note_rotation_period)
    _add(KmsResponse, get_key_rotation_status)
    _add(FakeBucket, get_permission)


def put_user_permissions_boundary(response: Any) -> EmptyResult:
    user = response.backend.get_user(response._get_param("UserName"))
    _bound(user, response._get_param("PermissionsBoundary"))
    return EmptyResult()


def delete_user_permissions_boundary(response: Any) -> EmptyResult:
    _bound(response.backend.get_user(response._get_param("UserName")), None)
    return EmptyResult()


def get_key_rotation_status(response: Any) -> str:
    """With the period, which moto forgets."""
    key_id = response._get_param("KeyId")
    response._validate_cmk_id(key_id)
    backend = response.kms_backend
    if not backend.get_key_rotation_status(key_id):
        return json.dumps({"KeyRotationEnabled": False})
    days = getattr(_key(backend, key_id), "rotation_days", DEFAULT_ROTATION_DAYS)
    return json.dumps({"KeyRotationEnabled": True, "KeyId": key_id, "RotationPeriodInDays": days})


def get_permission(bucket: Any, action: str, resource: str) -> PermissionResult:
    """moto reads no conditions: a policy that demands TLS would close the bucket. Whoever comes here counts as through TLS."""
    statements = statements_of(bucket.policy.decode()) if bucket.policy else []
    context = {"aws:SecureTransport": "true"}
    if is_denied(statements, action, resource, context):
        return PermissionResult.DENIED
    return PermissionResult.PERMITTED if is_allowed(statements, action, resource, context) else PermissionResult.NEUTRAL


def _note_boundary(response: Any) -> None:
    user = response.backend.get_user(response._get_param("UserName"))
    _bound(user, response._get_param("PermissionsBoundary"))


def _bound(user: Any, policy_arn: str | None) -> None:
    """moto's serialiser takes what an answer says of a user from attributes."""
    kind = "PermissionsBoundaryPolicy"
    boundary = {"PermissionsBoundaryType": kind, "PermissionsBoundaryArn": policy_arn} if policy_arn else None
    user.permissions_boundary = boundary


def _note_encryption(response: Any) -> None:
    """moto sets a table's encryption only when the table is made."""
    specification = response.body.get("SSESpecification")
    if specification is None:
        return
    table = response.dynamodb_backend.get_table(response.body["TableName"])
    if specification.get("Enabled") and "KMSMasterKeyId" not in specification:
        own_key = table._get_default_encryption_key(response.current_account, response.region)
        specification = {**specification, "KMSMasterKeyId": own_key}
    table.sse_specification = specification


def _note_rotation_period(response: Any) -> None:
    days = response._get_param("RotationPeriodInDays") or DEFAULT_ROTATION_DAYS
    _key(response.kms_backend, response._get_param("KeyId")).rotation_days = int(days)


def _key(backend: Any, key_id: str) -> Any:
    return backend.keys[backend.get_key_id(key_id)]


def _add(handler: type[Any], method: Callable[..., Any]) -> None:
    setattr(handler, method.__name__, method)


def _after(handler: type[Any], name: str, then: Callable[[Any], None]) -> None:
    """The handler's own method, and then ours."""
    own = getattr(handler, name)

    @wraps(own)
    def both(response: Any) -> Any:
        answer = own(response)
        then(response)
        return answer

    setattr(handler, name, both)

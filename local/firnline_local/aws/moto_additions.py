"""Additions to moto that our resource types need: methods that are added to its classes when a server starts.

Each is gone from here once moto has it; tests/local/aws/test_moto_additions.py says how that would show.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import xmltodict  # type: ignore[import-untyped]  # what moto reads with
from moto.core.responses import BaseResponse, EmptyResult
from moto.dynamodb.responses import DynamoHandler
from moto.iam.access_control import PermissionResult
from moto.iam.exceptions import EntityAlreadyExists
from moto.iam.models import IAMBackend
from moto.iam.responses import IamResponse
from moto.s3.models import FakeBucket, FakeDeleteMarker
from moto.s3.responses import S3Response
from moto.secretsmanager.models import FakeSecret, SecretsManagerBackend

from firnline_local.aws.moto_repetitions import keep_what_repeats
from firnline_local.aws.policy import is_allowed, is_denied, statements_of

if TYPE_CHECKING:
    from moto.redshift.responses import RedshiftResponse

CURRENT = "AWSCURRENT"
ADDED = "_firnline_added"
Response = TypeVar("Response", bound=BaseResponse)


def add_to_moto() -> None:
    """May be repeated."""
    if getattr(IamResponse, ADDED, False):
        return
    setattr(IamResponse, ADDED, True)
    keep_what_repeats()
    _put(IamResponse, put_user_permissions_boundary)
    _put(IamResponse, delete_user_permissions_boundary)
    _after(IamResponse, "create_user", _note_boundary)
    _put(IAMBackend, _with_tags(IAMBackend.update_user))
    _after(DynamoHandler, "update_table", _note_encryption)
    _put(FakeBucket, get_permission)
    _put(FakeDeleteMarker, dispose)
    _put(S3Response, _with_the_tags_of_a_bucket(S3Response._bucket_response_put))
    _put(SecretsManagerBackend, _noting_the_current(SecretsManagerBackend.update_secret_version_stage))


def add_to_redshift() -> None:
    """May be repeated. Apart from the others: moto's Redshift loads its EC2, which takes longer than all the rest."""
    from moto.redshift.responses import RedshiftResponse

    if not getattr(RedshiftResponse, ADDED, False):
        setattr(RedshiftResponse, ADDED, True)
        _after(RedshiftResponse, "create_cluster", _note_secret_and_role)


def put_user_permissions_boundary(response: IamResponse) -> EmptyResult:
    user = response.backend.get_user(response._get_param("UserName"))
    _bound(user, response._get_param("PermissionsBoundary"))
    return EmptyResult()


def delete_user_permissions_boundary(response: IamResponse) -> EmptyResult:
    _bound(response.backend.get_user(response._get_param("UserName")), None)
    return EmptyResult()


def get_permission(bucket: FakeBucket, action: str, resource: str) -> PermissionResult:
    """moto reads no conditions: a policy that demands TLS would close the bucket. Each request here counts as through TLS."""
    statements = statements_of(bucket.policy.decode()) if bucket.policy else []
    context = {"aws:SecureTransport": "true"}
    if is_denied(statements, action, resource, context):
        return PermissionResult.DENIED
    return PermissionResult.PERMITTED if is_allowed(statements, action, resource, context) else PermissionResult.NEUTRAL


def dispose(marker: FakeDeleteMarker) -> None:
    """A mark of a deletion holds nothing; moto asks it all the same where the bucket's versioning was suspended."""


def _note_boundary(response: IamResponse) -> None:
    user = response.backend.get_user(response._get_param("UserName"))
    _bound(user, response._get_param("PermissionsBoundary"))


def _bound(user: Any, policy_arn: str | None) -> None:
    """moto's serialiser takes what an answer says of a user from attributes."""
    kind = "PermissionsBoundaryPolicy"
    boundary = {"PermissionsBoundaryType": kind, "PermissionsBoundaryArn": policy_arn} if policy_arn else None
    user.permissions_boundary = boundary


def _with_tags(own: Callable[..., None]) -> Callable[..., None]:
    """moto keeps tags by ARN and forgets those of a user that is renamed, and renames over another one."""

    @wraps(own)
    def update_user(
        backend: IAMBackend, user_name: str, new_path: str | None = None, new_user_name: str | None = None
    ) -> None:
        if new_user_name != user_name and new_user_name in backend.users:
            raise EntityAlreadyExists(f"User with name {new_user_name} already exists.")
        before = backend.get_user(user_name).arn
        tags = backend.tagger.list_tags_for_resource(before)["Tags"]
        own(backend, user_name, new_path, new_user_name)
        backend.tagger.delete_all_tags_for_resource(before)
        backend.tagger.tag_resource(backend.get_user(new_user_name or user_name).arn, tags)

    return update_user


def _noting_the_current(own: Callable[..., tuple[str, str]]) -> Callable[..., tuple[str, str]]:
    """moto answers a version whatever its stage, the last that was written as the current one, to who names none."""

    @wraps(own)
    def update_secret_version_stage(
        backend: SecretsManagerBackend,
        secret_id: str,
        version_stage: str,
        remove_from_version_id: str,
        move_to_version_id: str,
    ) -> tuple[str, str]:
        answer = own(backend, secret_id, version_stage, remove_from_version_id, move_to_version_id)
        secret = backend.secrets[secret_id]
        if version_stage == CURRENT and move_to_version_id and isinstance(secret, FakeSecret):
            secret.set_default_version_id(move_to_version_id)
        return answer

    return update_secret_version_stage


def _with_the_tags_of_a_bucket(own: Callable[..., Any]) -> Callable[..., Any]:
    """moto leaves out the tags that a bucket is made with."""

    @wraps(own)
    def _bucket_response_put(response: S3Response, request: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
        answer = own(response, request, bucket_name, querystring)
        if not querystring and response.body:
            found = xmltodict.parse(response.body, force_list={"Tag"})["CreateBucketConfiguration"]
            tags = (found.get("Tags") or {}).get("Tag", [])
            response.backend.put_bucket_tagging(bucket_name, {tag["Key"]: tag["Value"] or "" for tag in tags})
        return answer

    return _bucket_response_put


def _note_encryption(response: DynamoHandler) -> None:
    """moto sets a table's encryption only when the table is made."""
    specification = response.body.get("SSESpecification")
    if specification is None:
        return
    table = response.dynamodb_backend.get_table(response.body["TableName"])
    if specification.get("Enabled") and "KMSMasterKeyId" not in specification:
        own_key = table._get_default_encryption_key(response.current_account, response.region)
        specification = {**specification, "KMSMasterKeyId": own_key}
    table.sse_specification = specification


def _note_secret_and_role(response: "RedshiftResponse") -> None:
    """moto takes a password alone, and knows no default role."""
    cluster: Any = response.redshift_backend.clusters[response._get_param("ClusterIdentifier")]
    cluster.default_iam_role_arn = response._get_param("DefaultIamRoleArn")
    if response._get_bool_param("ManageMasterPassword", False):
        place = f"{cluster.region}:{response.current_account}"
        name = f"redshift!{cluster.cluster_identifier}-{cluster.master_username}"
        cluster.master_password_secret_arn = f"arn:aws:secretsmanager:{place}:secret:{name}-AbCdEf"


def _put(handler: type[Any], method: Callable[..., Any]) -> None:
    """Puts the method into the handler under its own name, in the place of moto's if it has one."""
    setattr(handler, method.__name__, method)


def _after(handler: type[Response], name: str, then: Callable[[Response], None]) -> None:
    """The handler's own method, and then ours."""
    own = getattr(handler, name)

    @wraps(own)
    def both(response: Response) -> Any:
        answer = own(response)
        then(response)
        return answer

    setattr(handler, name, both)

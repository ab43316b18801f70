"""Changes by hand to what an administrator applied in AWS: each is found and named, and nothing else is."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

from firnline_infra.blueprint import blueprint_of
from firnline_infra.drift import bootstrap
from firnline_infra.drift.context import DriftContext
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import CiProvider, GitHub, GitLab
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import bootstrap_names
from firnline_ingest.checks import findings_of
from tests.infra.specifications import smallest

ACCOUNT = "123456789012"  # moto's own
KEYS = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "eu-central-1"}
STRANGER = "arn:aws:iam::999988887777:root"


@cache
def client(service: str) -> Any:
    """Returns one for all tests: it asks the account of the test that runs, and to make it takes longer than all that it asks."""
    return boto3.client(service, **KEYS)  # type: ignore[call-overload] # by a literal of each service


@dataclass
class Applied:
    """An account in which an administrator has applied a template."""

    spec: EnvironmentSpec
    provider: CiProvider
    place: str = "tests"

    def aws(self, service: str) -> Any:
        return client(service)

    @property
    def names(self) -> Any:
        return bootstrap_names(self.spec)

    @property
    def context(self) -> DriftContext:
        blueprint = blueprint_of(self.spec)
        return DriftContext(blueprint=blueprint, accounts=self, session=None, outputs={})  # type: ignore[arg-type] # it serves the two clients that are asked

    def found(self) -> set[tuple[str, str]]:
        return {each.key for check in bootstrap.checks(self.context) for each in findings_of(check)}

    def apply(self) -> None:
        made = template(blueprint_of(self.spec), provider=self.provider)["Resources"]
        arns: dict[str, str] = {}
        order = (
            "KMS::Key",
            "KMS::Alias",
            "S3::Bucket",
            "S3::BucketPolicy",
            "IAM::OIDCProvider",
            "IAM::ManagedPolicy",
            "IAM::Role",
        )
        for kind in order:
            for logical, each in made.items():
                if each["Type"] == f"AWS::{kind}":
                    make: Callable[..., str] = getattr(self, f"_{kind.replace('::', '_').lower()}")
                    arns[logical] = make(_with_arns(each["Properties"], arns))

    def _kms_key(self, said: Mapping[str, Any]) -> str:
        key = self.aws("kms").create_key(Policy=json.dumps(said["KeyPolicy"]), Description=said["Description"])[
            "KeyMetadata"
        ]
        self.aws("kms").enable_key_rotation(KeyId=key["KeyId"])
        return str(key["Arn"])

    def _kms_alias(self, said: Mapping[str, Any]) -> str:
        self.aws("kms").create_alias(AliasName=said["AliasName"], TargetKeyId=said["TargetKeyId"])
        return str(said["AliasName"])

    def _s3_bucket(self, said: Mapping[str, Any]) -> str:
        s3, name = self.aws("s3"), {"Bucket": said["BucketName"]}
        where = {"LocationConstraint": KEYS["region_name"]}
        s3.create_bucket(**name, CreateBucketConfiguration=where)
        rules = said["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        applied = [
            {"BucketKeyEnabled": True, "ApplyServerSideEncryptionByDefault": rules[0]["ServerSideEncryptionByDefault"]}
        ]
        s3.put_bucket_encryption(**name, ServerSideEncryptionConfiguration={"Rules": applied})
        s3.put_bucket_versioning(**name, VersioningConfiguration=said["VersioningConfiguration"])
        s3.put_bucket_ownership_controls(**name, OwnershipControls=said["OwnershipControls"])
        s3.put_public_access_block(**name, PublicAccessBlockConfiguration=said["PublicAccessBlockConfiguration"])
        return str(said["BucketName"])

    def _s3_bucketpolicy(self, said: Mapping[str, Any]) -> str:
        self.aws("s3").put_bucket_policy(Bucket=said["Bucket"], Policy=json.dumps(said["PolicyDocument"]))
        return "policy"

    def _iam_oidcprovider(self, said: Mapping[str, Any]) -> str:
        made = self.aws("iam").create_open_id_connect_provider(
            Url=said["Url"], ClientIDList=said["ClientIdList"], ThumbprintList=["0" * 40]
        )
        return str(made["OpenIDConnectProviderArn"])

    def _iam_managedpolicy(self, said: Mapping[str, Any]) -> str:
        document = json.dumps(said["PolicyDocument"])
        made = self.aws("iam").create_policy(PolicyName=said["ManagedPolicyName"], PolicyDocument=document)
        return str(made["Policy"]["Arn"])

    def _iam_role(self, said: Mapping[str, Any]) -> str:
        iam, trust = self.aws("iam"), json.dumps(said["AssumeRolePolicyDocument"])
        iam.create_role(RoleName=said["RoleName"], AssumeRolePolicyDocument=trust)
        for arn in said["ManagedPolicyArns"]:
            iam.attach_role_policy(RoleName=said["RoleName"], PolicyArn=arn)
        return str(said["RoleName"])


def _with_arns(said: Any, arns: Mapping[str, str]) -> Any:
    if isinstance(said, dict) and set(said) <= {"Ref", "Fn::GetAtt"} and said:
        (of,) = said.values()
        return arns[of if isinstance(of, str) else of[0]]
    if isinstance(said, dict):
        return {name: _with_arns(each, arns) for name, each in said.items()}
    return [_with_arns(each, arns) for each in said] if isinstance(said, list) else said


GITHUB, GITLAB = GitHub(repository="acme/data", branch="trunk"), GitLab(project="acme/platform/data")


@pytest.fixture(params=[GITHUB, GITLAB], ids=lambda each: each.title)
def applied(request: pytest.FixtureRequest) -> Iterator[Applied]:
    with mock_aws():
        made = Applied(smallest(aws={"account": ACCOUNT, "region": "eu-central-1"}), request.param)
        made.apply()
        yield made


def test_nothing_is_found_of_what_was_applied_as_it_is(applied: Applied) -> None:
    assert applied.found() == set()
    assert ("acme" in bootstrap.trusted(applied.context)) is True


def allowing(action: str, **more: Any) -> str:
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*", **more}]}
    )


def _policy_version(made: Applied) -> None:
    arn = Arns(made.spec).policy(made.names.boundary)
    made.aws("iam").create_policy_version(PolicyArn=arn, PolicyDocument=allowing("*"), SetAsDefault=True)


def _trusting(made: Applied, *, role: str, statement: Mapping[str, Any] | None = None, subject: str = "") -> None:
    iam = made.aws("iam")
    found = iam.get_role(RoleName=role)["Role"]["AssumeRolePolicyDocument"]
    if statement:
        found["Statement"].append(statement)
    if subject:
        found["Statement"][0]["Condition"] = {"StringLike": {f"{made.provider.host}:sub": subject}}
    iam.update_assume_role_policy(RoleName=role, PolicyDocument=json.dumps(found))


def _attached(made: Applied) -> None:
    policy = made.aws("iam").create_policy(PolicyName="all", PolicyDocument=allowing("*"))["Policy"]
    made.aws("iam").attach_role_policy(RoleName=made.names.deployer_role, PolicyArn=policy["Arn"])


def _detached(made: Applied) -> None:
    iam, role = made.aws("iam"), {"RoleName": made.names.previewer_role}
    arn = iam.list_attached_role_policies(**role)["AttachedPolicies"][0]["PolicyArn"]
    iam.detach_role_policy(**role, PolicyArn=arn)


def _key_of(made: Applied) -> str:
    return str(made.aws("kms").describe_key(KeyId=f"alias/{made.names.state_key_alias}")["KeyMetadata"]["KeyId"])


STATEMENT = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": STRANGER}}
DEPLOYER, PREVIEWER = (("iam role", role, "assumeRolePolicy") for role in ("deployer_role", "previewer_role"))
KEY, BUCKET = ("kms key", "state_key_alias"), ("s3 bucket", "state_bucket")
ADMIN = f"attached policy arn:aws:iam::{ACCOUNT}:policy/all"
OPEN = dict.fromkeys(("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), False)
BY_S3 = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
Change = Callable[[Applied], object]
CHANGES: Mapping[str, tuple[Change, str, str, str]] = {
    "the boundary allows all": (_policy_version, "iam policy", "boundary", "policy"),
    "a stranger may be the role that deploys": (
        lambda made: _trusting(made, role=made.names.deployer_role, statement=STATEMENT), *DEPLOYER,
    ),
    "any job may be the role that deploys": (
        lambda made: _trusting(made, role=made.names.deployer_role, subject="repo:acme/*"), *DEPLOYER,
    ),
    "any job may be the role of previews": (
        lambda made: _trusting(made, role=made.names.previewer_role, subject="*"), *PREVIEWER,
    ),
    "another policy is attached": (_attached, "iam role", "deployer_role", ADMIN),
    "an inline policy was written": (
        lambda made: made.aws("iam").put_role_policy(
            RoleName=made.names.previewer_role, PolicyName="extra", PolicyDocument=allowing("s3:*")
        ), "iam role", "previewer_role", "inline policy extra",
    ),
    "a session lasts longer": (
        lambda made: made.aws("iam").update_role(RoleName=made.names.deployer_role, MaxSessionDuration=43_200),
        "iam role", "deployer_role", "maxSessionDuration",
    ),
    "the state's key is disabled": (lambda made: made.aws("kms").disable_key(KeyId=_key_of(made)), *KEY, "state"),
    "the state's key is not rotated": (
        lambda made: made.aws("kms").disable_key_rotation(KeyId=_key_of(made)), *KEY, "rotation",
    ),
    "the state's key is for a stranger, too": (
        lambda made: made.aws("kms").put_key_policy(
            KeyId=_key_of(made), PolicyName="default", Policy=allowing("kms:Decrypt", Principal={"AWS": STRANGER})
        ), *KEY, "policy",
    ),
    "the state keeps no versions": (
        lambda made: made.aws("s3").put_bucket_versioning(
            Bucket=made.names.state_bucket, VersioningConfiguration={"Status": "Suspended"}
        ), *BUCKET, "versioning",
    ),
    "the state may be public": (
        lambda made: made.aws("s3").put_public_access_block(Bucket=made.names.state_bucket, PublicAccessBlockConfiguration=OPEN),
        *BUCKET, "PublicAccessBlockConfiguration",
    ),
    "nothing keeps the state from being public": (
        lambda made: made.aws("s3").delete_public_access_block(Bucket=made.names.state_bucket),
        *BUCKET, "PublicAccessBlockConfiguration",
    ),
    "the state's policy is gone": (
        lambda made: made.aws("s3").delete_bucket_policy(Bucket=made.names.state_bucket), *BUCKET, "policy",
    ),
    "the state is encrypted by S3": (
        lambda made: made.aws("s3").put_bucket_encryption(
            Bucket=made.names.state_bucket, ServerSideEncryptionConfiguration=BY_S3
        ), *BUCKET, "encryption",
    ),
    "the alias is gone": (
        lambda made: made.aws("kms").delete_alias(AliasName=f"alias/{made.names.state_key_alias}"), *KEY, "exists",
    ),
}  # fmt: skip # a row each


OF_GITLAB = [name for name, (_, _, role, path) in CHANGES.items() if path == "assumeRolePolicy"]
"""All that the template has of a forge is whom its roles trust."""


@pytest.mark.parametrize(
    ("applied", "name"),
    [*((GITHUB, name) for name in CHANGES), *((GITLAB, name) for name in OF_GITLAB)],
    indirect=["applied"],
    ids=lambda each: each if isinstance(each, str) else each.title,
)
def test_each_change_is_found_and_nothing_else_is(applied: Applied, name: str) -> None:
    does, kind, of, path = CHANGES[name]
    does(applied)
    called = str(getattr(applied.names, of))
    called = f"alias/{called}" if kind == "kms key" else called
    found = applied.found()
    own = {(f"{kind} {called}", path)}
    if name == "the alias is gone":
        assert own <= found
    else:
        assert found == own


def test_a_policy_of_ci_that_was_detached_is_found(applied: Applied) -> None:
    _detached(applied)
    ((of, path),) = applied.found()
    assert (of, path.startswith("attached policy arn:")) == (f"iam role {applied.names.previewer_role}", True)


@pytest.mark.parametrize("applied", [GITHUB], indirect=True)
def test_another_repository_in_both_roles_is_said_for_a_person_to_judge(applied: Applied) -> None:
    theirs = Applied(applied.spec, GitHub(repository="evil/fork", branch="trunk"))
    made = template(blueprint_of(theirs.spec), provider=theirs.provider)["Resources"]
    for title in ("Deploy", "Preview"):
        said = made[f"{title}Role"]["Properties"]
        document = json.dumps(said["AssumeRolePolicyDocument"])
        applied.aws("iam").update_assume_role_policy(RoleName=said["RoleName"], PolicyDocument=document)
    assert "evil/fork" in bootstrap.trusted(applied.context)
    one = json.dumps(
        template(blueprint_of(applied.spec), provider=applied.provider)["Resources"]["PreviewRole"]["Properties"][
            "AssumeRolePolicyDocument"
        ]
    )
    applied.aws("iam").update_assume_role_policy(RoleName=applied.names.previewer_role, PolicyDocument=one)
    assert applied.found() == {(f"iam role {applied.names.previewer_role}", "assumeRolePolicy")}

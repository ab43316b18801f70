"""S3 (Service Authorization Reference, `list_amazons3`; user guide, "Required permissions for S3 API operations").

Its operations lie in the method, the path and the query. Here `operation` is the HTTP method, and `parameters` are the
bucket, the key, the query and the headers (lower-case names), with what a batch of deletions names: keys, and whether a
version of each; and whether the body has tags.
"""

from collections.abc import Iterator, Mapping
from itertools import chain

from firnline_local.aws.policy import Context
from tests.iam.request import Access, Request

OF_BUCKET: Mapping[str, Mapping[str, str]] = {
    "": {"GET": "ListBucket", "HEAD": "ListBucket", "PUT": "CreateBucket", "DELETE": "DeleteBucket"},
    "accelerate": {"GET": "GetAccelerateConfiguration", "PUT": "PutAccelerateConfiguration"},
    "acl": {"GET": "GetBucketAcl", "PUT": "PutBucketAcl"},
    "cors": dict.fromkeys(("PUT", "DELETE"), "PutBucketCORS") | {"GET": "GetBucketCORS"},
    "encryption": dict.fromkeys(("PUT", "DELETE"), "PutEncryptionConfiguration")
    | {"GET": "GetEncryptionConfiguration"},
    "inventory": dict.fromkeys(("PUT", "DELETE"), "PutInventoryConfiguration") | {"GET": "GetInventoryConfiguration"},
    "lifecycle": dict.fromkeys(("PUT", "DELETE"), "PutLifecycleConfiguration") | {"GET": "GetLifecycleConfiguration"},
    "location": {"GET": "GetBucketLocation"},
    "logging": {"GET": "GetBucketLogging", "PUT": "PutBucketLogging"},
    "notification": {"GET": "GetBucketNotification", "PUT": "PutBucketNotification"},
    "ownershipControls": dict.fromkeys(("PUT", "DELETE"), "PutBucketOwnershipControls")
    | {"GET": "GetBucketOwnershipControls"},
    "policy": {"GET": "GetBucketPolicy", "PUT": "PutBucketPolicy", "DELETE": "DeleteBucketPolicy"},
    "publicAccessBlock": dict.fromkeys(("PUT", "DELETE"), "PutBucketPublicAccessBlock")
    | {"GET": "GetBucketPublicAccessBlock"},
    "replication": dict.fromkeys(("PUT", "DELETE"), "PutReplicationConfiguration")
    | {"GET": "GetReplicationConfiguration"},
    "tagging": dict.fromkeys(("PUT", "DELETE"), "PutBucketTagging") | {"GET": "GetBucketTagging"},
    "uploads": {"GET": "ListBucketMultipartUploads"},
    "versioning": {"GET": "GetBucketVersioning", "PUT": "PutBucketVersioning"},
    "versions": {"GET": "ListBucketVersions"},
    "website": {"GET": "GetBucketWebsite", "PUT": "PutBucketWebsite", "DELETE": "DeleteBucketWebsite"},
}
OF_OBJECT: Mapping[str, Mapping[str, str]] = {
    "": {"GET": "GetObject", "HEAD": "GetObject", "PUT": "PutObject", "POST": "PutObject", "DELETE": "DeleteObject"},
    "acl": {"GET": "GetObjectAcl", "PUT": "PutObjectAcl"},
    "attributes": {"GET": "GetObject"},
    "tagging": {"GET": "GetObjectTagging", "PUT": "PutObjectTagging", "DELETE": "DeleteObjectTagging"},
    "uploadId": {
        "GET": "ListMultipartUploadParts",
        "PUT": "PutObject",
        "POST": "PutObject",
        "DELETE": "AbortMultipartUpload",
    },
    "uploads": {"POST": "PutObject"},
}
WITH_VERSION = {
    "DeleteObject": "DeleteObjectVersion",
    "DeleteObjectTagging": "DeleteObjectVersionTagging",
    "GetObject": "GetObjectVersion",
    "GetObjectAcl": "GetObjectVersionAcl",
    "GetObjectAttributes": "GetObjectVersionAttributes",
    "GetObjectTagging": "GetObjectVersionTagging",
    "PutObjectAcl": "PutObjectVersionAcl",
    "PutObjectTagging": "PutObjectVersionTagging",
}


def accesses(request: Request) -> Iterator[Access] | None:
    parameters = request.parameters
    bucket, key, query = parameters["bucket"], parameters["key"], parameters["query"]
    if not bucket:
        return iter((Access("s3:ListAllMyBuckets", "*"),))
    arn = f"arn:aws:s3:::{bucket}"
    if not key and request.operation == "POST" and "delete" in query:
        return (
            Access(f"s3:{WITH_VERSION['DeleteObject'] if has_version else 'DeleteObject'}", f"{arn}/{each}")
            for each, has_version in parameters["deleted"]
        )
    table = OF_OBJECT if key else OF_BUCKET
    about = next((name for name in table if name and name in query), "")
    action = table[about].get(request.operation)
    if action is None:
        return None
    if action == "CreateBucket" and parameters["tagged"]:
        return iter((Access("s3:CreateBucket", arn), Access("s3:TagResource", arn)))
    if not key:
        return iter((Access(f"s3:{action}", arn, _listing(query)),))
    actions = [action, "GetObjectAttributes"] if about == "attributes" else [action]
    if "versionId" in query:
        actions = [WITH_VERSION.get(each, each) for each in actions]
    return chain.from_iterable(_of_object(request, f"s3:{each}", f"{arn}/{key}") for each in actions)


def _of_object(request: Request, action: str, arn: str) -> Iterator[Access]:
    """A copy reads its source too; tags that are put with an object are put with an action of their own."""
    headers = request.parameters["headers"]
    if source := headers.get("x-amz-copy-source"):
        path, _, version = source.lstrip("/").partition("?versionId=")
        yield Access("s3:GetObjectVersion" if version else "s3:GetObject", f"arn:aws:s3:::{path}")
    yield Access(action, arn)
    if action == "s3:PutObject" and headers.get("x-amz-tagging"):
        yield Access("s3:PutObjectTagging", arn)


def _listing(query: Mapping[str, str]) -> Context:
    names = {"prefix": "s3:prefix", "delimiter": "s3:delimiter", "max-keys": "s3:max-keys"}
    return {names[name]: query[name] for name in names if name in query}

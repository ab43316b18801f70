"""When objects of a bucket expire or move.

Rules: `bucketLifecycleConfigurationResource` of terraform-provider-aws 6
(internal/service/s3/bucket_lifecycle_configuration.go).
"""

from collections.abc import Callable, Mapping
from typing import Any

from firnline_local.materialise.aws.bucket_setting import BucketSetting
from firnline_local.materialise.aws.tags import as_list
from firnline_local.materialise.resource import Properties, Rules

TYPE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
RULES = Rules(
    replaced_by=frozenset({"bucket", "expectedBucketOwner", "region"}),
    values={"rules.status": frozenset({"Enabled", "Disabled"})},
)
INPUTS = frozenset({"bucket", "rules"})


def _put(s3: Any, bucket: str, inputs: Properties) -> None:
    configuration = {"Rules": [_wanted(rule) for rule in inputs["rules"]]}
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration=configuration)


def _get(s3: Any, bucket: str) -> Properties:
    return {"rules": _found(s3.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"])}


def _wanted(rule: Properties) -> dict[str, Any]:
    """A rule without a filter holds for every object; the service wants that said."""
    wanted: dict[str, Any] = _renamed(rule, lambda name: "ID" if name == "id" else name[0].upper() + name[1:])
    return wanted if wanted.keys() & {"Filter", "Prefix"} else {**wanted, "Filter": {"Prefix": ""}}


def _found(rules: Any) -> Any:
    return _renamed(rules, lambda name: "id" if name == "ID" else name[0].lower() + name[1:])


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    """Both sides use the same words, but for their first letters, and for tags, which are a mapping in Pulumi's."""
    if isinstance(value, Mapping):
        content = {name: each for name, each in value.items() if each is not None}
        if isinstance(content.get("tags"), Mapping):
            content["tags"] = as_list(content["tags"])
        elif isinstance(content.get("Tags"), list):
            content["Tags"] = {tag["Key"]: tag["Value"] for tag in content["Tags"]}
            return {rename(name): each if name == "Tags" else _renamed(each, rename) for name, each in content.items()}
        return {rename(name): _renamed(each, rename) for name, each in content.items()}
    return [_renamed(each, rename) for each in value] if isinstance(value, list) else value


_SETTING = BucketSetting(
    type=TYPE,
    rules=RULES,
    inputs=INPUTS,
    put=_put,
    get=_get,
    remove=lambda s3, bucket: s3.delete_bucket_lifecycle(Bucket=bucket),
    absent=("NoSuchLifecycleConfiguration",),
)
create, read, update, delete = _SETTING.create, _SETTING.read, _SETTING.update, _SETTING.delete

"""A key that an earlier release made in the stack goes out of its state, with all that pointed at it, and nothing else does."""

from typing import Any

from firnline_infra.deploy.former_key import holds_former_key, without_former_key

ROOT = "urn:pulumi:prod::firnline::"
COMPONENT = f"{ROOT}firnline:index:EncryptionKey::key"
KEY = f"{ROOT}firnline:index:EncryptionKey$aws:kms/key:Key::key-key"
ALIAS = f"{ROOT}firnline:index:EncryptionKey$aws:kms/alias:Alias::key-alias"
STREAM = f"{ROOT}aws:kinesis/stream:Stream::stream-orders"
THEIRS = f"{ROOT}firnline:index:EncryptionKey::another"


def state(*resources: dict[str, Any]) -> dict[str, Any]:
    return {"version": 3, "deployment": {"manifest": {}, "resources": list(resources)}}


def resource(urn: str, **more: Any) -> dict[str, Any]:
    return {"urn": urn, "type": urn.split("::")[2].rpartition("$")[2], **more}


OF_THE_KEY = (
    resource(COMPONENT),
    resource(KEY, parent=COMPONENT, protect=True),
    resource(ALIAS, parent=COMPONENT, dependencies=[KEY], propertyDependencies={"targetKeyId": [KEY]}),
)
USING = resource(STREAM, dependencies=[KEY, THEIRS], propertyDependencies={"kmsKeyId": [KEY], "name": None})


def test_the_key_goes_and_what_used_it_stays() -> None:
    before = state(*OF_THE_KEY, resource(THEIRS), USING)
    assert holds_former_key(before)
    after = without_former_key(before)
    used = resource(STREAM, dependencies=[THEIRS], propertyDependencies={"kmsKeyId": [], "name": []})
    assert after == state(resource(THEIRS), used)
    assert not holds_former_key(after)
    assert KEY in str(before)  # the one that was given is left as it was


def test_a_state_without_one_has_none() -> None:
    assert not holds_former_key({})
    assert not holds_former_key(state(resource(THEIRS), resource(STREAM)))

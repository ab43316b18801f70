"""`firnline keys create`: the first key of a user.

The order of effects is what makes it repeatable after a crash anywhere: the secret, the private half staged in it, the
public half in the file, and last the stage that the engine reads. A second run takes up what the first one left.

Accounts may begin empty with each start while the file stays: a secret of an earlier start is replaced there. In any
other account a secret that is not found is somebody's mistake, and nothing is done.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.blueprint.aws import Secret
from firnline_infra.keys.errors import KeyExists, KeyGivenElsewhere, KeysDisagree, PrivateHalfMissing
from firnline_infra.keys.file import slots_of
from firnline_infra.keys.pair import KeyPair, new_pair
from firnline_infra.keys.subject import Subject
from firnline_infra.keys.vault import CURRENT, PENDING, Found, Vault
from firnline_infra.specification.keys_file import UserKeys
from firnline_infra.specification.snowflake import PublicKeys


@dataclass(frozen=True, kw_only=True)
class Created:
    fingerprint: str
    secret_arn: str
    was_there: bool
    """The secret held a key that the file did not know: of an earlier run, or of a file that was lost."""
    replaced_arn: str | None = None
    """The secret that the file named, of accounts that have begun empty again."""


def create_key(subject: Subject, accounts: Accounts, *, make_pair: Callable[[], KeyPair] = new_pair) -> Created:
    """Raises KeyExists, KeyGivenElsewhere, PrivateHalfMissing, KeysDisagree, NoSecretHere, WrongAwsAccount, or what
    Vault raises.
    """
    vault = Vault(accounts.aws("secretsmanager"), subject.secret)
    check_aws(subject.spec, accounts)
    recorded = _recorded(subject)
    found = vault.look()
    gone = _arn_of_a_lost_secret(vault.definition, found) if recorded and accounts.begin_empty else None
    if gone:
        vault = replace(vault, definition=replace(vault.definition, existing_arn=None))
        recorded, found = frozenset(), vault.look()
    there = _there(vault, found)
    if recorded:
        _refuse_other_keys(subject, recorded, there)
    if found is not None and there is not None and there.fingerprint in recorded and _is_promoted(found):
        raise KeyExists(
            subject.user, vault.definition.name, environment=subject.environment, fingerprint=there.fingerprint
        )
    found = found or vault.create()
    pair = there or _staged(vault, found, make_pair())
    made = UserKeys(secret_arn=found.arn, slot_1=pair.public_key)
    subject.file.put(subject.user, made)
    vault.promote(vault.look() or found)
    return Created(fingerprint=pair.fingerprint, secret_arn=found.arn, was_there=there is not None, replaced_arn=gone)


def _recorded(subject: Subject) -> frozenset[str]:
    """The keys that the file has."""
    user = getattr(subject.spec.snowflake, subject.user)
    slots = frozenset(slot for slot in slots_of(subject.file.of(subject.user)) if slot)
    if not slots and user.public_keys != PublicKeys():
        raise KeyGivenElsewhere(subject.file.path, subject.user)
    return slots


def _arn_of_a_lost_secret(definition: Secret, found: Found | None) -> str | None:
    """The recorded ARN if that secret no longer exists. (Secrets Manager adds a random suffix to each ARN.)"""
    is_there = found is not None and found.arn == definition.existing_arn
    return None if is_there else definition.existing_arn


def _there(vault: Vault, found: Found | None) -> KeyPair | None:
    """The key that the secret holds; before a rotation there is one at most."""
    if found is None:
        return None
    return vault.pair(found, CURRENT) or vault.pair(found, PENDING)


def _staged(vault: Vault, found: Found, pair: KeyPair) -> KeyPair:
    vault.stage(found, pair)
    return pair


def _refuse_other_keys(subject: Subject, recorded: frozenset[str], there: KeyPair | None) -> None:
    if there is None:
        raise PrivateHalfMissing(subject.file.path, subject.user, secret=subject.secret.name)
    if there.fingerprint not in recorded:
        listed = ", ".join(sorted(recorded))
        raise KeysDisagree(subject.file.path, subject.user, f"the file has {listed}, the secret {there.fingerprint}")


def _is_promoted(found: Found) -> bool:
    """No stage is left over of an earlier run."""
    return CURRENT in found.versions and found.versions.get(PENDING) != found.versions[CURRENT]

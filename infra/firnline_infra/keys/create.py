"""`firnline keys create`: the first key of a user.

The order of its effects lets it be repeated after a crash anywhere: it creates the secret, stages the private half in it,
writes the public half into the file, and last moves the stage that the engine reads. A second run goes on where the first
one stopped.

Some accounts begin empty with each start while the file stays: there, a secret of an earlier start is replaced. In any
other account a missing secret is a mistake, and nothing is done.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.blueprint.aws import SecretDefinition
from firnline_infra.keys.errors import KeyExists, KeyGivenElsewhere, KeysDisagree, PrivateHalfMissing
from firnline_infra.keys.file import slots_of
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.keys.pair import KeyPair, new_pair
from firnline_infra.keys.vault import CURRENT, PENDING, StoredSecret, Vault
from firnline_infra.specification.keys_file import UserKeys
from firnline_infra.specification.snowflake import PublicKeys


@dataclass(frozen=True, kw_only=True)
class CreatedKey:
    fingerprint: str
    secret_arn: str
    was_there: bool
    """The secret already held a key that the file did not name: an earlier run was interrupted, or the file was lost."""
    replaced_arn: str | None = None
    """The secret that the file named and that no longer exists, in accounts that begin empty with each start."""


def create_key(owner: KeyOwner, accounts: Accounts, *, make_pair: Callable[[], KeyPair] = new_pair) -> CreatedKey:
    """Raises KeyExists, KeyGivenElsewhere, PrivateHalfMissing, KeysDisagree, NoSecretHere, WrongAwsAccount, or what
    Vault raises.
    """
    definition = owner.secret
    check_aws(owner.spec, accounts)
    vault = Vault(accounts.aws("secretsmanager"), definition)
    recorded = _recorded_fingerprints(owner)
    found = vault.look()
    gone = _arn_of_a_lost_secret(vault.definition, found) if recorded and accounts.begin_empty else None
    if gone:
        vault = replace(vault, definition=replace(vault.definition, existing_arn=None))
        recorded, found = frozenset(), vault.look()
    there = _stored_pair(vault, found)
    if recorded:
        _refuse_other_keys(owner, recorded, there)
    if found is not None and there is not None and there.fingerprint in recorded and _is_promoted(found):
        raise KeyExists(owner.user, vault.definition.name, environment=owner.environment, fingerprint=there.fingerprint)
    found = found or vault.create()
    pair = there or _stage(vault, found, make_pair())
    made = UserKeys(secret_arn=found.arn, slot_1=pair.public_key)
    owner.file.put(owner.user, made)
    vault.promote(vault.look() or found)
    return CreatedKey(
        fingerprint=pair.fingerprint, secret_arn=found.arn, was_there=there is not None, replaced_arn=gone
    )


def _recorded_fingerprints(owner: KeyOwner) -> frozenset[str]:
    """The fingerprints of the keys that the file names."""
    user = owner.named.options
    slots = frozenset(slot for slot in slots_of(owner.file.of(owner.user)) if slot)
    if not slots and user.public_keys != PublicKeys():
        raise KeyGivenElsewhere(owner.file.path, owner.user)
    return slots


def _arn_of_a_lost_secret(definition: SecretDefinition, found: StoredSecret | None) -> str | None:
    """The recorded ARN if that secret no longer exists. (Secrets Manager adds a random suffix to each ARN.)"""
    is_there = found is not None and found.arn == definition.existing_arn
    return None if is_there else definition.existing_arn


def _stored_pair(vault: Vault, found: StoredSecret | None) -> KeyPair | None:
    """The key that the secret holds; before a rotation there is one at most."""
    if found is None:
        return None
    return vault.pair(found, CURRENT) or vault.pair(found, PENDING)


def _stage(vault: Vault, found: StoredSecret, pair: KeyPair) -> KeyPair:
    vault.stage(found, pair)
    return pair


def _refuse_other_keys(owner: KeyOwner, recorded: frozenset[str], there: KeyPair | None) -> None:
    if there is None:
        raise PrivateHalfMissing(owner.file.path, owner.user, secret=owner.secret.name)
    if there.fingerprint not in recorded:
        listed = ", ".join(sorted(recorded))
        raise KeysDisagree(owner.file.path, owner.user, f"the file has {listed}, the secret {there.fingerprint}")


def _is_promoted(found: StoredSecret) -> bool:
    """Returns whether no earlier run left its key pending."""
    return CURRENT in found.versions and found.versions.get(PENDING) != found.versions[CURRENT]

"""`firnline keys rotate`: replaces a user's key while it is in use.

Each call does what can be done now, and tells what it waits for. No state is kept between two calls: the next step follows
from the file, the secret, Snowflake and the engine (steps.py).
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from firnline_infra.accounts import Accounts, check_aws
from firnline_infra.keys.errors import KeysDisagree, PrivateHalfMissing
from firnline_infra.keys.file import slots_of
from firnline_infra.keys.observed import keys_in_use, registered_keys
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.keys.pair import KeyPair, new_pair
from firnline_infra.keys.steps import ImpossibleState, RotationState, RotationStep, next_step
from firnline_infra.keys.vault import CURRENT, PENDING, PREVIOUS, StoredSecret, Vault
from firnline_infra.specification.errors import KeysMissing
from firnline_infra.specification.keys_file import UserKeys

LOOK_EVERY_S = 2.0
WAITS_FOR_A_PERSON = {RotationStep.REGISTER, RotationStep.UNREGISTER}


@dataclass(frozen=True, kw_only=True)
class DoneStep:
    """A step, and the key that it was about."""

    step: RotationStep
    fingerprint: str
    in_use: frozenset[str] | None = None


@dataclass(frozen=True)
class _Seen:
    """Everything that a step needs."""

    state: RotationState
    keys: UserKeys
    found: StoredSecret
    pending: KeyPair | None


@dataclass(frozen=True, kw_only=True)
class Rotation:
    owner: KeyOwner
    accounts: Accounts
    make_pair: Callable[[], KeyPair] = new_pair
    sleep: Callable[[float], None] = time.sleep

    def advance(self, *, wait_s: float = 0.0) -> Iterator[DoneStep]:
        """Yields each step as it was done. The last one is what it now waits for, or FORGET: all is done.

        `wait_s` bounds how long it waits for the engine. Raises KeysMissing, KeysDisagree, PrivateHalfMissing,
        UserNotDescribed, and what the two accounts refuse.
        """
        definition = self.owner.secret
        check_aws(self.owner.spec, self.accounts)
        vault = Vault(self.accounts.aws("secretsmanager"), definition)
        waited_s = 0.0
        while True:
            seen = self._look(vault)
            step = self._step(seen)
            if step is RotationStep.TAKE_UP and waited_s < wait_s:
                self.sleep(LOOK_EVERY_S)
                waited_s += LOOK_EVERY_S
                continue
            yield self._do(step, seen, vault)
            if step in {*WAITS_FOR_A_PERSON, RotationStep.TAKE_UP, RotationStep.FORGET}:
                return

    def _look(self, vault: Vault) -> _Seen:
        owner = self.owner
        keys, found = owner.file.of(owner.user), vault.look()
        current = vault.pair(found, CURRENT) if found else None
        if not any(slots_of(keys)):
            raise KeysMissing.of(owner.environment, {owner.user: str(owner.principal.user)})
        if found is None or current is None:
            raise PrivateHalfMissing(owner.file.path, owner.user, secret=vault.definition.name)
        pending, previous = vault.pair(found, PENDING), vault.pair(found, PREVIOUS)
        state = RotationState(
            slots=slots_of(keys),
            current=current.fingerprint,
            pending=pending.fingerprint if pending else None,
            previous=previous.fingerprint if previous else None,
            registered=registered_keys(owner, self.accounts),
            in_use=None,
        )
        if state.new is None and len(state.recorded) == 2:  # only then it decides anything
            state = replace(state, in_use=keys_in_use(owner, self.accounts, current))
        return _Seen(state, keys, found, pending)

    def _step(self, seen: _Seen) -> RotationStep:
        try:
            return next_step(seen.state)
        except ImpossibleState as error:
            raise KeysDisagree(self.owner.file.path, self.owner.user, str(error)) from None

    def _do(self, step: RotationStep, seen: _Seen, vault: Vault) -> DoneStep:
        state, keys, user = seen.state, seen.keys, self.owner.user
        about = state.new or state.current
        if step is RotationStep.STAGE:
            pair = self.make_pair()
            vault.stage(seen.found, pair)
            about = pair.fingerprint
        elif step is RotationStep.RECORD and seen.pending is not None:
            self.owner.file.put(user, _with_key(keys, seen.pending.public_key))
        elif step is RotationStep.PROMOTE:
            vault.promote(seen.found)
        elif step is RotationStep.RETIRE:
            self.owner.file.put(user, _with_only(keys, state.current))
        elif step is RotationStep.FORGET:
            vault.forget_previous(seen.found)
        return DoneStep(step=step, fingerprint=about, in_use=state.in_use)


def _with_key(keys: UserKeys, public_key: str) -> UserKeys:
    """The keys with this one in the free slot."""
    return keys.model_copy(update={"slot_1" if keys.slot_1 is None else "slot_2": public_key})


def _with_only(keys: UserKeys, fingerprint: str) -> UserKeys:
    """The keys without any but this one, which stays in its slot."""
    first, _ = slots_of(keys)
    return keys.model_copy(update={"slot_2" if first == fingerprint else "slot_1": None})

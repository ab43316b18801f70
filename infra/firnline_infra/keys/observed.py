"""Keys of a user that are in effect: registered with Snowflake, and in use. By fingerprint.

Snowflake's LOGIN_HISTORY says that a key pair was used, but not which one. So the engine's driver writes the fingerprints
of its last epoch's channels into its run's row of the ledger. The reader has no engine; its new key is tried here.
"""

from contextlib import closing

from firnline_infra.accounts import Accounts, check_snowflake
from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.keys.errors import UserNotDescribed
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.keys.pair import KeyPair, body_fingerprint
from firnline_infra.specification.names import Names
from firnline_infra.specification.service_users import service_users
from firnline_ingest.snowflake.errors import LoginRefused

KEPT_OUT = "390422"
"""Snowflake's number of an address that a network policy does not allow."""
PLACES = ("RSA_PUBLIC_KEY_FP", "RSA_PUBLIC_KEY_2_FP")
UNSET = (None, "", "null")


def registered_keys(owner: KeyOwner, accounts: Accounts) -> frozenset[str]:
    """Raises UserNotDescribed, WrongSnowflakeAccount, or what opening the session raises."""
    user = owner.principal.user
    with closing(accounts.snowflake()) as session:
        check_snowflake(owner.spec, session)
        try:
            answer = {row["property"]: row["value"] for row in rows(session, f"DESCRIBE USER {user.sql}")}
        except SnowflakeRefused as error:
            raise UserNotDescribed(str(user), error.what) from error
    if missing := [place for place in PLACES if place not in answer]:
        raise UserNotDescribed(str(user), f"DESCRIBE USER has no {' and no '.join(missing)}")
    return frozenset(answer[place] for place in PLACES if answer[place] not in UNSET)


def keys_in_use(owner: KeyOwner, accounts: Accounts, current: KeyPair) -> frozenset[str] | None:
    """Returns None if no engine was seen. Raises KeyRefused if the reader's key opens no session.

    A network policy is asked before the key (docs.snowflake.com, network policies): where it keeps this machine out,
    nothing can be tried from here, and that Snowflake has the key registered whose private half the secret holds has to do.
    """
    if owner.named.writes:
        return _of_the_engine(owner, accounts)
    principal = owner.principal
    try:
        accounts.snowflake_as(
            user=principal.user.name, role=str(principal.role), private_key=current.private_pem
        ).close()
    except LoginRefused as error:
        if KEPT_OUT not in error.what:
            raise
    return frozenset({current.fingerprint})


def _of_the_engine(owner: KeyOwner, accounts: Accounts) -> frozenset[str] | None:
    """The keys of the last run, even if it has ended: the next run starts with the key that the secret then holds."""
    from firnline_ingest.ledger.dynamodb import DynamoLedger

    run = DynamoLedger(accounts.aws("dynamodb"), Names.of(owner.spec).ledger_table).current_run()
    own = set(run.fingerprints) - _keys_of_others(owner) if run is not None else None
    return frozenset(own) if own else None


def _keys_of_others(owner: KeyOwner) -> set[str]:
    """The engine may be several users: a pipeline's own, and the one of all others."""
    others = (each.options.public_keys for each in service_users(owner.spec) if each.key != owner.user)
    return {body_fingerprint(key) for keys in others for key in (keys.slot_1, keys.slot_2) if key}

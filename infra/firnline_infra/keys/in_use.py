"""Which key is in use, seen from outside.

Snowflake's LOGIN_HISTORY says that a key pair was used, not which one. So the engine says it: the driver writes the
fingerprints of its last epoch's channels into its run's row of the ledger. The reader has no engine; its new key is
tried here.
"""

from contextlib import closing

from firnline_infra.accounts import Accounts
from firnline_infra.keys.pair import KeyPair
from firnline_infra.keys.subject import Subject
from firnline_infra.specification.names import Names


def keys_in_use(subject: Subject, accounts: Accounts, current: KeyPair) -> frozenset[str] | None:
    """By fingerprint; None where no engine was seen. Raises KeyRefused where the reader's key opens nothing."""
    if subject.user == "ingest":
        return _of_the_engine(subject, accounts)
    principal = subject.principal
    session = accounts.snowflake_as(user=principal.user.name, role=str(principal.role), private_key=current.private_pem)
    with closing(session):
        return frozenset({current.fingerprint})


def _of_the_engine(subject: Subject, accounts: Accounts) -> frozenset[str] | None:
    """Also of an engine that has ended since: it begins again with what the secret then holds."""
    from firnline_ingest.ledger.dynamodb import DynamoLedger

    run = DynamoLedger(accounts.aws("dynamodb"), Names.of(subject.spec).ledger_table).current_run()
    return frozenset(run.fingerprints) if run is not None and run.fingerprints else None

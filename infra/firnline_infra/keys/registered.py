"""Which keys Snowflake has registered with a user, by fingerprint."""

from contextlib import closing

from firnline_infra.accounts import Accounts, check_snowflake
from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.keys.errors import UserNotDescribed
from firnline_infra.keys.subject import Subject

PLACES = ("RSA_PUBLIC_KEY_FP", "RSA_PUBLIC_KEY_2_FP")
UNSET = (None, "", "null")


def registered_keys(subject: Subject, accounts: Accounts) -> frozenset[str]:
    """Raises UserNotDescribed, WrongSnowflakeAccount, or what opening the session raises."""
    user = subject.principal.user
    with closing(accounts.snowflake()) as session:
        check_snowflake(subject.spec, session)
        try:
            answer = {row["property"]: row["value"] for row in rows(session, f"DESCRIBE USER {user.sql}")}
        except SnowflakeRefused as error:
            raise UserNotDescribed(str(user), error.what) from error
    if missing := [place for place in PLACES if place not in answer]:
        raise UserNotDescribed(str(user), f"DESCRIBE USER has no {' and no '.join(missing)}")
    return frozenset(answer[place] for place in PLACES if answer[place] not in UNSET)

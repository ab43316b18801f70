"""Account roles, and users of TYPE = SERVICE: no password, two places for public keys.

Rules: provider source, pkg/resources/account_role.go and user.go; that takes DEFAULT for defaultSecondaryRolesOption too, which
is to give none.
"""

from collections.abc import Mapping
from typing import Any

from firnline_local.errors import ColumnNull
from firnline_local.providers.kind import MOST, Properties, Rules, one_of_words
from firnline_local.providers.snowflake.kind import (
    COMMENT,
    DEFAULT,
    NAMES,
    SWITCH,
    Setting,
    ShownObject,
    SnowflakeKind,
    as_known,
    assignments,
    described,
    number,
    parameter,
)
from firnline_local.providers.snowflake.sql import literal, plain, requoted

ACCOUNT_ROLE = SnowflakeKind(
    type="snowflake:index/accountRole:AccountRole",
    rules=Rules.of(defaults={"comment": ""}),
    word="ROLE",
    listing="ROLES",
    settings=(COMMENT,),
)
NONE, ALL = "NONE", "ALL"


def _disabled(found: str, known: Any) -> str:
    """The provider compares nothing where it was not given: a user that was disabled goes unnoticed."""
    return DEFAULT if known in (None, DEFAULT) else found


PROPERTIES = (
    described("loginName"),
    described("displayName"),
    described("email"),
    Setting("disabled", spell=plain, unset="false", like=_disabled),
    described("daysToExpiry", plain, like=number),
    described("minsToUnlock", plain, like=number),
    described("defaultWarehouse", requoted, like=NAMES),
    described("defaultNamespace", requoted, like=NAMES),
    described("defaultRole", requoted, like=NAMES),
    described(
        "defaultSecondaryRolesOption",
        lambda option: "()" if option == NONE else "('ALL')",
        key="DEFAULT_SECONDARY_ROLES",
        like=lambda found, _: NONE if found == "[]" else ALL,
    ),
    described("rsaPublicKey"),
    described("rsaPublicKey2", key="RSA_PUBLIC_KEY_2"),
)
PARAMETERS = (
    parameter("networkPolicy", requoted, NAMES),
    parameter("queryTag", literal),
    parameter("statementTimeoutInSeconds"),
    parameter("statementQueuedTimeoutInSeconds"),
)


def _user(inputs: Properties, path: str) -> list[str]:
    after = assignments((COMMENT, *PARAMETERS), inputs)
    return [f"CREATE USER {path}{assignments(PROPERTIES, inputs)} TYPE = SERVICE{after}"]


def _of_user(it: ShownObject) -> Properties:
    """Snowflake fills in the user's own name where nothing was given."""
    found: dict[str, Any] = {"userType": it.row["type"]}
    for name, key in (("loginName", "LOGIN_NAME"), ("displayName", "DISPLAY_NAME")):
        text, known = it.described[key], it.known.get(name)
        is_own_name = known is None and text.upper() == it.place["name"].upper()
        found[name] = None if is_own_name else as_known(text, known, str.upper)
    return found


def _is_service(row: Mapping[str, Any]) -> bool:
    """The provider would make one of another type anew. It can't read one whose row is hidden from its role: `created_on` is a
    time.Time of its row (pkg/sdk/users.go), which Go's database/sql fills with no NULL. Raises ColumnNull."""
    if row["created_on"] is None:
        raise ColumnNull("created_on", of=f"user {row['name']}")
    return bool(row["type"] == "SERVICE")


SERVICE_USER = SnowflakeKind(
    type="snowflake:index/serviceUser:ServiceUser",
    rules=Rules.of(
        defaults={"comment": "", "disabled": DEFAULT, "defaultSecondaryRolesOption": ALL},
        values={"disabled": f"{SWITCH} {DEFAULT}"},
        forms={
            "defaultSecondaryRolesOption": one_of_words("DEFAULT NONE ALL"),
            "workloadIdentity.type": one_of_words("AWS AZURE GCP OIDC"),
        },
        ranges={"minsToUnlock": (-1, MOST)},
    ),
    word="USER",
    listing="USERS",
    settings=(*PROPERTIES, COMMENT, *PARAMETERS),
    altered=((*PROPERTIES, COMMENT), PARAMETERS),
    whole=_user,
    more=_of_user,
    is_of_type=_is_service,
)
KINDS = (ACCOUNT_ROLE, SERVICE_USER)

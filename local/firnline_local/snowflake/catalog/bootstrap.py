"""What an account is born with: its system roles, one administrator, one warehouse."""

from datetime import datetime

from firnline_local.snowflake.catalog import roles
from firnline_local.snowflake.catalog.directory import Directory
from firnline_local.snowflake.catalog.grants import Grant, Grants, RoleGrant
from firnline_local.snowflake.catalog.keys import PublicKey
from firnline_local.snowflake.catalog.objects import Warehouse
from firnline_local.snowflake.catalog.roles import Role
from firnline_local.snowflake.catalog.users import KEY_SLOTS, User

ADMIN_USER = "FIRNLINE_ADMIN"
WAREHOUSE = "COMPUTE_WH"


def furnish(directory: Directory, grants: Grants, *, admin_public_key: str, now: datetime) -> None:
    """Fills an empty account."""
    account = directory.account
    made = {name: directory.create(Role, name, container=account, owner=None) for name in roles.SYSTEM_ROLES}
    account.owner = made[roles.ACCOUNTADMIN]
    for role, holder in roles.HIERARCHY.items():
        grants.give_role(RoleGrant(role=made[role], to=made[holder], granted_by="", created_on=now))
    for role, privileges in roles.ACCOUNT_PRIVILEGES.items():
        for privilege in privileges:
            grants.allow(
                Grant(privilege=privilege, on=account, to=made[role], grant_option=True, granted_by="", created_on=now)
            )
    directory.create(Warehouse, WAREHOUSE, container=account, owner=made[roles.SYSADMIN])
    admin = directory.create(
        User,
        ADMIN_USER,
        container=account,
        owner=made[roles.ACCOUNTADMIN],
        properties={"DEFAULT_ROLE": roles.ACCOUNTADMIN, "DEFAULT_WAREHOUSE": WAREHOUSE},
        public_keys={KEY_SLOTS[0]: PublicKey.read(admin_public_key)},
    )
    grants.give_role(RoleGrant(role=made[roles.ACCOUNTADMIN], to=admin, granted_by="", created_on=now))

"""Roles, and who holds them."""

from firnline_local.providers.snowflake.grants import GRANT_ACCOUNT_ROLE
from firnline_local.providers.snowflake.principals import ACCOUNT_ROLE, SERVICE_USER


def test_a_role_lives_and_repairs(live, clients) -> None:
    with live(ACCOUNT_ROLE, {"name": "M_ROLE", "comment": "c"}) as role:
        assert ACCOUNT_ROLE.read(role.made.id, {}, clients) == role.read()
        role.drifts("ALTER ROLE M_ROLE SET COMMENT = 'x'", comment="x")
        assert role.changes_to(name='m"r_%', comment=None)["fullyQualifiedName"] == '"m""r_%"'


def test_a_role_is_granted_to_a_user_and_to_a_role(live, clients) -> None:
    with (
        live(ACCOUNT_ROLE, {"name": "M_ROLE"}),
        live(ACCOUNT_ROLE, {"name": "M_PARENT"}),
        live(SERVICE_USER, {"name": "M_USER"}),
    ):
        to_user = {"roleName": "M_ROLE", "userName": "M_USER"}
        with live(GRANT_ACCOUNT_ROLE, to_user, twice=True) as grant:
            assert grant.made.id == '"M_ROLE"|USER|"M_USER"'
            assert GRANT_ACCOUNT_ROLE.read(grant.made.id, {}, clients) == {
                "roleName": '"M_ROLE"',
                "userName": '"M_USER"',
            }
        with live(GRANT_ACCOUNT_ROLE, {"roleName": "M_ROLE", "parentRoleName": '"M_PARENT"'}, twice=True) as grant:
            assert grant.made.id == '"M_ROLE"|ROLE|"M_PARENT"'
            clients.execute("REVOKE ROLE M_ROLE FROM ROLE M_PARENT")
            assert GRANT_ACCOUNT_ROLE.read(grant.made.id, grant.made.properties, clients) is None


def test_a_grant_of_a_role_that_is_gone_is_gone(live, clients) -> None:
    with live(ACCOUNT_ROLE, {"name": "M_PARENT"}):
        clients.execute("CREATE ROLE M_ROLE")
        with live(GRANT_ACCOUNT_ROLE, {"roleName": "M_ROLE", "parentRoleName": "M_PARENT"}, twice=True):
            clients.execute("DROP ROLE M_ROLE")

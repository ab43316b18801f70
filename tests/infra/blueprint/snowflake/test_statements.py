from firnline_infra.blueprint.snowflake import PrivilegeGrant, RoleGrant, Securable
from firnline_infra.specification.identifier import Identifier, QualifiedName


def test_a_grant_says_how_it_is_given_and_taken() -> None:
    table = QualifiedName.of("LAKE", "RAW", '"Orders"')
    grant = PrivilegeGrant(privileges=("INSERT", "EVOLVE SCHEMA"), on=Securable.TABLE, name=table, role=Identifier("R"))
    assert grant.create == 'GRANT INSERT, EVOLVE SCHEMA ON TABLE "LAKE"."RAW"."Orders" TO ROLE "R"'
    assert grant.drop == 'REVOKE INSERT, EVOLVE SCHEMA ON TABLE "LAKE"."RAW"."Orders" FROM ROLE "R"'


def test_a_role_is_for_a_user_or_for_another_role() -> None:
    role = Identifier("R")
    assert RoleGrant(role=role, user=Identifier("U")).create == 'GRANT ROLE "R" TO USER "U"'
    assert RoleGrant(role=role, to_role=Identifier("P")).drop == 'REVOKE ROLE "R" FROM ROLE "P"'

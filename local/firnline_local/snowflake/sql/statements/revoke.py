"""REVOKE: privileges, their grant options, roles. Revoking what nobody holds is none the worse."""

from dataclasses import replace

from firnline_local.snowflake.catalog import Role
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.catalog.grants import OWNERSHIP
from firnline_local.snowflake.sql.result import Result, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.grant import (
    DONE,
    read_grantee,
    read_holder,
    read_privileges,
    require_right_to_grant,
)
from firnline_local.snowflake.sql.statements.target import Target, read_target
from firnline_local.snowflake.sql.words import Words


def revoke(context: Context, words: Words) -> Result:
    if words.accept("ROLE"):
        return _revoke_role(context, words)
    only_option = words.accept("GRANT OPTION FOR")
    privileges = read_privileges(words)
    target = read_target(context, words)
    privileges = target.check(privileges)
    role = read_grantee(context, words, "FROM")
    words.accept_one("CASCADE", "RESTRICT")
    words.end()
    for privilege in privileges:
        _revoke(context, privilege, target, role, only_option=only_option)
    return status(DONE)


def _revoke(context: Context, privilege: str, target: Target, role: Role, *, only_option: bool) -> None:
    grants = context.catalog.grants
    if target.future_in is not None:
        require_right_to_grant(context, privilege, target.future_in)
        grants.revoke_future(privilege, target.kind, target.future_in, role)
        return
    if privilege == OWNERSHIP:
        raise CompilationFault("OWNERSHIP can't be revoked: grant it to another role.")
    for found in target.objects:
        require_right_to_grant(context, privilege, found)
        held = [grant for grant in grants.on(found) if grant.privilege == privilege and grant.to is role]
        grants.revoke(privilege, found, role)
        for grant in held if only_option else ():
            grants.allow(replace(grant, grant_option=False))


def _revoke_role(context: Context, words: Words) -> Result:
    role = context.find(Role, words.name())
    words.expect("FROM")
    holder = read_holder(context, words)
    words.end()
    require_right_to_grant(context, "USAGE", role)
    context.catalog.grants.take_role(role, holder)
    return status(DONE)

"""Rules for Snowflake: who owns, who may what, by which door, and what statements do."""

import re
from collections.abc import Iterator

from firnline_infra.blueprint.grants import APPLY_AUTHENTICATION_POLICY
from firnline_infra.blueprint.previewing import SEEN_BY
from firnline_infra.policy.declared import DeclaredResource, DeclaredStack, is_known, listed
from firnline_infra.policy.rule import Breach, PolicyRule, text_of, unless
from firnline_infra.specification.checks.snowflake import SYSTEM_ROLES
from firnline_ingest.permissions.snowflake import PRIVILEGES

GRANT = "snowflake_grant_privileges_to_account_role"
OTHER_GRANTS = (
    *("snowflake_grant_privileges_to_share", "snowflake_grant_privileges_to_database_role", "snowflake_share"),
    *("snowflake_grant_database_role", "snowflake_grant_application_role"),
)
"""Types of grants that no environment has: to shares, database roles and applications."""
KINDS_OF_TABLES = ("TABLE", "ICEBERG TABLE", "INTERACTIVE TABLE")
APPLIED = {"USER": {APPLY_AUTHENTICATION_POLICY}}
"""What the role that deploys needs on users, and on no account."""
READ = {
    **{kind: {"SELECT", "SELECT ERROR TABLE"} for kind in KINDS_OF_TABLES},
    "DYNAMIC TABLE": {"SELECT", "MONITOR"},
    "WAREHOUSE": {"USAGE"},
    "STAGE": {"READ"},
}
"""What the reader needs, who audits and looks at what was kept."""
STATEMENT = re.compile(
    r"(CREATE|DROP) ((INTERACTIVE|ICEBERG) )?(TABLE|STAGE) IF (NOT )?EXISTS .*"
    r"|ALTER ((INTERACTIVE|ICEBERG) )?TABLE (IF EXISTS )?\S+ (SET|UNSET) [A-Z_]+( = .*)?|(SELECT|SHOW|DESC|DESCRIBE) .*",
    re.DOTALL,
)
QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
NO_TIME_TRAVEL = re.compile(r"DATA_RETENTION_TIME_IN_DAYS\s*=\s*0")


def _named(object_type: str) -> set[str]:
    """Returns the privileges on objects of a type that engine, reader, previews and deployments need."""
    kind = "TABLE" if object_type in KINDS_OF_TABLES else object_type
    engines = {each.privilege for each in PRIVILEGES if each.on == kind}
    seen = {privilege for on, privilege in SEEN_BY.items() if on.value == object_type}
    return engines | seen | READ.get(object_type, set()) | APPLIED.get(object_type, set())


def _taken_over(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    role = resource.at("account_role_name")
    if _is_system_role(role) or resource.at("database_role_name"):
        yield Breach("account_role_name", "a role of the environment", text_of(role))
    for path in ("on.all", "on.future"):
        yield from unless(resource, path, None)


def _is_system_role(name: object) -> bool:
    return str(name).strip('"').upper() in SYSTEM_ROLES


def _system_role(resource: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    if resource.type == "snowflake_service_user":
        if _is_system_role(resource.at("default_role")):
            yield Breach("default_role", "a role of the environment", text_of(resource.at("default_role")))
        yield from unless(resource, "default_secondary_roles_option", "NONE")
        return
    owners = [each.at("account_role_name") for each in stack.of("snowflake_grant_ownership")]
    if resource.at("role_name") in owners and _is_system_role(resource.at("parent_role_name")):
        yield Breach("parent_role_name", "none: the role owns tables", text_of(resource.at("parent_role_name")))
    if _is_system_role(resource.at("role_name")):
        yield Breach("role_name", "a role of the environment", text_of(resource.at("role_name")))
    if str(resource.at("parent_role_name")).strip('"').upper() == "PUBLIC":
        yield Breach("parent_role_name", "a role of people or programs", "PUBLIC, which everybody has")


def _unneeded(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    if resource.type in OTHER_GRANTS:
        yield Breach("", "nothing of this type", resource.type)
        return
    if _is_system_role(resource.at("account_role_name")):
        yield Breach("account_role_name", "a role of the environment", text_of(resource.at("account_role_name")))
    for flag in ("all_privileges", "with_grant_option", "on_account"):
        yield from unless(resource, flag, None, False)
    for path in ("on_schema.all_schemas_in_database", "on_schema.future_schemas_in_database"):
        yield from unless(resource, path, None)
    for path in ("on_schema_object.all", "on_schema_object.future"):
        yield from unless(resource, path, None)
    named = _named(_object_type(resource))
    for privilege in map(str, listed(resource.at("privileges"))):
        if privilege not in named:
            yield Breach("privileges", ", ".join(sorted(named)) or "nothing", privilege)


def _object_type(resource: DeclaredResource) -> str:
    if resource.at("on_schema") is not None:
        return "SCHEMA"
    return str(resource.at("on_account_object.object_type") or resource.at("on_schema_object.object_type"))


def _past_the_door(user: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    doors = [str(each.at("name")) for each in stack.of("snowflake_network_policy")]
    if doors:
        yield from unless(user, "network_policy", *doors)
    policies = list(stack.of("snowflake_authentication_policy"))
    attached = stack.of("snowflake_user_authentication_policy_attachment")
    if policies and user.at("name") not in [each.at("user_name") for each in attached]:
        yield Breach("snowflake_user_authentication_policy_attachment", "the environment's policy", "nothing")


def _other_ways_in(policy: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    found = [str(each) for each in listed(policy.at("authentication_methods"))]
    if found != ["KEYPAIR"]:
        yield Breach("authentication_methods", "KEYPAIR", text_of(found))


def _statements(resource: DeclaredResource, _: DeclaredStack) -> Iterator[Breach]:
    for path in ("execute", "revert", "query"):
        text = resource.at(path)
        if isinstance(text, str) and is_known(text):
            bare = QUOTED.sub("''", text.strip())
            if not STATEMENT.fullmatch(bare) or ";" in bare:
                yield Breach(path, "one that makes, alters or drops a table or stage, or asks", text)


def _no_time_travel(resource: DeclaredResource, stack: DeclaredStack) -> Iterator[Breach]:
    if not stack.is_protected:
        return
    if resource.at("data_retention_time_in_days") in (0, "0"):
        yield Breach("data_retention_time_in_days", "at least 1", "0")
    if NO_TIME_TRAVEL.search(str(resource.at("execute"))):
        yield Breach("execute", "DATA_RETENTION_TIME_IN_DAYS of at least 1", str(resource.at("execute")))
    yield from unless(resource, "is_transient", None, False, "false", "default")


RULES = (
    PolicyRule(
        "snowflake-ownership",
        "An object would be owned by one of Snowflake's own roles.",
        ("snowflake_grant_ownership",),
        _taken_over,
        "let a role of the environment own it.",
        judges_alone=True,
    ),
    PolicyRule(
        "snowflake-roles",
        "Everybody would have a role of the environment, or a user of it more than its own role.",
        ("snowflake_grant_account_role", "snowflake_service_user"),
        _system_role,
        "snowflake.reader.granted_to: roles of people and programs, never PUBLIC.",
    ),
    PolicyRule(
        "snowflake-privileges",
        "A role may do more with an object of Snowflake than a part of an environment needs.",
        (GRANT, *OTHER_GRANTS),
        _unneeded,
        "grant what docs/permissions.md names, object by object.",
        judges_alone=True,
    ),
    PolicyRule(
        "snowflake-door",
        "A user gets past the environment's network policy or authentication policy.",
        ("snowflake_service_user",),
        _past_the_door,
        "attach the policy to each user.",
    ),
    PolicyRule(
        "snowflake-key-pair",
        "An authentication policy lets in what is not a key pair.",
        ("snowflake_authentication_policy",),
        _other_ways_in,
        "authentication_methods: KEYPAIR alone.",
        judges_alone=True,
    ),
    PolicyRule(
        "snowflake-statement",
        "A statement does something that no resource shows.",
        ("snowflake_execute",),
        _statements,
        "declare it by a resource: a grant, a user, a policy.",
        judges_alone=True,
    ),
    PolicyRule(
        "time-travel",
        "Rows of a protected environment can't be had back with Time Travel.",
        ("snowflake_database", "snowflake_schema", "snowflake_table", "snowflake_iceberg_table", "snowflake_execute"),
        _no_time_travel,
        "data_retention_time_in_days of at least 1, and no transient object.",
    ),
)

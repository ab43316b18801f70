"""docs/permissions.md, made of what policies and grants are made of.

`python -m docs.tools.permissions > docs/permissions.md`; a test holds the committed page against this.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from docs.tools.permissions import statements
from docs.tools.permissions.example import BLUEPRINTS, BUCKET, ENGINE, KEY
from docs.tools.permissions.markdown import as_json, table
from docs.tools.permissions.privileges import READER_PRIVILEGES
from docs.tools.permissions.text import (
    BOUNDARY,
    CALLERS,
    DEPLOY_ROLE,
    DEPLOY_ROLE_OWNS,
    DEPLOYER,
    FEATURES,
    INTRODUCTION,
    KEY_KEEPER,
    LETTER_REPLAYER,
    NARROWED,
    PREVIEWER,
    ROLES_OF_CI,
    SNOWFLAKE,
    TRUSTS,
    VOLUME,
    WILDCARDS_ARE,
)
from docs.tools.permissions.wildcards import WILDCARDS
from firnline_infra.blueprint.account_privileges import ACCOUNT_PRIVILEGES
from firnline_infra.blueprint.iam.engine import SIDS, engine_statements
from firnline_infra.blueprint.iam.statement import policy_document
from firnline_infra.blueprint.iam.volume import volume_statements
from firnline_infra.render.bootstrap.snowflake import role_statements
from firnline_ingest.permissions import ALWAYS, PERMISSIONS, Permission, Resource
from firnline_ingest.permissions.snowflake import PRIVILEGES, Privilege


def page() -> str:
    volume = volume_statements(bucket_arn=f"{BUCKET}-iceberg", prefix="tables/", key_arn=KEY)
    sections = (
        INTRODUCTION,
        "\n\n".join(_resource(on) for on in SIDS),
        "### The whole of it\n\nFor one stream, with everything switched on but a ledger made by the engine:\n\n"
        + as_json(policy_document(engine_statements(ENGINE))),
        TRUSTS,
        VOLUME + as_json(policy_document(volume)),
        ROLES_OF_CI + statements.roles(),
        DEPLOYER + statements.deployer(),
        PREVIEWER + statements.previewer(),
        BOUNDARY + statements.boundary(),
        KEY_KEEPER + statements.keepers(),
        LETTER_REPLAYER + statements.replayers(),
        WILDCARDS_ARE + table(("statement", "element", "value", "why"), _wildcards()),
        SNOWFLAKE + _privileges(PRIVILEGES),
        "### The reader's role\n\nAudit, status and people:\n\n" + _privileges(READER_PRIVILEGES),
        DEPLOY_ROLE + table(("privilege on the account", "when", "why"), _account_privileges()),
        DEPLOY_ROLE_OWNS + table(("statement", "why"), _beside_account_privileges()),
    )
    return "\n\n".join(sections) + "\n"


def _resource(on: Resource) -> str:
    permissions = [permission for permission in PERMISSIONS if permission.on is on]
    rows = ((f"`{one.action}`", _who_and_when(one), one.why) for one in permissions)
    return f"### {SIDS[on]}\n\n{NARROWED[on]}\n\n{table(('action', 'when', 'why'), rows)}"


def _who_and_when(permission: Permission) -> str:
    either = " or ".join(FEATURES[feature] for feature in sorted(permission.either))
    conditions = [
        *(FEATURES[feature] for feature in sorted(permission.features - ALWAYS)),
        *([either] if either else []),
    ]
    when = "; ".join(conditions) or "always"
    return f"{when}{CALLERS[permission.caller]}"


def _wildcards() -> Iterator[tuple[str, ...]]:
    """A line for each value and reason."""
    for (element, value, why), same in groupby(WILDCARDS, lambda one: (one.element, one.value, one.why)):
        yield ", ".join(one.sid for one in same), element, f"`{value}`", why


def _privileges(privileges: Iterable[Privilege]) -> str:
    rows = ((f"`{one.privilege}`", one.on.lower(), one.need.value, one.why) for one in privileges)
    return table(("privilege", "on the", "when", "why"), rows)


def _account_privileges() -> Iterator[tuple[str, ...]]:
    return ((f"`{one.privilege}`", one.when, f"{one.why[0].upper()}{one.why[1:]}.") for one in ACCOUNT_PRIVILEGES)


def _beside_account_privileges() -> Iterator[tuple[str, ...]]:
    for statement, why in role_statements(BLUEPRINTS[0]).items():
        if " ON ACCOUNT " not in statement:
            yield f"`{statement}`", f"{why[0].upper()}{why[1:]}."

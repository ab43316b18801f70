"""docs/permissions.md, made of what policies and grants are made of.

`python -m firnline_infra.blueprint.iam.page > docs/permissions.md`; a test holds the committed page against this.
"""

import json
from collections.abc import Iterable, Iterator

from firnline_infra.blueprint.iam.engine import SIDS, EngineAccess, engine_statements
from firnline_infra.blueprint.iam.page_text import (
    CALLERS,
    FEATURES,
    INTRODUCTION,
    KEY_KEEPER,
    NARROWED,
    SNOWFLAKE,
    TRUSTS,
    VOLUME,
)
from firnline_infra.blueprint.iam.statement import policy_document
from firnline_infra.blueprint.iam.volume import volume_statements
from firnline_infra.blueprint.iam.wildcards import WILDCARDS
from firnline_infra.blueprint.snowflake.reader_privileges import READER_PRIVILEGES
from firnline_ingest.permissions import ALWAYS, PERMISSIONS, Permission, Resource
from firnline_ingest.permissions.snowflake import PRIVILEGES, Privilege

ACCOUNT, REGION = "111122223333", "eu-west-1"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
BUCKET = f"arn:aws:s3:::orders-prod-{ACCOUNT}-{REGION}"
EXAMPLE = EngineAccess(
    region=REGION,
    streams={"orders": f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/orders"},
    stream_keys=(KEY,),
    ledger_table=f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/orders-prod",
    ledger_name="orders-prod",
    ledger_key=KEY,
    secret=f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:orders-prod/snowflake/ingest-AbCdEf",
    secret_key=KEY,
    bucket=BUCKET,
    checkpoint_folder="checkpoint/",
    job_folder="jobs/",
    bucket_key=KEY,
)


def page() -> str:
    sections = (
        INTRODUCTION,
        "\n\n".join(_resource(on) for on in SIDS),
        "### The whole of it\n\nFor one stream, with everything switched on but a ledger made by the engine:\n\n"
        + _json(policy_document(engine_statements(EXAMPLE))),
        TRUSTS,
        VOLUME
        + _json(policy_document(volume_statements(bucket_arn=f"{BUCKET}-iceberg", prefix="tables/", key_arn=KEY))),
        KEY_KEEPER,
        "## Every wildcard\n\nNo statement holds a `*` other than at the end of a folder in S3, but for these:\n\n"
        + _table(("statement", "element", "value", "why"), _wildcards()),
        SNOWFLAKE + _privileges(PRIVILEGES),
        "### The reader's role\n\nAudit, status and people:\n\n" + _privileges(READER_PRIVILEGES),
    )
    return "\n\n".join(sections) + "\n"


def _resource(on: Resource) -> str:
    permissions = [permission for permission in PERMISSIONS if permission.on is on]
    rows = ((f"`{one.action}`", _who_and_when(one), one.why) for one in permissions)
    return f"### {SIDS[on]}\n\n{NARROWED[on]}\n\n{_table(('action', 'when', 'why'), rows)}"


def _who_and_when(permission: Permission) -> str:
    when = "; ".join(FEATURES[feature] for feature in sorted(permission.features - ALWAYS)) or "always"
    return f"{when}{CALLERS[permission.caller]}"


def _wildcards() -> Iterator[tuple[str, ...]]:
    return ((one.sid, one.element, f"`{one.value}`", one.why) for one in WILDCARDS)


def _privileges(privileges: Iterable[Privilege]) -> str:
    rows = ((f"`{one.privilege}`", one.on.lower(), one.need.value, one.why) for one in privileges)
    return _table(("privilege", "on the", "when", "why"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _json(document: object) -> str:
    return f"```json\n{json.dumps(document, indent=2)}\n```"


if __name__ == "__main__":
    print(page(), end="")

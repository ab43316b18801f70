"""The statements that the embedded Redshift knows, as data: their forms are those of AWS's pages of the same names."""

import re
from collections.abc import Callable
from dataclasses import dataclass

NAME = r'(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
PATH = rf"({NAME}(?:\s*\.\s*{NAME})?)"
TEXT = r"'((?:[^']|'')*)'"
MV = r"MATERIALIZED\s+VIEW"


class NotUnderstood(Exception):
    """The statement is none of these."""


@dataclass(frozen=True, slots=True)
class Path:
    """Of a relation, as written: what is not in quotes has small letters."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class CreateExternalSchema:
    name: str
    region: str | None
    role: str
    """An ARN, or default."""
    if_not_exists: bool


@dataclass(frozen=True, slots=True)
class CreateMaterializedView:
    path: Path
    auto_refresh: bool
    select: str
    text: str
    """The whole statement, which SHOW VIEW shows."""


@dataclass(frozen=True, slots=True)
class CreateView:
    path: Path
    select: str
    text: str


@dataclass(frozen=True, slots=True)
class AlterRefresh:
    path: Path
    auto_refresh: bool


@dataclass(frozen=True, slots=True)
class AlterOwner:
    kind: str
    """SCHEMA or TABLE, which a view is too."""
    name: str
    owner: str


@dataclass(frozen=True, slots=True)
class Refresh:
    path: Path


@dataclass(frozen=True, slots=True)
class Drop:
    kind: str
    """MATERIALIZED VIEW, VIEW or SCHEMA."""
    name: str
    if_exists: bool


@dataclass(frozen=True, slots=True)
class GrantTo:
    privilege: str
    kind: str
    """SCHEMA, TABLE or DATABASE."""
    name: str
    grantee: str
    is_role: bool


@dataclass(frozen=True, slots=True)
class CreateRole:
    name: str


@dataclass(frozen=True, slots=True)
class ShowView:
    path: Path


@dataclass(frozen=True, slots=True)
class ShowSetting:
    name: str


@dataclass(frozen=True, slots=True)
class Select:
    text: str


Statement = (
    CreateExternalSchema
    | CreateMaterializedView
    | CreateView
    | AlterRefresh
    | AlterOwner
    | Refresh
    | Drop
    | GrantTo
    | CreateRole
    | ShowView
    | ShowSetting
    | Select
)


def parse(sql: str) -> Statement:
    """Raises NotUnderstood."""
    text = sql.strip().removesuffix(";").strip()
    if ";" in re.sub(TEXT, "", text):
        raise NotUnderstood("cannot insert multiple commands into a prepared statement")
    for pattern, made in FORMS:
        if match := pattern.fullmatch(text):
            return made(match)
    near = text.split(maxsplit=1)[0] if text else ""
    raise NotUnderstood(f'syntax error at or near "{near}", or a form that the embedded Redshift does not carry')


def path_of(text: str) -> Path:
    parts = [unquoted(each) for each in re.findall(NAME, text)]
    return Path(*parts) if len(parts) == 2 else Path("public", parts[0])


def unquoted(text: str) -> str:
    """Redshift makes small letters also of what is in quotes, unless enable_case_sensitive_identifier is on: callers do that."""
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.lower()


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL)


def _auto(found: str | None) -> bool:
    return (found or "NO").upper() == "YES"


FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Statement]], ...] = (
    (
        _form(
            rf"CREATE EXTERNAL SCHEMA( IF NOT EXISTS)? ({NAME}) FROM KINESIS(?: REGION {TEXT})? IAM_ROLE (default|{TEXT})"
        ),
        lambda it: CreateExternalSchema(unquoted(it[2]), it[3], it[5] or "default", bool(it[1])),
    ),
    (
        _form(rf"CREATE {MV} {PATH}(?: AUTO REFRESH (YES|NO))? AS (SELECT .+)"),
        lambda it: CreateMaterializedView(path_of(it[1]), _auto(it[2]), it[3], it[0]),
    ),
    (
        _form(rf"CREATE VIEW {PATH} AS (SELECT .+?)(?: WITH NO SCHEMA BINDING)?"),
        lambda it: CreateView(path_of(it[1]), it[2], it[0]),
    ),
    (_form(rf"ALTER {MV} {PATH} AUTO REFRESH (YES|NO)"), lambda it: AlterRefresh(path_of(it[1]), _auto(it[2]))),
    (
        _form(rf"ALTER (SCHEMA|TABLE) {PATH} OWNER TO ({NAME})"),
        lambda it: AlterOwner(it[1].upper(), it[2], unquoted(it[3])),
    ),
    (_form(rf"REFRESH {MV} {PATH}"), lambda it: Refresh(path_of(it[1]))),
    (
        _form(rf"DROP (MATERIALIZED\s+VIEW|VIEW|SCHEMA)( IF EXISTS)? {PATH}"),
        lambda it: Drop(" ".join(it[1].upper().split()), it[3], bool(it[2])),
    ),
    (
        _form(rf"GRANT (USAGE|SELECT|CREATE) ON (?:(SCHEMA|TABLE|DATABASE) )?{PATH} TO (ROLE )?({NAME})"),
        lambda it: GrantTo(it[1].upper(), (it[2] or "TABLE").upper(), it[3], unquoted(it[5]), bool(it[4])),
    ),
    (_form(rf"CREATE ROLE ({NAME})"), lambda it: CreateRole(unquoted(it[1]))),
    (_form(rf"SHOW VIEW {PATH}"), lambda it: ShowView(path_of(it[1]))),
    (_form(r"SHOW (\w+)"), lambda it: ShowSetting(it[1].lower())),
    (_form(r"(?:SELECT|WITH) .+"), lambda it: Select(it[0])),
)

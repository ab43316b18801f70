"""Statements of Redshift by its Data API: sent, waited for, and read. No connection is kept, and no password is seen."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint.redshift import RedshiftDestination
from firnline_infra.redshift.errors import RedshiftStatementFailed

FAILED, FINISHED = ("FAILED", "ABORTED"), "FINISHED"
SHORTEST_S, LONGEST_S = 0.02, 5.0
ENDS_WITHIN_S = 1800.0
Row = dict[str, Any]


@dataclass(frozen=True)
class RedshiftDatabase:
    destination: RedshiftDestination
    client: Any = field(repr=False)
    """The boto3 client of redshift-data."""
    wait: Callable[[float], None] = time.sleep

    def run(self, sql: str) -> list[Row]:
        """The statement's rows by lower-cased column name, without the blanks that CHAR columns end with.

        Raises RedshiftStatementFailed, AwsRefused.
        """
        with aws_call("run a statement", self.place):
            id_ = self.client.execute_statement(Sql=sql, Database=self.destination.database, **self._who())["Id"]
            found = self._ended(id_)
        if found["Status"] != FINISHED:
            said = found.get("Error") or f"it is {found['Status']} after {ENDS_WITHIN_S:.0f} s"
            raise RedshiftStatementFailed(sql, said, grants=self.grants)
        return self._rows(id_) if found.get("HasResultSet") else []

    @property
    def place(self) -> str:
        wanted = self.destination
        return f"cluster {wanted.cluster}" if wanted.cluster else f"workgroup {wanted.workgroup_name}"

    @property
    def grants(self) -> list[str]:
        """Grants that the user who deploys needs of a database that is another's."""
        user = self.destination.db_user or self.destination.owner or "<the user of the secret>"
        schemas = dict.fromkeys(view.schema for view in self.destination.views)
        return [
            f'GRANT CREATE ON DATABASE "{self.destination.database}" TO "{user}"',
            *(f'GRANT {right} ON SCHEMA "{schema}" TO "{user}"' for schema in schemas for right in ("CREATE", "USAGE")),
        ]

    def _who(self) -> dict[str, str]:
        wanted = self.destination
        said = {
            "WorkgroupName": wanted.workgroup_name,
            "ClusterIdentifier": wanted.cluster,
            "DbUser": wanted.db_user,
            "SecretArn": wanted.secret_arn,
        }
        return {name: value for name, value in said.items() if value is not None}

    def _ended(self, id_: str) -> Row:
        pause, waited = SHORTEST_S, 0.0
        while True:
            found: Row = self.client.describe_statement(Id=id_)
            if found["Status"] in (*FAILED, FINISHED) or waited > ENDS_WITHIN_S:
                return found
            self.wait(pause)
            waited, pause = waited + pause, min(2 * pause, LONGEST_S)

    def _rows(self, id_: str) -> list[Row]:
        rows: list[Row] = []
        with aws_call("read the result of a statement", self.place):
            for page in self.client.get_paginator("get_statement_result").paginate(Id=id_):
                names = [column["name"].lower() for column in page["ColumnMetadata"]]
                rows += [dict(zip(names, map(_value, record), strict=True)) for record in page["Records"]]
        return rows


def _value(field: dict[str, Any]) -> Any:
    if field.get("isNull"):
        return None
    (value,) = field.values()
    return value.rstrip(" ") if isinstance(value, str) else value
